import type { RunDetail } from '#shared/schemas/run.ts';
import { isRunning } from '#shared/words.ts';

/** A line about the end of a run. */
export interface RunMessageText {
  kind: 'failed' | 'stopped';
  title: string;
  text: string;
}

type MessageRun = Pick<RunDetail, 'status' | 'errorMessage'> & {
  /** The request that stopped it; its progress is shown instead of the runner's generic sentence. */
  stopRequest?: RunDetail['stopRequest'];
};

/**
 * Returns the runner's messages about a run's end: its failure, or its stop, for which the runner always writes the
 * same sentence (the user's reason is in the stop request). Empty for a running or completed run.
 */
export function getRunMessages({
  status,
  errorMessage,
  stopRequest,
}: MessageRun): RunMessageText[] {
  if (isRunning({ status })) return [];
  if (status === 'STOPPED' && stopRequest?.status.toUpperCase() === 'ACKNOWLEDGED') return [];
  if (status === 'STOPPED') {
    return [{ kind: 'stopped', title: 'Stopped', text: errorMessage ?? 'No reason was recorded.' }];
  }
  if (errorMessage === null) return [];
  return [{ kind: 'failed', title: status === 'FAILED' ? 'Failed' : status, text: errorMessage }];
}
