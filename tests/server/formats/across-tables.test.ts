import { expect, test } from 'vitest';
import { makeAcrossTables } from '#server/formats/across-tables.ts';
import type { Across, AcrossCell } from '#shared/schemas/analysis-across.ts';

const cell = (
  instance: string,
  group: string,
  value: number | null,
  marks: Partial<AcrossCell> = {},
): AcrossCell => ({
  instance,
  group,
  n: value === null ? 0 : 5,
  value,
  infinity: null,
  rank: value === null ? null : 1,
  best: false,
  clearlyBest: false,
  indistinguishable: null,
  pVersusBest: null,
  ...marks,
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
    cell('even', 'a', 3, { best: true, indistinguishable: true }),
    cell('even', 'b', 3.5, { indistinguishable: true }),
    cell('decided', 'a', 2, { best: true, clearlyBest: true, indistinguishable: true }),
    cell('decided', 'b', 3, { indistinguishable: false }),
    cell('lacking', 'a', 2, { best: true }),
    cell('lacking', 'b', null),
  ],
  guard: { isInterim: false, heading: 'For one look at n = 5 runs per group.', notes: [] },
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

test('makeAcrossTables marks a cell bold only if it is claimed to be best, and states the rule in the caption', () => {
  const [table] = makeAcrossTables(across);
  expect(table?.rows.map(({ boldColumns }) => boldColumns)).toEqual([[], ['of a'], []]);
  expect(table?.rows.map(({ markedColumns }) => markedColumns)).toEqual([[], [], []]);
  expect(table?.caption).toBe(
    'Median best fitness of the started runs (beyond a target: the target), on 3 problem instances, each within the common budget of its groups. ' +
      'Bold: significantly better than every other group that the tests compare it with on the instance. Asterisk: no other group is ' +
      'significantly better, and some group is significantly worse (0.05, adjusted over measures, pairs and instances). ' +
      'For one look at n = 5 runs per group.',
  );
});

test('makeAcrossTables marks with an asterisk the groups that no other group is claimed to beat, if some group is claimed to be beaten', () => {
  const cells = [
    cell('even', 'a', 3, { best: true, indistinguishable: true }),
    cell('even', 'b', 3.5, { indistinguishable: true }),
    cell('even', 'c', 9, { indistinguishable: false }),
  ];
  const groups = ['a', 'b', 'c'].map((group) => ({ group, label: group }));
  const [table] = makeAcrossTables({
    ...across,
    groups,
    cells,
    instances: across.instances.slice(0, 1),
  });
  expect(table?.rows[0]).toMatchObject({ boldColumns: [], markedColumns: ['of a', 'of b'] });
});

test('makeAcrossTables marks an average rank bold only if the tests of pairs claim that the group is best', () => {
  const averageRanks = [
    { group: 'a', averageRank: 1 },
    { group: 'b', averageRank: 2 },
  ];
  const listBoldCells = (pairs: Across['pairTests']['pairs']) =>
    makeAcrossTables({
      ...across,
      averageRanks,
      pairTests: { ...across.pairTests, pairs },
    })[0]?.rows.at(-1)?.boldColumns;
  expect(listBoldCells([pair('a', true)])).toEqual(['of a']);
  expect(listBoldCells([pair('a', false)])).toEqual([]);
});

test('makeAcrossTables heads the comparison with the control interim while a run is running', () => {
  const versusControl = [{ group: 'b', z: 3.3, pValue: 8.7e-4, holmAdjustedPValue: 8.7e-4 }];
  const getCaption = (isInterim: boolean) =>
    makeAcrossTables({
      ...across,
      control: 'a',
      versusControl,
      pairTests: { ...across.pairTests, isInterim },
    }).at(-1)?.caption;
  expect(getCaption(true)).toMatch(
    / Interim, because runs are RUNNING: the tests claim nothing\.$/,
  );
  expect(getCaption(false)).toMatch(/ Only the tests of pairs claim differences\.$/);
});

test('makeAcrossTables marks an instance on which the groups differ in their runs, and states the difference in a note', () => {
  const [table] = makeAcrossTables(across);
  expect(table?.rows.map(({ cells }) => cells['instance'])).toEqual([
    'even (min)',
    'decided (min) †',
    'lacking (min)',
  ]);
  expect(table?.notes).toContain('† decided: the groups differ in runs (4 to 5).');
});

test('makeAcrossTables names the instances that the tests of pairs omit', () => {
  const listNotes = (unscaled: string[]) =>
    makeAcrossTables({ ...across, pairTests: { ...across.pairTests, unscaled } }).find(
      ({ name }) => name === 'across-pairs',
    )?.notes;
  expect(listNotes(['ackley'])).toEqual([
    'Omitted from these tests, because fitness is comparable across instances only with a known optimum: ackley.',
  ]);
  expect(listNotes([])).toEqual([]);
});

test('makeAcrossTables lists the wins of pairs that have no common ranks', () => {
  const winsTiesLosses = [{ a: 'a', b: 'b', wins: 2, ties: 0, losses: 0 }];
  const tables = makeAcrossTables({ ...across, missing: 'pairwise', winsTiesLosses });
  const table = tables.find(({ name }) => name === 'wins');
  expect(table?.rows.map(({ cells }) => cells)).toEqual([
    { a: 'A', b: 'B', wins: 2, ties: 0, losses: 0 },
  ]);
  expect(table?.caption).toContain('over those of 3 instances on which both groups have results');
});

test('makeAcrossTables names the better group of a pair only if the difference is significant', () => {
  const table = makeAcrossTables(across).find(({ name }) => name === 'across-pairs');
  expect(table?.rows.map(({ cells }) => cells['better'])).toEqual(['A', null]);
  expect(table?.caption).toBe(
    "Wilcoxon's signed-rank tests of the pairs over the 2 instances that all groups share; a function is one block, " +
      'averaged over its dimensions and numbered instances; a difference is the log10 ratio of their distances to the known optimum. ' +
      "Holm's adjustment over the pairs. The tests name the better group where the adjusted p-value is at most 0.05. " +
      'Where two groups have different numbers of runs, their test uses equally many of both, the first ones.',
  );
  const interimAcross = { ...across, pairTests: { ...across.pairTests, isInterim: true } };
  const pairTable = makeAcrossTables(interimAcross).find(({ name }) => name === 'across-pairs');
  expect(pairTable?.caption).toContain(
    'Interim, because runs are RUNNING: the tests claim nothing.',
  );
});
