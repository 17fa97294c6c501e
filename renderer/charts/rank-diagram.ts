import { formatStatistic } from '#shared/number-format.ts';
import type { RankFigure } from './figure.ts';
import type { SvgNode } from './svg.ts';
import { getSeriesLook, getTextSizes, type ChartTheme } from './theme.ts';
import { truncateText, getTextWidth } from './ticks.ts';

/** Places of the diagram, in pixels. */
interface Plan {
  theme: ChartTheme;
  /** Distance of two lines of text: they fill the height, up to a limit. */
  line: number;
  width: number;
  /** Height of the axis. */
  axis: number;
  at: (rank: number) => number;
  /** The axis and the line of text below it. */
  area: { left: number; top: number; width: number; height: number };
}

/** Returns the places of a rank diagram at a size. */
export function planRanks(
  figure: RankFigure,
  theme: ChartTheme,
  size: { width: number; height: number },
): Plan {
  const { title } = getTextSizes(theme);
  const count = figure.ranks.length;
  const names = Math.max(...figure.ranks.map((one) => getTextWidth(getLabel(one), title)));
  const side = Math.min(size.width * 0.35, names + title * 2);
  const inner = size.width - 2 * side;
  const above = figure.criticalDifference === null ? 1.3 : 2.7;
  const lines = above + getNamesStart(figure) + Math.ceil(count / 2);
  const line = Math.min(Math.max(title * 1.5, size.height / lines), title * 2.5);
  const axis = line * above + Math.max(0, size.height - line * lines) / 2;
  return {
    theme,
    line,
    width: size.width,
    axis,
    at: (rank) => side + (count > 1 ? (rank - 1) / (count - 1) : 0.5) * inner,
    area: { left: side, top: axis, width: inner, height: line },
  };
}

/**
 * Returns the lines and texts of a critical-difference diagram: ranks on an axis, a bar over ranks without a claimed
 * difference. Demšar 2006.
 */
export function makeRankNodes(
  figure: RankFigure,
  theme: ChartTheme,
  size: { width: number; height: number },
): SvgNode[] {
  const plan = planRanks(figure, theme, size);
  return [
    ...makeAxisNodes(figure, plan),
    ...figure.ranks.flatMap((_, index) => makeNameNodes(figure, index, plan)),
    ...makeBarNodes(figure, plan),
  ];
}

/** Returns the distance from the axis to the first name, in lines: names are below the bars. */
function getNamesStart({ cliques }: RankFigure): number {
  return 0.6 + 0.45 * cliques.length;
}

function getLabel({ name, rank }: RankFigure['ranks'][number]): string {
  return `${name} ${formatStatistic(rank)}`;
}

function makeAxisNodes({ ranks: all, criticalDifference }: RankFigure, plan: Plan): SvgNode[] {
  const { theme, axis, at, line } = plan;
  const ticks = getWholeRanks(all.length, plan).flatMap((rank) => [
    makeStroke([at(rank), axis], [at(rank), axis - line / 4], theme.axis, 1),
    makeLabel(String(rank), [at(rank), axis - line / 2.4], 'middle', plan),
  ]);
  const nodes = [makeStroke([at(1), axis], [at(all.length), axis], theme.axis, 1), ...ticks];
  if (criticalDifference === null) return nodes;
  const y = axis - line * 1.35;
  const [left, right] = [at(1), Math.min(at(1 + criticalDifference), plan.width - 2)];
  const end = (x: number) => makeStroke([x, y - line / 5], [x, y + line / 5], theme.text, 1.5);
  const text = `CD = ${formatStatistic(criticalDifference)}`;
  return [
    ...nodes,
    makeStroke([left, y], [right, y], theme.text, 1.5),
    end(left),
    end(right),
    makeLabel(text, [(left + right) / 2, y - line / 3], 'middle', plan),
  ];
}

/** As many whole ranks as have room on the axis: each, or the multiples of 2, 5, 10, … */
function getWholeRanks(count: number, { at, theme }: Plan): number[] {
  const room = count > 1 ? at(2) - at(1) : Infinity;
  const least = (2 * getTextSizes(theme).tick) / room;
  const step = [1, 2, 5, 10, 20, 50, 100].find((one) => one >= least) ?? count;
  return Array.from({ length: count }, (_, index) => index + 1).filter((rank) => rank % step === 0);
}

/** Returns the name and rank at an end of the diagram. A name that would touch its line is truncated. */
function getFittingLabel(
  one: RankFigure['ranks'][number],
  end: number,
  { at, theme }: Plan,
): string {
  const { title } = getTextSizes(theme);
  const rank = getTextWidth(getLabel({ ...one, name: '' }), title);
  const room = Math.abs(at(one.rank) - end) - rank - title / 2;
  return getLabel({ ...one, name: truncateText(one.name, room, title) });
}

/**
 * Returns the line and the name of a rank. Names nearest to the axis belong to the outermost ranks, so that no two
 * lines cross.
 */
function makeNameNodes(figure: RankFigure, index: number, plan: Plan): SvgNode[] {
  const { ranks: all } = figure;
  const one = all[index];
  if (!one) return [];
  const { theme, line, axis, at, width } = plan;
  const half = Math.ceil(all.length / 2);
  const isLeft = index < half;
  const row = isLeft ? index : all.length - 1 - index;
  const y = axis + line * (getNamesStart(figure) + 0.5 + row);
  const { color } = getSeriesLook(theme, one.paletteIndex);
  const end = isLeft ? 2 : width - 2;
  return [
    makeStroke([at(one.rank), axis], [at(one.rank), y], color, 1.5),
    makeStroke([at(one.rank), y], [end, y], color, 1.5),
    makeLabel(
      getFittingLabel(one, end, plan),
      [end, y - line / 4],
      isLeft ? 'start' : 'end',
      plan,
      theme.text,
    ),
  ];
}

function makeBarNodes(
  { ranks: all, cliques }: RankFigure,
  { theme, at, axis, line }: Plan,
): SvgNode[] {
  return cliques.map(([first, last], index) => {
    const y = axis + line * (0.5 + 0.45 * index);
    const from = at(all[first]?.rank ?? 1) - 4;
    return makeStroke([from, y], [at(all[last]?.rank ?? 1) + 4, y], theme.text, 4);
  });
}

type Point = readonly [x: number, y: number];

function makeStroke([x1, y1]: Point, [x2, y2]: Point, color: string, width: number): SvgNode {
  const attributes = { x1, y1, x2, y2, stroke: color, 'stroke-width': width };
  return { tag: 'line', attributes: roundNumbers(attributes) };
}

function makeLabel(
  text: string,
  [x, y]: Point,
  anchor: 'start' | 'middle' | 'end',
  { theme }: Plan,
  fill = theme.muted,
): SvgNode {
  const { tick, title } = getTextSizes(theme);
  const size = fill === theme.muted ? tick : title;
  const attributes = { x, y, 'text-anchor': anchor, fill, 'font-size': size };
  return { tag: 'text', attributes: roundNumbers(attributes), text };
}

function roundNumbers(
  attributes: Record<string, string | number>,
): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name,
      typeof value === 'number' ? Math.round(value * 10) / 10 : value,
    ]),
  );
}
