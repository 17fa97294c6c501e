import { extent, isValue, type Axis, type Cell, type Extent } from './figure.ts';

/** Share of the largest value below which a negative one is 0 but for rounding. */
const negligible = 1e-9;

/**
 * Least and largest value that an axis has to show on a logarithmic scale: without those that have reached 0, where the
 * axis says that they may. Of values that are below 0 by more than rounding, or at most 0 all of them, it is their
 * whole extent, which no logarithm can show; null without any.
 */
export function scaledExtent({ reachesZero }: Axis, columns: readonly (readonly Cell[])[]): Extent {
  const all = extent(columns);
  if (reachesZero !== true || all === null || all[0] > 0) return all;
  const above = extent(
    columns.map((column) => column.map((value) => (isAbove(value) ? value : null))),
  );
  return above !== null && -all[0] <= above[1] * negligible ? above : all;
}

function isAbove(value: Cell): boolean {
  return isValue(value) && value > 0;
}

/** The cell at the lower edge of a logarithmic axis where it has reached 0; any other as it is. */
export function raised<Value extends Cell>(value: Value, floor: number): Value | number {
  return isValue(value) && value <= 0 ? floor : value;
}

/** A logarithmic axis with values that have reached 0: its title says where they are. */
export function withEdge<Own extends Axis>(axis: Own): Own {
  return { ...axis, title: `${axis.title} (≤ 0 at the edge)` };
}
