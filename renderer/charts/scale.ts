import { formatCount } from '#shared/number-format.ts';
import type { Cell, Extent, Range } from './figure.ts';
import { makeNamedTicks, getTicks, getTickWidth, type Fits, type Tick } from './ticks.ts';

/** How the values of an axis are spread over its length. */
export type ScaleKind = 'linear' | 'log' | 'category';

/** The length of an axis and the size of its labels, in pixels. */
export interface TickRoom {
  axis: 'x' | 'y';
  pixels: number;
  fontPixels: number;
}

/** The part of an axis that is visible, and the way between its values and its length. */
export interface Scale {
  readonly kind: ScaleKind;
  readonly range: Range;
  /** Returns how far along the axis a value is: 0 at its start, 1 at its end, less or more outside. */
  at: (value: number) => number;
  /** Returns the value at a part of the length; the inverse of `at`. */
  invert: (fraction: number) => number;
  /**
   * Returns the value at which a value is drawn: on a logarithmic axis one of at most 0 is drawn at the lower edge, and
   * on the longest linear axis one beyond it at its end. Null stays null.
   */
  onAxis: <Value extends Cell>(value: Value) => Value | number;
  /** Returns the most ticks whose labels fit. */
  ticks: (room: TickRoom) => readonly Tick[];
  /** Returns the range stretched around its middle on the screen: below 1 nearer, above 1 farther. */
  zoom: (factor: number) => Range;
  /** Returns the range moved by no more than needed to contain a value; the same object if it does already. */
  moveTo: (value: number) => Range;
  /** Returns the same scale over another range. */
  over: (range: Range) => Scale;
}

/** Options of a scale. */
export interface ScaleOptions {
  /** Ticks at whole numbers only. */
  isWhole?: boolean;
  /** Ticks at these values only. */
  ticks?: readonly number[];
  /** Names of the categories at 0, 1, 2, …; makes the kind `category`. */
  names?: readonly string[];
}

/** Returns the scale of an axis. Both ends of a logarithmic range are positive. */
export function createScale(
  kind: 'linear' | 'log',
  range: Range,
  options: ScaleOptions = {},
): Scale {
  const [start, end] = range;
  const low = Math.min(start, end);
  const isLog = kind === 'log';
  const [logStart, logEnd] = [Math.log(start), Math.log(end)];
  const at = (value: number): number => {
    // Halves, because the distance between two doubles may be none.
    if (!isLog) return (value / 2 - start / 2) / (end / 2 - start / 2);
    return value > 0 ? (Math.log(value) - logStart) / (logEnd - logStart) : start <= end ? 0 : 1;
  };
  const invert = (fraction: number): number => {
    const value = isLog
      ? start ** (1 - fraction) * end ** fraction
      : start + fraction * (end - start);
    return Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE);
  };
  const isLongestLinear = !isLog && start === longest[0] && end === longest[1];
  const onAxis = <Value extends Cell>(value: Value): Value | number => {
    if (value === null) return value;
    if (isLog) return value <= 0 ? low : value;
    return isLongestLinear ? Math.min(Math.max(value, longest[0]), longest[1]) : value;
  };
  const zoom = (factor: number): Range => {
    if (isLog) {
      const middle = Math.sqrt(start) * Math.sqrt(end);
      const half = (Math.sqrt(end) / Math.sqrt(start)) ** factor;
      return limitRange([middle / half, middle * half], isLog);
    }
    const middle = start / 2 + end / 2;
    const half = (end / 2 - start / 2) * factor;
    return limitRange([middle - half, middle + half], isLog);
  };
  const moveTo = (value: number): Range => {
    const fraction = at(value);
    if (!(fraction < 0 || fraction > 1)) return range;
    const share = fraction < 0 ? fraction : fraction - 1;
    if (isLog) {
      const ratio = Math.sqrt(end) / Math.sqrt(start);
      return limitRange([start * ratio ** (2 * share), end * ratio ** (2 * share)], isLog);
    }
    return limitRange([start + share * (end - start), end + share * (end - start)], isLog);
  };
  return {
    kind: options.names ? 'category' : kind,
    range,
    at,
    invert,
    onAxis,
    ticks: (room) => getTicksIn(room, kind, range, at, options),
    zoom,
    moveTo,
    over: (other) => createScale(kind, other, options),
  };
}

