import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  testFriedman,
  testKruskalWallis,
  computeNemenyiCriticalDifference,
  rankValues,
} from '#server/stats/rank-tests.ts';
import { expectAllClose, expectClose, loadOracle } from './oracle.ts';

describe('rank', () => {
  interface RankOracle {
    cases: { name: string; x: number[]; average: number[]; tie_sum_t3_minus_t: number }[];
  }

  describe.each((loadOracle('rankdata') as RankOracle).cases)('of the case $name', (expected) => {
    test('ranks and ties agree with the reference', () => {
      const { ranks, tieSum } = rankValues(expected.x);
      expect(ranks).toEqual(expected.average);
      expect(tieSum).toBe(expected.tie_sum_t3_minus_t);
    });
  });

  test('no values have no ranks', () => {
    expect(rankValues([])).toEqual({ ranks: [], tieSum: 0 });
  });

  test('negative zero ties with zero', () => {
    expect(rankValues([0, -0]).ranks).toEqual([1.5, 1.5]);
  });

  test('NaN has no rank', () => {
    expect(() => rankValues([1, NaN])).toThrow('NaN has no rank. Omit missing values.');
  });

  test('ranks add up to n(n + 1)/2 and follow their values through any permutation', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 50 }), (values) => {
        const { ranks } = rankValues(Object.freeze(values));
        const total = ranks.reduce((sum, value) => sum + value, 0);
        expect(total).toBe((values.length * (values.length + 1)) / 2);
        expect(rankValues(values.toReversed()).ranks.toReversed()).toEqual(ranks);
      }),
    );
  });
});

describe('kruskalWallis', () => {
  interface KruskalOracle {
    cases: { name: string; groups: number[][]; H: number; df: number; p: number }[];
  }

  const { cases } = loadOracle('kruskal') as KruskalOracle;

  test.each(cases)('of the case $name, H and p-value agree with the reference', (expected) => {
    const result = testKruskalWallis(expected.groups);
    expectClose(result?.statistic, expected.H);
    expectClose(result?.pValue, expected.p);
    expect(result?.df).toBe(expected.df);
  });

  test('fewer than two groups with values cannot be compared', () => {
    expect(testKruskalWallis([])).toBeNull();
    expect(testKruskalWallis([[1, 2], [], [null, NaN]])).toBeNull();
  });

  test('equal values everywhere give H = 0 and p = 1', () => {
    expect(testKruskalWallis([[1, 1], [1], [1]])).toEqual({ statistic: 0, df: 2, pValue: 1 });
  });

  test('omits missing values and empty groups', () => {
    expect(testKruskalWallis([[1, null, 2], [], [3, NaN, 4]])).toEqual(
      testKruskalWallis([
        [1, 2],
        [3, 4],
      ]),
    );
  });

  test('infinities are ordinary extreme values', () => {
    expect(
      testKruskalWallis([
        [1, Infinity],
        [-Infinity, 2],
      ]),
    ).toEqual(
      testKruskalWallis([
        [1, 9],
        [-9, 2],
      ]),
    );
  });

  test('the order of groups and of their values does not matter', () => {
    const group = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.array(group, { minLength: 2, maxLength: 5 }), (groups) => {
        const movedGroups = groups.toReversed().map((values) => values.toReversed());
        expectClose(
          testKruskalWallis(movedGroups)?.statistic,
          testKruskalWallis(groups)?.statistic,
          1e-10,
        );
      }),
    );
  });
});

