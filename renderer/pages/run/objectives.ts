import type { RunDetail } from '#shared/schemas/run.ts';

type Objective = RunDetail['objectives'][number];

/**
 * Returns the final values of a run, true objectives (`best_obj_0`, `best_obj_1`, …, by number) first, then the other
 * metrics by name: the runner stores every metric of its last iteration as an "objective".
 */
export function getSortedObjectives(objectives: readonly Objective[]): Objective[] {
  return [...objectives].sort(
    (first, second) =>
      getObjectiveNumber(first.name) - getObjectiveNumber(second.name) ||
      first.name.localeCompare(second.name, 'en'),
  );
}

/** Returns the number of an objective; a large one for other names, because the difference of two infinities is NaN. */
function getObjectiveNumber(name: string): number {
  const match = /^best_obj_(\d+)$/.exec(name);
  return match ? Number(match[1]) : Number.MAX_SAFE_INTEGER;
}
