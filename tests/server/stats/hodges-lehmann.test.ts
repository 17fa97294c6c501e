import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { hodgesLehmann } from '#server/stats/hodges-lehmann.ts';
import { median } from '#server/stats/descriptive.ts';

const plain = (a: number[], b: number[]) =>
  median(a.flatMap((x) => b.map((y) => (x === y ? 0 : x - y))));

test('it is the median of all differences, ties and infinities included', () => {
  const value = fc.oneof(
    fc.integer({ min: -5, max: 5 }),
    fc.double({ noNaN: true, min: -1e9, max: 1e9 }),
    fc.constantFrom(Infinity, -Infinity, Number.MAX_VALUE, -Number.MAX_VALUE, 5e-324),
  );
  const sample = fc.array(value, { minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(sample, sample, (a, b) => {
      expect(hodgesLehmann(a, b)).toBe(plain(a, b));
    }),
    { numRuns: 2_000 },
  );
});

test('an empty sample has no shift', () => {
  expect(hodgesLehmann([], [1])).toBeNull();
  expect(hodgesLehmann([1], [])).toBeNull();
});
