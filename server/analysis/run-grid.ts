import { chooseEvenIndices } from '#server/telemetry/thinning.ts';
import { getBestAt, type RunTrace } from '#server/domain/trace.ts';
import type { RunsOverlay } from '#shared/schemas/analysis-runs.ts';

/** The trace of a run over any x axis. `evaluations` contains the x values. */
export interface GridTrace extends Pick<RunTrace, 'evaluations' | 'best'> {
  /** Position of the last point; for a RUNNING run, position of the last point with a value. Null without a value. */
  end: number | null;
  /** Whether the last value stays valid after the last point, because the run has ended. */
  isCarried: boolean;
}

/**
 * Returns the distinct positions at which a run improved or has its `end`, ascending. If there are more than `limit`,
 * returns `limit` evenly spaced positions, the first position and the `end` of every run, and the `requiredPositions`
 * at which a run improved or has its `end`. `isThinned` is true if `x` omits positions. Without points, `x` is empty.
 * `limit` must be at least 2.
 */
export function getCommonGrid(
  traces: readonly GridTrace[],
  limit: number,
  requiredPositions: readonly number[] = [],
): Pick<RunsOverlay, 'x' | 'isThinned'> {
  const ends = traces.flatMap(({ end }) => end ?? []);
  const allPositions = new Set([...traces.flatMap((trace) => [...trace.evaluations]), ...ends]);
  const sortedPositions = [...allPositions].sort((a, b) => a - b);
  if (sortedPositions.length <= limit) return { x: sortedPositions, isThinned: false };
  const firstPositions = traces.flatMap(({ evaluations }) => evaluations[0] ?? []);
  const positions = chooseEvenIndices(sortedPositions.length, limit).map(
    (index) => sortedPositions[index] ?? NaN,
  );
  const x = [
    ...new Set([
      ...positions,
      ...firstPositions,
      ...ends,
      ...requiredPositions.filter((position) => allPositions.has(position)),
    ]),
  ];
  return { x: x.sort((a, b) => a - b), isThinned: x.length < sortedPositions.length };
}

/**
 * Returns the best so far of a run at each of the ascending positions: null before its first point, and after its `end`
 * unless `isCarried` is true.
 */
export function getValuesAt(trace: GridTrace, x: readonly number[]): (number | null)[] {
  const lastPosition = trace.isCarried ? Infinity : (trace.end ?? -Infinity);
  return Array.from(getBestAt(trace, x), (value, index) =>
    Number.isNaN(value) || (x[index] ?? NaN) > lastPosition ? null : value,
  );
}

/**
 * Returns the result of {@link getDifference} for each index of `values`; null if `reference` has no value at this
 * index.
 */
export function getDifferencesAt(
  values: readonly (number | null)[],
  reference: readonly (number | null)[],
): (number | null)[] {
  return values.map((value, index) => getDifference(value, reference[index] ?? null));
}

/** Returns value − reference; null if either is null, or if the difference is not finite. */
export function getDifference(value: number | null, reference: number | null): number | null {
  if (value === null || reference === null) return null;
  const difference = value - reference;
  return Number.isFinite(difference) ? difference : null;
}
