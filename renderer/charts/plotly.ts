import type * as PlotlyModule from 'plotly.js-dist-min';
import type {
  Annotation,
  Dash,
  Data,
  Layout,
  LayoutAxis,
  PlotlyHTMLElement,
  ScatterData,
  Shape,
} from 'plotly.js-dist-min';
import { makeDrawableMarks, maximumTracePoints, mostGappedRows } from './drawable.ts';
import { isEqualData } from './equal-data.ts';
import { isValue } from './figure.ts';
import { getPixel, type Picture } from './layout.ts';
import { heatColors, restIndex } from './palette.ts';
import type { Scale } from './scale.ts';
import {
  getLegendLabel,
  type BandMark,
  type BoxMark,
  type CellsMark,
  type CurveMark,
  type Mark,
  type PointsMark,
  type SceneAxis,
  type View,
} from './scene.ts';
import { getXmlCharacters } from './svg.ts';
import {
  getLabelColor,
  looks,
  getSeriesLook,
  getTextSizes,
  getThickness,
  addOpacity,
  type ChartTheme,
} from './theme.ts';
import type { Tick } from './ticks.ts';

// The backend for the screen. Nothing outside of this file uses Plotly.

type Plotly = typeof PlotlyModule;
type Trace = Partial<ScatterData>;

let loading: Promise<Plotly> | undefined;

/**
 * Loads the library, 1.5 MB that pages without a chart never fetch; once, and again after a failure. Rejects if it
 * cannot be fetched.
 */
