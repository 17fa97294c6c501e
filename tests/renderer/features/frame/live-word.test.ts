import { expect, test } from 'vitest';
import { defaultLiveState } from '#renderer/api/live-machine.ts';
import { liveWord, offlineReason } from '#renderer/features/frame/live-word.ts';

test('each state has a word of its own', () => {
  const since = new Date(2026, 10, 21, 9, 5).getTime();
  const words = [
    liveWord({ ...defaultLiveState, phase: 'live' }),
    liveWord({ ...defaultLiveState, phase: 'live', isPaused: true }),
    liveWord({ ...defaultLiveState, phase: 'polling' }),
    liveWord({ ...defaultLiveState, phase: 'offline', offlineSince: since }),
    liveWord(defaultLiveState),
  ].map(({ word }) => word);
  expect(words).toEqual([
    'Live',
    'Paused',
    'Polling every 5 s',
    'Offline since 09:05',
    'Connecting',
  ]);
});

test('a page without a stream states why, as far as the service said, and what it does instead', () => {
  const polling = { ...defaultLiveState, phase: 'polling' } as const;
  expect(liveWord(polling).explanation).toBe(
    'The stream of changes is down. This page updates every 5 s. Click to pause.',
  );
  expect(liveWord({ ...polling, lostReason: 'There is no room.' }).explanation).toBe(
    'There is no room. This page updates every 5 s. Click to pause.',
  );
});

test('only a page with a stream looks live', () => {
  const kinds = (['connecting', 'live', 'polling', 'offline'] as const).map(
    (phase) => liveWord({ ...defaultLiveState, phase }).kind,
  );
  expect(kinds).toEqual(['connecting', 'live', 'polling', 'offline']);
});

test('an offline page states the reason of the service, or that the service does not respond', () => {
  const offline = { ...defaultLiveState, phase: 'offline' } as const;
  expect(offlineReason(offline)).toBe(
    'The service does not respond. Is it still running? This page tries again every 5 s.',
  );
  expect(offlineReason({ ...offline, lostReason: 'The file a.db is missing' })).toBe(
    'The file a.db is missing. This page tries again every 5 s.',
  );
});
