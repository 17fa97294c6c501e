import { expect, test } from 'vitest';
import {
  budgetOf,
  outcomeForTarget,
  outcomeWithoutTarget,
  sampleOf,
} from '#server/analysis/run-outcome.ts';
import { makeRun } from './sample-runs.ts';

const run = (fields: object) =>
  makeRun(
    'r1',
    [
      [10, 5],
      [30, 4],
    ],
    fields,
  ).run;

test('the budget is the stored count, else the last iteration, else nothing', () => {
  expect(budgetOf(run({ evaluations: 50 }))).toBe(50);
  expect(budgetOf(run({ evaluations: null }))).toBe(30);
  expect(budgetOf(run({ evaluations: 0 }))).toBe(30);
  expect(budgetOf(run({ evaluations: -1, trace: null }))).toBe(0);
});

test('a hit counts whatever became of the run', () => {
  expect(outcomeForTarget(run({ status: 'FAILED' }), 10, 5, 'min')).toEqual({
    solved: true,
    evaluationsToTarget: 10,
    budget: 30,
  });
});

test('a final best fitness that equals the target is a hit at the budget', () => {
  expect(outcomeForTarget(run({ bestFitness: 4 }), null, 4, 'min').evaluationsToTarget).toBe(30);
  expect(outcomeForTarget(run({ bestFitness: 4 }), null, 4, 'max').solved).toBe(true);
  expect(outcomeForTarget(run({ bestFitness: 4.1 }), null, 4, 'min').solved).toBe(false);
});

test('solved without any known evaluations is solved at an unknown time', () => {
  const outcome = outcomeForTarget(
    run({ bestFitness: 1, evaluations: null, trace: null }),
    null,
    2,
    'min',
  );
  expect(outcome).toEqual({ solved: true, evaluationsToTarget: null, budget: 0 });
});

test('without a target only a completed run is solved', () => {
  expect(outcomeWithoutTarget(run({})).evaluationsToTarget).toBe(30);
  expect(outcomeWithoutTarget(run({ status: 'STOPPED' }))).toEqual({
    solved: false,
    evaluationsToTarget: null,
    budget: 30,
  });
});

test('the sample holds finite best fitness values of completed runs', () => {
  const runs = [
    run({ bestFitness: 2 }),
    run({ bestFitness: null }),
    run({ bestFitness: -Infinity }),
    run({ bestFitness: 3, status: 'STOPPED' }),
  ];
  expect(sampleOf(runs)).toEqual([2]);
});
