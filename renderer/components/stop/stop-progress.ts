import type { StopRequest } from '#shared/schemas/run.ts';
import { isRunning } from '#shared/words.ts';

/** Time after which a request that nobody answered, or an end that nobody wrote, is called by its name. */
export const noAnswerAfterMillis = 60_000;

/** What was asked to stop, as the service describes it now. */
export interface StopSubject {
  kind: 'run' | 'experiment';
  id: string;
  /** Of the run as stored; of an experiment as derived from its runs. */
  status: string;
  /** The newest request that concerns it. */
  request: StopRequest | null;
}

/** How far a stop has come. */
export type StopProgress =
  /** Nothing was asked, or what was asked belongs to an earlier life of the run. */
  | { kind: 'none' }
  /** Asked, not answered yet. */
  | { kind: 'asked'; elapsedMillis: number | null }
  /** Asked for longer than {@link noAnswerAfterMillis} ago and not answered. */
  | { kind: 'noAnswer'; elapsedMillis: number }
  /** The runner has read the request; the end is not written yet. */
  | { kind: 'acknowledged'; elapsedMillis: number | null }
  /** Acknowledged longer than {@link noAnswerAfterMillis} ago, and still RUNNING. */
  | { kind: 'stillRunning'; elapsedMillis: number }
  /** Acknowledged, and nothing runs any more. */
  | { kind: 'stopped' }
  /** Nothing runs and nobody has read the request: it waits for whatever runs next. */
  | { kind: 'waiting' };

/**
 * How far the stop of a run or experiment has come at `nowMillis` (since 1970). A clock of this computer
 * that is behind the service's counts as no time passed; a request time that is no time as unknown (null).
 * Another run's answer to a request for the whole experiment is no answer of this run.
 */
export function stopProgress(subject: StopSubject, nowMillis: number): StopProgress {
  const { request } = subject;
  if (!request) return { kind: 'none' };
  const answer = answerTo(subject, request);
  if (answer === null) return { kind: 'none' };
  const stillRuns = isRunning(subject);
  if (answer === 'PENDING') {
    if (!stillRuns) return { kind: 'waiting' };
    const elapsedMillis = elapsed(request.requestedAt, nowMillis);
    return isLong(elapsedMillis)
      ? { kind: 'noAnswer', elapsedMillis }
      : { kind: 'asked', elapsedMillis };
  }
  if (stillRuns) {
    const elapsedMillis = elapsed(request.acknowledgedAt, nowMillis);
    return isLong(elapsedMillis)
      ? { kind: 'stillRunning', elapsedMillis }
      : { kind: 'acknowledged', elapsedMillis };
  }
  return { kind: endedByRequest(subject) ? 'stopped' : 'none' };
}

/** Whether the words for a progress change while time passes and nothing else happens. */
export function isWaitingForRunner(progress: StopProgress): boolean {
  return ['asked', 'noAnswer', 'acknowledged', 'stillRunning'].includes(progress.kind);
}

function answerTo(subject: StopSubject, request: StopRequest): 'PENDING' | 'ACKNOWLEDGED' | null {
  const status = request.status.toUpperCase();
  if (status !== 'PENDING' && status !== 'ACKNOWLEDGED') return null;
  // Each running run got a request of its own; the first to read it answers for the experiment.
  const isAnswerOfAnother =
    subject.kind === 'run' &&
    request.scope === 'experiment' &&
    request.acknowledgedByRunId !== subject.id &&
    isRunning(subject);
  return isAnswerOfAnother ? 'PENDING' : status;
}

/** A run that completed or failed after it had acknowledged was resumed in between. */
function endedByRequest(subject: StopSubject): boolean {
  return subject.kind === 'experiment' || subject.status.toUpperCase() === 'STOPPED';
}

function isLong(millis: number | null): millis is number {
  return millis !== null && millis >= noAnswerAfterMillis;
}

function elapsed(stamp: string | null, nowMillis: number): number | null {
  const since = stamp === null ? Number.NaN : Date.parse(stamp);
  return Number.isNaN(since) ? null : Math.max(0, nowMillis - since);
}
