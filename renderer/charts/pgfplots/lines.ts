import { escapeLatex } from '#shared/latex-text.ts';
import { keptIndices } from '#renderer/charts/downsample.ts';
import {
  isValue,
  type Band,
  type LineFigure,
  type Mark,
  type Reference,
  type Series,
} from '#renderer/charts/figure.ts';
import { atEdge, lines } from '#renderer/charts/kinds/lines.ts';
import { valueOf } from '#renderer/charts/kinds/line-reading.ts';
import { modeOf, stepped, thinned } from '#renderer/charts/kinds/line-traces.ts';
import type { Range } from '#renderer/charts/view.ts';
import {
  axisEnvironment,
  colorOf,
  coordinates,
  dashOf,
  labelFont,
  legendOptions,
  markOf,
  number,
  tableOf,
  paperOptions,
  type TexOptions,
  type TexPlot,
} from './tex.ts';

/** Points that a curve keeps: more than a column of a journal can show, and no more than LaTeX has memory for. */
const mostPoints = 500;
/** Points that all single runs behind the curves keep together. */
const mostTracePoints = 3_000;

type Ranges = { x: Range; y: Range };

/** Curves, steps, bands, single runs, marks and targets over one axis. */
export function linesSource(whole: LineFigure, options: TexOptions): TexPlot {
  const { scales, hidden } = options;
  const { ranges } = lines.draw(whole, paperOptions(options));
  const figure = scales.y === 'log' ? atEdge(whole, ranges.y[0]) : whole;
  const shown = figure.series.filter(({ name }) => !hidden.has(name));
  const kept = thinned(shown, ranges.x, scales.x, mostPoints);
  const labels = shown.map(({ name, legendNote }) =>
    legendNote ? `${name}, ${legendNote}` : name,
  );
  const drawn = kept.flatMap((series, index) => [
    ...bandSource(series, ranges, scales.y === 'log'),
    ...runTraces(series, shown, scales.x),
    curveSource(series),
    `\\addlegendentry{${escapeLatex(labels[index] ?? '')}}`,
    ...crossSource(series),
  ]);
  const { y } = figure;
  const more = [...legendOptions(labels, options.width), ...ticksOf(figure)];
  return {
    body: axisEnvironment({ width: options.width, x: figure.x, y, scales, ranges, more }, [
      ...(figure.marks ?? []).flatMap((mark) => markSource(mark, ranges)),
      ...figure.references.flatMap((one) => referenceSource(one, ranges, scales.y === 'log')),
      ...drawn,
      ...infiniteSource(shown, ranges),
    ]),
    isThinned: shown.some(({ x }, index) => x.length > (kept[index]?.x.length ?? 0)),
  };
}

function ticksOf({ x, y }: LineFigure): string[] {
  const names = (y.categories ?? []).map((name) => `{${escapeLatex(name)}}`);
  const places = names.map((_, place) => place);
  return [
    ...(x.ticks ? [`xtick={${x.ticks.join(',')}}, xticklabels={${x.ticks.join(',')}}`] : []),
    ...(names.length > 0 ? [`ytick={${places.join(',')}}, yticklabels={${names.join(',')}}`] : []),
  ];
}

function curveSource(points: Series): string {
  const { x, y, shape, paletteIndex } = stepped(points);
  const color = colorOf(paletteIndex);
  const marks = `mark=${markOf(paletteIndex)}, mark size=1.6pt`;
  const line = `thick, ${dashOf(paletteIndex)}, ${shape === 'step' ? 'const plot' : 'sharp plot'}`;
  const look = {
    markers: `only marks, ${marks}`,
    lines: `${line}, no marks`,
    'lines+markers': `${line}, ${marks}, mark options=solid`,
  }[modeOf(points)];
  return `\\addplot[${color}, ${look}] ${tableOf(x, y)};`;
}

function crossSource(series: Series): string[] {
  const { crossAt, paletteIndex } = series;
  const height = crossAt === undefined ? null : valueOf(series, crossAt);
  if (crossAt === undefined || !isValue(height)) return [];
  const look = `${colorOf(paletteIndex)}, forget plot, only marks, mark=x, mark size=3pt, very thick`;
  return [`\\addplot[${look}] ${coordinates([[crossAt, height]])};`];
}

