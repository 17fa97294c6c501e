import { formatCount, formatFitness } from '#shared/number-format.ts';
import {
  axisTitle,
  isValue,
  type Axis,
  type Cell,
  type LineFigure,
  type RunTrace,
  type Scales,
  type Series,
} from '#renderer/charts/figure.ts';
import { firstIndexWhere } from '#renderer/charts/rising.ts';
import { pixelOf, type Picture } from '#renderer/charts/picture.ts';
import type { Place, Reading, ReadingRow } from './kind.ts';

/** All x at which a curve has a point, each once, rising. */
export function lineStops({ series }: LineFigure): number[] {
  return [...new Set(series.flatMap(({ x, stepExtent = [] }) => [...x, ...stepExtent]))].sort(
    (one, other) => one - other,
  );
}

/**
 * The values of all shown series at one x: of a step the one that holds there, of a line or a mark the one that
 * stands there. With its band, and with what is to be said of a point.
 */
export function readLines(figure: LineFigure, { x }: Place, hidden: ReadonlySet<string>): Reading {
  const { categories } = figure.y;
  const nameOf = (value: number): string => categories?.[value] ?? formatFitness(value);
  return {
    title: `${axisTitle(figure.x)} ${placeText(x, figure.x)}`,
    rows: figure.series
      .filter(({ name }) => !hidden.has(name))
      .flatMap((series) => rowsAt(series, x, nameOf)),
  };
}

function placeText(x: number, { whole }: Axis): string {
  return whole === true || Number.isInteger(x) ? formatCount(x) : formatFitness(x);
}

function rowsAt(series: Series, x: number, nameOf: (value: number) => string): ReadingRow[] {
  const { name, paletteIndex, y, band, hoverNotes } = series;
  const row = (value: number, more: string): ReadingRow => ({
    name,
    paletteIndex,
    ...(isValue(value) && { y: value }),
    text: `${nameOf(value)}${more}`,
  });
  const indices = indicesAt(series, x);
  if (indices.length === 0) {
    const value = valueOf(series, x);
    return isValue(value) ? [row(value, '')] : [];
  }
  return indices.flatMap((index) => {
    const [value, low, high] = [y[index], band?.lower[index], band?.upper[index]];
    if (!isValue(value) && !isInfinite(value)) return [];
    const range = isValue(low) && isValue(high) ? ` [${nameOf(low)}, ${nameOf(high)}]` : '';
    const note = hoverNotes?.[index];
    return [row(value, `${range}${note ? ` · ${note}` : ''}`)];
  });
}

/** Whether a cell stands at the upper edge. */
function isInfinite(cell: Cell | undefined): cell is number {
  return cell === Infinity;
}

/** The points that tell the value at x: for a step the last one before it, else those that stand there. */
function indicesAt({ x: places, shape, stepExtent }: Series, x: number): number[] {
  const past = firstIndexWhere(places, (place) => place > x);
  if (shape === 'step') {
    const isOver = !stepExtent && x > (places.at(-1) ?? x);
    return past === 0 || isOver ? [] : [past - 1];
  }
  const indices: number[] = [];
  for (let index = past - 1; index >= 0 && places[index] === x; index -= 1) indices.unshift(index);
  return shape === 'line' ? indices.slice(-1) : indices;
}

/**
 * Where a curve is at x: the value that a step holds, or the one on the line between two points. Null before its
 * first and after its last point, in gaps, and for marks.
 */
export function valueOf(series: Pick<Series, 'x' | 'y' | 'shape' | 'stepExtent'>, x: number): Cell {
  const { x: places, y, shape, stepExtent } = series;
  const past = firstIndexWhere(places, (place) => place > x);
  if (past === 0) return stepExtent && x >= stepExtent[0] ? 0 : null;
  const before = y[past - 1] ?? null;
  if (shape === 'points') return null;
  if (past === places.length) {
    return stepExtent || x === places[past - 1] ? before : null;
  }
  const after = y[past];
  if (shape === 'step' || !isValue(before) || !isValue(after)) return before;
  const [from, to] = [places[past - 1] ?? x, places[past] ?? x];
  return to === from ? before : before + ((x - from) / (to - from)) * (after - before);
}

/** How near the pointer must come to a single run, in pixels. */
const reachPixels = 8;

/** The single run nearest to a pixel of the picture, with its series; undefined when none is near. */
export function runTraceAt(
  { series }: LineFigure,
  picture: Pick<Picture, 'area' | 'ranges'>,
  scales: Scales,
  pointer: { x: number; top: number; hidden: ReadonlySet<string> },
): { series: Series; trace: RunTrace; value: number } | undefined {
  let best: { series: Series; trace: RunTrace; value: number } | undefined;
  let nearest = reachPixels;
  for (const one of series) {
    if (pointer.hidden.has(one.name)) continue;
    for (const trace of one.runTraces ?? []) {
      const value = valueOf({ ...trace, shape: 'step' }, pointer.x);
      if (!isValue(value)) continue;
      const distance = Math.abs(pixelOf(picture, 'y', value, scales.y) - pointer.top);
      if (!(distance < nearest)) continue;
      nearest = distance;
      best = { series: one, trace, value };
    }
  }
  return best;
}
