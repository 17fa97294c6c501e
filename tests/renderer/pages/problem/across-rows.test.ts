import { expect, test } from 'vitest';
import type { Across, AcrossCell } from '#shared/schemas/analysis-across.ts';
import {
  makeAcrossRows,
  getCellValue,
  getRankedGroups,
} from '#renderer/pages/problem/across-rows.ts';

const cell = (group: string, fields: Partial<AcrossCell> = {}) =>
  ({ instance: 'i', group, n: 5, value: 1, infinity: null, ...fields }) as AcrossCell;

const across = {
  groups: [
    { group: 'a', label: 'A' },
    { group: 'b', label: 'B' },
    { group: 'c', label: 'C' },
  ],
  instances: [{ id: 'i' }, { id: 'j' }],
  cells: [1, 2, 3, 4, 5, 6].map((value) => cell('abc'[(value - 1) % 3]!, { value })),
  averageRanks: [
    { group: 'a', averageRank: 2 },
    { group: 'b', averageRank: 1.5 },
    { group: 'c', averageRank: 2.5 },
  ],
  winsTiesLosses: [
    { a: 'a', b: 'b', wins: 0, ties: 1, losses: 1 },
    { a: 'a', b: 'c', wins: 2, ties: 0, losses: 0 },
    { a: 'b', b: 'c', wins: 1, ties: 0, losses: 1 },
  ],
  pairTests: {
    pairs: [
      { a: 'a', b: 'b', pValue: 0.01, better: 'b', significant: true },
      { a: 'b', b: 'c', pValue: 0.01, better: 'b', significant: true },
      { a: 'a', b: 'c', pValue: 0.2, better: 'a', significant: false },
    ],
  },
  versusControl: [{ group: 'c', z: 1, pValue: 0.3, holmAdjustedPValue: 0.6 }],
} as unknown as Across;

test('each instance has the cells of its groups', () => {
  const [, second] = makeAcrossRows(across);
  expect(second?.id).toBe('j');
  expect([...second!.cells.values()].map(({ value }) => value)).toEqual([4, 5, 6]);
});

test('an instance has asterisks where a group is claimed to be worse, and none to be the best', () => {
  const rowsWith = (...marks: [clearlyBest: boolean, indistinguishable: boolean | null][]) =>
    makeAcrossRows({
      ...across,
      instances: across.instances.slice(0, 1),
      cells: marks.map(([clearlyBest, indistinguishable], index) =>
        cell('abc'[index]!, { clearlyBest, indistinguishable }),
      ),
    })[0]?.hasAsterisks;
  expect(rowsWith([false, true], [false, true], [false, false])).toBe(true);
  expect(rowsWith([true, true], [false, false], [false, false])).toBe(false);
  expect(rowsWith([false, true], [false, true], [false, true])).toBe(false);
  expect(rowsWith([false, null], [false, null], [false, null])).toBe(false);
});

test('groups are ranked with their wins, ties and losses over all opponents', () => {
  expect(
    getRankedGroups(across).map(({ label, wins, ties, losses, pVersusControl }) => [
      label,
      wins,
      ties,
      losses,
      pVersusControl,
    ]),
  ).toEqual([
    ['B', 2, 1, 1, null],
    ['A', 2, 1, 1, null],
    ['C', 1, 0, 3, 0.6],
  ]);
});

test('an infinite value keeps its sign, and there is none without runs', () => {
  expect(getCellValue(cell('a', { value: null, infinity: 1 }))).toBe(Infinity);
  expect(getCellValue(cell('a', { value: null, infinity: -1 }))).toBe(-Infinity);
  expect(getCellValue(cell('a', { value: null, n: 0 }))).toBeNull();
  expect(getCellValue(undefined)).toBeNull();
});

test('a group is bold only where the tests of pairs claim it to be better than every other', () => {
  const clear = (one: Across) =>
    getRankedGroups(one).flatMap(({ group, isClearlyBest }) => (isClearlyBest ? [group] : []));
  expect(clear(across)).toEqual(['b']);
  const { pairTests } = across;
  const open = pairTests.pairs.map((pair) => ({ ...pair, significant: false }));
  expect(clear({ ...across, pairTests: { ...pairTests, pairs: open } })).toEqual([]);
});