describe('friedman', () => {
  interface FriedmanOracle {
    cases: {
      name: string;
      matrix: number[][];
      N: number;
      k: number;
      mean_ranks: number[];
      chi2: number;
      p: number;
      F: number | null;
      F_p: number | null;
      F_df: [number, number];
      CD: Record<string, number>;
    }[];
  }

  interface ExactOracle {
    cases: {
      name: string;
      matrix: number[][];
      k: number;
      N: number;
      mean_ranks: number[];
      chi2: number;
      p: number;
      F: number;
      F_p: number;
      exact_p: number | null;
      vectors_sorted: number | null;
      CD05: number;
    }[];
  }

  /** Exact p-values of the cases of `friedman.json`, by their index there. */
  interface ExistingOracle {
    cases: { k: number; exact_p: number | null; vectors_sorted: number | null }[];
  }

  /** The exact p-value where the limits on groups and outcomes allow it. */
  function exactWithinLimits(entry: ExistingOracle['cases'][number] | undefined): number | null {
    if (!entry || entry.k > 6 || (entry.vectors_sorted ?? Infinity) > 20_000) return null;
    return entry.exact_p;
  }

  const { cases } = loadOracle('friedman') as FriedmanOracle;
  const exactOracle = loadOracle('friedman_exact') as ExactOracle;
  const existingOracle = loadOracle('friedman_exact_existing') as ExistingOracle;

  describe.each(cases.map((entry, index) => ({ ...entry, index })))(
    'of the case $name',
    (expected) => {
      const result = testFriedman(expected.matrix);

      test('ranks, statistic and p-value agree with the reference', () => {
        expectAllClose(result?.averageRanks ?? [], expected.mean_ranks);
        expectClose(result?.statistic, expected.chi2);
        expectClose(result?.pValue, expected.p);
      });

      test("the exact p-value, else Iman and Davenport's F agrees with the reference", () => {
        const { exactPValue, imanDavenport: fTest } = result ?? {};
        expectClose(exactPValue, exactWithinLimits(existingOracle.cases[expected.index]));
        if (exactPValue !== null) return expect(fTest).toBeNull();
        expectClose(fTest?.statistic ?? null, expected.F);
        expectClose(fTest?.pValue ?? null, expected.F_p);
        if (fTest) expect([fTest.df1, fTest.df2]).toEqual(expected.F_df);
      });

      test('critical differences agree with the reference to 1e-10', () => {
        for (const [alpha, difference] of Object.entries(expected.CD)) {
          expectClose(
            computeNemenyiCriticalDifference(expected.k, expected.N, Number(alpha)),
            difference,
            1e-10,
          );
        }
      });
    },
  );

  test.each(exactOracle.cases)(
    'of the case $name, every value agrees with the reference',
    (expected) => {
      const result = testFriedman(expected.matrix);
      const exactPValue = exactWithinLimits(expected);
      expectAllClose(result?.averageRanks ?? [], expected.mean_ranks);
      expectClose(result?.statistic, expected.chi2);
      expectClose(result?.pValue, expected.p);
      expectClose(result?.exactPValue, exactPValue);
      const isShown = exactPValue === null && Number.isFinite(expected.F);
      expectClose(result?.imanDavenport?.statistic, isShown ? expected.F : null);
      expectClose(result?.imanDavenport?.pValue, isShown ? expected.F_p : null);
      expectClose(computeNemenyiCriticalDifference(expected.k, expected.N), expected.CD05, 1e-10);
    },
  );

  test('the exact p-value equals a count of all permutations of all blocks', () => {
    const small = fc.integer({ min: 2, max: 3 }).chain((groups) =>
      fc.array(fc.array(fc.integer({ min: 0, max: 2 }), { minLength: groups, maxLength: groups }), {
        minLength: 2,
        maxLength: 4,
      }),
    );
    fc.assert(
      fc.property(small, (rows) => {
        const result = testFriedman(rows);
        const statistics = permuteBlocks(rows).map(
          (permuted) => testFriedman(permuted)?.statistic ?? 0,
        );
        const extremeStatistics = statistics.filter(
          (value) => value > (result?.statistic ?? NaN) - 1e-9,
        );
        expectClose(result?.exactPValue, extremeStatistics.length / statistics.length);
      }),
      { numRuns: 30 },
    );
  });

  function permuteBlocks(rows: readonly number[][]): number[][][] {
    const [firstRow, ...otherRows] = rows;
    if (!firstRow) return [[]];
    return permuteBlocks(otherRows).flatMap((permutedRows) =>
      listOrders(firstRow).map((order) => [order, ...permutedRows]),
    );
  }

  function listOrders(values: readonly number[]): number[][] {
    if (values.length < 2) return [[...values]];
    return values.flatMap((value, index) =>
      listOrders(values.toSpliced(index, 1)).map((order) => [value, ...order]),
    );
  }

  test('hundreds of blocks and more than six groups have no exact p-value', () => {
    const row = (groups: number) => Array.from({ length: groups }, (_, index) => index);
    const makeAgreeingBlocks = (groups: number, blocks: number) =>
      testFriedman(Array.from({ length: blocks }, () => row(groups)));
    expect(makeAgreeingBlocks(3, 1000)?.exactPValue).toBeNull();
    expect(makeAgreeingBlocks(7, 2)?.exactPValue).toBeNull();
    expectClose(makeAgreeingBlocks(6, 2)?.exactPValue, 1 / 720);
    const tiedBlocks = [
      [1, 1, 2, 3, 4, 5],
      [1, 2, 2, 2, 3, 4],
      [1, 2, 3, 3, 5, 5],
    ];
    expect(testFriedman([...tiedBlocks, ...tiedBlocks, ...tiedBlocks])?.exactPValue).toBeNull();
  });

  test('tied blocks have an exact p-value where as many untied blocks have too many outcomes', () => {
    // One group of six is larger in each block. All seven blocks agree with probability 6 / 6^7.
    const rows = Array.from({ length: 7 }, () => [1, 1, 1, 1, 1, 2]);
    expectClose(testFriedman(rows)?.exactPValue, 6 ** -6);
    expect(testFriedman(rows.map(() => [1, 2, 3, 4, 5, 6]))?.exactPValue).toBeNull();
  });

  test('without blocks or with a single group there is no test', () => {
    expect(testFriedman([])).toBeNull();
    expect(testFriedman([[1], [2]])).toBeNull();
    expect(computeNemenyiCriticalDifference(1, 10)).toBeNull();
    expect(computeNemenyiCriticalDifference(3, 0)).toBeNull();
  });

  test('groups tied in every block give χ² = 0 and p = 1', () => {
    const result = testFriedman([
      [5, 5, 5],
      [1, 1, 1],
    ]);
    expect(result).toMatchObject({ statistic: 0, pValue: 1, averageRanks: [2, 2, 2] });
    expect(result).toMatchObject({ exactPValue: 1, imanDavenport: null });
    const tiedRow = [5, 5, 5, 5, 5, 5, 5];
    expect(testFriedman([tiedRow, tiedRow])).toMatchObject({
      exactPValue: null,
      imanDavenport: { statistic: 0, df1: 6, df2: 6, pValue: 1 },
    });
    expect(testFriedman([tiedRow])).toMatchObject({ pValue: 1, imanDavenport: null });
  });

  test('complete agreement never gives p = 0, for any number of groups and blocks', () => {
    for (const groups of [2, 3, 7]) {
      for (const blocks of [2, 3, 10, 49]) {
        const row = Array.from({ length: groups }, (_, index) => index);
        const result = testFriedman(Array.from({ length: blocks }, () => row));
        expect(result?.imanDavenport).toBeNull();
        expect(result?.exactPValue ?? result?.pValue).toBeGreaterThan(0);
        expectClose(result?.statistic, blocks * (groups - 1));
      }
    }
  });

  test('two groups are allowed, one block has no F', () => {
    expect(
      testFriedman([
        [1, 2],
        [1, 2],
        [2, 1],
      ])?.statistic,
    ).toBeCloseTo(1 / 3, 14);
    expect(testFriedman([[1, 2, 3]])).toMatchObject({ statistic: 2, imanDavenport: null });
  });

  const blocks = fc
    .tuple(fc.integer({ min: 2, max: 5 }), fc.integer({ min: 2, max: 8 }))
    .chain(([groups, rows]) =>
      fc.array(fc.array(fc.integer({ min: 0, max: 4 }), { minLength: groups, maxLength: groups }), {
        minLength: rows,
        maxLength: rows,
      }),
    );

  test('the order of blocks and any increasing function inside a block do not matter', () => {
    fc.assert(
      fc.property(blocks, (rows) => {
        const movedRows = rows
          .toReversed()
          .map((row, index) => row.map((value) => 3 * value + index));
        const result = testFriedman(rows);
        expectClose(testFriedman(movedRows)?.statistic, result?.statistic);
        const total = result?.averageRanks.reduce((sum, rank) => sum + rank, 0) ?? NaN;
        const groups = rows[0]?.length ?? 0;
        expectClose(total, (groups * (groups + 1)) / 2);
      }),
    );
  });
});
