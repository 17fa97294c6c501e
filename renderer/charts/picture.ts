import type { Annotation, Data, Layout, LayoutAxis, Shape } from 'plotly.js-dist-min';
import { axisTitle, type Axis, type Scale, type Scales } from './figure.ts';
import { xmlCharacters, type SvgNode } from './svg.ts';
import { isLongest, onLongestAxis } from './ranges.ts';
import { usualTextPixels, type ChartTheme } from './theme.ts';
import { namedTicks, ticksOf, tickWidth, type Fits, type Tick } from './ticks.ts';
import { fractionOf, toPlotly, type Range, type View } from './view.ts';

/** All that a picture depends on beside its figure. */
export interface Setting {
  theme: ChartTheme;
  scales: Scales;
  view: View;
  /** Names of the series that are switched off. */
  hidden: ReadonlySet<string>;
  /** What dragging does. */
  drag: 'zoom' | 'pan';
  /** Ends of the colour scale of a heat map; an absent end follows the figure. */
  colorRange: { minimum?: number; maximum?: number };
  /** In pixels. */
  size: { width: number; height: number };
}

/** A rectangle of a picture, in pixels from its upper left corner. */
export interface Area {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** A figure with colours and pixels. */
export interface Picture {
  /** Where the values are drawn, and which part of each axis. */
  area: Area;
  ranges: { x: Range; y: Range };
  drawing: PlotlyDrawing | { by: 'svg'; node: SvgNode };
}

/** What Plotly draws. */
export interface PlotlyDrawing {
  by: 'plotly';
  data: Data[];
  layout: Partial<Layout>;
}

/** Sizes of text in pixels, in the proportions of the style sheet. */
export function textSizes({ textPixels }: ChartTheme): { tick: number; title: number } {
  return {
    tick: (textPixels * 11) / usualTextPixels,
    title: (textPixels * 12) / usualTextPixels,
  };
}

/** A font of the page at a size in pixels. */
export function fontOf(theme: ChartTheme, size: number, color: string) {
  return { family: theme.font, size, color };
}

/** An axis of a picture before its ticks are known. */
export interface AxisPlan {
  title: string;
  scale: Scale;
  range: Range;
  /** Ticks at whole numbers only. */
  whole?: boolean;
  /** Ticks that stand at given places. */
  ticks?: readonly Tick[];
  /** They are one apart, and their labels are names, of which the beginning does where room is short. */
  isNamed?: boolean;
  /** No line across the picture at each tick. */
  hasGrid?: boolean;
  /** Cannot be zoomed. */
  isFixed?: boolean;
}

/** The plan of an axis: its title says its unit, and whether it is logarithmic. */
export function planOf(
  axis: Axis,
  range: Range,
  more: { scale?: Scale } & Partial<Omit<AxisPlan, 'title' | 'range'>> = {},
): AxisPlan {
  const title = more.scale === 'log' ? `${axisTitle(axis)}, log` : axisTitle(axis);
  return { scale: 'linear', whole: axis.whole === true, ...more, title, range };
}

/** A picture that Plotly draws inside a frame. Values that no axis is long enough for are drawn at its ends. */
export function plotted(
  { area, layout }: PictureFrame,
  ranges: Picture['ranges'],
  data: Data[],
  more: Partial<Pick<Layout, 'shapes' | 'annotations'>> = {},
): Picture {
  const drawn = isLongest(ranges.y) ? data.map((trace) => onAxes(trace, ranges)) : data;
  return { area, ranges, drawing: { by: 'plotly', data: drawn, layout: { ...layout, ...more } } };
}

function onAxes(trace: Data, ranges: Picture['ranges']): Data {
  const shown: Record<string, unknown> = { ...trace };
  for (const field of ['y', 'q1', 'median', 'q3', 'mean', 'lowerfence', 'upperfence']) {
    const values = shown[field];
    if (!Array.isArray(values)) continue;
    shown[field] = values.map((value: unknown) =>
      typeof value === 'number' ? onLongestAxis(value, ranges.y) : value,
    );
  }
  return shown;
}

/** What surrounds the values: the area that is left for them, and the layout with both axes and their ticks. */
export interface PictureFrame {
  area: Area;
  layout: Partial<Layout>;
}

/**
 * The frame of a picture: margins as wide as its labels need, ticks as many as have room. `right` are the pixels
 * that something beside the picture takes.
 */
export function frameOf(
  { theme, size, drag }: Setting,
  plans: { x: AxisPlan; y: AxisPlan },
  right = 0,
): PictureFrame {
  const { tick, title } = textSizes(theme);
  const top = Math.round(tick * 0.9);
  const bottom = Math.round(tick * 1.9 + (plans.x.title === '' ? 0 : title * 1.7));
  const height = Math.max(20, size.height - top - bottom);
  const yTicks =
    plans.y.ticks ??
    ticksOf(plans.y.range, plans.y.scale, fitsDown(plans.y, height, tick), plans.y.whole);
  const titleWidth = plans.y.title === '' ? 0 : title * 1.9;
  const left = Math.round(titleWidth + widest(yTicks, tick) + tick);
  const rough = Math.max(40, size.width - left - right - tick);
  const xTicks = ticksAcross(plans.x, rough, tick);
  const beyond = right + Math.round(Math.max(tick, overhang(xTicks, plans.x, tick)));
  const area = { left, top, width: Math.max(40, size.width - left - beyond), height };
  return {
    area,
    layout: {
      ...size,
      autosize: false,
      font: fontOf(theme, title, theme.text),
      paper_bgcolor: theme.surface,
      plot_bgcolor: theme.surface,
      margin: { l: left, r: beyond, t: top, b: bottom, pad: 0, autoexpand: false },
      // The values at the cursor are read from the figure, not from what is drawn.
      hovermode: false,
      showlegend: false,
      dragmode: drag,
      xaxis: { ...axisOf(theme, plans.x, xTicks), ticks: 'outside', ticklabelstandoff: 0 },
      yaxis: axisOf(theme, plans.y, yTicks),
    },
  };
}

function ticksAcross(plan: AxisPlan, length: number, fontPixels: number): readonly Tick[] {
  const { range, ticks, scale, whole } = plan;
  if (!ticks) return ticksOf(range, scale, fitsAcross(plan, length, fontPixels), whole);
  const room = length / (range[1] - range[0]);
  return plan.isNamed === true ? namedTicks(ticks, room, fontPixels) : ticks;
}

function widest(ticks: readonly Tick[], fontPixels: number): number {
  return Math.max(fontPixels, ...ticks.map((tick) => tickWidth(tick, fontPixels)));
}

/** How far the last label goes beyond the end of its axis. */
function overhang(ticks: readonly Tick[], { range, scale }: AxisPlan, fontPixels: number): number {
  const last = ticks.at(-1);
  if (!last || fractionOf(last.value, range, scale) < 0.8) return 0;
  return tickWidth(last, fontPixels) / 2;
}

function fitsAcross({ range, scale }: AxisPlan, length: number, fontPixels: number): Fits {
  const place = ({ value }: Tick) => fractionOf(value, range, scale) * length;
  const half = (tick: Tick) => tickWidth(tick, fontPixels) / 2;
  return (ticks) =>
    ticks.every((tick, index) => {
      const before = ticks[index - 1];
      return !before || place(tick) - place(before) >= half(tick) + half(before) + 2.2 * fontPixels;
    });
}

function fitsDown({ range, scale }: AxisPlan, length: number, fontPixels: number): Fits {
  const place = ({ value }: Tick) => fractionOf(value, range, scale) * length;
  return (ticks) =>
    ticks.every((tick, index) => {
      const before = ticks[index - 1];
      return !before || Math.abs(place(tick) - place(before)) >= 3 * fontPixels;
    });
}

function axisOf(theme: ChartTheme, plan: AxisPlan, ticks: readonly Tick[]): Partial<LayoutAxis> {
  const { tick, title } = textSizes(theme);
  const drawn = toPlotly(plan.range, plan.scale) ?? plan.range;
  return {
    title: {
      text: escapeMarkup(plan.title),
      font: fontOf(theme, title, theme.muted),
      standoff: Math.round(tick * 0.6),
    },
    type: plan.scale,
    range: [...drawn],
    autorange: false,
    tickmode: 'array',
    tickvals: ticks.map(({ value }) => value),
    ticktext: ticks.map(tickMarkup),
    ticklabeloverflow: 'allow',
    tickfont: fontOf(theme, tick, theme.muted),
    tickcolor: theme.axis,
    ticks: '',
    ticklabelstandoff: Math.round(tick * 0.3),
    gridcolor: theme.grid,
    showgrid: plan.hasGrid ?? true,
    showline: false,
    zeroline: false,
    automargin: false,
    fixedrange: plan.isFixed ?? false,
  };
}

/** The label of a tick as Plotly shows it. */
export function tickMarkup({ label, exponent }: Tick): string {
  return exponent === undefined
    ? escapeMarkup(label)
    : `${escapeMarkup(label)}<sup>${exponent}</sup>`;
}

/** The pixel of a value along an axis of an area, from the picture's upper left corner. */
export function pixelOf(
  { area, ranges }: Pick<Picture, 'area' | 'ranges'>,
  axis: 'x' | 'y',
  value: number,
  scale: Scale,
): number {
  const fraction = fractionOf(value, ranges[axis], scale);
  return axis === 'x' ? area.left + fraction * area.width : area.top + (1 - fraction) * area.height;
}

/** The value at a pixel along an axis; the reverse of {@link pixelOf}. */
export function valueAt(
  { area, ranges }: Pick<Picture, 'area' | 'ranges'>,
  axis: 'x' | 'y',
  pixel: number,
  scale: Scale,
): number {
  const fraction =
    axis === 'x' ? (pixel - area.left) / area.width : 1 - (pixel - area.top) / area.height;
  const [start, end] = ranges[axis];
  const value =
    scale === 'log' ? start ** (1 - fraction) * end ** fraction : start + fraction * (end - start);
  return Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE);
}

