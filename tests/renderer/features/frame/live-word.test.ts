import { expect, test } from 'vitest';
import { defaultLiveState } from '#renderer/api/live-machine.ts';
import { describeLive, getOfflineReason } from '#renderer/features/frame/live-word.ts';

test('each state has a different word', () => {
  const since = new Date(2026, 10, 21, 9, 5).getTime();
  const words = [
    describeLive({ ...defaultLiveState, phase: 'live' }),
    describeLive({ ...defaultLiveState, phase: 'live', isPaused: true }),
    describeLive({ ...defaultLiveState, phase: 'polling' }),
    describeLive({ ...defaultLiveState, phase: 'offline', offlineSince: since }),
    describeLive(defaultLiveState),
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
  expect(describeLive(polling).explanation).toBe(
    'The stream of changes is down. This page updates every 5 s. Click to pause.',
  );
  expect(describeLive({ ...polling, lostReason: 'There is no room.' }).explanation).toBe(
    'There is no room. This page updates every 5 s. Click to pause.',
  );
});

test('only a page with a stream looks live', () => {
  const kinds = (['connecting', 'live', 'polling', 'offline'] as const).map(
    (phase) => describeLive({ ...defaultLiveState, phase }).kind,
  );
  expect(kinds).toEqual(['connecting', 'live', 'polling', 'offline']);
});

test('an offline page states the reason of the service, or that the service does not respond', () => {
  const offline = { ...defaultLiveState, phase: 'offline' } as const;
  expect(getOfflineReason(offline)).toBe(
    'The service does not respond. Is it still running? This page tries again every 5 s.',
  );
  expect(getOfflineReason({ ...offline, lostReason: 'The file a.db is missing' })).toBe(
    'The file a.db is missing. This page tries again every 5 s.',
  );
});
