import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  adjustByHolm,
  adjustPairsByHolm,
  type PairOfMeasures,
  makeRankSumPairs,
} from '#server/stats/pairwise-tests.ts';
import { expectAllClose, loadOracle } from './oracle.ts';

describe('Pairs of groups', () => {
  const samples = Object.freeze([
    { name: 'a', sample: [1, 2, 3, 4, 5] },
    { name: 'b', sample: [6, 7, 8, 9, 10] },
    { name: 'c', sample: [] },
  ]);

  test('all pairs are tested in order, and only those with values are adjusted together', () => {
    const [firstPair, secondPair, thirdPair] = makeRankSumPairs(samples, 'max');
    expect(firstPair).toEqual({
      a: 'a',
      b: 'b',
      nA: 5,
      nB: 5,
      pValue: expect.closeTo(2 / 252, 14),
      holmAdjustedPValue: expect.closeTo(2 / 252, 14),
      better: 'b',
      significant: true,
      attainablePValue: expect.closeTo(2 / 252, 14),
      method: 'exact',
      effectSize: 0,
      effectInterval: null,
      effectLabel: 'large',
      shift: -5,
      difference: null,
      differenceInterval: null,
    });
    expect([secondPair, thirdPair].map((pair) => [pair?.pValue, pair?.better])).toEqual([
      [null, 'none'],
      [null, 'none'],
    ]);
  });

  test('the smaller values win when minimising', () => {
    expect(makeRankSumPairs(samples, 'min')[0]).toMatchObject({ effectSize: 1, better: 'a' });
  });

  test('no group is better if the effect is exactly one half', () => {
    const [pair] = makeRankSumPairs(
      [
        { name: 'a', sample: [1, 4] },
        { name: 'b', sample: [2, 3] },
      ],
      'max',
    );
    expect(pair).toMatchObject({ effectSize: 0.5, better: 'none', significant: false });
  });

  test('the attainable p-value counts the tested pairs, and is 1 at most', () => {
    const threePairs = [
      { name: 'a', sample: [1, 2, 3] },
      { name: 'b', sample: [4, Infinity, 6] },
      { name: 'c', sample: [7] },
      { name: 'd', sample: [] },
    ];
    expect(makeRankSumPairs(threePairs, 'max').map((pair) => pair.attainablePValue)).toEqual([
      expect.closeTo(3 * 0.1, 14),
      1,
      null,
      1,
      null,
      null,
    ]);
  });

  test('an infinite value is the largest of its sample, and the effect size counts it so', () => {
    const [pair] = makeRankSumPairs(
      [
        { name: 'a', sample: [1, Infinity] },
        { name: 'b', sample: [2, Infinity] },
      ],
      'min',
    );
    expect(pair).toMatchObject({ effectSize: 0.625, better: 'a' });
  });

  test('fewer than two samples make no pairs', () => {
    expect(makeRankSumPairs([], 'min')).toEqual([]);
    expect(makeRankSumPairs(samples.slice(1, 2), 'min')).toEqual([]);
  });

  test('a censored sample and a sample with an infinite median have no shift', () => {
    const shifts = makeRankSumPairs(
      [
        { name: 'a', sample: [1, 2, 3] },
        { name: 'b', sample: [2, 3], isCensored: true },
        { name: 'c', sample: [Infinity, Infinity] },
        { name: 'd', sample: [3, 4, 5] },
      ],
      'min',
    ).map(({ a, b, shift }) => [a + b, shift]);
    expect(shifts).toEqual([
      ['ab', null],
      ['ac', null],
      ['ad', -2],
      ['bc', null],
      ['bd', null],
      ['cd', null],
    ]);
  });
});