function getTicksIn(
  room: TickRoom,
  kind: 'linear' | 'log',
  range: Range,
  at: Scale['at'],
  { isWhole = false, ticks, names }: ScaleOptions,
): readonly Tick[] {
  const { axis, pixels, fontPixels } = room;
  if (ticks) return ticks.map((value) => ({ value, label: formatCount(value) }));
  if (names) {
    const all = names.map((label, value) => ({ value, label }));
    const isInside = ({ value }: Tick) => value >= range[0] && value <= range[1];
    return axis === 'x'
      ? makeNamedTicks(all, pixels / (range[1] - range[0]), fontPixels).filter(isInside)
      : makeRowTicks(all, range, pixels / (1.4 * fontPixels));
  }
  const place = ({ value }: Tick) => at(value) * pixels;
  const half = (tick: Tick) => getTickWidth(tick, fontPixels) / 2;
  const getFits =
    (gap: Record<'x' | 'y', number>): Fits =>
    (some) =>
      some.every((tick, index) => {
        const before = some[index - 1];
        if (!before) return true;
        const distance = Math.abs(place(tick) - place(before));
        const size = axis === 'x' ? half(tick) + half(before) : 0;
        return distance >= size + gap[axis] * fontPixels;
      });
  const wide = getTicks(range, kind, getFits({ x: 2.2, y: 3 }), isWhole);
  // No distance can be read from a single label, so a short axis has labels that are nearer to each other.
  return wide.length >= 2 ? wide : getTicks(range, kind, getFits({ x: 0.6, y: 1.5 }), isWhole);
}

/** The names of as many of the visible rows as have room: each, each second, fifth, tenth … one. */
function makeRowTicks(all: readonly Tick[], range: Range, room: number): readonly Tick[] {
  const [first, last] = [Math.ceil(Math.min(...range)), Math.floor(Math.max(...range))];
  const least = Math.max(1, (last - first + 1) / room);
  const decade = 10 ** Math.floor(Math.log10(least));
  const step = ([1, 2, 5].find((digit) => digit * decade >= least) ?? 10) * decade;
  return all.filter(({ value }) => value >= first && value <= last && value % step === 0);
}

/** The longest linear axis: the distance between its ends is still a double. */
const longest: Range = [-Number.MAX_VALUE / 2, Number.MAX_VALUE / 2];

/** Returns the range with its ends limited to the values that an axis can show. */
function limitRange(range: Range, isLog: boolean): Range {
  const [least, most] = isLog ? [Number.MIN_VALUE, Number.MAX_VALUE] : longest;
  const inside = (value: number): number => Math.min(Math.max(value, least), most);
  return [inside(range[0]), inside(range[1])];
}

/**
 * Returns a range that shows an extent with a margin (a share of its length on the screen) at both ends. Values that
 * are never negative get no part of the axis below 0. A single value is in the middle; no value gives 0 to 1. On a log
 * axis the extent must be positive. Ends are finite and so is the distance between those of a linear axis.
 */
export function getRangeAbout(ends: Extent, kind: 'linear' | 'log', margin: number): Range {
  if (!ends) return kind === 'log' ? [1, 10] : [0, 1];
  const [low, high] = ends;
  if (kind === 'log') {
    const factor = high > low ? high ** margin / low ** margin : Math.sqrt(10);
    return [Math.max(low / factor, Number.MIN_VALUE), Math.min(high * factor, Number.MAX_VALUE)];
  }
  const room = high > low ? high * margin - low * margin : Math.abs(high) * 0.1 || 0.5;
  const start = Math.max(low >= 0 ? 0 : -Number.MAX_VALUE, low - room);
  const end = Math.min(high + room, Number.MAX_VALUE);
  if (Number.isFinite(end - start)) return [start, end];
  return Number.isFinite(high - low) ? [low, high] : longest;
}

/** Returns the extent that contains both; null if both are null. */
export function joinExtents(one: Extent, other: Extent): Extent {
  if (!one || !other) return one ?? other;
  return [Math.min(one[0], other[0]), Math.max(one[1], other[1])];
}

/**
 * Returns the value in as few digits as a resolution needs: rounded to the least of 1, 2 and 5 times a power of ten
 * that is not below it. The value is unchanged if the resolution is no positive number.
 */
export function roundTo(value: number, resolution: number): number {
  if (!(resolution > 0) || !Number.isFinite(resolution)) return value;
  const power = 10 ** Math.floor(Math.log10(resolution));
  const step =
    ([1, 2, 5, 10].find((times) => times * power >= resolution * 0.999999) ?? 10) * power;
  return Number((Math.round(value / step) * step).toPrecision(12));
}
