import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holmAdjust } from '#server/stats/multiple-tests.ts';
import { expectAllClose, loadOracle } from './oracle.ts';

interface HolmOracle {
  cases: { name: string; p: (number | null)[]; holm: (number | null)[] }[];
}

describe.each((loadOracle('holm') as HolmOracle).cases)('of the case $name', ({ p, holm }) => {
  test('adjusted p-values agree with the reference', () => {
    expectAllClose(holmAdjust(p), holm);
  });
});

test('nothing to adjust gives nothing', () => {
  expect(holmAdjust([])).toEqual([]);
});

test('an untestable comparison stays without p-value and does not count', () => {
  expect(holmAdjust([0.02, null, 0.03])).toEqual([0.04, null, 0.04]);
});

test('adjusted p-values are at least the raw ones, at most 1, and in the same order', () => {
  const pValues = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 });
  fc.assert(
    fc.property(pValues, (raw) => {
      const adjusted = holmAdjust(Object.freeze(raw)).map((value) => value ?? NaN);
      for (const [i, p] of raw.entries()) {
        expect(adjusted[i]).toBeGreaterThanOrEqual(p);
        expect(adjusted[i]).toBeLessThanOrEqual(1);
        for (const [j, q] of raw.entries())
          if (p < q) expect(adjusted[i]).toBeLessThanOrEqual(adjusted[j]!);
      }
      expect(holmAdjust(raw.toReversed()).toReversed()).toEqual(adjusted);
    }),
  );
});