export function loadPlotly(): Promise<Plotly> {
  loading ??= importPlotly().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function importPlotly(): Promise<Plotly> {
  // The build makes the bundle a module with one export, which its types do not know.
  const module = (await import('plotly.js-dist-min')) as unknown as { default: Plotly };
  return module.default;
}

/** Gestures that a chart supports. */
export interface Interaction {
  drag: 'zoom' | 'pan';
  /** Whether the wheel zooms: only where the chart is alone in the window. */
  hasWheelZoom: boolean;
  /** Changes with each choice of a view. Plotly then discards zooms and pans by hand. */
  revision: string;
}

/** Callbacks for changes that the user makes on a chart. */
interface Listeners {
  /** The part of each axis that a drag or the wheel chose; an absent axis has not changed. */
  onView: (view: View) => void;
  /** The part that is visible during a drag. */
  onMove: (view: View) => void;
  onDoubleClick: () => void;
}

/** A chart on the screen. */
export interface PlotlyScreen {
  draw: (picture: Picture, interaction: Interaction) => void;
  remove: () => void;
}

/** Makes an element a chart. */
export function makePlotlyScreen(
  plotly: Plotly,
  element: HTMLElement,
  listeners: Listeners,
): PlotlyScreen {
  const plot = element as PlotlyHTMLElement;
  let currentData: Data[] = [];
  let scales: Record<'x' | 'y', Scale> | undefined;
  const readView = (report: unknown): View => getView(report as Report, scales);
  return {
    draw: (picture, { drag, hasWheelZoom, revision }) => {
      const isFirst = scales === undefined;
      const { x, y } = picture.scene.axes;
      scales = { x: x.scale, y: y.scale };
      const { data, layout } = makePlotlyDrawing(picture);
      // Plotly does not redraw a trace that is the same object.
      const next = data.map((trace, index) => {
        const before = currentData[index];
        return before && isEqualData(before, trace) ? before : trace;
      });
      currentData = next;
      void plotly.react(
        plot,
        next,
        { ...layout, dragmode: drag, uirevision: revision },
        { displayModeBar: false, doubleClick: false, scrollZoom: hasWheelZoom, showTips: false },
      );
      if (!isFirst) return;
      // The first drawing makes the element one that has events.
      plot.on('plotly_relayout', (event) => listeners.onView(readView(event)));
      plot.on('plotly_relayouting', (event) => listeners.onMove(readView(event)));
      plot.on('plotly_doubleclick', listeners.onDoubleClick);
    },
    remove: () => plotly.purge(element),
  };
}

type Report = Readonly<Record<string, unknown>>;

/** The ranges that Plotly reports after or during a zoom or a pan: in exponents on a log axis. */
function getView(report: Report, scales: Record<'x' | 'y', Scale> | undefined): View {
  const getRange = (axis: 'x' | 'y') => {
    const whole = report[`${axis}axis.range`];
    const [low, high]: readonly unknown[] = Array.isArray(whole)
      ? whole
      : [report[`${axis}axis.range[0]`], report[`${axis}axis.range[1]`]];
    if (typeof low !== 'number' || typeof high !== 'number') return undefined;
    return scales?.[axis].kind === 'log'
      ? ([10 ** low, 10 ** high] as const)
      : ([low, high] as const);
  };
  const [x, y] = [getRange('x'), getRange('y')];
  return { ...(x && { x }), ...(y && { y }) };
}

/** Returns a picture in the terms of Plotly, without the curves that a canvas draws: `getThinMarks`. */
export function makePlotlyDrawing(picture: Picture): { data: Data[]; layout: Partial<Layout> } {
  const { area, size, theme, scene, labels } = picture;
  const { title } = getTextSizes(theme);
  const marks = makeDrawableMarks(
    { ...scene, marks: scene.marks.filter(({ type }) => type !== 'runs') },
    { points: maximumTracePoints, width: area.width, thickness: getThickness(theme) },
  );
  const right = size.width - area.left - area.width;
  const bottom = size.height - area.top - area.height;
  return {
    data: joinRest(marks).flatMap((mark) => getTraces(mark, picture)),
    layout: {
      ...size,
      autosize: false,
      font: getFont(theme, title, theme.text),
      // The canvas of the thin curves is behind.
      paper_bgcolor: 'rgba(0,0,0,0)',
      plot_bgcolor: 'rgba(0,0,0,0)',
      margin: { l: area.left, r: right, t: area.top, b: bottom, pad: 0, autoexpand: false },
      // The values at the cursor are read from the scene.
      hovermode: false,
      showlegend: false,
      xaxis: { ...getAxis('x', picture), ticks: 'outside', ticklabelstandoff: 0 },
      yaxis: getAxis('y', picture),
      shapes: marks.flatMap((mark) => getShapes(mark, picture)),
      annotations: labels.map((label) => getAnnotation(label, picture)),
    },
  };
}

type Symbols = CurveMark | PointsMark;

/**
 * Returns the marks without the lines of series that are not emphasised, which a canvas draws, and with their symbols
 * of one kind as one mark: a trace for each of a hundred series would be thousands of elements.
 */
function joinRest(marks: readonly Mark[]): Mark[] {
  const isRest = (mark: Mark): mark is Symbols =>
    (mark.type === 'curve' || mark.type === 'points') && mark.paletteIndex === restIndex;
  const symbols = marks
    .filter(isRest)
    .filter((mark) => mark.type === 'points' || mark.mode !== 'lines');
  const kinds = Map.groupBy(symbols, (mark) => (mark.type === 'curve' ? 'curve' : mark.symbol));
  const joined = Array.from(kinds.values(), joinSymbols);
  return [...joined, ...marks.filter((mark) => !isRest(mark))];
}

function joinSymbols(marks: readonly Symbols[]): Mark {
  const [first] = marks as readonly [Symbols, ...Symbols[]];
  const values = { x: marks.flatMap(({ x }) => x), y: marks.flatMap(({ y }) => y) };
  return first.type === 'curve'
    ? { ...first, ...values, mode: 'markers', series: 'others', note: undefined }
    : { ...first, ...values, name: `others, ${first.symbol}` };
}

function getFont(theme: ChartTheme, size: number, color: string) {
  return { family: theme.font, size, color };
}

function getAxis(name: 'x' | 'y', { scene, theme, ticks }: Picture): Partial<LayoutAxis> {
  const { tick, title } = getTextSizes(theme);
  const axis: SceneAxis = scene.axes[name];
  const { kind, range } = axis.scale;
  const [start, end] = kind === 'log' ? [Math.log10(range[0]), Math.log10(range[1])] : range;
  return {
    title: {
      text: escapeMarkup(axis.label),
      font: getFont(theme, title, theme.muted),
      standoff: Math.round(tick * 0.6),
    },
    type: kind === 'log' ? 'log' : 'linear',
    range: [start, end],
    autorange: false,
    tickmode: 'array',
    tickvals: ticks[name].map(({ value }) => value),
    ticktext: ticks[name].map(makeTickMarkup),
    ticklabeloverflow: 'allow',
    tickfont: getFont(theme, tick, theme.muted),
    tickcolor: theme.axis,
    ticks: '',
    ticklabelstandoff: Math.round(tick * 0.3),
    gridcolor: theme.grid,
    showgrid: axis.hasGrid,
    showline: false,
    zeroline: false,
    automargin: false,
    fixedrange: axis.isFixed,
  };
}

function makeTickMarkup({ label, exponent }: Tick): string {
  return exponent === undefined
    ? escapeMarkup(label)
    : `${escapeMarkup(label)}<sup>${exponent}</sup>`;
}

function getTraces(mark: Mark, picture: Picture): Data[] {
  const { theme } = picture;
  switch (mark.type) {
    case 'curve':
      return [makeCurveTrace(mark, theme)];
    case 'band':
      return makeBandTraces(mark, theme);
    case 'points':
      return mark.x.length > 0 ? [makePointsTrace(mark, theme)] : [];
    case 'box':
      return makeBoxTraces(mark, theme);
    case 'bars': {
      const { color } = getSeriesLook(theme, mark.paletteIndex);
      return [
        {
          type: 'bar',
          uid: 'bins',
          x: mark.bins.map(({ start, end }) => start / 2 + end / 2),
          y: mark.bins.map(({ height }) => height),
          width: mark.bins.map(({ start, end }) => end - start),
          marker: { color: addOpacity(color, looks.barOpacity), line: { color, width: 1 } },
        },
      ];
    }
    case 'cells':
      return [makeCellsTrace(mark, picture)];
    default:
      return [];
  }
}

/** A trace with its own name; `label` is its name in Plotly. */
function makeScatter(name: string, more: Trace, label = name): Trace {
  return { type: 'scatter', uid: getTraceId(name), name: escapeMarkup(label), ...more };
}

function makeCurveTrace(mark: CurveMark, theme: ChartTheme): Trace {
  const { color, width, dashes, symbol } = getSeriesLook(theme, mark.paletteIndex);
  const thickness = getThickness(theme);
  const dash = dashes.length === 0 ? 'solid' : dashes.map((length) => `${length}px`).join(' ');
  return makeScatter(
    mark.series,
    {
      x: [...mark.x],
      y: [...mark.y],
      mode: mark.mode,
      line: {
        color,
        width,
        // Plotly takes lists of lengths too, though its types do not know it.
        dash: dash as Dash,
        shape: mark.shape === 'step' ? 'hv' : 'linear',
      },
      ...(mark.mode !== 'lines' && {
        marker: {
          color,
          size: 9 * thickness * (mark.symbolScale ?? 1),
          symbol,
          line: { color: theme.surface, width: mark.symbolScale ?? 1 },
        },
      }),
    },
    getLegendLabel(mark),
  );
}

/** Two lines without width: the upper one fills the region down to the lower one. */
function makeBandTraces(mark: BandMark, theme: ChartTheme): Trace[] {
  const { color } = getSeriesLook(theme, mark.paletteIndex);
  const edge = (side: 'lower' | 'upper'): Trace =>
    makeScatter(
      `${mark.series}, ${side}`,
      {
        x: [...mark.x],
        y: [...mark[side]],
        mode: 'lines',
        line: { color, width: 0, shape: mark.shape === 'step' ? 'hv' : 'linear' },
      },
      `${mark.name}, ${side}`,
    );
  const fillcolor = addOpacity(color, theme.bandOpacity);
  return [edge('lower'), { ...edge('upper'), fill: 'tonexty', fillcolor }];
}

function makePointsTrace(mark: PointsMark, theme: ChartTheme): Trace {
  const { color, symbol } = getSeriesLook(theme, mark.paletteIndex);
  const thickness = getThickness(theme);
  const markers: Record<PointsMark['symbol'], NonNullable<Trace['marker']>> = {
    series: { color, size: 6, symbol, opacity: looks.valueOpacity },
    cross: { symbol: 'x-thin', size: 10 * thickness, line: { color, width: 2.5 * thickness } },
    infinite: {
      color,
      size: 9 * thickness * (mark.symbolScale ?? 1),
      symbol: 'triangle-up-open',
      line: { color, width: 1.5 * thickness },
    },
  };
  return makeScatter(mark.name, {
    x: [...mark.x],
    y: [...mark.y],
    mode: 'markers',
    marker: markers[mark.symbol],
    ...(mark.symbol === 'infinite' && { cliponaxis: false }),
  });
}

function makeBoxTraces(
  { series, paletteIndex, at, width, shape }: BoxMark,
  theme: ChartTheme,
): Data[] {
  const { q1, median, q3, mean, whiskerLow, whiskerHigh } = shape;
  if (!isValue(q1) || !isValue(median) || !isValue(q3)) return [];
  const { color } = getSeriesLook(theme, paletteIndex);
  return [
    {
      type: 'box',
      uid: getTraceId(`${series}, box`),
      name: escapeMarkup(series),
      x: [at],
      q1: [q1],
      median: [median],
      q3: [q3],
      mean: [mean ?? median],
      lowerfence: [whiskerLow ?? q1],
      upperfence: [whiskerHigh ?? q3],
      boxmean: true,
      width,
      line: { color, width: 1.5 },
      fillcolor: addOpacity(color, looks.boxOpacity),
    },
  ];
}

function makeCellsTrace(mark: CellsMark, { theme, colorTicks, scene }: Picture): Data {
  const { title = '', range = [0, 1] } = scene.colors ?? {};
  const { tick } = getTextSizes(theme);
  const font = getFont(theme, tick, theme.muted);
  return {
    type: 'heatmap',
    uid: 'cells',
    x: [...mark.x],
    y: mark.rows.map((_, row) => row),
    // Not copied: that would take longer than the drawing.
    z: mark.colors as (number | null)[][],
    zmin: range[0],
    zmax: range[1],
    zauto: false,
    colorscale: heatColors.map(([place, color]): [number, string] => [place, color]),
    hoverongaps: false,
    hoverinfo: 'skip',
    xgap: 0,
    ygap: mark.rows.length <= mostGappedRows ? 1 : 0,
    colorbar: {
      title: { text: escapeMarkup(title), side: 'right', font },
      // Its usual distance is a share of the width: in a wide picture the title would be outside.
      x: 1,
      xpad: Math.round(0.8 * tick),
      thickness: Math.round(tick),
      outlinewidth: 0,
      tickfont: font,
      tickmode: 'array',
      tickvals: colorTicks.map(({ value }) => value),
      ticktext: colorTicks.map(makeTickMarkup),
    },
  };
}

function getShapes(mark: Mark, picture: Picture): Partial<Shape>[] {
  const { scene, theme, area } = picture;
  if (mark.type === 'rule') {
    const { kind, range } = scene.axes.y.scale;
    const isSeen = mark.value >= Math.min(...range) && mark.value <= Math.max(...range);
    if (!isSeen || (kind === 'log' && mark.value <= 0)) return [];
    return [
      {
        type: 'line',
        xref: 'paper',
        yref: 'y',
        x0: 0,
        x1: 1,
        y0: mark.value,
        y1: mark.value,
        layer: 'below',
        line: { color: theme.muted, width: 1, dash: 'dash' },
      },
    ];
  }
  if (mark.type !== 'area') return [];
  const getShare = (x: number): number => (getPixel(picture, 'x', x) - area.left) / area.width;
  const [start, end] = [Math.max(0, getShare(mark.from)), Math.min(1, getShare(mark.to))];
  if (!(start <= 1 && end >= 0)) return [];
  return [
    {
      type: 'rect',
      xref: 'paper',
      yref: 'paper',
      x0: start,
      x1: end,
      y0: 0,
      y1: 1,
      layer: 'below',
      fillcolor: addOpacity(theme.accent, looks.areaOpacity),
      line: { color: addOpacity(theme.accent, looks.areaEdgeOpacity), width: 1 },
    },
  ];
}

function getAnnotation(
  { text, left, top, paletteIndex }: Picture['labels'][number],
  { area, theme }: Picture,
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
    bgcolor: paletteIndex === undefined ? theme.surface : addOpacity(theme.surface, 0.7),
    font: getFont(theme, getTextSizes(theme).tick, getLabelColor(theme, paletteIndex)),
  };
}

/**
 * Returns the id of a trace, which is the same in each drawing. Characters except letters and digits become their
 * codes, because Plotly builds selectors of the id, and an invalid one (a digit after a blank is enough) would stop it
 * from clearing the picture.
 */
export function getTraceId(name: string): string {
  return name.replaceAll(
    /[^a-zA-Z0-9]/g,
    (character) => `_${character.charCodeAt(0).toString(16)}`,
  );
}

/** Returns a text that Plotly shows unchanged: its labels take `<b>`, `<a href>` and entities for markup. */
function escapeMarkup(text: string): string {
  return getXmlCharacters(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
