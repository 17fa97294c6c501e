import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectAllClose, loadOracle } from './oracle.ts';
import { holmAdjust, holmClaims, type PairOfMeasures } from '#server/stats/multiple-tests.ts';

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

describe('holmClaims', () => {
  /** The rule as it is written: the factor falls by one with each pair of which all measures are claimed. */
  const claimsAt = (pairs: readonly PairOfMeasures[], alpha: number): boolean[][] => {
    const testable = pairs.filter(({ pValue }) => pValue !== null).length;
    for (let factor = testable; ;) {
      const isClaimed = (pValue: number | null) => pValue !== null && pValue * factor <= alpha;
      const whole = pairs.filter(
        ({ pValue, measures }) => pValue !== null && measures.every(isClaimed),
      ).length;
      if (testable - whole === factor || whole === testable) {
        return pairs.map(({ measures }) => measures.map(isClaimed));
      }
      factor = testable - whole;
    }
  };
  const pairsOf = fc.array(
    fc
      .array(fc.integer({ min: 1, max: 64 }), { minLength: 1, maxLength: 4 })
      .map((measures): PairOfMeasures => {
        const pValues = measures.map((value) => value / 64 ** 1.5);
        return { pValue: Math.min(...pValues), measures: pValues };
      }),
    { maxLength: 8 },
  );

  test('claims what the rule claims at each level', () => {
    fc.assert(
      fc.property(pairsOf, fc.double({ min: 0.001, max: 0.2, noNaN: true }), (pairs, alpha) => {
        const claimed = holmClaims(pairs).map(({ measures }) =>
          measures.map((pValue) => pValue !== null && pValue <= alpha),
        );
        expect(claimed).toEqual(claimsAt(pairs, alpha));
      }),
    );
  });

  test('claims a measure only where Holm rejects its pair', () => {
    fc.assert(
      fc.property(pairsOf, (pairs) => {
        for (const { holmAdjustedPValue, measures } of holmClaims(pairs)) {
          for (const pValue of measures) {
            expect(pValue).toBeGreaterThanOrEqual(holmAdjustedPValue ?? NaN);
          }
        }
      }),
    );
  });

  test('keeps the factor while a pair has a measure that is not claimed', () => {
    const pairs = [
      { pValue: 0.001, measures: [0.001, 0.9] },
      { pValue: 0.03, measures: [0.03, 0.03] },
    ];
    expect(holmClaims(pairs)).toEqual([
      { holmAdjustedPValue: 0.002, measures: [0.002, 0.9] },
      { holmAdjustedPValue: 0.03, measures: [0.06, 0.06] },
    ]);
  });

  test('lowers the factor once all measures of a pair are claimed', () => {
    const pairs = [
      { pValue: 0.001, measures: [0.001, 0.002] },
      { pValue: 0.03, measures: [0.03, 0.04] },
    ];
    expect(holmClaims(pairs).map(({ measures }) => measures)).toEqual([
      [0.002, 0.004],
      [0.03, 0.04],
    ]);
  });

  test('leaves pairs and measures that cannot be tested out of the family', () => {
    const pairs = [
      { pValue: 0.02, measures: [0.02, null] },
      { pValue: null, measures: [null, null] },
    ];
    expect(holmClaims(pairs)).toEqual([
      { holmAdjustedPValue: 0.02, measures: [0.02, null] },
      { holmAdjustedPValue: null, measures: [null, null] },
    ]);
    expect(holmClaims([])).toEqual([]);
  });
});
