import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prepareSubsetSums } from '#server/stats/subset-sums.ts';

describe('prepareSubsetSums', () => {
  it('counts the subsets with a sum up to a limit, and from a limit on', () => {
    const { countUpTo, countFrom } = prepareSubsetSums(Int32Array.of(1, 2, 3, 4), 2);
    // Sums from 3 to 7, so up to 4 above the lowest.
    expect([-1, 0, 1, 2, 3, 4, 9].map(countUpTo)).toEqual([0, 1, 2, 4, 5, 6, 6]);
    expect([-1, 0, 1, 2, 3, 4, 5, 9].map(countFrom)).toEqual([6, 6, 5, 4, 2, 1, 0, 0]);
  });

  it('gives equal scores one sum', () => {
    const { countUpTo, countFrom } = prepareSubsetSums(Int32Array.of(3, 3, 3), 2);
    expect([countUpTo(0), countUpTo(-1), countFrom(0), countFrom(1)]).toEqual([3, 0, 3, 0]);
  });

  it('agrees with an enumeration of all subsets', () => {
    const scores = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(scores, fc.nat(), fc.double({ min: -3, max: 60 }), (values, size, limit) => {
        const sortedValues = values.toSorted((a, b) => a - b);
        const subsetSize = size % (values.length + 1);
        const sums = Array.from({ length: 2 ** values.length }, (_, mask) =>
          sortedValues.filter((_score, index) => (mask >> index) & 1),
        )
          .filter((subset) => subset.length === subsetSize)
          .map((subset) => subset.reduce((a, b) => a + b, 0));
        const minimumSum = Math.min(...sums);
        const { countUpTo, countFrom } = prepareSubsetSums(
          Int32Array.from(sortedValues),
          subsetSize,
        );
        expect(countUpTo(limit)).toBe(sums.filter((sum) => sum - minimumSum <= limit).length);
        expect(countFrom(limit)).toBe(sums.filter((sum) => sum - minimumSum >= limit).length);
      }),
    );
  });
});
