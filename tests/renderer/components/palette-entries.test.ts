import { expect, test } from 'vitest';
import { paletteEntries } from '#renderer/components/palette-entries.ts';
import type { ExperimentItem } from '#shared/schemas/experiment.ts';
import type { RunItem } from '#shared/schemas/run.ts';

const noop = () => undefined;
const commands = [
  { description: 'Go to all runs', keys: 'g r', run: noop },
  { description: 'Go to a run, or do something', keys: 'mod+k', run: noop },
  { description: 'Clear all filters', run: noop },
  { description: 'Move between rows', keys: '↑ ↓' },
];
const run = {
  runId: 'onemax-1',
  runName: 'OneMax',
  algorithmType: 'umda',
  problemType: 'onemax',
  status: 'FAILED',
} as RunItem;

test('without text all that can be done is offered, but not the palette itself', () => {
  expect(paletteEntries('', commands, [], []).map((entry) => entry.label)).toEqual([
    'Go to all runs',
    'Clear all filters',
  ]);
});

test('every word must be in the description, in any case and order', () => {
  expect(paletteEntries('FILTERS clear', commands, [], [])).toHaveLength(1);
  expect(paletteEntries('filters gone', commands, [], [])).toHaveLength(0);
});

test('runs come first and say what tells them apart', () => {
  const [first] = paletteEntries('all', commands, [run], []);
  expect(first).toMatchObject({
    kind: 'run',
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
  const [, second] = paletteEntries('all', commands, [run], [experiment]);
  expect(second).toMatchObject({
    kind: 'experiment',
    label: 'aaaaaaaa',
    detail: 'experiment · aaaaaaaa · umda · onemax · 1 run',
  });
});
