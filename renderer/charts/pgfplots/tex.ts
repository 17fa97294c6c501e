import { escapeLatex } from '#shared/latex-text.ts';
import type { ViewOptions } from '#renderer/charts/ChartCanvas.tsx';
import { axisTitle, isValue, type Axis, type Cell, type Scales } from '#renderer/charts/figure.ts';
import { lookAt } from '#renderer/charts/palette.ts';
import type { PictureWidth } from '#renderer/charts/export-picture.ts';
import type { Setting } from '#renderer/charts/picture.ts';
import type { ChartTheme } from '#renderer/charts/theme.ts';
import type { Range } from '#renderer/charts/view.ts';

/** What a figure is drawn with in LaTeX. */
export interface TexOptions extends Pick<ViewOptions, 'scales' | 'view' | 'hidden'> {
  width: PictureWidth;
  /** The light one. */
  theme: ChartTheme;
}

/** How a kind of figure draws it on paper, for the ranges of its axes: all of it, at rest. */
export function paperOptions({ theme, scales, view, hidden }: TexOptions): Setting {
  const size = { width: 600, height: 400 };
  return { theme, scales, view, hidden, size, drag: 'zoom', colorRange: {} };
}

/** What stands between the ends of a `tikzpicture`. */
export interface TexPlot {
  body: string[];
  /** Points were left out. */
  isThinned: boolean;
}

/** The frame of a plot: both axes with what is seen of them. */
export interface AxisSource {
  width: PictureWidth;
  x: Axis;
  y: Axis;
  scales: Scales;
  ranges: { x: Range; y: Range };
  /** Further options of the axis. */
  more?: readonly string[];
}

const colors = 8;

/** Sizes of text: 7 points at least in a document of 10 points. */
const fonts = { small: '\\fontsize{7}{8.5}\\selectfont', usual: '\\fontsize{8}{9.5}\\selectfont' };

/** Font of labels inside a plot. */
export const labelFont = `font=${fonts.small}`;

/** The plot of an axis around what is drawn in it. */
export function axisEnvironment(source: AxisSource, drawn: readonly string[]): string[] {
  return [
    `\\begin{axis}[`,
    ...axisOptions(source).map((one) => `  ${one},`),
    ']',
    ...drawn,
    '\\end{axis}',
  ];
}

function axisOptions({ width, x, y, scales, ranges, more = [] }: AxisSource): string[] {
  const isWide = width !== '85 mm';
  const length = width === 'screen' ? '\\linewidth' : width.replace(' ', '');
  return [
    `width=${length}`,
    `height=${isWide ? '0.5' : '0.72'}*${width === 'screen' ? '\\linewidth' : length}`,
    `xlabel={${titleOf(x)}}`,
    `ylabel={${titleOf(y)}}`,
    ...(scales.x === 'log' ? ['xmode=log'] : []),
    ...(scales.y === 'log' ? ['ymode=log'] : []),
    `xmin=${number(ranges.x[0])}, xmax=${number(ranges.x[1])}`,
    `ymin=${number(ranges.y[0])}, ymax=${number(ranges.y[1])}`,
    'unbounded coords=jump, clip mode=individual, filter discard warning=false',
    'axis line style={evomuted}, tick style={evomuted}, tick align=outside, tick pos=left',
    'ymajorgrids, grid style={evogrid}',
    'scaled ticks=false, /pgf/number format/1000 sep={\\,}',
    `label style={font=${fonts.usual}}, tick label style={font=${fonts.small}}`,
    ...more,
  ];
}

function titleOf(axis: Axis): string {
  return escapeLatex(axisTitle(axis));
}

/** Options of a legend above the plot, as many columns as their texts have room for. */
export function legendOptions(labels: readonly string[], width: PictureWidth): string[] {
  const room = width === '85 mm' ? 44 : 92;
  const longest = Math.max(1, ...labels.map((label) => label.length + 5));
  const columns = Math.max(1, Math.min(labels.length, Math.floor(room / longest)));
  return [
    `legend style={at={(0,1.02)}, anchor=south west, draw=none, fill=none, font=${fonts.small}}`,
    `legend columns=${columns}, legend cell align=left`,
    '/tikz/every even column/.append style={column sep=6pt}',
  ];
}

/** The colour of a place of the palette. */
export function colorOf(paletteIndex: number): string {
  return `series${(paletteIndex % colors) + 1}`;
}

const marks: Readonly<Record<string, string>> = {
  circle: '*',
  square: 'square*',
  diamond: 'diamond*',
  'triangle-up': 'triangle*',
  cross: '+',
  x: 'x',
  'triangle-down': 'triangle*, mark options={rotate=180}',
  star: 'star',
};

/** The mark of a place of the palette. */
export function markOf(paletteIndex: number): string {
  return marks[lookAt(paletteIndex).symbol] ?? '*';
}

/** The dashes of a place of the palette, as an option. */
export function dashOf(paletteIndex: number): string {
  const lengths = lookAt(paletteIndex).stroke.split(' ').filter(Boolean);
  if (lengths.length === 0) return 'solid';
  const parts = lengths.map(
    (length, index) => `${index % 2 === 0 ? 'on' : 'off'} ${number(Number(length) * 0.6)}pt`,
  );
  return `dash pattern=${parts.join(' ')}`;
}

/** Points as the table of a plot, a gap where there is no value. */
export function tableOf(x: readonly number[], y: readonly Cell[]): string {
  const rows = x.map((place, index) => `${number(place)} ${number(y[index])}\\\\`);
  return `table[row sep=\\\\] {\n${rows.join('\n')}\n}`;
}

/** Points as coordinates. */
export function coordinates(points: readonly (readonly [x: number, y: number])[]): string {
  return `coordinates {${points.map(([x, y]) => `(${number(x)},${number(y)})`).join(' ')}}`;
}

/** A number with the digits that a picture can show; `nan` for none. */
export function number(value: Cell | undefined): string {
  return isValue(value) ? String(Number(value.toPrecision(9))) : 'nan';
}
