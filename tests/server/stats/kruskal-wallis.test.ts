import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { kruskalWallis } from '#server/stats/kruskal-wallis.ts';
import { expectClose, loadOracle } from './oracle.ts';

interface KruskalOracle {
  cases: { name: string; groups: number[][]; H: number; df: number; p: number }[];
}

const { cases } = loadOracle('kruskal') as KruskalOracle;

test.each(cases)('of the case $name, H and p-value agree with the reference', (expected) => {
  const result = kruskalWallis(expected.groups);
  expectClose(result?.statistic, expected.H);
  expectClose(result?.pValue, expected.p);
  expect(result?.df).toBe(expected.df);
});

test('fewer than two groups with values cannot be compared', () => {
  expect(kruskalWallis([])).toBeNull();
  expect(kruskalWallis([[1, 2], [], [null, NaN]])).toBeNull();
});

test('equal values everywhere give H = 0 and p = 1', () => {
  expect(kruskalWallis([[1, 1], [1], [1]])).toEqual({ statistic: 0, df: 2, pValue: 1 });
});

test('missing values and empty groups are left out', () => {
  expect(kruskalWallis([[1, null, 2], [], [3, NaN, 4]])).toEqual(
    kruskalWallis([
      [1, 2],
      [3, 4],
    ]),
  );
});

test('infinities are ordinary extreme values', () => {
  expect(
    kruskalWallis([
      [1, Infinity],
      [-Infinity, 2],
    ]),
  ).toEqual(
    kruskalWallis([
      [1, 9],
      [-9, 2],
    ]),
  );
});

test('the order of groups and of their values does not matter', () => {
  const group = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(fc.array(group, { minLength: 2, maxLength: 5 }), (groups) => {
      const moved = groups.toReversed().map((values) => values.toReversed());
      expectClose(kruskalWallis(moved)?.statistic, kruskalWallis(groups)?.statistic, 1e-10);
    }),
  );
});
