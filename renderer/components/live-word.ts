import type { LiveState } from '#renderer/state/live-machine.ts';
import { formatClock } from './time.ts';

/** A word for the live dot, its look, and a sentence that explains it and what a click does. */
export function liveWord(state: LiveState): { kind: string; word: string; explanation: string } {
  if (state.isPaused) {
    return { kind: 'paused', word: 'Paused', explanation: 'Nothing is updated. Click to resume.' };
  }
  switch (state.phase) {
    case 'connecting':
      return { kind: 'connecting', word: 'Connecting', explanation: 'Click to pause updates.' };
    case 'live':
      return {
        kind: 'live',
        word: 'Live',
        explanation: 'The page follows the database. Click to pause.',
      };
    case 'polling':
      return {
        kind: 'live',
        word: 'Every 5 s',
        explanation: `${state.lostReason ?? 'The stream of changes is down.'} This page updates every 5 s meanwhile. Click to pause.`,
      };
    default:
      return {
        kind: 'offline',
        word: `Offline since ${state.offlineSince === null ? '…' : formatClock(state.offlineSince)}`,
        explanation: 'The service does not answer; trying again every 5 s. Click to pause.',
      };
  }
}
