import { formatDuration } from '#shared/number-format.ts';
import { formatFullTime, formatTime } from '#renderer/ui/time.ts';
import { getShortId } from '#shared/words.ts';
import type { StopProgress, StopSubject } from './stop-progress.ts';

/** Progress in words: `title` states it, `detail` explains it, `short` is for a table cell. */
export interface StopWords {
  tone: 'busy' | 'warning' | 'done';
  /** Does not change with time alone, so that screen readers announce it once. */
  announcement: string;
  short: string;
  title: string;
  detail: string;
}

type VisibleProgress = Exclude<StopProgress, { kind: 'none' }>;

const deadProcess = 'A run whose process has died does not respond and stays RUNNING.';

/** Returns the words for the progress of a stop request; null when there is nothing to show. */
export function describeStop(progress: StopProgress, subject: StopSubject): StopWords | null {
  if (progress.kind === 'none' || !subject.request) return null;
  const acknowledgement = getAcknowledgedBy(subject);
  switch (progress.kind) {
    case 'requested':
      return {
        tone: 'busy',
        announcement: 'Stop requested',
        short: 'Stop requested',
        title: `Stop requested${formatAgo(progress)}`,
        detail: 'The runner reads the request before its next iteration.',
      };
    case 'noResponse':
      return {
        tone: 'warning',
        announcement: 'No response to the stop request for 60 s',
        short: `No response for ${formatWait(progress.elapsedMillis)}`,
        title: `No response to the stop request for ${formatWait(progress.elapsedMillis)}`,
        detail: `${deadProcess} A long iteration also delays the response.`,
      };
    case 'acknowledged':
      return {
        tone: 'busy',
        announcement: 'The runner has acknowledged the stop request',
        short: 'Acknowledged',
        title: `Stop ${acknowledgement}`,
        detail: describeEnding(subject),
      };
    case 'stillRunning':
      return {
        tone: 'warning',
        announcement: 'Acknowledged, and still RUNNING',
        short: 'Acknowledged, still RUNNING',
        title: `Stop ${acknowledgement}, and still RUNNING`,
        detail:
          subject.kind === 'run'
            ? `It was resumed, or its process died before recording the end. ${deadProcess}`
            : `Some runs have not ended. ${deadProcess}`,
      };
    case 'stopped':
      return {
        tone: 'done',
        announcement: 'Stopped on request',
        short: 'Stopped',
        title: 'Stopped on request',
        detail: 'Results up to that point stay stored.',
      };
    default:
      return {
        tone: 'warning',
        announcement: 'The stop request is pending',
        short: 'Request pending',
        ...describeWaiting(subject),
      };
  }
}

function describeWaiting({ kind, request, status }: StopSubject): {
  title: string;
  detail: string;
} {
  if (kind === 'experiment' || request?.scope === 'experiment') {
    return {
      title: 'A stop request is pending for the next run',
      detail:
        'No run of this experiment has read it, and no run is RUNNING. ' +
        'The next run of this experiment will stop before its first iteration.',
    };
  }
  return {
    title: `The run had ended (${status}) before it read the stop request`,
    detail: 'The request is still pending: if this run is resumed, it stops immediately.',
  };
}

function describeEnding({ kind }: StopSubject): string {
  return kind === 'run'
    ? 'The run is ending and writing its last results.'
    : 'Each running run gets its own request and stops before its next iteration.';
}

function getAcknowledgedBy(subject: StopSubject): string {
  return `acknowledged${getAcknowledger(subject)} ${formatAt(subject.request?.acknowledgedAt)}`;
}

/** Returns " by run …" where another run acknowledged; '' otherwise. */
function getAcknowledger({ id, kind, request }: StopSubject): string {
  const run = request?.acknowledgedByRunId;
  return run && !(kind === 'run' && run === id) ? ` by run ${getShortId(run)}` : '';
}

function formatAt(stamp: string | null | undefined): string {
  return stamp ? `at ${formatTime(stamp)}` : 'at an unknown time';
}

function formatAgo({ elapsedMillis }: Extract<VisibleProgress, { kind: 'requested' }>): string {
  if (elapsedMillis === null) return '';
  return elapsedMillis < 2000 ? ' just now' : ` ${formatWait(elapsedMillis)} ago`;
}

/** Returns a duration in whole seconds: tenths would flicker while the time counts. */
function formatWait(millis: number): string {
  const seconds = Math.floor(millis / 1000);
  return seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1000);
}

/** One fact about a stop request; `title` is its tooltip. */
export interface RequestFact {
  label: string;
  value: string;
  title?: string;
}

/** Returns who requested the stop, when and why, and who acknowledged it; empty without a request. */
export function getRequestFacts(subject: StopSubject): RequestFact[] {
  const { request } = subject;
  if (!request) return [];
  const time = (label: string, stamp: string, by = '') => ({
    label,
    value: `${formatTime(stamp)}${by}`,
    title: formatFullTime(stamp),
  });
  return [
    time('Requested', request.requestedAt),
    ...(request.acknowledgedAt
      ? [time('Acknowledged', request.acknowledgedAt, getAcknowledger(subject))]
      : []),
    ...(request.requestedBy ? [{ label: 'By', value: request.requestedBy }] : []),
    ...(request.reason ? [{ label: 'Reason', value: `“${request.reason}”` }] : []),
  ];
}
