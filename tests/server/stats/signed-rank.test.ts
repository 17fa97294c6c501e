import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testSignedRank } from '#server/stats/signed-rank.ts';
import { expectClose, loadOracle } from './oracle.ts';

interface Case {
  name: string;
  d: number[];
  n: number;
  n_zero: number;
  W_plus: number;
  W_minus: number;
  p_exact_conditional: number | null;
  p_asymptotic_continuity: number | null;
}

describe('the signed-rank test agrees with the reference', () => {
  const { cases } = loadOracle('wilcoxon_signed_rank') as { cases: Case[] };

  test.each(cases)('$name', (expected) => {
    const result = testSignedRank(expected.d);
    expect([result.n, result.zeros, result.wPlus, result.wMinus]).toEqual([
      expected.n,
      expected.n_zero,
      expected.W_plus,
      expected.W_minus,
    ]);
    const isExact = expected.n < 50;
    if (expected.n === 0) expect(result).toMatchObject({ pValue: 1, method: null });
    else if (isExact) expectClose(result.pValue, expected.p_exact_conditional);
    else expectClose(result.pValue, expected.p_asymptotic_continuity);
  });
});

test('reversing all signs only swaps the two sums', () => {
  const value = fc.oneof(fc.integer({ min: -5, max: 5 }), fc.constantFrom(Infinity, -Infinity));
  fc.assert(
    fc.property(fc.array(value, { maxLength: 60 }), (differences) => {
      const { wPlus, wMinus, ...otherFields } = testSignedRank(differences);
      const reversedResult = testSignedRank(differences.map((difference) => -difference));
      expect(reversedResult).toEqual({ ...otherFields, wPlus: wMinus, wMinus: wPlus });
    }),
  );
});

test.each([
  { count: 2, method: 'exact' },
  { count: 30, method: 'asymptotic' },
])('the p-value of $count pairs of opposite differences is 1', ({ count, method }) => {
  const differences = Array.from({ length: count }, (_, index) => [index + 1, -index - 1]).flat();
  expect(testSignedRank(differences)).toMatchObject({ pValue: 1, method });
});
