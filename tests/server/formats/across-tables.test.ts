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
  versusControl: null,
  notes: [],
} as unknown as Across;

test('the best of an instance is bold, but nothing is where all that have it are equal', () => {
  const [table] = acrossTables(across);
  expect(table?.rows.map(({ best }) => best)).toEqual([[], ['of a'], []]);
});
