import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  formatDay,
  formatAge,
  formatFullTime,
  formatMinute,
  formatTime,
} from '#renderer/ui/time.ts';

const former = process.env.TZ;
beforeAll(() => {
  process.env.TZ = 'Europe/Berlin';
});
afterAll(() => {
  if (former === undefined) delete process.env.TZ;
  else process.env.TZ = former;
});

const now = new Date('2026-11-21T12:00:00Z');

test('a time is as short as it stays clear, in local time', () => {
  expect(formatTime('2026-11-21T09:55:39.271757123Z', now)).toBe('10:55:39');
  expect(formatTime('2026-03-01T23:30:00Z', now)).toBe('2 Mar 00:30');
  expect(formatTime('2025-12-31T22:30:00Z', now)).toBe('31 Dec 2025');
});

test('a missing time is a dash and what is no time is shown as it is', () => {
  expect(formatTime(null, now)).toBe('–');
  expect(formatTime('yesterday', now)).toBe('yesterday');
  expect(formatFullTime('soon')).toBe('soon');
});

test('the full form contains the local and the stored time', () => {
  expect(formatFullTime('2026-11-21T09:55:39Z')).toBe(
    '21 Nov 2026 10:55:39 (2026-11-21T09:55:39Z)',
  );
  expect(formatMinute('2026-11-21T09:55Z')).toBe('21 Nov 2026 10:55');
  expect(formatDay('2026-11-21T23:55Z', now)).toBe('22 Nov');
  expect(formatDay('2025-11-21T23:55Z', now)).toBe('22 Nov 2025');
});

test('an age is in its largest unit, and a future time has no age', () => {
  const at = (seconds: number) =>
    formatAge('2026-11-21T10:00:00Z', Date.parse('2026-11-21T10:00:00Z') + seconds * 1000);
  expect([4.9, 59, 60, 3599, 3600, 172_799, 172_800, -5].map(at)).toEqual([
    '4 s',
    '59 s',
    '1 min',
    '59 min',
    '1 h',
    '47 h',
    '2 d',
    '0 s',
  ]);
});
