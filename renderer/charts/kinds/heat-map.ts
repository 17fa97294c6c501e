import { formatFitness } from '#shared/number-format.ts';
import { axisTitle, extent, isValue, type HeatMapFigure } from '#renderer/charts/figure.ts';
import {
  escapeMarkup,
  fontOf,
  frameOf,
  planOf,
  plotted,
  textSizes,
  tickMarkup,
  type Picture,
  type Setting,
} from '#renderer/charts/picture.ts';
import { ticksOf, tickWidth } from '#renderer/charts/ticks.ts';
import type { ChartTheme } from '#renderer/charts/theme.ts';
import type { Range } from '#renderer/charts/view.ts';
import type { Data } from 'plotly.js-dist-min';
import type { Kind, Place, Reading } from './kind.ts';

/** Coloured cells, the first row on top, missing ones blank; viridis, which is perceptually uniform. */
export const heatMap: Kind<HeatMapFigure> = {
  values: ({ cells }) => cells,
  extents: () => ({ x: null, y: null }),
  draw,
  table: ({ x, y, cells, values = cells }) => ({
    columns: [axisTitle(x), ...y.labels],
    rows: x.values.map((value, column) => [value, ...values.map((row) => row[column] ?? null)]),
  }),
  stops: ({ x, y }) => ({ x: x.values, rows: y.labels.length }),
  read,
};

/** Most rows that have a line between each two of them. */
const mostGappedRows = 60;

/** Ends of the colour scale: the reader's, else the figure's, else those of the cells; [0, 1] without any. */
export function colorRangeOf(
  figure: HeatMapFigure,
  chosen: Setting['colorRange'],
): [number, number] {
  const [minimum, maximum] = figure.color.range ?? extent(figure.cells) ?? [0, 1];
  return [chosen.minimum ?? minimum, chosen.maximum ?? maximum];
}

/** All of the columns and rows, the first row on top. */
export function wholeRanges({ x, y }: HeatMapFigure): { x: Range; y: Range } {
  const last = x.values.length - 1;
  return {
    x: [columnEdges(x.values, 0)[0], columnEdges(x.values, last)[1]],
    y: [y.labels.length - 0.5, -0.5],
  };
}

/** Left and right edge of a column: half way to its neighbours, as Plotly draws cells around their x. */
export function columnEdges(x: readonly number[], column: number): [number, number] {
  const here = x[column] ?? 0;
  const before = x[column - 1];
  const after = x[column + 1];
  const left = before === undefined ? (after ?? here + 1) - here : here - before;
  const right = after === undefined ? left : after - here;
  return [here - left / 2, here + right / 2];
}

function draw(figure: HeatMapFigure, setting: Setting): Picture {
  const { theme, view, colorRange } = setting;
  const whole = wholeRanges(figure);
  const ranges = { x: view.x ?? whole.x, y: view.y ?? whole.y };
  const ends = colorRangeOf(figure, colorRange);
  const scale = colorScale(figure, theme, ends, setting.size.height);
  const frame = frameOf(
    setting,
    {
      x: planOf(figure.x, ranges.x, { whole: true, hasGrid: false }),
      y: planOf(figure.y, ranges.y, {
        ticks: rowTicks(figure, ranges.y, setting),
        hasGrid: false,
      }),
    },
    scale.width,
  );
  const cells: Data = {
    type: 'heatmap',
    uid: 'cells',
    x: [...figure.x.values],
    y: figure.y.labels.map((_, row) => row),
    // As they are: a copy of each cell on every drawing would take longer than the drawing.
    z: figure.cells as (number | null)[][],
    zmin: ends[0],
    zmax: ends[1],
    zauto: false,
    colorscale: 'Viridis',
    hoverongaps: false,
    hoverinfo: 'skip',
    xgap: 0,
    ygap: figure.y.labels.length <= mostGappedRows ? 1 : 0,
    colorbar: scale.bar,
  };
  return plotted(frame, ranges, [cells]);
}

function colorScale(
  { color }: HeatMapFigure,
  theme: ChartTheme,
  ends: [number, number],
  height: number,
) {
  const { tick } = textSizes(theme);
  const ticks = ticksOf(ends, 'linear', (all) => all.length <= Math.max(2, height / (4 * tick)));
  const labels = Math.max(tick, ...ticks.map((one) => tickWidth(one, tick)));
  const font = fontOf(theme, tick, theme.muted);
  return {
    width: Math.round(labels + 4.2 * tick),
    bar: {
      title: { text: escapeMarkup(color.title), side: 'right' as const, font },
      // Its usual distance is a share of the width: in a wide picture the title would stand outside.
      x: 1,
      xpad: Math.round(0.8 * tick),
      thickness: Math.round(tick),
      outlinewidth: 0,
      tickfont: font,
      tickmode: 'array' as const,
      tickvals: ticks.map(({ value }) => value),
      ticktext: ticks.map(tickMarkup),
    },
  };
}

/** The names of as many of the seen rows as have room, each, each second, fifth, tenth … one. */
function rowTicks({ x, y }: HeatMapFigure, range: Range, { theme, size }: Setting) {
  const { tick } = textSizes(theme);
  const [first, last] = [Math.ceil(Math.min(...range)), Math.floor(Math.max(...range))];
  const room = (size.height - (x.title === '' ? 2 : 5) * tick) / (1.4 * tick);
  const least = Math.max(1, (last - first + 1) / room);
  const decade = 10 ** Math.floor(Math.log10(least));
  const step = ([1, 2, 5].find((digit) => digit * decade >= least) ?? 10) * decade;
  return y.labels.flatMap((label, value) =>
    value >= first && value <= last && value % step === 0 ? [{ value, label }] : [],
  );
}

function read(figure: HeatMapFigure, place: Place): Reading {
  const column = columnAt(figure, place.x);
  if (place.row === undefined) return { title: placeText(figure, column), rows: [] };
  const { row } = place;
  const value = (figure.values ?? figure.cells)[row]?.[column];
  return {
    title: placeText(figure, column),
    rows: [
      {
        name: figure.y.labels[row] ?? '',
        text: isValue(value) ? formatFitness(value) : 'no value',
      },
    ],
    outline: { x: columnEdges(figure.x.values, column), y: [row - 0.5, row + 0.5] },
  };
}

function placeText({ x }: HeatMapFigure, column: number): string {
  return `${axisTitle(x)} ${x.values[column] ?? ''}`;
}

function columnAt({ x }: HeatMapFigure, place: number): number {
  return x.values.indexOf(place);
}

/** A cell in words: "entropy · iteration 12 · 0.53", or that it has no value. */
export function describeCell(figure: HeatMapFigure, place: Place): string {
  const { title, rows } = read(figure, place);
  return [rows[0]?.name, title, rows[0]?.text].filter(Boolean).join(' · ');
}
