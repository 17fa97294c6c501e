import type { Extent, Scale } from './figure.ts';
import type { Range } from './view.ts';

/**
 * The longest linear axis: the distance between its ends is still a double. A picture whose values need a longer one
 * shows those beyond it at its ends.
 */
const longest: Range = [-Number.MAX_VALUE / 2, Number.MAX_VALUE / 2];

/** Whether values can lie beyond a linear axis because no axis is long enough for them. */
export function isLongest([start, end]: Range): boolean {
  return start === longest[0] && end === longest[1];
}

/** Returns the value, moved to the nearer end if the axis is the longest one and the value lies beyond it. */
export function onLongestAxis(value: number, range: Range): number {
  return isLongest(range) ? Math.min(Math.max(value, longest[0]), longest[1]) : value;
}

/**
 * A range that shows an extent with a margin (a share of its length on the screen) at both ends. Values that are
 * never negative get no part of the axis below 0. A single value stands in the middle; nothing at all gives 0 to 1.
 * On a log axis the extent must be positive. Ends are finite and so is the distance between those of a linear axis.
 */
export function rangeAbout(ends: Extent, scale: Scale, margin: number): Range {
  if (!ends) return scale === 'log' ? [1, 10] : [0, 1];
  const [low, high] = ends;
  if (scale === 'log') {
    const factor = high > low ? high ** margin / low ** margin : Math.sqrt(10);
    return [Math.max(low / factor, Number.MIN_VALUE), Math.min(high * factor, Number.MAX_VALUE)];
  }
  const room = high > low ? high * margin - low * margin : Math.abs(high) * 0.1 || 0.5;
  const start = Math.max(low >= 0 ? 0 : -Number.MAX_VALUE, low - room);
  const end = Math.min(high + room, Number.MAX_VALUE);
  if (Number.isFinite(end - start)) return [start, end];
  return Number.isFinite(high - low) ? [low, high] : longest;
}

/** The extent that holds both; null when both are. */
export function joined(one: Extent, other: Extent): Extent {
  if (!one || !other) return one ?? other;
  return [Math.min(one[0], other[0]), Math.max(one[1], other[1])];
}
