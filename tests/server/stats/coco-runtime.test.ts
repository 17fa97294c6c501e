import { describe, expect, test } from 'vitest';
import { getTrialOutcome, computeRuntimePerFunction } from '#server/stats/coco-runtime.ts';
import { computeErtMoverInterval } from '#server/stats/runtime.ts';
import { makeTrial, unsolvedFields } from './sample-trials.ts';

describe('a trial', () => {
  test('costs its evaluations to the target when solved, else its used evaluations', () => {
    expect(getTrialOutcome(makeTrial())?.evaluationsToTarget).toBe(300);
    const untimedTrial = makeTrial({ evaluationsToTarget: null });
    expect(getTrialOutcome(untimedTrial)?.evaluationsToTarget).toBe(1010);
    expect(getTrialOutcome(makeTrial(unsolvedFields))).toMatchObject({
      isSolved: false,
      usedEvaluations: 1010,
    });
    expect(
      getTrialOutcome(makeTrial({ ...unsolvedFields, evaluations: null }))?.usedEvaluations,
    ).toBe(1000);
  });

  test('that failed is omitted, and counted', () => {
    const failedTrial = makeTrial({ status: 'FAILED', ...unsolvedFields, evaluations: null });
    expect(getTrialOutcome(failedTrial)).toBeNull();
    expect(computeRuntimePerFunction([makeTrial(), failedTrial])[0]).toMatchObject({
      trials: 1,
      failedTrials: 1,
      successRate: 1,
      ert: 300,
    });
    expect(computeRuntimePerFunction([failedTrial])[0]).toMatchObject({ trials: 0, ert: null });
  });
});

test('the MOVER interval uses the granted budget if it is known and equal for all trials', () => {
  const getInterval = (...budgets: (number | null)[]) =>
    computeRuntimePerFunction(
      budgets.map((grantedEvaluations, index) =>
        makeTrial({ grantedEvaluations, evaluationsToTarget: 300 + 100 * index }),
      ),
    )[0]?.ertMoverInterval;
  const outcomes = [300, 400].map((evaluationsToTarget) => ({
    isSolved: true,
    evaluationsToTarget,
    usedEvaluations: 1010,
  }));
  expect(getInterval(2000, 2000)).toEqual(computeErtMoverInterval(outcomes, 2000));
  expect(getInterval(2000, 2000)).not.toBeNull();
  expect(getInterval(2000, 3000)).toBeNull();
  expect(getInterval(2000, null)).toBeNull();
  expect(getInterval(...Array<null>(15).fill(null))).toMatchObject({ upper: expect.any(Number) });
});

test('a runtime states why its trials have no common granted budget, independent of other functions', () => {
  const getRuntimes = (...budgets: (number | null)[][]) =>
    computeRuntimePerFunction(
      budgets.flatMap((budgetsOfFunction, functionId) =>
        budgetsOfFunction.map((grantedEvaluations) =>
          makeTrial({ functionId, grantedEvaluations }),
        ),
      ),
    );
  const runtimes = getRuntimes([9, 9], [9, 8], [9, null], [null, null]);
  expect(runtimes.map(({ missingBudget }) => missingBudget)).toEqual([
    null,
    'different',
    'unknown',
    'unknown',
  ]);
});

test('runtimes are never pooled over functions, dimensions or targets, and are in order', () => {
  const runtimes = computeRuntimePerFunction([
    makeTrial({ functionId: 2 }),
    makeTrial({ dimension: 10 }),
    makeTrial(),
    makeTrial({ targetValue: 10 }),
    makeTrial({ ...unsolvedFields }),
    makeTrial({ optimizerId: 'a' }),
  ]);
  expect(
    runtimes.map((row) => [row.optimizerId, row.dimension, row.functionId, row.targetValue]),
  ).toEqual([
    ['a', 2, 1, 1e-8],
    ['cma-es', 2, 1, 10],
    ['cma-es', 2, 1, 1e-8],
    ['cma-es', 2, 2, 1e-8],
    ['cma-es', 10, 1, 1e-8],
  ]);
  expect(runtimes[2]).toMatchObject({ trials: 2, solvedTrials: 1, ert: 1310 });
});
