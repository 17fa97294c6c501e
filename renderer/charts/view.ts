import type { Scale, Scales } from './figure.ts';

/** Two ends of an axis. */
export type Range = readonly [number, number];

/** The part of a picture that is looked at, in values of its axes; an absent axis shows everything. */
export interface View {
  x?: Range;
  y?: Range;
}

/** What Plotly reports after a zoom, a pan or a reset, as far as we read it. */
export type RelayoutReport = Readonly<Record<string, unknown>>;

/**
 * The view after Plotly's report: an axis whose range it names is seen in that range, an axis set back to
 * automatic is seen whole, the other stays as it was. The same object when nothing about it changed.
 */
export function viewAfter(view: View, report: RelayoutReport, scales: Scales): View {
  const x = axisAfter(view.x, report, 'xaxis', scales.x);
  const y = axisAfter(view.y, report, 'yaxis', scales.y);
  return x === view.x && y === view.y ? view : { ...(x && { x }), ...(y && { y }) };
}

function axisAfter(
  range: Range | undefined,
  report: RelayoutReport,
  axis: 'xaxis' | 'yaxis',
  scale: Scale,
): Range | undefined {
  if (report[`${axis}.autorange`] === true) return undefined;
  const whole = report[`${axis}.range`];
  const [low, high] = Array.isArray(whole)
    ? whole
    : [report[`${axis}.range[0]`], report[`${axis}.range[1]`]];
  return typeof low === 'number' && typeof high === 'number' ? toValues([low, high], scale) : range;
}

/** A range in values of its axis from one as Plotly counts: exponents of ten on a log axis. */
export function toValues([low, high]: Range, scale: Scale): Range {
  return scale === 'log' ? [10 ** low, 10 ** high] : [low, high];
}

/** A range of values as Plotly counts; undefined where a log axis has no place for one of them. */
export function toPlotly([low, high]: Range, scale: Scale): Range | undefined {
  if (scale === 'linear') return [low, high];
  return low > 0 && high > 0 ? [Math.log10(low), Math.log10(high)] : undefined;
}

/** A range stretched around its middle: below 1 nearer, above 1 farther. Its direction is kept. */
export function zoomed([start, end]: Range, factor: number): Range {
  const middle = (start + end) / 2;
  const half = ((end - start) / 2) * factor;
  return [middle - half, middle + half];
}

/** A range moved by a share of its own length, positive towards its end. */
export function panned([start, end]: Range, share: number): Range {
  const distance = (end - start) * share;
  return [start + distance, end + distance];
}

/**
 * A range of `length / zoom` around a middle, moved as far as needed to stay inside `whole`, whose
 * direction it takes. A zoom of 1 or less gives the whole.
 */
export function rangeAround(whole: Range, zoom: number, middle: number): Range {
  if (zoom <= 1) return whole;
  const low = Math.min(...whole);
  const high = Math.max(...whole);
  const half = (high - low) / zoom / 2;
  const center = Math.min(Math.max(middle, low + half), high - half);
  return whole[0] <= whole[1] ? [center - half, center + half] : [center + half, center - half];
}

const keys: Readonly<Record<string, (range: Range) => Range>> = {
  '+': (range) => zoomed(range, 0.5),
  '=': (range) => zoomed(range, 0.5),
  '-': (range) => zoomed(range, 2),
  ArrowLeft: (range) => panned(range, -0.2),
  ArrowRight: (range) => panned(range, 0.2),
};

/**
 * The view after a key: `+` and `-` zoom x, the arrows move along x, `0` shows everything. Null when the
 * key means nothing here. `drawn` is Plotly's range of x on the screen, undefined before the first drawing.
 */
export function viewAfterKey(
  view: View,
  key: string,
  drawn: Range | undefined,
  scale: Scale,
): View | null {
  if (key === '0') return {};
  const change = Object.hasOwn(keys, key) ? keys[key] : undefined;
  return change && drawn ? { ...view, x: toValues(change(drawn), scale) } : null;
}
