import type { RunResult } from '#server/domain/objective.ts';
import { describeCount } from '#shared/number-format.ts';
import { makeSilentDiagnosis } from '#shared/silence.ts';
import type { Diagnosis } from '#shared/schemas/insights.ts';
import type { DiagnosedRun, Rule } from './diagnosed-run.ts';
import type { DiagnosisTrace } from './run-trace.ts';

/**
 * Returns the last iteration as the range of a finding about the end of a run; both ends are null without iterations.
 */
function getEnd({ points }: DiagnosedRun): Pick<Diagnosis, 'fromIteration' | 'toIteration'> {
  const lastIteration = points.at(-1)?.iteration ?? null;
  return { fromIteration: lastIteration, toIteration: lastIteration };
}

function describePosition({ positions, total, unit }: DiagnosisTrace): string {
  return positions.length === 0
    ? 'before its first iteration'
    : `after ${describeCount(total, unit)}`;
}

/**
 * SILENT: the run is RUNNING. The time since its last activity is longer than 60 s, and longer than 20 times the median
 * time between its newest rows. The last activity is the newest row, or the start of a run without rows.
 */
export const diagnoseSilence: Rule = ({ points, silentSince }) =>
  silentSince === null ? null : makeSilentDiagnosis(silentSince, points.at(-1)?.iteration ?? null);

/** Returns whether the status of a run is FAILED, ignoring case. */
export function isCrashed({ status }: RunResult): boolean {
  return /^failed$/i.test(status);
}

/** CRASHED: the run is FAILED. */
export const diagnoseCrash: Rule = (run, trace) => {
  if (!isCrashed(run)) return null;
  return {
    code: 'CRASHED',
    severity: 'error',
    ...getEnd(run),
    message: `The run failed ${describePosition(trace)}.`,
    evidence: { tab: 'events', series: [], value: null, threshold: null },
  };
};

/** Returns whether a run counts as stopped by a user: its status is STOPPED, ignoring case, and no import stored it. */
export function isStoppedByUser({ status, isImported }: RunResult): boolean {
  return /^stopped$/i.test(status) && !isImported;
}

/** STOPPED_BY_USER: the run is STOPPED, and no import stored it. */
export const diagnoseUserStop: Rule = (run, trace) => {
  if (!isStoppedByUser(run)) return null;
  return {
    code: 'STOPPED_BY_USER',
    severity: 'warning',
    ...getEnd(run),
    message: `A user stopped the run ${describePosition(trace)}, before it ended by its own rules.`,
    evidence: { tab: 'events', series: [], value: null, threshold: null },
  };
};
