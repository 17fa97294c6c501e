import { expect, test } from 'vitest';
import { findEntry, makePaletteEntries } from '#renderer/features/frame/palette-entries.ts';
import type { CampaignItem } from '#shared/schemas/coco.ts';
import type { ExperimentItem } from '#shared/schemas/experiment.ts';
import type { RunItem } from '#shared/schemas/run.ts';

const noop = () => undefined;
const commands = [
  { description: 'Go to all runs', keys: 'g r', run: noop },
  { description: 'Go to a run, or do something', keys: 'mod+k', run: noop },
  { description: 'Clear filters', run: noop },
  { description: 'Move between rows', keys: '↑ ↓' },
];
const none = { runs: [], experiments: [], campaigns: [] };
const run = {
  runId: 'onemax-1',
  runName: 'OneMax',
  algorithmType: 'umda',
  problemType: 'onemax',
  status: 'FAILED',
} as RunItem;

test('without text all that can be done is offered, but not the palette itself', () => {
  expect(makePaletteEntries('', commands, none).map((entry) => entry.label)).toEqual([
    'Go to all runs',
    'Clear filters',
  ]);
});

test('every word must be in the description, in any case and order', () => {
  expect(makePaletteEntries('FILTERS clear', commands, none)).toHaveLength(1);
  expect(makePaletteEntries('filters gone', commands, none)).toHaveLength(0);
});

test('runs come first, with the details that distinguish them', () => {
  const [first] = makePaletteEntries('all', commands, { ...none, runs: [run] });
  expect(first).toMatchObject({
    path: '/runs/onemax-1',
    label: 'onemax-1',
    detail: 'OneMax · umda · onemax · FAILED',
  });
});

test('experiments follow the runs, named as people call them', () => {
  const experiment = {
    experimentId: 'a'.repeat(64),
    runName: null,
    algorithmType: 'umda',
    problemType: 'onemax',
    totalRuns: 1,
  } as ExperimentItem;
  const [, second] = makePaletteEntries('all', commands, {
    ...none,
    runs: [run],
    experiments: [experiment],
  });
  expect(second).toMatchObject({
    path: `/experiments/${'a'.repeat(64)}`,
    label: 'aaaaaaaa',
    detail: 'experiment · aaaaaaaa · umda · onemax · 1 run',
  });
});

test('the page with exactly this name or id comes first, in any case', () => {
  const campaign = { campaignId: 'bbob-small', name: 'BBOB f1' } as CampaignItem;
  for (const text of ['bbob F1 ', 'BBOB-small']) {
    const matches = { ...none, runs: [{ ...run, runName: 'BBOB f1' }], campaigns: [campaign] };
    expect(makePaletteEntries(text, commands, matches).map(({ label }) => label)).toEqual([
      'BBOB f1',
      'onemax-1',
    ]);
  }
});

test('campaigns come after them, by their name, with suite and trials', () => {
  const campaign = {
    campaignId: 'bbob-small',
    name: 'BBOB f1',
    suite: 'bbob',
    trials: 48,
    status: 'COMPLETED_WITH_ERRORS',
  } as CampaignItem;
  const entries = makePaletteEntries('all', commands, {
    ...none,
    runs: [run],
    campaigns: [campaign],
  });
  expect(entries[1]).toMatchObject({
    path: '/coco/bbob-small',
    label: 'BBOB f1',
    detail: 'campaign · bbob · 48 trials · COMPLETED_WITH_ERRORS',
  });
});

test('the chosen line stays chosen when matches arrive before it, and no other one replaces it', () => {
  const [, chosen] = makePaletteEntries('', commands, none);
  const entries = makePaletteEntries('', commands, { ...none, runs: [run] });
  expect(entries.map(({ label }) => label)).toEqual([
    'onemax-1',
    'Go to all runs',
    'Clear filters',
  ]);
  // Both commands have the same function.
  expect(findEntry(entries, chosen)).toBe(2);
  expect(findEntry(entries, entries[0])).toBe(0);
  expect(findEntry(makePaletteEntries('', commands, none), entries[0])).toBe(-1);
  expect(findEntry(entries, undefined)).toBe(0);
});
