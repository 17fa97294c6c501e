import type { RunResult } from '#server/domain/objective.ts';
import { countOf } from '#shared/number-format.ts';
import { silentDiagnosis } from '#shared/silence.ts';
import type { Diagnosis } from '#shared/schemas/insights.ts';
import type { DiagnosedRun, Rule } from './diagnosed-run.ts';
import type { RunTrace } from './run-trace.ts';

/** Returns the last iteration, for findings about the end of a run. */
function endOf({ points }: DiagnosedRun): Pick<Diagnosis, 'fromIteration' | 'toIteration'> {
  const last = points.at(-1)?.iteration ?? null;
  return { fromIteration: last, toIteration: last };
}

function afterWords({ positions, total, unit }: RunTrace): string {
  return positions.length === 0 ? 'before its first iteration' : `after ${countOf(total, unit)}`;
}

/** SILENT: RUNNING, and the newest row is older than the larger of 60 s and 20 times the median time between its rows. */
export const silent: Rule = ({ points, silentSince }) =>
  silentSince === null ? null : silentDiagnosis(silentSince, points.at(-1)?.iteration ?? null);

/** Returns whether a run failed, as its runner stored it or a user settled it. */
export function isCrashed({ status }: RunResult): boolean {
  return /^failed$/i.test(status);
}

/** CRASHED: the run is FAILED. */
export const crashed: Rule = (run, trace) => {
  if (!isCrashed(run)) return null;
  return {
    code: 'CRASHED',
    severity: 'error',
    ...endOf(run),
    message: `The run failed ${afterWords(trace)}.`,
    evidence: { tab: 'events', series: [], value: null, threshold: null },
  };
};

/** Returns whether a run was stopped. An imported run is STOPPED if its data have no end, which no user caused. */
export function isStoppedByUser({ status, isImported }: RunResult): boolean {
  return /^stopped$/i.test(status) && !isImported;
}

/** STOPPED_BY_USER: the run is STOPPED. */
export const stoppedByUser: Rule = (run, trace) => {
  if (!isStoppedByUser(run)) return null;
  return {
    code: 'STOPPED_BY_USER',
    severity: 'warning',
    ...endOf(run),
    message: `The run was stopped ${afterWords(trace)}, before it ended by its own rules.`,
    evidence: { tab: 'events', series: [], value: null, threshold: null },
  };
};
