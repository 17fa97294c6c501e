import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isWireTime, toFieldTime, toWireTime } from '#renderer/features/explorer/local-time.ts';

describe.each([
  ['Europe/Berlin', '2026-11-21T10:55', '2026-11-21T09:55Z'],
  ['Asia/Kolkata', '2026-11-21T10:55', '2026-11-21T05:25Z'],
  ['America/New_York', '2026-07-01T20:00', '2026-07-02T00:00Z'],
  ['UTC', '2026-11-21T10:55', '2026-11-21T10:55Z'],
])('in %s', (zone, field, wire) => {
  const former = process.env.TZ;
  beforeEach(() => {
    process.env.TZ = zone;
  });
  afterEach(() => {
    if (former === undefined) delete process.env.TZ;
    else process.env.TZ = former;
  });

  test('a field’s local time is UTC on the wire, and local again in the field', () => {
    expect(toWireTime(field)).toBe(wire);
    expect(toFieldTime(wire, 'start')).toBe(field);
    expect(toFieldTime(wire, 'end')).toBe(field);
  });

  test('a stamp without zone is UTC', () => {
    expect(toFieldTime(wire.replace('Z', ''), 'start')).toBe(field);
  });
});

test('an empty or unfinished field is no time', () => {
  expect(toWireTime('')).toBe('');
  expect(toWireTime('2026-11')).not.toContain('NaN');
  expect(toWireTime('nonsense')).toBe('');
  expect(toFieldTime('', 'start')).toBe('');
  expect(toFieldTime('nonsense', 'start')).toBe('');
});

test('a date, minutes, fractions and offsets are times of the wire; other texts are not', () => {
  for (const text of [
    '2026-11-21',
    '2026-11-21T10:32Z',
    '2026-11-21T10:32:16.271757Z',
    '2026-11-21T10:32:16+01:00',
  ]) {
    expect(isWireTime(text), text).toBe(true);
  }
  for (const text of ['', 'today', '2026-13-01', '2026-02-30', '2026-11-21T25:00Z', '21.11.2026']) {
    expect(isWireTime(text), text).toBe(false);
  }
});
