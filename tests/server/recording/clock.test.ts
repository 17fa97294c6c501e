import { expect, test } from 'vitest';
import { createClock, epochSecondsText, instantText } from '#server/recording/clock.ts';

const second = 1_795_254_850_000_000_000n;

test.each([
  [0n, '2026-11-21T09:54:10Z'],
  [500_000_000n, '2026-11-21T09:54:10.500Z'],
  [518_673_000n, '2026-11-21T09:54:10.518673Z'],
  [518_673_913n, '2026-11-21T09:54:10.518673913Z'],
  [7n, '2026-11-21T09:54:10.000000007Z'],
])('%d ns past a second print with as many digits as they take', (nanoseconds, text) => {
  expect(instantText(second + nanoseconds)).toBe(text);
});

test('seconds since the epoch always have nine digits of fraction', () => {
  expect(epochSecondsText(second + 1_000n)).toBe('1795254850.000001000');
});

test('the clock tells the time of day and never runs backwards', () => {
  const clock = createClock();
  const [first, later] = [clock(), clock()];
  expect(later).toBeGreaterThanOrEqual(first);
  expect(Math.abs(Number(first / 1_000_000n) - Date.now())).toBeLessThan(2000);
});
