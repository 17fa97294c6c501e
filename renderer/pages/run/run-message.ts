import type { RunDetail, StopRequest } from '#shared/schemas/run.ts';

/** A line about the end of a run or about a stop that was asked for. */
export interface RunMessageText {
  kind: 'failed' | 'stopped';
  title: string;
  text: string;
}

type MessageRun = Pick<RunDetail, 'status' | 'errorMessage' | 'stopRequest'>;

/**
 * What must be said of a run: its failure, its stop with the reason the user gave, or a stop that is on
 * its way. The runner writes the same sentence for every stop, so the request's reason comes first. Empty
 * for a run that ended well.
 */
export function runMessages({ status, errorMessage, stopRequest }: MessageRun): RunMessageText[] {
  if (status === 'RUNNING') return stopRequest ? [pendingStop(stopRequest)] : [];
  if (status === 'STOPPED') {
    const reason = stopRequest?.reason ? `“${stopRequest.reason}”` : null;
    const text = [reason, errorMessage].filter((part) => part !== null).join(' · ');
    return [{ kind: 'stopped', title: 'Stopped', text: text || 'No reason was recorded.' }];
  }
  if (errorMessage === null) return [];
  return [{ kind: 'failed', title: status === 'FAILED' ? 'Failed' : status, text: errorMessage }];
}

function pendingStop({ status, reason }: StopRequest): RunMessageText {
  const isAcknowledged = status === 'ACKNOWLEDGED';
  return {
    kind: 'stopped',
    title: isAcknowledged ? 'Stopping' : 'Stop asked for',
    text: [
      reason ? `“${reason}”` : null,
      isAcknowledged ? 'The runner has acknowledged.' : 'The runner has not acknowledged yet.',
    ]
      .filter((part) => part !== null)
      .join(' · '),
  };
}
