import { expect, test } from 'vitest';
import {
  bestByRun,
  measureRun,
  outcomesOf,
  outcomesPerLevel,
  planMeasurements,
  summariseTrace,
} from '#server/analysis/measurement.ts';
import { makeObjective, makeRun, measure } from './sample-runs.ts';

const a = makeRun(
  'r1',
  [
    [10, 100],
    [20, 50],
    [40, 60],
  ],
  { bestFitness: 50 },
);
const b = makeRun(
  'r2',
  [
    [5, 80],
    [60, 20],
  ],
  { bestFitness: 20 },
);
const runs = [a.run, b.run];

test('the plan asks for the target, then the levels from the median start to the target', () => {
  const plan = planMeasurements(runs, makeObjective('min', 10));
  expect(plan.targets).toEqual([10, ...plan.levels]);
  expect(plan.levels.slice(0, 3)).toEqual([18, 10.8, 10.08]);
  expect(plan.levels.at(-1)).toBe(10);
  expect([plan.budgets[0], plan.budgets.at(-1)]).toEqual([5, 60]);
});

test('without a target the levels end at the best value that any run reached', () => {
  const plan = planMeasurements(runs, makeObjective('min', null));
  expect(plan.targets).toEqual(plan.levels);
  expect(plan.levels[0]).toBe(27);
  expect(plan.levels.at(-1)).toBe(20);
  expect(planMeasurements(runs, makeObjective('max', null)).levels.at(-1)).toBe(100);
});

test('runs without iterations plan neither levels nor budgets', () => {
  const plan = planMeasurements([makeRun('r1', []).run], makeObjective('min', null));
  expect(plan).toEqual({ direction: 'min', targets: [], levels: [], budgets: [] });
});

test('a run answers the plan with its first hits and its best so far', () => {
  const plan = { direction: 'min' as const, targets: [55, 10], levels: [], budgets: [5, 10, 50] };
  const iterations = [
    { evaluations: 10, iteration: 0, fitness: 100 },
    { evaluations: 20, iteration: 1, fitness: 50 },
    { evaluations: 40, iteration: 2, fitness: 60 },
  ];
  expect(measureRun(iterations, plan)).toEqual({
    hits: [20, null],
    bestAtBudgets: [null, 100, 50],
  });
});

test('outcomes follow the runs, for the target and for each level', () => {
  const objective = makeObjective('min', 50);
  const plan = planMeasurements(runs, objective);
  const measurements = measure([a, b], plan);
  expect(outcomesOf(runs, objective, measurements)).toEqual([
    { solved: true, evaluationsToTarget: 20, budget: 40 },
    { solved: true, evaluationsToTarget: 60, budget: 60 },
  ]);
  const perLevel = outcomesPerLevel(runs, plan, measurements);
  expect(perLevel).toHaveLength(6);
  expect(perLevel.at(-1)?.map((outcome) => outcome.evaluationsToTarget)).toEqual([20, 60]);
});

test('a run that was not measured is unsolved, and not part of the convergence', () => {
  const objective = makeObjective('min', 1);
  const plan = planMeasurements(runs, objective);
  expect(outcomesOf(runs, objective, new Map()).map(({ solved }) => solved)).toEqual([
    false,
    false,
  ]);
  expect(bestByRun(runs, measure([a], plan))).toHaveLength(1);
});

test('a trace in six numbers is ordered by evaluations, then iteration', () => {
  const summary = summariseTrace([
    { evaluations: 20, iteration: 2, fitness: 5 },
    { evaluations: 10, iteration: 0, fitness: null },
    { evaluations: 20, iteration: 1, fitness: 3 },
    { evaluations: 30, iteration: 3, fitness: Infinity },
  ]);
  expect(summary).toEqual({
    firstEvaluations: 20,
    firstFitness: 3,
    lastEvaluations: 20,
    lastFitness: 5,
    minFitness: 3,
    maxFitness: 5,
  });
  expect(summariseTrace([])).toBeNull();
});
