import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { varghaDelaney } from '#server/stats/effect-size.ts';
import { mannWhitney } from '#server/stats/mann-whitney.ts';

const effect = (a: number[], b: number[], direction: 'min' | 'max') =>
  varghaDelaney(mannWhitney(a, b).u ?? NaN, a.length, b.length, direction);

test('above one half A is better: larger values when maximising, smaller ones when minimising', () => {
  expect(effect([5, 6], [1, 2], 'max')).toBe(1);
  expect(effect([5, 6], [1, 2], 'min')).toBe(0);
  expect(effect([1, 2], [1, 2], 'min')).toBe(0.5);
});

test('it is the share of pairs that A wins, ties counted half', () => {
  const sample = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(sample, sample, (a, b) => {
      const wins = a.flatMap((x) => b.map((y) => (x > y ? 1 : Number(x === y) / 2)));
      const share = wins.reduce((total, win) => total + win, 0) / wins.length;
      expect(effect(a, b, 'max')).toBeCloseTo(share, 12);
      expect(effect(b, a, 'max')).toBeCloseTo(1 - share, 12);
    }),
  );
});
