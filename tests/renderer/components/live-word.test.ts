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

test('a page without a stream states why, as far as the service said, and what it does instead', () => {
  const polling = { ...defaultLiveState, phase: 'polling' } as const;
  expect(liveWord(polling).explanation).toBe(
    'The stream of changes is down. This page updates every 5 s meanwhile. Click to pause.',
  );
  expect(liveWord({ ...polling, lostReason: 'There is no room.' }).explanation).toBe(
    'There is no room. This page updates every 5 s meanwhile. Click to pause.',
  );
});
