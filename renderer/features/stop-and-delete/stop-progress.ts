import type { StopRequest } from '#shared/schemas/run.ts';
import { toMillis } from '#shared/syntax.ts';
import { isRunning } from '#shared/words.ts';

/** Time after which a pending request counts as one without response, and an acknowledged run as still running. */
export const responseTimeoutMillis = 60_000;

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
  /** Requested longer than {@link responseTimeoutMillis} ago and not acknowledged. */
  | { kind: 'noResponse'; elapsedMillis: number }
  /** The runner has read the request; the run has not ended yet. */
  | { kind: 'acknowledged'; elapsedMillis: number | null }
  /** Acknowledged longer than {@link responseTimeoutMillis} ago, and still RUNNING. */
  | { kind: 'stillRunning'; elapsedMillis: number }
  /** Acknowledged, and nothing is running. */
  | { kind: 'stopped' }
  /** Nothing is running and no runner has read the request: it waits for the next run. */
  | { kind: 'waiting' };

/**
 * Returns the progress of the stop request of a run or experiment at `nowMillis` (since 1970) of the service's clock.
 * If that is before the request, no time has passed; an invalid request time gives an unknown duration (null). Another
 * run's acknowledgement of a request for the whole experiment does not count for this run.
 */
export function getStopProgress(subject: StopSubject, nowMillis: number): StopProgress {
  const { request } = subject;
  if (!request) return { kind: 'none' };
  const status = getRequestStatus(subject, request);
  if (status === null) return { kind: 'none' };
  const isStillRunning = isRunning(subject);
  if (status === 'PENDING') {
    if (!isStillRunning) return { kind: 'waiting' };
    const elapsedMillis = getElapsedMillis(request.requestedAt, nowMillis);
    return isLong(elapsedMillis)
      ? { kind: 'noResponse', elapsedMillis }
      : { kind: 'requested', elapsedMillis };
  }
  if (isStillRunning) {
    const elapsedMillis = getElapsedMillis(request.acknowledgedAt, nowMillis);
    return isLong(elapsedMillis)
      ? { kind: 'stillRunning', elapsedMillis }
      : { kind: 'acknowledged', elapsedMillis };
  }
  return { kind: hasEndedByRequest(subject) ? 'stopped' : 'none' };
}

/** Whether the words for a progress change with time alone. */
export function isWaitingForRunner(progress: StopProgress): boolean {
  return ['requested', 'noResponse', 'acknowledged', 'stillRunning'].includes(progress.kind);
}

function getRequestStatus(
  subject: StopSubject,
  request: StopRequest,
): 'PENDING' | 'ACKNOWLEDGED' | null {
  const status = request.status.toUpperCase();
  if (status !== 'PENDING' && status !== 'ACKNOWLEDGED') return null;
  // Each running run gets its own request; the first run that reads it acknowledges for the experiment.
  const isAcknowledgedElsewhere =
    subject.kind === 'run' &&
    request.scope === 'experiment' &&
    request.acknowledgedByRunId !== subject.id &&
    isRunning(subject);
  return isAcknowledgedElsewhere ? 'PENDING' : status;
}

/** Whether the request ended the subject. A run that completed or failed had resumed after the acknowledgement. */
function hasEndedByRequest(subject: StopSubject): boolean {
  return subject.kind === 'experiment' || subject.status.toUpperCase() === 'STOPPED';
}

function isLong(millis: number | null): millis is number {
  return millis !== null && millis >= responseTimeoutMillis;
}

function getElapsedMillis(stamp: string | null, nowMillis: number): number | null {
  const since = toMillis(stamp);
  return Number.isNaN(since) ? null : Math.max(0, nowMillis - since);
}
