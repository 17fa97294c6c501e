import type { RunRecord } from '#server/repositories/analysis.ts';
import { expect, test } from 'vitest';
import {
  getUsedEvaluations,
  getGrantedBudget,
  getCompletedBestFitness,
  getLevels,
  getOutcomesAt,
  getOutcomes,
  getOutcomesAtLevels,
} from '#server/domain/outcome.ts';
import { computeExpectedRuntime } from '#server/stats/runtime.ts';
import {
  makeObjective,
  makeRun,
  addTraces,
  type RunWithIterations,
} from '../analysis/sample-runs.ts';

const minimisation = makeObjective('min', null);
const points: RunWithIterations['iterations'] = [
  [10, 5],
  [30, 4],
];
const run = (fields: Partial<RunRecord>, iterations = points) =>
  addTraces([makeRun('r1', iterations, fields)], minimisation)[0]!;

test('getUsedEvaluations returns the stored count, else the evaluations of the last iteration, else 0', () => {
  expect(getUsedEvaluations(run({ evaluations: 50 }))).toBe(50);
  expect(getUsedEvaluations(run({ evaluations: 20 }))).toBe(20);
  expect(getUsedEvaluations(run({ evaluations: null }))).toBe(30);
  expect(getUsedEvaluations(run({ evaluations: 0 }))).toBe(30);
  expect(getUsedEvaluations(run({ evaluations: -1 }, []))).toBe(0);
});

test('getUsedEvaluations returns the larger of stored count and last iteration for a RUNNING run', () => {
  expect(getUsedEvaluations(run({ status: 'RUNNING', evaluations: 20 }))).toBe(30);
  expect(getUsedEvaluations(run({ status: 'RUNNING', evaluations: 50 }))).toBe(50);
});

test('getUsedEvaluations includes iterations without a finite fitness', () => {
  expect(getUsedEvaluations(run({ evaluations: null }, [...points, [40, null]]))).toBe(40);
  expect(getUsedEvaluations(run({ evaluations: null }, [[7, Infinity]]))).toBe(7);
});

test('getOutcomeAt counts a hit for any status of the run', () => {
  expect(getOutcomesAt([run({ status: 'FAILED' })], 5, minimisation)).toEqual([
    { isSolved: true, evaluationsToTarget: 10, usedEvaluations: 30 },
  ]);
});

test('getOutcomeAt counts a final best fitness that equals the target as a hit at the budget', () => {
  const [solvedOutcome] = getOutcomesAt([run({ bestFitness: 3 })], 3, minimisation);
  expect(solvedOutcome).toMatchObject({ isSolved: true, evaluationsToTarget: 30 });
  expect(getOutcomesAt([run({ bestFitness: 3.1 })], 3, minimisation)[0]?.isSolved).toBe(false);
  expect(getOutcomesAt([run({ bestFitness: -Infinity })], 3, minimisation)[0]?.isSolved).toBe(
    false,
  );
});

test('getGrantedBudget ignores an infinite final fitness, which is no end at a target', () => {
  const statedEnd = { budget: { evaluations: 90, iterations: null }, statedTarget: 2 };
  const getBudget = (bestFitness: number) =>
    getGrantedBudget(run({ bestFitness }), statedEnd, minimisation);
  expect([getBudget(3), getBudget(2), getBudget(-Infinity)]).toEqual([90, null, 90]);
});

test('getOutcomeAt counts the evaluations of a resumed run that had reached the target before', () => {
  const resumedRun = run({ status: 'RUNNING', bestFitness: 3, evaluations: 20 });
  expect(getOutcomesAt([resumedRun], 3, minimisation)).toEqual([
    { isSolved: true, evaluationsToTarget: 20, usedEvaluations: 30 },
  ]);
});

test('getOutcomeAt returns a solved run at an unknown time if no evaluations are known', () => {
  const unknownRun = run({ bestFitness: 1, evaluations: null }, []);
  expect(getOutcomesAt([unknownRun], 2, minimisation)).toEqual([
    { isSolved: true, evaluationsToTarget: null, usedEvaluations: 0 },
  ]);
});

test('getOutcomes counts only completed runs as solved without a target', () => {
  expect(getOutcomes([run({}), run({ status: 'STOPPED' })], minimisation)).toEqual([
    { isSolved: true, evaluationsToTarget: 30, usedEvaluations: 30 },
    { isSolved: false, evaluationsToTarget: null, usedEvaluations: 30 },
  ]);
  const [uncountedRun] = addTraces([makeRun('r2', [], { bestFitness: 1 })], minimisation);
  expect(uncountedRun && getOutcomes([uncountedRun], minimisation)).toEqual([
    { isSolved: true, evaluationsToTarget: null, usedEvaluations: 0 },
  ]);
});

test('getCompletedBestFitness returns the best fitness of completed runs, including infinite values', () => {
  const runs = [
    run({ bestFitness: 2 }),
    run({ bestFitness: null }),
    run({ bestFitness: -Infinity }),
    run({ bestFitness: 3, status: 'STOPPED' }),
  ];
  expect(getCompletedBestFitness(runs)).toEqual([2, -Infinity]);
});

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

test('getLevels returns levels from the median start to the target, or to the best of all runs', () => {
  const runs = addTraces([a, b], minimisation);
  expect(getLevels(runs, makeObjective('min', 10)).slice(0, 3)).toEqual([18, 10.8, 10.08]);
  expect(getLevels(runs, minimisation)).toEqual([27, 20.7, 20.07, 20.0007, 20.000007, 20]);
  const maximisation = makeObjective('max', null);
  expect(getLevels(addTraces([a, b], maximisation), maximisation).at(-1)).toBe(100);
  expect(getLevels(addTraces([makeRun('r1', [])], minimisation), minimisation)).toEqual([]);
});

test('getConvergenceLevels returns finite levels between the largest doubles', () => {
  const extremeRun = makeRun('r1', [[10, Number.MAX_VALUE]], { bestFitness: -Number.MAX_VALUE });
  const levels = getLevels(addTraces([extremeRun], minimisation), minimisation);
  expect(levels.every(Number.isFinite)).toBe(true);
  expect(levels[0]).toBeCloseTo(-0.8 * Number.MAX_VALUE);
});

test('getOutcomesAtLevels returns outcomes whose expected runtime counts the hits of all runs', () => {
  const runs = addTraces([a, b], minimisation);
  const levels = getOutcomesAtLevels(runs, [80, 50, 1], minimisation);
  expect(levels.map(computeExpectedRuntime)).toEqual([12.5, 40, null]);
});
