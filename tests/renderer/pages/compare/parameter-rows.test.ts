import { expect, test } from 'vitest';
import type { RunsOverlay } from '#shared/schemas/analysis-runs.ts';
import {
  getComparedExperiments,
  makeDifferingRows,
  makeFoldedRows,
} from '#renderer/pages/compare/parameter-rows.ts';

const run = (runId: string, experimentId: string, runName: string | null) =>
  ({ runId, experimentId, runName, algorithmType: 'umda' }) as RunsOverlay['runs'][number];
const overlay = {
  runs: [run('a', 'e1', 'Small'), run('b', 'e2', null), run('c', 'e1', 'Small')],
  reference: 'b',
  parameters: {
    differing: [
      { path: 'algorithm.populationSize', isIncidental: false, values: ['10', '20', '10'] },
      { path: 'run.name', isIncidental: true, values: ['Small', null, 'Small'] },
    ],
    equal: [{ path: 'problem.type', value: 'onemax' }],
  },
};

test('parameters are listed by experiment with a unique name, and compared with the reference', () => {
  const experiments = getComparedExperiments(overlay);
  expect(experiments).toEqual([
    { id: 'e1', label: 'Small', run: 0, isReference: false },
    { id: 'e2', label: 'umda', run: 1, isReference: true },
  ]);
  expect(makeDifferingRows(overlay, experiments)).toEqual([
    {
      path: 'algorithm.populationSize',
      values: [
        { text: '10', isAsReference: false },
        { text: '20', isAsReference: null },
      ],
    },
  ]);
  const twins = { runs: [run('a', 'e1', 'X'), run('b', 'e2', 'X')], reference: null };
  expect(getComparedExperiments(twins).map(({ label }) => label)).toEqual(['X, e1', 'X, e2']);
});

test('equal parameters and those that only name a run are folded, with all their values', () => {
  expect(makeFoldedRows(overlay, getComparedExperiments(overlay))).toEqual([
    { path: 'problem.type', value: 'onemax' },
    { path: 'run.name', value: 'Small · –' },
  ]);
});
