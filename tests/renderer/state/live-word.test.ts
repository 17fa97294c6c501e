import { expect, test } from 'vitest';
import { initialLiveState } from '#renderer/state/live-machine.ts';
import { liveWord } from '#renderer/state/live-word.ts';

test('each state has a word of its own', () => {
  const since = new Date(2026, 10, 21, 9, 5).getTime();
  const words = [
    liveWord({ ...initialLiveState, phase: 'live' }),
    liveWord({ ...initialLiveState, phase: 'live', isPaused: true }),
    liveWord({ ...initialLiveState, phase: 'polling' }),
    liveWord({ ...initialLiveState, phase: 'offline', offlineSince: since }),
    liveWord(initialLiveState),
  ].map(({ word }) => word);
  expect(words).toEqual(['Live', 'Paused', 'Every 5 s', 'Offline since 09:05', 'Connecting']);
});
