import { expect, test } from 'vitest';
import { acrossTables } from '#server/formats/across-tables.ts';
import type { Across, AcrossCell } from '#shared/schemas/analysis-across.ts';

const cell = (
  instance: string,
  group: string,
  value: number | null,
  best: boolean,
): AcrossCell => ({
  instance,
  group,
  n: value === null ? 0 : 5,
  value,
  infinity: null,
  rank: value === null ? null : 1,
  best,
  indistinguishable: null,
  pVersusBest: null,
});

const pair = (better: string, significant: boolean) => ({
  a: 'a',
  b: 'b',
  blocks: 6,
  wins: 6,
  ties: 0,
  losses: 0,
  medianDifference: 0.7,
  pValue: 0.03125,
  holmAdjustedPValue: 0.03125,
  attainablePValue: 0.03125,
  better,
  significant,
});

const across = {
  measure: 'median',
  groups: [
    { group: 'a', label: 'A' },
    { group: 'b', label: 'B' },
  ],
  instances: ['even', 'decided', 'lacking'].map((id) => ({
    id,
    label: id,
    direction: 'min',
    isShared: id !== 'lacking',
    differences: {
      budget: null,
      runs: id === 'decided' ? { least: 4, most: 5 } : null,
      completed: null,
    },
  })),
  cells: [
    cell('even', 'a', 3, true),
    cell('even', 'b', 3, true),
    cell('decided', 'a', 2, true),
    cell('decided', 'b', 3, false),
    cell('lacking', 'a', 2, true),
    cell('lacking', 'b', null, false),
  ],
  averageRanks: [],
  winsTiesLosses: [],
  friedman: { statistic: null },
  signedRank: null,
  missing: 'shared',
  blocks: 'function',
  pairTests: {
    scale: 'log10Precision',
    unscaled: [],
    isInterim: false,
    pairs: [pair('a', true), pair('b', false)],
  },
  versusControl: null,
  notes: [],
} as unknown as Across;

test('the best of an instance is bold, but nothing is where all that have it are equal', () => {
  const [table] = acrossTables(across);
  expect(table?.rows.map(({ best }) => best)).toEqual([[], ['of a'], []]);
});

test('an instance on which the groups differ in their runs is marked, and a note states in what', () => {
  const [table] = acrossTables(across);
  expect(table?.rows.map(({ cells }) => cells['instance'])).toEqual([
    'even (min)',
    'decided (min) †',
    'lacking (min)',
  ]);
  expect(table?.notes).toContain('† decided: the groups differ in runs (4 to 5).');
});

test('the table of pairs names the better group only where the difference is significant', () => {
  const table = acrossTables(across).find(({ id }) => id.startsWith('across-pairs-'));
  expect(table?.rows.map(({ cells }) => cells['better'])).toEqual(['A', null]);
  expect(table?.caption).toBe(
    "Wilcoxon's signed-rank tests of the pairs over the 2 instances that all groups share; a difference is the log10 ratio " +
      'of their distances to the known optimum. A function is one block, averaged over its dimensions. ' +
      "Holm's adjustment over the pairs; the better group is named where the adjusted p-value is at most 0.05.",
  );
  const interim = { ...across, pairTests: { ...across.pairTests, isInterim: true } };
  const other = acrossTables(interim).find(({ id }) => id.startsWith('across-pairs-'));
  expect(other?.caption).toContain('interim, because runs are RUNNING: nothing is claimed');
});
