import { formatDuration } from '#shared/number-format.ts';
import { formatFullTime, formatTime } from '#renderer/components/time.ts';
import { shortId } from '#renderer/components/names.ts';
import type { StopProgress, StopSubject } from './stop-progress.ts';

/** A progress in words: `title` says what is, `detail` what it means, `short` is for a table's cell. */
export interface StopWords {
  tone: 'busy' | 'warning' | 'done';
  /** Stays the same while only time passes, so that screen readers say it once. */
  announcement: string;
  short: string;
  title: string;
  detail: string;
}

type Shown = Exclude<StopProgress, { kind: 'none' }>;

const deadProcess = 'A run whose process has died does not answer and stays RUNNING.';

/** The words for how far a stop has come; null when there is nothing to say. */
export function stopWords(progress: StopProgress, subject: StopSubject): StopWords | null {
  if (progress.kind === 'none' || !subject.request) return null;
  const acknowledgement = acknowledgedBy(subject);
  switch (progress.kind) {
    case 'asked':
      return {
        tone: 'busy',
        announcement: 'Stop asked',
        short: 'Stop asked',
        title: `Stop asked${ago(progress)}`,
        detail: 'The runner reads the request before its next iteration.',
      };
    case 'noAnswer':
      return {
        tone: 'warning',
        announcement: 'No answer to the stop request for 60 s',
        short: `No answer for ${waited(progress.elapsedMillis)}`,
        title: `No answer to the stop request for ${waited(progress.elapsedMillis)}`,
        detail: `${deadProcess} A long iteration delays the answer too.`,
      };
    case 'acknowledged':
      return {
        tone: 'busy',
        announcement: 'The runner has acknowledged the stop request',
        short: 'Acknowledged',
        title: `Stop ${acknowledgement}`,
        detail: ending(subject),
      };
    case 'stillRunning':
      return {
        tone: 'warning',
        announcement: 'Acknowledged, and still RUNNING',
        short: 'Acknowledged, still RUNNING',
        title: `Stop ${acknowledgement}, and still RUNNING`,
        detail:
          subject.kind === 'run'
            ? `It was resumed since, or its process ended before it wrote its end. ${deadProcess}`
            : `Some runs have not ended. ${deadProcess}`,
      };
    case 'stopped':
      return {
        tone: 'done',
        announcement: 'Stopped on request',
        short: 'Stopped',
        title: 'Stopped on request',
        detail: 'Its results up to then are kept.',
      };
    default:
      return {
        tone: 'warning',
        announcement: 'The stop request waits',
        short: 'Request waits',
        ...waitingWords(subject),
      };
  }
}

function waitingWords({ kind, request, status }: StopSubject): { title: string; detail: string } {
  if (kind === 'experiment' || request?.scope === 'experiment') {
    return {
      title: 'A stop request waits for the next run',
      detail:
        'No run of this experiment has read it and none is RUNNING. ' +
        'The next run of this experiment will stop before its first iteration.',
    };
  }
  return {
    title: `The run had ended (${status}) before it read the stop request`,
    detail: 'The request still waits: if this run is resumed, it stops at once.',
  };
}

function ending({ kind }: StopSubject): string {
  return kind === 'run'
    ? 'The run is ending; its last results are being written.'
    : 'Each running run has a request of its own and ends before its next iteration.';
}

function acknowledgedBy(subject: StopSubject): string {
  return `acknowledged${acknowledger(subject)} ${at(subject.request?.acknowledgedAt)}`;
}

/** " by run …" where another run than the page's own answered. */
function acknowledger({ id, kind, request }: StopSubject): string {
  const run = request?.acknowledgedByRunId;
  return run && !(kind === 'run' && run === id) ? ` by run ${shortId(run)}` : '';
}

function at(stamp: string | null | undefined): string {
  return stamp ? `at ${formatTime(stamp)}` : 'at an unknown time';
}

function ago({ elapsedMillis }: Extract<Shown, { kind: 'asked' }>): string {
  if (elapsedMillis === null) return '';
  return elapsedMillis < 2000 ? ' just now' : ` ${waited(elapsedMillis)} ago`;
}

/** Tenths of a second would flicker while the time runs. */
function waited(millis: number): string {
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
export function requestFacts(subject: StopSubject): RequestFact[] {
  const { request } = subject;
  if (!request) return [];
  const time = (label: string, stamp: string, by = '') => ({
    label,
    value: `${formatTime(stamp)}${by}`,
    title: formatFullTime(stamp),
  });
  return [
    time('Asked', request.requestedAt),
    ...(request.acknowledgedAt
      ? [time('Acknowledged', request.acknowledgedAt, acknowledger(subject))]
      : []),
    ...(request.requestedBy ? [{ label: 'By', value: request.requestedBy }] : []),
    ...(request.reason ? [{ label: 'Reason', value: `“${request.reason}”` }] : []),
  ];
}
