import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testMannWhitney } from '#server/stats/mann-whitney.ts';
import { testStratifiedRankSum } from '#server/stats/stratified-rank-sum.ts';
import reference from '#tests/fixtures/stratified-rank-sum.json' with { type: 'json' };

const toNumbers = (values: readonly (number | null)[]) => values.map((value) => value ?? Infinity);

describe('testStratifiedRankSum', () => {
  it('equals the enumeration of all labels within each stratum, ties and infinities included', () => {
    for (const { strata, pValue, deviation } of reference.cases) {
      const result = testStratifiedRankSum(
        strata.map(({ a, b }) => ({ a: toNumbers(a), b: toNumbers(b) })),
      );
      expect(result.pValue).toBeCloseTo(pValue, 12);
      expect(result).toMatchObject({ deviation, method: 'exact' });
    }
  });

  it('is the rank-sum test for a single stratum, and ignores strata with an empty sample', () => {
    const [a, b] = [
      [1, 4, 6, 9],
      [2, 3, 8, 10, 11],
    ];
    const { pValue } = testMannWhitney(a, b);
    expect(testStratifiedRankSum([{ a, b }])).toMatchObject({ pValue, method: 'exact' });
    expect(
      testStratifiedRankSum([
        { a, b },
        { a: [], b: [1] },
      ]),
    ).toMatchObject({ pValue });
    expect(testStratifiedRankSum([{ a: [], b: [1] }])).toEqual({
      pValue: null,
      method: null,
      deviation: 0,
    });
  });

  it('is 1 where all values tie, also for large samples', () => {
    const tiedStratum = { a: [Infinity, Infinity], b: [Infinity, Infinity] };
    expect(testStratifiedRankSum([tiedStratum, tiedStratum])).toMatchObject({
      pValue: 1,
      deviation: 0,
    });
    const largeStratum = { a: Array<number>(40).fill(1), b: Array<number>(40).fill(1) };
    expect(testStratifiedRankSum([largeStratum, largeStratum])).toMatchObject({
      pValue: 1,
      method: 'asymptotic',
    });
  });

  it('is exactly 0.05, the level of a claim, where 20 of 400 labellings are as extreme', () => {
    const strata = [
      { a: [2, 0, 0], b: [4, 5, 3] },
      { a: [1, 5, 5], b: [Infinity, 1, Infinity] },
    ];
    expect(testStratifiedRankSum(strata).pValue).toBe(0.05);
  });

  it('has the same p-value when the samples are exchanged', () => {
    const sample = fc.array(fc.constantFrom(1, 2, 3, 5, Infinity), { minLength: 1, maxLength: 12 });
    const strata = fc.array(fc.record({ a: sample, b: sample }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(strata, (samples) => {
        const result = testStratifiedRankSum(samples);
        const swappedResult = testStratifiedRankSum(samples.map(({ a, b }) => ({ a: b, b: a })));
        expect(swappedResult.pValue).toBeCloseTo(result.pValue ?? NaN, 12);
        expect(swappedResult.deviation).toBeCloseTo(-result.deviation, 9);
      }),
    );
  });

  it('is close to the exact p-value where it is asymptotic', () => {
    const values = Array.from({ length: 31 }, (_, index) => (index * 7919) % 101);
    const part = { a: values.slice(0, 15), b: values.slice(15, 30).map((value) => value + 9) };
    const exactResult = testStratifiedRankSum([part, part]);
    const largeResult = testStratifiedRankSum([part, part, { a: [1], b: [1] }]);
    expect([exactResult.method, largeResult.method]).toEqual(['exact', 'asymptotic']);
    expect(largeResult.pValue ?? 0).toBeCloseTo(exactResult.pValue ?? 1, 2);
  });
});
