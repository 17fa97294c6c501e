import { expect, test } from 'vitest';
import { formatTime } from '#shared/time-format.ts';

test('shows a stored time in the time zone of the reader', () => {
  const stored = '2026-11-21T23:55:19.518673913Z';
  expect(formatTime(stored, 'UTC')).toBe('21 Nov 2026, 23:55:19');
  expect(formatTime(stored, 'Asia/Tokyo')).toBe('22 Nov 2026, 08:55:19');
  expect(formatTime('2026-01-02T00:05:06Z', 'UTC')).toBe('2 Jan 2026, 00:05:06');
});

test('shows a dash for no time and any other text as it is', () => {
  expect(formatTime(null)).toBe('–');
  expect(formatTime(undefined)).toBe('–');
  expect(formatTime('yesterday')).toBe('yesterday');
});
