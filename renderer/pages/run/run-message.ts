import type { RunDetail } from '#shared/schemas/run.ts';
import { isRunning } from '#shared/words.ts';

/** A line about the end of a run. */
export interface RunMessageText {
  kind: 'failed' | 'stopped';
  title: string;
  text: string;
}

type MessageRun = Pick<RunDetail, 'status' | 'errorMessage'> & {
  /** The request that stopped it, which says more than the runner's sentence; its progress is shown instead. */
  stopRequest?: RunDetail['stopRequest'];
};

/**
 * What the runner said of a run's end: its failure, or its stop, for which it writes the same sentence every
 * time (the user's own reason stands with the stop request). Empty for a run that goes on or ended well.
 */
export function runMessages({ status, errorMessage, stopRequest }: MessageRun): RunMessageText[] {
  if (isRunning({ status })) return [];
  if (status === 'STOPPED' && stopRequest?.status.toUpperCase() === 'ACKNOWLEDGED') return [];
  if (status === 'STOPPED') {
    return [{ kind: 'stopped', title: 'Stopped', text: errorMessage ?? 'No reason was recorded.' }];
  }
  if (errorMessage === null) return [];
  return [{ kind: 'failed', title: status === 'FAILED' ? 'Failed' : status, text: errorMessage }];
}
