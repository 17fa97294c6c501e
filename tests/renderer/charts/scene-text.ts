import { makeDrawableMarks, maximumTracePoints } from '#renderer/charts/drawable.ts';
import type { Cell, Figure } from '#renderer/charts/figure.ts';
import { getPicture, type Picture } from '#renderer/charts/layout.ts';
import type { Choice, Mark, Scene } from '#renderer/charts/scene.ts';
import { getScene } from '#renderer/charts/scenes.ts';
import { readTheme } from '#renderer/charts/theme.ts';
import type { Tick } from '#renderer/charts/ticks.ts';

/** A theme whose colours are the names of their variables. */
export const namedTheme = readTheme((name) => (name === '--band' ? '0.2' : name), 13);

/** Everything shown on linear axes, except for what is chosen. */
export function choice(chosen: Partial<Choice> = {}): Choice {
  return {
    scales: { x: 'linear', y: 'linear' },
    view: {},
    hidden: new Set(),
    colorRange: {},
    ...chosen,
  };
}

export function sceneFor(figure: Figure, chosen: Partial<Choice> = {}): Scene {
  return getScene(figure, choice(chosen));
}

/** A picture of 500 × 300 pixels unless given. */
export function pictureFor(
  figure: Figure,
  chosen: Partial<Choice> = {},
  size = { width: 500, height: 300 },
): Picture {
  return getPicture(sceneFor(figure, chosen), namedTheme, size);
}

/** The marks as the screen draws them. */
export function drawnMarks(figure: Figure, chosen: Partial<Choice> = {}): Mark[] {
  const { scene, area } = pictureFor(figure, chosen);
  return makeDrawableMarks(scene, { points: maximumTracePoints, width: area.width });
}

/** The drawn marks of one type. */
export function getDrawn<Type extends Mark['type']>(
  type: Type,
  figure: Figure,
  chosen: Partial<Choice> = {},
): Extract<Mark, { type: Type }>[] {
  return drawnMarks(figure, chosen).filter(
    (mark): mark is Extract<Mark, { type: Type }> => mark.type === type,
  );
}

/** A picture in lines to read: both axes with their ticks, each mark, labels. */
export function pictureText(figure: Figure, chosen: Partial<Choice> = {}): string[] {
  const { scene, ticks, labels } = pictureFor(figure, chosen);
  const { x, y } = scene.axes;
  return [
    `x ${x.scale.range.map(short).join(' to ')}: ${ticks.x.map(tickText).join(' | ')}`,
    `y ${y.scale.range.map(short).join(' to ')}: ${ticks.y.map(tickText).join(' | ')}`,
    ...drawnMarks(figure, chosen).map(markText),
    ...labels.map(({ text }) => `label ${text}`),
  ];
}

function tickText({ label, exponent }: Tick): string {
  return exponent === undefined ? label : `${label}^${exponent}`;
}

function markText(mark: Mark): string {
  switch (mark.type) {
    case 'curve':
      return `${mark.shape} ${mark.mode} ${mark.series}: ${list(mark.x)} / ${list(mark.y)}`;
    case 'band':
      return `band ${mark.name}: ${list(mark.x)} / ${list(mark.lower)} / ${list(mark.upper)}`;
    case 'points':
      return `points ${mark.name}: ${list(mark.x)} / ${list(mark.y)}`;
    case 'box': {
      const { whiskerLow, q1, median, q3, whiskerHigh } = mark.shape;
      return `box ${mark.series} at ${mark.at}: ${list([whiskerLow, q1, median, q3, whiskerHigh])}`;
    }
    case 'bars':
      return `bars: ${mark.bins.map(({ start, end, height }) => `${start} to ${end}: ${height}`).join(', ')}`;
    case 'cells':
      return `cells: ${list(mark.x)} / ${mark.rows.join(' ')}`;
    case 'rule':
      return `rule at ${short(mark.value)}`;
    case 'area':
      return `area ${mark.from} to ${mark.to}: ${mark.label}`;
    case 'runs':
      return `runs ${mark.series}: ${mark.runs.map(({ name }) => name).join(', ')}`;
    case 'cloud':
      return `cloud ${mark.series}: ${list(mark.points.map(({ y }) => y))}`;
    default:
      return `ranks: ${list(mark.figure.ranks.map(({ rank }) => rank))}`;
  }
}

function list(values: readonly Cell[]): string {
  const texts = values.map(short);
  return texts.length > 8 ? `${texts.slice(0, 4).join(' ')} … ${texts.at(-1)}` : texts.join(' ');
}

function short(value: Cell): string {
  return value === null ? 'null' : String(Number(value.toPrecision(4)));
}
