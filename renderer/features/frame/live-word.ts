import type { LiveState } from '#renderer/api/live-machine.ts';
import { formatSentence } from '#renderer/ui/sentence.ts';
import { formatClock } from '#renderer/ui/time.ts';

/** Returns the word of the live indicator, its look, and a tooltip that explains the state and the click. */
export function describeLive(state: LiveState): {
  kind: string;
  word: string;
  explanation: string;
} {
  if (state.isPaused) {
    return { kind: 'paused', word: 'Paused', explanation: 'Updates are paused. Click to resume.' };
  }
  switch (state.phase) {
    case 'connecting':
      return { kind: 'connecting', word: 'Connecting', explanation: 'Click to pause updates.' };
    case 'live':
      return {
        kind: 'live',
        word: 'Live',
        explanation: 'The page updates on every change of the database. Click to pause.',
      };
    case 'polling':
      return {
        kind: 'polling',
        word: 'Polling every 5 s',
        explanation: `${formatSentence(state.lostReason ?? 'The stream of changes is down')} This page updates every 5 s. Click to pause.`,
      };
    default:
      return {
        kind: 'offline',
        word: `Offline since ${state.offlineSince === null ? '…' : formatClock(state.offlineSince)}`,
        explanation: `${getOfflineReason(state)} Click to pause.`,
      };
  }
}

/** Returns why the page is not up to date while it is offline, and that it tries again. */
export function getOfflineReason({ lostReason }: LiveState): string {
  const reason = lostReason ?? 'The service does not respond. Is it still running?';
  return `${formatSentence(reason)} This page tries again every 5 s.`;
}
