import { expect, test } from 'vitest';
import { wilsonInterval } from '#server/stats/wilson-interval.ts';
import { expectClose } from './oracle.ts';

test('without trials there is no interval', () => {
  expect(wilsonInterval(0, 0)).toBeNull();
});

test('8 of 10 successes give the interval of 40-digit arithmetic', () => {
  expectClose(wilsonInterval(8, 10)?.lower, 0.4901624715366417);
  expectClose(wilsonInterval(8, 10)?.upper, 0.9433178485456247);
});

test('none and all successes end exactly at 0 and 1, with the other end at z²/(n + z²)', () => {
  const z = 1.959963984540054;
  const interval = wilsonInterval(0, 15);
  expect(interval?.lower).toBe(0);
  expectClose(interval?.upper, z ** 2 / (15 + z ** 2));
  expect(wilsonInterval(15, 15)?.upper).toBe(1);
  expectClose(wilsonInterval(15, 15)?.lower, 15 / (15 + z ** 2));
});

test('the interval narrows with the number of trials and mirrors failures', () => {
  const small = wilsonInterval(3, 10);
  const large = wilsonInterval(300, 1000);
  expect((large?.upper ?? 1) - (large?.lower ?? 0)).toBeLessThan(
    (small?.upper ?? 0) - (small?.lower ?? 0),
  );
  expectClose(wilsonInterval(7, 10)?.lower, 1 - (small?.upper ?? NaN));
});
