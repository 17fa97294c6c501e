import { columnEdges } from './draw-heat-map.ts';
import type { CellPlace } from './drawing.ts';
import type { HeatMapFigure } from './figure.ts';
import { rangeAround, type View } from './view.ts';

/** How near the focus mode goes. */
export const largestZoom = 12;

/** The view of all cells, the first row on top. */
export function wholeView({ x, y }: HeatMapFigure): Required<View> {
  const last = x.values.length - 1;
  return {
    x: [columnEdges(x.values, 0)[0], columnEdges(x.values, last)[1]],
    y: [y.labels.length - 0.5, -0.5],
  };
}

/** How many times nearer a view is than the whole, by its narrower axis; 1 for the whole and beyond. */
export function zoomOf(figure: HeatMapFigure, view: View): number {
  const whole = wholeView(figure);
  const nearness = (['x', 'y'] as const).map((axis) => {
    const range = view[axis];
    return range ? lengthOf(whole[axis]) / lengthOf(range) : 1;
  });
  return Math.min(largestZoom, Math.max(1, ...nearness));
}

function lengthOf([start, end]: readonly [number, number]): number {
  return Math.abs(end - start);
}

/**
 * The view at a zoom, around a cell when one is given, else around the middle of the present view; it
 * never leaves the cells. A zoom of 1 or less gives the empty view, which is the whole.
 */
export function viewOnCell(
  figure: HeatMapFigure,
  view: View,
  zoom: number,
  place: CellPlace | undefined,
): View {
  if (zoom <= 1) return {};
  const whole = wholeView(figure);
  const nearness = Math.min(zoom, largestZoom);
  const middle = (axis: 'x' | 'y'): number => {
    const [start, end] = view[axis] ?? whole[axis];
    return (start + end) / 2;
  };
  const middleX = place ? (figure.x.values[place.column] ?? middle('x')) : middle('x');
  return {
    x: rangeAround(whole.x, nearness, middleX),
    y: rangeAround(whole.y, nearness, place?.row ?? middle('y')),
  };
}

const steps: Readonly<Record<string, CellPlace>> = {
  ArrowUp: { row: -1, column: 0 },
  ArrowDown: { row: 1, column: 0 },
  ArrowLeft: { row: 0, column: -1 },
  ArrowRight: { row: 0, column: 1 },
};

/** The cell an arrow key leads to, held inside the map; the first cell when none was chosen; null for other keys. */
export function movedCell(
  { x, y }: HeatMapFigure,
  from: CellPlace | undefined,
  key: string,
): CellPlace | null {
  const step = Object.hasOwn(steps, key) ? steps[key] : undefined;
  if (!step) return null;
  if (!from) return { row: 0, column: 0 };
  return {
    row: clamp(from.row + step.row, y.labels.length - 1),
    column: clamp(from.column + step.column, x.values.length - 1),
  };
}

function clamp(index: number, last: number): number {
  return Math.min(Math.max(index, 0), last);
}
