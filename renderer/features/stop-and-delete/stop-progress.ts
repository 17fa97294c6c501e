import type { StopRequest } from '#shared/schemas/run.ts';
import { toMillis } from '#shared/syntax.ts';
import { isRunning } from '#shared/words.ts';

/** Time after which a pending request counts as unanswered, and an acknowledged run as still running. */
export const noAnswerAfterMillis = 60_000;

/** The run or experiment that was requested to stop, as the service describes it now. */
export interface StopSubject {
  kind: 'run' | 'experiment';
  id: string;
  /** Stored status of a run; derived from the runs for an experiment. */
  status: string;
  /** The latest request that concerns it. */
  request: StopRequest | null;
}

/** Progress of a stop request. */
export type StopProgress =
  /** No request, or the request is older than the latest start of the run. */
  | { kind: 'none' }
  /** Requested, not acknowledged yet. */
  | { kind: 'requested'; elapsedMillis: number | null }
  /** Requested longer than {@link noAnswerAfterMillis} ago and not acknowledged. */
  | { kind: 'noAnswer'; elapsedMillis: number }
  /** The runner has read the request; the run has not ended yet. */
  | { kind: 'acknowledged'; elapsedMillis: number | null }
  /** Acknowledged longer than {@link noAnswerAfterMillis} ago, and still RUNNING. */
  | { kind: 'stillRunning'; elapsedMillis: number }
  /** Acknowledged, and nothing is running. */
  | { kind: 'stopped' }
  /** Nothing is running and no runner has read the request: it waits for the next run. */
  | { kind: 'waiting' };

/**
 * Returns the progress of the stop request of a run or experiment at `nowMillis` (since 1970) of the service's clock. If
 * that is before the request, no time has passed; an invalid request time gives an unknown duration (null). Another
 * run's acknowledgement of a request for the whole experiment does not count for this run.
 */
export function stopProgress(subject: StopSubject, nowMillis: number): StopProgress {
  const { request } = subject;
  if (!request) return { kind: 'none' };
  const answer = getAnswerTo(subject, request);
  if (answer === null) return { kind: 'none' };
  const stillRuns = isRunning(subject);
  if (answer === 'PENDING') {
    if (!stillRuns) return { kind: 'waiting' };
    const elapsedMillis = elapsed(request.requestedAt, nowMillis);
    return isLong(elapsedMillis)
      ? { kind: 'noAnswer', elapsedMillis }
      : { kind: 'requested', elapsedMillis };
  }
  if (stillRuns) {
    const elapsedMillis = elapsed(request.acknowledgedAt, nowMillis);
    return isLong(elapsedMillis)
      ? { kind: 'stillRunning', elapsedMillis }
      : { kind: 'acknowledged', elapsedMillis };
  }
  return { kind: hasEndedByRequest(subject) ? 'stopped' : 'none' };
}

/** Whether the words for a progress change with time alone. */
export function isWaitingForRunner(progress: StopProgress): boolean {
  return ['requested', 'noAnswer', 'acknowledged', 'stillRunning'].includes(progress.kind);
}

function getAnswerTo(
  subject: StopSubject,
  request: StopRequest,
): 'PENDING' | 'ACKNOWLEDGED' | null {
  const status = request.status.toUpperCase();
  if (status !== 'PENDING' && status !== 'ACKNOWLEDGED') return null;
  // Each running run gets its own request; the first run that reads it acknowledges for the experiment.
  const isAnswerOfAnother =
    subject.kind === 'run' &&
    request.scope === 'experiment' &&
    request.acknowledgedByRunId !== subject.id &&
    isRunning(subject);
  return isAnswerOfAnother ? 'PENDING' : status;
}

/** A run that completed or failed after its acknowledgement was resumed in between. */
function hasEndedByRequest(subject: StopSubject): boolean {
  return subject.kind === 'experiment' || subject.status.toUpperCase() === 'STOPPED';
}

function isLong(millis: number | null): millis is number {
  return millis !== null && millis >= noAnswerAfterMillis;
}

function elapsed(stamp: string | null, nowMillis: number): number | null {
  const since = toMillis(stamp);
  return Number.isNaN(since) ? null : Math.max(0, nowMillis - since);
}
