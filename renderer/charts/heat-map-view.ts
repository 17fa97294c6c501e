import type { HeatMapFigure, Range } from './figure.ts';
import type { Place } from './reading.ts';
import type { View } from './scene.ts';
import { getWholeRanges } from './scenes.ts';

/** Largest zoom of the focus mode; 1 shows the whole heat map. */
export const largestZoom = 12;

/**
 * Returns the zoom of a view: the length of the whole divided by that of the view, for the axis where this is larger;
 * at least 1 and at most {@link largestZoom}.
 */
export function getZoom(figure: HeatMapFigure, view: View): number {
  const whole = getWholeRanges(figure);
  const nearness = (['x', 'y'] as const).map((axis) => {
    const range = view[axis];
    return range ? getLength(whole[axis]) / getLength(range) : 1;
  });
  return Math.min(largestZoom, Math.max(1, ...nearness));
}

function getLength([start, end]: readonly [number, number]): number {
  return Math.abs(end - start);
}

/**
 * Returns the view at a zoom: around a cell, or without one around the middle of the current view, within the cells. A
 * zoom of 1 or less gives the empty view, which is the whole; a larger one than {@link largestZoom} counts as that.
 */
export function getViewOnCell(
  figure: HeatMapFigure,
  view: View,
  zoom: number,
  place: Place | undefined,
): View {
  if (zoom <= 1) return {};
  const whole = getWholeRanges(figure);
  const nearness = Math.min(zoom, largestZoom);
  const middle = (axis: 'x' | 'y'): number => {
    const [start, end] = view[axis] ?? whole[axis];
    return (start + end) / 2;
  };
  return {
    x: getRangeAround(whole.x, nearness, place?.x ?? middle('x')),
    y: getRangeAround(whole.y, nearness, place?.row ?? middle('y')),
  };
}

/**
 * Returns a range of `length / zoom` around a middle, moved as far as needed to stay inside `whole`, whose
 * direction it takes. A zoom of 1 or less gives the whole.
 */
export function getRangeAround(whole: Range, zoom: number, middle: number): Range {
  if (zoom <= 1) return whole;
  const low = Math.min(...whole);
  const high = Math.max(...whole);
  const half = (high - low) / zoom / 2;
  const center = Math.min(Math.max(middle, low + half), high - half);
  return whole[0] <= whole[1] ? [center - half, center + half] : [center + half, center - half];
}
