import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { friedman, nemenyiCriticalDifference } from '#server/stats/friedman.ts';
import { expectAllClose, expectClose, loadOracle } from './oracle.ts';

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

const { cases } = loadOracle('friedman') as FriedmanOracle;

describe.each(cases)('of the case $name', (expected) => {
  const result = friedman(expected.matrix);

  test('ranks, statistic and p-value agree with the reference', () => {
    expectAllClose(result?.averageRanks ?? [], expected.mean_ranks);
    expectClose(result?.statistic, expected.chi2);
    expectClose(result?.pValue, expected.p);
  });

  test("Iman and Davenport's F agrees with the reference", () => {
    const fTest = result?.imanDavenport;
    expectClose(fTest?.statistic ?? null, expected.F);
    expectClose(fTest?.pValue ?? null, expected.F_p);
    if (fTest) expect([fTest.df1, fTest.df2]).toEqual(expected.F_df);
  });

  test('critical differences agree with the reference to 1e-10', () => {
    for (const [alpha, difference] of Object.entries(expected.CD)) {
      expectClose(
        nemenyiCriticalDifference(expected.k, expected.N, Number(alpha)),
        difference,
        1e-10,
      );
    }
  });
});

test('without blocks or with a single group there is no test', () => {
  expect(friedman([])).toBeNull();
  expect(friedman([[1], [2]])).toBeNull();
  expect(nemenyiCriticalDifference(1, 10)).toBeNull();
  expect(nemenyiCriticalDifference(3, 0)).toBeNull();
});

test('groups tied in every block give χ² = 0, p = 1 and F = 0', () => {
  const result = friedman([
    [5, 5, 5],
    [1, 1, 1],
  ]);
  expect(result).toMatchObject({ statistic: 0, pValue: 1, averageRanks: [2, 2, 2] });
  expect(result?.imanDavenport).toMatchObject({ statistic: 0, pValue: 1 });
});

test('complete agreement makes F infinite with p = 0, for any number of groups and blocks', () => {
  for (const groups of [2, 3, 7]) {
    for (const blocks of [2, 3, 10, 49]) {
      const row = Array.from({ length: groups }, (_, index) => index);
      const result = friedman(Array.from({ length: blocks }, () => row));
      expect(result?.imanDavenport).toMatchObject({ statistic: Infinity, pValue: 0 });
      expectClose(result?.statistic, blocks * (groups - 1));
    }
  }
});

test('two groups are allowed, one block has no F', () => {
  expect(
    friedman([
      [1, 2],
      [1, 2],
      [2, 1],
    ])?.statistic,
  ).toBeCloseTo(1 / 3, 14);
  expect(friedman([[1, 2, 3]])).toMatchObject({ statistic: 2, imanDavenport: null });
});

const blocks = fc
  .tuple(fc.integer({ min: 2, max: 5 }), fc.integer({ min: 2, max: 8 }))
  .chain(([groups, rows]) =>
    fc.array(fc.array(fc.integer({ min: 0, max: 4 }), { minLength: groups, maxLength: groups }), {
      minLength: rows,
      maxLength: rows,
    }),
  );

test('the order of blocks and any growing function inside a block do not matter', () => {
  fc.assert(
    fc.property(blocks, (rows) => {
      const moved = rows.toReversed().map((row, index) => row.map((value) => 3 * value + index));
      const result = friedman(rows);
      expectClose(friedman(moved)?.statistic, result?.statistic);
      const total = result?.averageRanks.reduce((sum, rank) => sum + rank, 0) ?? NaN;
      const groups = rows[0]?.length ?? 0;
      expectClose(total, (groups * (groups + 1)) / 2);
    }),
  );
});
