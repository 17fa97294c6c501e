import type { Scale, Scales } from './figure.ts';

/** Two ends of an axis, in values of the axis; the first is at the left or below. */
export type Range = readonly [number, number];

/** The part of a picture that is looked at; an absent axis shows everything. */
export interface View {
  x?: Range;
  y?: Range;
}

/** What Plotly reports after a zoom or a pan, as far as we read it. */
export type RelayoutReport = Readonly<Record<string, unknown>>;

/**
 * The view after Plotly's report: an axis whose range it names is seen in that range, the other stays as it was.
 * The same object when the report names none.
 */
export function viewAfter(view: View, report: RelayoutReport, scales: Scales): View {
  const x = rangeIn(report, 'xaxis', scales.x);
  const y = rangeIn(report, 'yaxis', scales.y);
  return x || y ? { ...view, ...(x && { x }), ...(y && { y }) } : view;
}

function rangeIn(report: RelayoutReport, axis: 'xaxis' | 'yaxis', scale: Scale): Range | undefined {
  const whole = report[`${axis}.range`];
  const [low, high] = Array.isArray(whole)
    ? whole
    : [report[`${axis}.range[0]`], report[`${axis}.range[1]`]];
  if (typeof low !== 'number' || typeof high !== 'number') return undefined;
  return scale === 'log' ? [10 ** low, 10 ** high] : [low, high];
}

/** A range as Plotly counts, in exponents on a log axis; undefined where that has no place for an end. */
export function toPlotly([start, end]: Range, scale: Scale): Range | undefined {
  if (scale === 'linear') return [start, end];
  return start > 0 && end > 0 ? [Math.log10(start), Math.log10(end)] : undefined;
}

/** How far along a range a value stands: 0 at its start, 1 at its end, less or more outside; NaN for none on a log axis. */
export function fractionOf(value: number, [start, end]: Range, scale: Scale): number {
  return scale === 'log'
    ? (Math.log(value) - Math.log(start)) / (Math.log(end) - Math.log(start))
    : (value / 2 - start / 2) / (end / 2 - start / 2);
}

/** A range stretched around its middle on the screen: below 1 nearer, above 1 farther. Its direction is kept. */
export function zoomed([start, end]: Range, factor: number, scale: Scale): Range {
  if (scale === 'log') {
    const middle = Math.sqrt(start) * Math.sqrt(end);
    const half = (Math.sqrt(end) / Math.sqrt(start)) ** factor;
    return finite([middle / half, middle * half], scale);
  }
  const middle = start / 2 + end / 2;
  const half = (end / 2 - start / 2) * factor;
  return finite([middle - half, middle + half], scale);
}

/** The range with its ends inside of what an axis can show. */
function finite(range: Range, scale: Scale): Range {
  const least = scale === 'log' ? Number.MIN_VALUE : -Number.MAX_VALUE / 2;
  const most = scale === 'log' ? Number.MAX_VALUE : Number.MAX_VALUE / 2;
  const [start, end] = range.map((value) => Math.min(Math.max(value, least), most));
  return [start ?? least, end ?? most];
}

/** A range moved so that it holds a value, by no more than it must; the same object when it does already. */
export function movedTo(range: Range, value: number, scale: Scale): Range {
  const fraction = fractionOf(value, range, scale);
  if (!(fraction < 0 || fraction > 1)) return range;
  const share = fraction < 0 ? fraction : fraction - 1;
  const [start, end] = range;
  if (scale === 'log') {
    const ratio = Math.sqrt(end) / Math.sqrt(start);
    return finite([start * ratio ** (2 * share), end * ratio ** (2 * share)], scale);
  }
  return finite([start + share * (end - start), end + share * (end - start)], scale);
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

const factors: Readonly<Record<string, number>> = { '+': 0.5, '=': 0.5, '-': 2 };

/**
 * The view after a key: `+` and `-` zoom x, `0` shows everything. Null when the key means nothing here. `seen` is
 * the part of x that is seen now.
 */
export function viewAfterKey(view: View, key: string, seen: Range, scale: Scale): View | null {
  if (key === '0') return {};
  const factor = Object.hasOwn(factors, key) ? factors[key] : undefined;
  return factor === undefined ? null : { ...view, x: zoomed(seen, factor, scale) };
}
