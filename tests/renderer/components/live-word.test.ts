import { expect, test } from 'vitest';
import { defaultLiveState } from '#renderer/state/live-machine.ts';
import { liveWord } from '#renderer/components/live-word.ts';

test('each state has a word of its own', () => {
  const since = new Date(2026, 10, 21, 9, 5).getTime();
  const words = [
    liveWord({ ...defaultLiveState, phase: 'live' }),
    liveWord({ ...defaultLiveState, phase: 'live', isPaused: true }),
    liveWord({ ...defaultLiveState, phase: 'polling' }),
    liveWord({ ...defaultLiveState, phase: 'offline', offlineSince: since }),
    liveWord(defaultLiveState),
  ].map(({ word }) => word);
  expect(words).toEqual(['Live', 'Paused', 'Every 5 s', 'Offline since 09:05', 'Connecting']);
});