/** A line across the whole picture. */
export function lineAcross(value: number, theme: ChartTheme): Partial<Shape> {
  return {
    type: 'line',
    xref: 'paper',
    yref: 'y',
    x0: 0,
    x1: 1,
    y0: value,
    y1: value,
    layer: 'below',
    line: { color: theme.muted, width: 1, dash: 'dash' },
  };
}

/** A text over the picture, placed by pixels of its area; it hides what is behind it. */
export function noteAt(
  text: string,
  { left, top, area }: { left: number; top: number; area: Area },
  theme: ChartTheme,
): Partial<Annotation> {
  return {
    text: escapeMarkup(text),
    xref: 'paper',
    yref: 'paper',
    x: (left - area.left) / area.width,
    y: 1 - (top - area.top) / area.height,
    xanchor: 'left',
    yanchor: 'top',
    showarrow: false,
    borderpad: 0,
    bgcolor: theme.surface,
    font: fontOf(theme, textSizes(theme).tick, theme.muted),
  };
}

/**
 * What identifies a trace from one drawing to the next. Plotly builds selectors of it, and a name that makes none
 * (a digit after a blank is enough) would stop it from clearing the picture: all but letters and digits
 * is written as its code.
 */
export function traceId(name: string): string {
  return name.replaceAll(
    /[^a-zA-Z0-9]/g,
    (character) => `_${character.charCodeAt(0).toString(16)}`,
  );
}

/** Text that Plotly shows, and writes to SVG, as it is: its labels take `<b>`, `<a href>` and entities for markup. */
export function escapeMarkup(text: string): string {
  return xmlCharacters(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
