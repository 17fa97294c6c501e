import { escapeLatex } from '#shared/latex-text.ts';
import { isValue, type BoxFigure } from '#renderer/charts/figure.ts';
import { atEdge, boxes } from '#renderer/charts/kinds/boxes.ts';
import { swarm } from '#renderer/charts/kinds/swarm.ts';
import { fractionOf, type Range } from '#renderer/charts/view.ts';
import { referenceSource } from './lines.ts';
import {
  axisEnvironment,
  colorOf,
  markOf,
  number,
  paperOptions,
  tableOf,
  type TexOptions,
  type TexPlot,
} from './tex.ts';

const halfWidth = 0.18;

/** Boxes side by side with their single values. */
export function boxesSource(whole: BoxFigure, options: TexOptions): TexPlot {
  const { scales, hidden, width } = options;
  const { ranges } = boxes.draw(whole, paperOptions(options));
  const isLog = scales.y === 'log';
  const figure = isLog ? atEdge(whole, ranges.y[0]) : whole;
  const names = figure.boxes.map(({ name }) => `{${escapeLatex(name)}}`);
  const more = [
    `xtick={${names.map((_, place) => place).join(',')}}, xticklabels={${names.join(',')}}`,
    ...(names.length > 4 ? ['x tick label style={rotate=35, anchor=north east}'] : []),
  ];
  const drawn = figure.boxes.flatMap((box, place) =>
    hidden.has(box.name)
      ? []
      : [...boxSource(box, place), ...valuesSource(box, place, ranges.y, isLog)],
  );
  return {
    body: axisEnvironment({ width, x: { title: '' }, y: figure.y, scales, ranges, more }, [
      ...figure.references.flatMap((one) => referenceSource(one, ranges, isLog)),
      ...drawn,
    ]),
    isThinned: false,
  };
}

type OneBox = BoxFigure['boxes'][number];

function boxSource({ shape, paletteIndex }: OneBox, place: number): string[] {
  const { q1, median, q3, mean, whiskerLow, whiskerHigh } = shape;
  if (!isValue(q1) || !isValue(median) || !isValue(q3)) return [];
  const color = colorOf(paletteIndex);
  const at = (x: number, y: number) => `(axis cs:${number(x)},${number(y)})`;
  const across = (y: number, half: number) => `${at(place - half, y)} -- ${at(place + half, y)}`;
  const whisker = (from: number, to: number) =>
    `\\draw[${color}] ${at(place, from)} -- ${at(place, to)} ${across(to, halfWidth / 2)};`;
  return [
    `\\draw[${color}, fill=${color}, fill opacity=0.16] ${at(place - halfWidth, q1)} rectangle ${at(place + halfWidth, q3)};`,
    `\\draw[${color}, thick] ${across(median, halfWidth)};`,
    ...(isValue(mean) ? [`\\draw[${color}, densely dashed] ${across(mean, halfWidth)};`] : []),
    whisker(q1, whiskerLow ?? q1),
    whisker(q3, whiskerHigh ?? q3),
  ];
}

function valuesSource(
  { values, paletteIndex }: OneBox,
  place: number,
  range: Range,
  isLog: boolean,
): string[] {
  if (values.length === 0) return [];
  const heights = values.map((value) => fractionOf(value, range, isLog ? 'log' : 'linear'));
  const x = swarm(heights, halfWidth).map((offset) => place + offset);
  const look = `${colorOf(paletteIndex)}, only marks, mark=${markOf(paletteIndex)}, mark size=1pt, opacity=0.65`;
  return [`\\addplot[${look}] ${tableOf(x, values)};`];
}
