import type { GuardTerms, StartedGroup, StartedRun } from '#server/domain/claims/guard.ts';
import { getTrace } from '#server/domain/trace.ts';

/** Terms for minimisation with the target 0, without excluded runs. */
export const terms: GuardTerms = {
  direction: 'min',
  target: 0,
  failed: 'include',
  stopped: 'include',
  silent: 'running',
};

/** Returns a COMPLETED run with these improvements, as [evaluations, fitness], and 1,000 granted evaluations. */
export function makeStartedRun(
  runId: string,
  points: readonly (readonly [evaluations: number, fitness: number])[],
  fields: Partial<StartedRun> = {},
): StartedRun {
  const lastPoint = points.at(-1);
  return {
    runId,
    status: 'COMPLETED',
    startTime: `2026-01-01T00:00:${runId.replaceAll(/\D/g, '').padStart(2, '0')}Z`,
    configuration: 'one',
    grantedEvaluations: 1_000,
    usedEvaluations: lastPoint?.[0] ?? 0,
    hasFinalEvaluations: true,
    bestFitness: lastPoint?.[1] ?? null,
    trace: getTrace(Float64Array.from(points.flat()), 'min'),
    isSilent: false,
    ...fields,
  };
}

/** Returns a run that reaches 0 after these evaluations; for null, a run that ends at 5 after 1,000. */
export function makeReachingRun(
  runId: string,
  time: number | null,
  fields: Partial<StartedRun> = {},
): StartedRun {
  const end = time === null ? ([1_000, 5] as const) : ([time, 0] as const);
  return makeStartedRun(runId, [[10, 9], end], fields);
}

/** Returns a group of runs that reach 0 after these evaluations. Their ids are numbered. */
export function getGroup(
  name: string,
  times: readonly (number | null)[],
  fields: Partial<StartedRun> = {},
): StartedGroup {
  return {
    name,
    runs: times.map((time, index) => makeReachingRun(`${name}-${index}`, time, fields)),
  };
}
