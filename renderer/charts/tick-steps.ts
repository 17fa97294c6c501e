import type { DrawOptions } from './drawing.ts';
import type { LineFigure } from './figure.ts';

/** Longest log axis, in powers of ten, on which 1, 2 and 5 of each have room. */
const sparseDecades = 4;

/**
 * Ticks one apart where the axis counts and is so short that Plotly would split the ones; at 1, 2 and 5 where
 * it would crowd a short log axis with all digits.
 */
export function tickSteps(
  { x, series }: LineFigure,
  { scales, view }: DrawOptions,
): { dtick?: number | string } {
  const places = series.flatMap((one) => [
    ...(one.stepExtent ?? []),
    one.x[0] ?? 0,
    one.x.at(-1) ?? 0,
  ]);
  const isLog = scales.x === 'log';
  const seen = view.x ?? places;
  const ends = isLog ? seen.filter((place) => place > 0).map(Math.log10) : seen;
  const length = Math.max(...ends) - Math.min(...ends);
  if (isLog) return length > 0.5 && length <= sparseDecades ? { dtick: 'D2' } : {};
  return x.whole && length <= 8 ? { dtick: 1 } : {};
}
