import type { Extent, Scale } from './figure.ts';
import type { Range } from './view.ts';

/**
 * A range that shows an extent with a margin (a share of its length on the screen) at both ends. Values that are
 * never negative get no part of the axis below 0. A single value stands in the middle; nothing at all gives 0 to 1.
 * On a log axis the extent must be positive.
 */
export function rangeAbout(ends: Extent, scale: Scale, margin: number): Range {
  if (!ends) return scale === 'log' ? [1, 10] : [0, 1];
  const [low, high] = ends;
  if (scale === 'log') {
    const factor = high > low ? (high / low) ** margin : Math.sqrt(10);
    return [low / factor, high * factor];
  }
  const room = high > low ? (high - low) * margin : Math.abs(high) * 0.1 || 0.5;
  return [low >= 0 ? Math.max(0, low - room) : low - room, high + room];
}

/** The extent that holds both; null when both are. */
export function joined(one: Extent, other: Extent): Extent {
  if (!one || !other) return one ?? other;
  return [Math.min(one[0], other[0]), Math.max(one[1], other[1])];
}