describe('Adjusted p-values', () => {
  interface HolmOracle {
    cases: { name: string; p: (number | null)[]; holm: (number | null)[] }[];
  }

  describe.each((loadOracle('holm') as HolmOracle).cases)('of the case $name', ({ p, holm }) => {
    test('adjusted p-values agree with the reference', () => {
      expectAllClose(adjustByHolm(p), holm);
    });
  });

  test('without p-values the result is empty', () => {
    expect(adjustByHolm([])).toEqual([]);
  });

  test('an untestable comparison stays without p-value and does not count', () => {
    expect(adjustByHolm([0.02, null, 0.03])).toEqual([0.04, null, 0.04]);
  });

  test('adjusted p-values are at least the raw ones, at most 1, and in the same order', () => {
    const pValues = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 });
    fc.assert(
      fc.property(pValues, (raw) => {
        const adjusted = adjustByHolm(Object.freeze(raw)).map((value) => value ?? NaN);
        for (const [i, p] of raw.entries()) {
          expect(adjusted[i]).toBeGreaterThanOrEqual(p);
          expect(adjusted[i]).toBeLessThanOrEqual(1);
          for (const [j, q] of raw.entries())
            if (p < q) expect(adjusted[i]).toBeLessThanOrEqual(adjusted[j]!);
        }
        expect(adjustByHolm(raw.toReversed()).toReversed()).toEqual(adjusted);
      }),
    );
  });

  describe('adjustPairsByHolm', () => {
    /** Reference implementation of the rule: the factor falls by one with each pair of which all measures are claimed. */
    const listClaims = (pairs: readonly PairOfMeasures[], alpha: number): boolean[][] => {
      const testablePairs = pairs.filter(({ pValue }) => pValue !== null).length;
      for (let factor = testablePairs; ;) {
        const isClaimed = (pValue: number | null) => pValue !== null && pValue * factor <= alpha;
        const claimedPairs = pairs.filter(
          ({ pValue, measures }) => pValue !== null && measures.every(isClaimed),
        ).length;
        if (testablePairs - claimedPairs === factor || claimedPairs === testablePairs) {
          return pairs.map(({ measures }) => measures.map(isClaimed));
        }
        factor = testablePairs - claimedPairs;
      }
    };
    const pairLists = fc.array(
      fc
        .array(fc.integer({ min: 1, max: 64 }), { minLength: 1, maxLength: 4 })
        .map((measures): PairOfMeasures => {
          const pValues = measures.map((value) => value / 64 ** 1.5);
          return { pValue: Math.min(...pValues), measures: pValues };
        }),
      { maxLength: 8 },
    );

    test('agrees with the rule at each level', () => {
      fc.assert(
        fc.property(pairLists, fc.double({ min: 0.001, max: 0.2, noNaN: true }), (pairs, alpha) => {
          const claims = adjustPairsByHolm(pairs).map(({ measures }) =>
            measures.map((pValue) => pValue !== null && pValue <= alpha),
          );
          expect(claims).toEqual(listClaims(pairs, alpha));
        }),
      );
    });

    test('claims a measure only where Holm rejects its pair', () => {
      fc.assert(
        fc.property(pairLists, (pairs) => {
          for (const { holmAdjustedPValue, measures } of adjustPairsByHolm(pairs)) {
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
      expect(adjustPairsByHolm(pairs)).toEqual([
        { holmAdjustedPValue: 0.002, measures: [0.002, 0.9] },
        { holmAdjustedPValue: 0.03, measures: [0.06, 0.06] },
      ]);
    });

    test('lowers the factor once all measures of a pair are claimed', () => {
      const pairs = [
        { pValue: 0.001, measures: [0.001, 0.002] },
        { pValue: 0.03, measures: [0.03, 0.04] },
      ];
      expect(adjustPairsByHolm(pairs).map(({ measures }) => measures)).toEqual([
        [0.002, 0.004],
        [0.03, 0.04],
      ]);
    });

    test('omits pairs and measures that cannot be tested from the family', () => {
      const pairs = [
        { pValue: 0.02, measures: [0.02, null] },
        { pValue: null, measures: [null, null] },
      ];
      expect(adjustPairsByHolm(pairs)).toEqual([
        { holmAdjustedPValue: 0.02, measures: [0.02, null] },
        { holmAdjustedPValue: null, measures: [null, null] },
      ]);
      expect(adjustPairsByHolm([])).toEqual([]);
    });
  });
});
