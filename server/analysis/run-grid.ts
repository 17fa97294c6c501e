import { evenIndices } from '#server/telemetry/thinning.ts';
import { bestAt, type RunTrace } from '#server/domain/trace.ts';
import type { RunsOverlay } from '#shared/schemas/analysis-runs.ts';

/** The best so far of a run over some x, which is in `evaluations`. */
export interface Course extends Pick<RunTrace, 'evaluations' | 'best'> {
  /** x of its last point; null without any. */
  end: number | null;
  /** Whether its last value holds beyond: it has ended. */
  isCarried: boolean;
}

/**
 * Where any run got better or ended, ascending. When those are more than `most`, evenly chosen ones, and besides them the
 * first and last point of every run and the `kept` places. No points, no places.
 */
export function commonGrid(
  courses: readonly Course[],
  most: number,
  kept: readonly number[] = [],
): Pick<RunsOverlay, 'x' | 'isThinned'> {
  const ends = courses.flatMap(({ end }) => end ?? []);
  const all = new Set([...courses.flatMap((course) => [...course.evaluations]), ...ends]);
  const sorted = [...all].sort((a, b) => a - b);
  if (sorted.length <= most) return { x: sorted, isThinned: false };
  const firsts = courses.flatMap(({ evaluations }) => evaluations[0] ?? []);
  const chosen = evenIndices(sorted.length, most).map((index) => sorted[index] ?? NaN);
  const x = [
    ...new Set([...chosen, ...firsts, ...ends, ...kept.filter((place) => all.has(place))]),
  ];
  return { x: x.sort((a, b) => a - b), isThinned: x.length < sorted.length };
}

/** Best so far of a run at each place: null before its first point, and after its last unless it is carried on. */
export function valuesAt(course: Course, x: readonly number[]): (number | null)[] {
  const last = course.isCarried ? Infinity : (course.end ?? -Infinity);
  return Array.from(bestAt(course, x), (value, index) =>
    Number.isNaN(value) || (x[index] ?? NaN) > last ? null : value,
  );
}

/** One less the other at each place; null where either has no value. */
export function differencesAt(
  values: readonly (number | null)[],
  reference: readonly (number | null)[],
): (number | null)[] {
  return values.map((value, index) => differenceOf(value, reference[index] ?? null));
}

/** One less the other; null where either is, or where it is not finite. */
export function differenceOf(value: number | null, reference: number | null): number | null {
  if (value === null || reference === null) return null;
  const difference = value - reference;
  return Number.isFinite(difference) ? difference : null;
}