/** Infinite values: hollow triangles at the upper edge. */
function infiniteSource(series: readonly Series[], { y }: Ranges): string[] {
  return series.flatMap(({ infiniteAt = [], paletteIndex }) => {
    if (infiniteAt.length === 0) return [];
    const look = `${colorOf(paletteIndex)}, forget plot, only marks, mark=triangle, mark size=2.4pt`;
    return [`\\addplot[${look}] ${coordinates(infiniteAt.map((x) => [x, y[1]] as const))};`];
  });
}

/** A band as one closed surface for each stretch without a gap, inside what is possible and seen. */
function bandSource(points: Series, { y }: Ranges, isLog: boolean): string[] {
  const series = stepped(points);
  const { band, paletteIndex } = series;
  if (!band) return [];
  const look = `${colorOf(paletteIndex)}, forget plot, draw=none, fill=${colorOf(paletteIndex)}, fill opacity=0.16`;
  return stretchesOf(series, band, isLog ? y[0] : -Infinity).map(
    (outline) => `\\addplot[${look}] ${coordinates(outline)} -- cycle;`,
  );
}

type Point = readonly [x: number, y: number];

function stretchesOf({ x, shape }: Series, band: Band, floor: number): Point[][] {
  const [low, high] = band.possible ?? [-Infinity, Infinity];
  const bound = (value: number) => Math.min(Math.max(value, low, floor), high);
  const outlines: Point[][] = [];
  let [above, below]: [Point[], Point[]] = [[], []];
  const end = (): void => {
    if (above.length > 1) outlines.push([...above, ...below.toReversed()]);
    [above, below] = [[], []];
  };
  for (const [index, place] of x.entries()) {
    const [lower, upper] = [band.lower[index], band.upper[index]];
    if (!isValue(lower) || !isValue(upper)) {
      end();
      continue;
    }
    for (const [edge, value] of [
      [above, upper],
      [below, lower],
    ] as const) {
      const before = edge.at(-1);
      if (shape === 'step' && before) edge.push([place, before[1]]);
      edge.push([place, bound(value)]);
    }
  }
  end();
  return outlines;
}

/** Single runs as one thin curve with gaps. */
function runTraces(
  { runTraces: traces = [], paletteIndex }: Series,
  all: readonly Series[],
  scale: 'linear' | 'log',
): string[] {
  if (traces.length === 0) return [];
  const count = all.reduce((sum, one) => sum + (one.runTraces?.length ?? 0), 0);
  const limit = Math.max(4, Math.floor(mostTracePoints / count));
  const points = traces.flatMap(({ x, y }) => {
    const indices = keptIndices(x, [y], limit, scale);
    return [
      ...indices.map((index) => [x[index] ?? Number.NaN, y[index] ?? null] as const),
      [x.at(-1) ?? 0, null] as const,
    ];
  });
  const table = tableOf(
    points.map(([x]) => x),
    points.map(([, y]) => y),
  );
  return [
    `\\addplot[${colorOf(paletteIndex)}, forget plot, very thin, opacity=0.35, no marks] ${table};`,
  ];
}

/** A target: a dashed line with its label, as far as the axis has a place for it. */
export function referenceSource(
  { label, value }: Reference,
  { x, y }: Ranges,
  isLog: boolean,
): string[] {
  const text = `node[pos=0, above right, inner sep=1.5pt, evomuted, ${labelFont}]`;
  if (isLog && value <= 0) {
    const name = escapeLatex(`${label}, below a log axis`);
    return [
      `\\addplot[forget plot, draw=none] ${coordinates([
        [x[0], y[0]],
        [x[1], y[0]],
      ])} ${text} {${name}};`,
    ];
  }
  if (value < Math.min(...y) || value > Math.max(...y)) return [];
  const across = coordinates([
    [x[0], value],
    [x[1], value],
  ]);
  return [
    `\\addplot[forget plot, evomuted, densely dashed, no marks] ${across} ${text} {${escapeLatex(label)}};`,
  ];
}

function markSource({ label, from, to }: Mark, { x, y }: Ranges): string[] {
  const [start, end] = [Math.max(from, x[0]), Math.min(to, x[1])];
  if (!(start <= end)) return [];
  const corners = coordinates([
    [start, y[0]],
    [start, y[1]],
    [end, y[1]],
    [end, y[0]],
  ]);
  return [
    `\\addplot[forget plot, draw=evoaccent, draw opacity=0.5, fill=evoaccent, fill opacity=0.1] ${corners} -- cycle;`,
    `\\node[anchor=north west, evomuted, ${labelFont}] at (axis cs:${number(start)},${number(y[1])}) {${escapeLatex(label)}};`,
  ];
}
