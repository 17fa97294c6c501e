import type { Scale, Scales } from './figure.ts';
import type { ChartTheme } from './theme.ts';
import { toPlotly, type Range, type View } from './view.ts';

/** A cell of a heat map, by index. */
export interface CellPlace {
  row: number;
  column: number;
}

/** What a reader chose about a picture. */
export interface DrawOptions {
  scales: Scales;
  view: View;
  /** Names of the series that are switched off. */
  hidden: ReadonlySet<string>;
  /** What dragging does. */
  drag: 'zoom' | 'pan';
  /** Ends of the colour scale of a heat map; an absent end follows the figure. */
  colorRange: { minimum?: number; maximum?: number };
  /** The cell whose tooltip stays, and the one the keyboard stands on. */
  pinned?: CellPlace;
  cursor?: CellPlace;
}

/** Everything shown, on linear axes. */
export const plainDrawing: DrawOptions = {
  scales: { x: 'linear', y: 'linear' },
  view: {},
  hidden: new Set(),
  drag: 'zoom',
  colorRange: {},
};

interface Font {
  family: string;
  size: number;
  color: string;
}

/** One of Plotly's two axes, as far as we set it. */
export interface DrawnAxis {
  title: { text: string; font: Font; standoff: number };
  type: Scale;
  tickfont: Font;
  gridcolor: string;
  linecolor: string;
  tickcolor: string;
  zeroline: boolean;
  showgrid: boolean;
  showline: boolean;
  ticks: 'outside' | '';
  automargin: boolean;
  exponentformat: 'power';
  minexponent: number;
  separatethousands: boolean;
  uirevision: string;
  range?: number[];
  autorange: boolean | 'reversed';
  tickmode?: 'array';
  tickvals?: number[];
  ticktext?: string[];
  tickformat?: string;
  nticks?: number;
  dtick?: number | string;
  unifiedhovertitle?: { text: string };
  fixedrange?: boolean;
  visible?: boolean;
}

/** A rectangle or line over the picture; `y` and `x` in axis units or, on paper, 0 to 1. */
export interface DrawnShape {
  type: 'line' | 'rect';
  xref: 'x' | 'paper';
  yref: 'y' | 'paper';
  x0: number;
  x1: number;
  y0: number;
  y1: number;
  line: { color: string; width: number; dash?: string };
}

/** A text over the picture. */
export interface DrawnNote {
  text: string;
  xref: 'x' | 'paper';
  yref: 'y' | 'paper';
  x: number;
  y: number;
  xanchor: 'left' | 'center' | 'right';
  yanchor: 'bottom' | 'middle' | 'top';
  showarrow: boolean;
  ax?: number;
  ay?: number;
  arrowcolor?: string;
  arrowwidth?: number;
  bgcolor?: string;
  bordercolor?: string;
  borderpad?: number;
  font: Font;
}

/** The frame around the traces. */
export interface DrawnLayout {
  uirevision: string;
  autosize: boolean;
  font: Font;
  paper_bgcolor: string;
  plot_bgcolor: string;
  margin: { l: number; r: number; t: number; b: number };
  separators: string;
  hovermode: 'x unified' | 'closest';
  hoverdistance: number;
  hoverlabel: { bgcolor: string; bordercolor: string; font: Font; namelength: number };
  showlegend: boolean;
  legend: {
    orientation: 'h';
    traceorder: 'normal';
    x: number;
    y: number;
    xanchor: 'left';
    yanchor: 'bottom';
  };
  dragmode: 'zoom' | 'pan';
  xaxis: DrawnAxis;
  yaxis: DrawnAxis;
  shapes: DrawnShape[];
  annotations: DrawnNote[];
}

/** A font of the page at a size in pixels. */
export function fontOf(theme: ChartTheme, size: number, color: string): Font {
  return { family: theme.font, size, color };
}

/** What all axes have in common; the caller adds ticks and ranges. */
export function drawnAxis(
  theme: ChartTheme,
  title: string,
  scale: Scale,
  seen: Range | undefined,
): DrawnAxis {
  const range = seen && toPlotly(seen, scale);
  return {
    title: { text: escapeMarkup(title), font: fontOf(theme, 12, theme.muted), standoff: 8 },
    type: scale,
    tickfont: fontOf(theme, 11, theme.muted),
    // Without a format Plotly writes log ticks in three sizes, down to 8 pixels.
    ...(scale === 'log' && { tickformat: ',~g' }),
    gridcolor: theme.grid,
    linecolor: theme.axis,
    tickcolor: theme.axis,
    zeroline: false,
    showgrid: true,
    showline: false,
    ticks: '',
    automargin: true,
    exponentformat: 'power',
    minexponent: 6,
    separatethousands: true,
    // A zoom belongs to its scale: exponents of one must not become values of the other.
    uirevision: scale,
    autorange: range === undefined,
    ...(range && { range: [...range] }),
  };
}

/** What all pictures have in common. */
export function drawnLayout(
  theme: ChartTheme,
  options: DrawOptions,
  axes: { xaxis: DrawnAxis; yaxis: DrawnAxis },
): DrawnLayout {
  return {
    // Constant, so that what the reader did to the picture survives every update of its data.
    uirevision: 'reader',
    autosize: true,
    font: fontOf(theme, 12, theme.text),
    paper_bgcolor: theme.surface,
    plot_bgcolor: theme.surface,
    margin: { l: 48, r: 12, t: 12, b: 40 },
    separators: '.\u2009',
    hovermode: 'closest',
    hoverdistance: 40,
    hoverlabel: {
      bgcolor: theme.surface,
      bordercolor: theme.axis,
      font: fontOf(theme, 12, theme.text),
      namelength: -1,
    },
    showlegend: false,
    legend: {
      orientation: 'h',
      traceorder: 'normal',
      x: 0,
      y: 1.02,
      xanchor: 'left',
      yanchor: 'bottom',
    },
    dragmode: options.drag,
    ...axes,
    shapes: [],
    annotations: [],
  };
}

/** A horizontal line over the whole width, such as the target. */
export function referenceLine(value: number, theme: ChartTheme): DrawnShape {
  return {
    type: 'line',
    xref: 'paper',
    yref: 'y',
    x0: 0,
    x1: 1,
    y0: value,
    y1: value,
    line: { color: theme.axis, width: 1, dash: 'dash' },
  };
}

/** The name of a horizontal line; `y` in the axis' own units, exponents of ten on a log axis. */
export function referenceLabel(y: number, label: string, theme: ChartTheme): DrawnNote {
  return {
    text: escapeMarkup(label),
    xref: 'paper',
    yref: 'y',
    // Curves come near the target at their right end.
    x: 0,
    y,
    xanchor: 'left',
    yanchor: 'bottom',
    showarrow: false,
    font: fontOf(theme, 11, theme.muted),
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

/** Text that Plotly shows as it is: its labels take `<b>`, `<a href>` and entities for markup. */
export function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
