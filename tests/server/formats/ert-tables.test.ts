import { expect, test } from 'vitest';
import { makeErtTables } from '#server/formats/ert-tables.ts';
import type { CampaignErts, ErtRow, OptimizerTests } from '#shared/schemas/coco-analysis.ts';

const makeRow = (optimizerId: string, targetValue: number): ErtRow => ({
  optimizerId,
  functionId: 1,
  dimension: 2,
  targetValue,
  trials: 15,
  failedTrials: 0,
  solvedTrials: 15,
  successRate: 1,
  ert: 100,
  ertInterval: null,
  ertMoverInterval: null,
  sp1: 100,
  referenceErt: null,
  hasDoubtfulReference: false,
  ratio: null,
});

const pair = { a: 'es', b: 'de', better: 'es', significant: true, pValue: 0.01 };
const tests = {
  interim: false,
  functions: [{ dimension: 2, functionId: 1, pairs: [pair] }],
  dimensions: [],
  notes: [],
} as unknown as OptimizerTests;

test('a runtime is bold only where the trials of its function have one target', () => {
  const getBold = (...targets: number[]) => {
    const rows = targets.flatMap((target) => [makeRow('es', target), makeRow('de', target)]);
    const erts = { campaignId: 'c', name: 'c', suite: 'bbob', rows, summary: [], notes: [] };
    const tables = makeErtTables(erts as unknown as CampaignErts, tests);
    return tables.map((table) => table.rows[0]?.boldColumns);
  };
  expect(getBold(1e-8)).toEqual([['ert0']]);
  expect(getBold(1, 1e-8)).toEqual([[], []]);
});

test('the rule of bold states that FAILED trials count as unsolved, because the runtimes omit them', () => {
  const rows = [makeRow('es', 1), { ...makeRow('de', 1), trials: 0, failedTrials: 15, ert: null }];
  const erts = { campaignId: 'c', name: 'c', suite: 'bbob', rows, summary: [], notes: [] };
  const getCaption = (notes: readonly { code: string }[]) =>
    makeErtTables(
      erts as unknown as CampaignErts,
      { ...tests, notes } as unknown as OptimizerTests,
    )[0]?.caption;
  const clause = 'within the common budget, where FAILED trials count as unsolved, Holm';
  expect(getCaption([{ code: 'TRIALS_FAILED_UNSOLVED' }])).toContain(clause);
  expect(getCaption([])).toContain('within the common budget, Holm');
});

test('the tables are in the order of the dimensions, then from the largest target to the smallest', () => {
  // The first optimizer has trials only in the larger dimension.
  const rows = [
    { ...makeRow('de', 1), dimension: 5 },
    makeRow('es', 1e-8),
    makeRow('es', 1),
    { ...makeRow('es', 1), dimension: 5 },
  ];
  const erts = { campaignId: 'c', name: 'c', suite: 'bbob', rows, summary: [], notes: [] };
  const captions = makeErtTables(erts as unknown as CampaignErts, null).map(
    ({ caption }) => /dimension .*?:/.exec(caption)?.[0],
  );
  expect(captions).toEqual([
    'dimension 2, target 1:',
    'dimension 2, target 1e−8:',
    'dimension 5, target 1:',
  ]);
});

test('the captions state why nothing is bold, and which functions a mean ratio needs', () => {
  const getCaptions = (referenceKind: CampaignErts['referenceKind'], interim: boolean) => {
    const erts = { campaignId: 'c', name: 'c, d', suite: 'bbob', references: ['BIPOP'], notes: [] };
    const rows = [makeRow('es', 1e-8)];
    const summary = [{ optimizerId: 'es', dimension: 2 }];
    const tables = makeErtTables(
      { ...erts, referenceKind, rows, summary } as unknown as CampaignErts,
      { ...tests, interim },
    );
    return tables.map(({ caption }) => caption);
  };
  const [ertCaption, storedCaption] = getCaptions('stored', true);
  expect(ertCaption).toContain('Nothing is bold, because a campaign is still running.');
  expect(storedCaption).toContain(
    'the best reference (BIPOP), for optimizers that solved all functions with a reference.',
  );
  expect(getCaptions('best', false).at(1)).toContain(
    'the best of the compared optimizers, for optimizers that solved all functions.',
  );
});

test('the table of ratios has the notes on trials that its means omit, because papers show it alone', () => {
  const notes = [
    { code: 'TRIALS_FAILED', message: 'Some failed.' },
    { code: 'CELLS_DIFFER', message: 'Cells differ.' },
  ];
  const summary = [{ optimizerId: 'es', dimension: 2 }];
  const erts = { campaignId: 'c', name: 'c', suite: 'bbob', references: [], notes, summary };
  const [functionTable, ratioTable] = makeErtTables(
    { ...erts, rows: [makeRow('es', 1)] } as unknown as CampaignErts,
    null,
  );
  // Rows by function cover all trials.
  expect(functionTable?.notes).toEqual(['Some failed.']);
  expect(ratioTable?.notes).toEqual(['Some failed.', 'Cells differ.']);
});
