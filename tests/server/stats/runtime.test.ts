import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  computeErtBootstrapInterval,
  computeExpectedRuntime,
  computeErtMoverInterval,
  type RunOutcome,
  computeSuccessPerformance,
  computeSuccessRate,
  computeWilsonInterval,
} from '#server/stats/runtime.ts';
import { createSeededRandom } from '#server/stats/seeded-random.ts';
import { expectClose, loadOracle } from './oracle.ts';

describe('ERT, SP1 and success rate', () => {
  interface ErtOracle {
    cases: {
      name: string;
      evaluations: (number | null)[];
      success: boolean[];
      n_runs: number;
      success_rate: number | null;
      ert: number | null;
      sp1: number | null;
    }[];
  }

  interface TrialOracle {
    trials: {
      algorithm: string;
      function: number;
      dimension: number;
      max_evals: number[];
      evals_to_target: (number | null)[][];
      success_count: number[];
      ert: number[];
      sp1: number[];
    }[];
  }

  const toJsonValue = (value: number | null) => (value === Infinity ? null : value);

  describe.each((loadOracle('ert') as ErtOracle).cases)('of the case $name', (expected) => {
    const outcomes = expected.success.map((isSolved, index): RunOutcome => {
      const evaluations = expected.evaluations[index] ?? null;
      return {
        isSolved,
        evaluationsToTarget: isSolved ? evaluations : null,
        usedEvaluations: evaluations,
      };
    });

    test('ERT and SP1 agree with the reference', () => {
      expectClose(computeExpectedRuntime(outcomes), toJsonValue(expected.ert));
      expectClose(computeSuccessPerformance(outcomes), toJsonValue(expected.sp1));
    });

    test('the success rate agrees with the reference where all evaluations are known', () => {
      if (expected.n_runs !== outcomes.length) return;
      expectClose(computeSuccessRate(outcomes), expected.success_rate);
    });
  });

  const { trials } = loadOracle('coco-real') as TrialOracle;

  test.each(trials)(
    'of $algorithm on function $function in dimension $dimension, ERT and SP1 per target agree',
    (expected) => {
      expected.evals_to_target.forEach((times, target) => {
        const outcomes = times.map((time, run) => ({
          isSolved: time !== null,
          evaluationsToTarget: time,
          usedEvaluations: expected.max_evals[run] ?? null,
        }));
        expect(outcomes.filter(({ isSolved }) => isSolved)).toHaveLength(
          expected.success_count[target] ?? NaN,
        );
        expectClose(computeExpectedRuntime(outcomes), toJsonValue(expected.ert[target] ?? null));
        expectClose(computeSuccessPerformance(outcomes), toJsonValue(expected.sp1[target] ?? null));
      });
    },
  );

  test('no runs give a rate of 0 and neither ERT nor SP1', () => {
    expect([
      computeSuccessRate([]),
      computeExpectedRuntime([]),
      computeSuccessPerformance([]),
    ]).toEqual([0, null, null]);
  });

  test('evaluations of a solved run after its hit do not count', () => {
    const outcomes = [
      { isSolved: true, evaluationsToTarget: 10, usedEvaluations: 1000 },
      { isSolved: false, evaluationsToTarget: null, usedEvaluations: 30 },
    ];
    expect(computeExpectedRuntime(Object.freeze(outcomes))).toBe(40);
    expect(computeSuccessPerformance(outcomes)).toBe(20);
  });

  test('a run without evaluations adds nothing, and a run of unknown evaluations is omitted', () => {
    const solvedRun = { isSolved: true, evaluationsToTarget: 100, usedEvaluations: 100 };
    const unusedRun = { isSolved: false, evaluationsToTarget: null, usedEvaluations: 0 };
    const unknownRun = { isSolved: false, evaluationsToTarget: null, usedEvaluations: null };
    expect(computeSuccessPerformance([solvedRun, unusedRun])).toBe(200);
    expect(computeSuccessPerformance([solvedRun, unknownRun])).toBe(100);
    expect(computeExpectedRuntime([solvedRun, unusedRun, unknownRun])).toBe(100);
  });

  test('ERT does not depend on the order of runs and is at least the mean of the hits', () => {
    const outcome = fc
      .tuple(fc.boolean(), fc.integer({ min: 1, max: 1e6 }))
      .map(([isSolved, budget]) => ({
        isSolved,
        evaluationsToTarget: isSolved ? budget : null,
        usedEvaluations: budget,
      }));
    fc.assert(
      fc.property(fc.array(outcome, { minLength: 1 }), (outcomes) => {
        const ert = computeExpectedRuntime(Object.freeze(outcomes));
        expect(computeExpectedRuntime(outcomes.toReversed())).toBe(ert);
        const times = outcomes.flatMap((run) => run.evaluationsToTarget ?? []);
        const mean = times.reduce((total, time) => total + time, 0) / times.length;
        if (ert === null) expect(times).toEqual([]);
        else expect(ert).toBeGreaterThanOrEqual(mean);
      }),
    );
  });
});

describe('computeWilsonInterval', () => {
  test('without trials there is no interval', () => {
    expect(computeWilsonInterval(0, 0)).toBeNull();
  });

  test('8 of 10 successes give the interval of 40-digit arithmetic', () => {
    expectClose(computeWilsonInterval(8, 10)?.lower, 0.4901624715366417);
    expectClose(computeWilsonInterval(8, 10)?.upper, 0.9433178485456247);
  });

  test('none and all successes end exactly at 0 and 1, with the other end at z²/(n + z²)', () => {
    const z = 1.959963984540054;
    const interval = computeWilsonInterval(0, 15);
    expect(interval?.lower).toBe(0);
    expectClose(interval?.upper, z ** 2 / (15 + z ** 2));
    expect(computeWilsonInterval(15, 15)?.upper).toBe(1);
    expectClose(computeWilsonInterval(15, 15)?.lower, 15 / (15 + z ** 2));
  });

  test('the interval narrows with the number of trials and mirrors failures', () => {
    const smallInterval = computeWilsonInterval(3, 10);
    const largeInterval = computeWilsonInterval(300, 1000);
    expect((largeInterval?.upper ?? 1) - (largeInterval?.lower ?? 0)).toBeLessThan(
      (smallInterval?.upper ?? 0) - (smallInterval?.lower ?? 0),
    );
    expectClose(computeWilsonInterval(7, 10)?.lower, 1 - (smallInterval?.upper ?? NaN));
  });
});

describe('Intervals of the expected runtime', () => {
  interface Case {
    name: string;
    evaluations: number[];
    success: boolean[];
    accept_lower: [number, number];
    accept_upper: [number, number];
  }

  const getOutcomes = ({ evaluations, success }: Pick<Case, 'evaluations' | 'success'>) =>
    evaluations.map((spent, index) => ({
      isSolved: success[index] === true,
      evaluationsToTarget: success[index] === true ? spent : null,
      usedEvaluations: spent,
    }));

  describe('the bootstrap interval of an ERT', () => {
    const { cases } = loadOracle('ert_bootstrap') as { cases: Case[] };

    test.each(cases)('is within the bounds of exact enumeration: $name', (boundCase) => {
      const { lower, upper } = computeErtBootstrapInterval(getOutcomes(boundCase)) ?? {};
      expect(isWithin(lower ?? Infinity, boundCase.accept_lower), `lower ${lower}`).toBe(true);
      expect(isWithin(upper ?? Infinity, boundCase.accept_upper), `upper ${upper}`).toBe(true);
    });

    test('is the same in each version of the program', () => {
      const evaluations = [10, 20, 30, 45, 70, 71.5, 93, 110];
      const runs = getOutcomes({ evaluations, success: evaluations.map((count) => count !== 45) });
      const { lower, upper } = computeErtBootstrapInterval(runs) ?? {};
      expect(lower).toBeCloseTo(36.25, 10);
      expect(upper).toBeCloseTo(98.8525, 10);
    });

    test('is the same for another order of the runs, and null without any', () => {
      const runs = getOutcomes({
        evaluations: [5, 9, 30, 12, 40],
        success: [true, true, false, true, false],
      });
      expect(computeErtBootstrapInterval(runs.toReversed())).toEqual(
        computeErtBootstrapInterval(runs),
      );
      expect(computeErtBootstrapInterval([])).toBeNull();
      expect(
        computeErtBootstrapInterval([
          { isSolved: true, evaluationsToTarget: null, usedEvaluations: 1 },
        ]),
      ).toBeNull();
      expect(
        computeErtBootstrapInterval([
          { isSolved: true, evaluationsToTarget: null, usedEvaluations: 1 },
          { isSolved: false, evaluationsToTarget: null, usedEvaluations: 5 },
        ]),
      ).toBeNull();
    });
  });

  describe('the MOVER interval of an expected runtime', () => {
    const makeSolvedRuns = (times: number[]) =>
      times.map((time) => ({ isSolved: true, evaluationsToTarget: time, usedEvaluations: 2_000 }));
    const times = [200, 300, 500, 800, 1_200];
    const missedRun = { isSolved: false, evaluationsToTarget: null, usedEvaluations: 2_000 };

    test('agrees with values computed by hand from its definition', () => {
      const partialInterval = computeErtMoverInterval(
        [...makeSolvedRuns(times), missedRun, missedRun],
        2_000,
      );
      expect(partialInterval?.lower).toBeCloseTo(640.676, 3);
      expect(partialInterval?.upper).toBeCloseTo(4_514.041, 3);
      const fullInterval = computeErtMoverInterval(makeSolvedRuns(times), 2_000);
      expect(fullInterval?.lower).toBeCloseTo(227.335, 3);
      expect(fullInterval?.upper).toBeCloseTo(2_308.353, 3);
    });

    test('has no maximum of the mean runtime without a known budget', () => {
      const getEnds = (values: number[], failureCosts: number[], budget: number | null) => {
        const failedRuns = failureCosts.map((cost) => ({ ...missedRun, usedEvaluations: cost }));
        const runs = [...makeSolvedRuns(values), ...failedRuns];
        const { lower, upper } = computeErtMoverInterval(runs, budget) ?? {};
        return [lower?.toFixed(3), upper === null ? null : upper?.toFixed(3)];
      };
      // Values from SciPy. A budget of 2,000 limits the mean runtime of the second case.
      expect(getEnds(times, [1_500, 2_500], null)).toEqual(['640.676', '4514.041']);
      expect(getEnds([200, 900, 1_900], [2_000], 2_000)).toEqual(['517.061', '6161.078']);
      expect(getEnds([200, 900, 1_900], [2_000], null)).toEqual(['517.061', '75540.082']);
      expect(getEnds([400], [1_000], 2_000)).toEqual(['382.820', '15927.560']);
      expect(getEnds([400], [1_000], null)).toEqual(['382.820', null]);
    });

    test('without a known budget and without a failure that cost evaluations requires 15 solved runs', () => {
      const fifteenTimes = Array.from({ length: 15 }, (_, index) => 100 * (index + 1));
      const runs = makeSolvedRuns(fifteenTimes);
      const emptyRun = { ...missedRun, usedEvaluations: 0 };
      const { lower, upper } = computeErtMoverInterval(runs, null) ?? {};
      // Values from SciPy.
      expect(lower).toBeCloseTo(529.487, 3);
      expect(upper).toBeCloseTo(1_436.287, 3);
      expect(computeErtMoverInterval(runs.slice(1), null)).toBeNull();
      expect(computeErtMoverInterval([...runs.slice(1), emptyRun], null)).toBeNull();
      expect(computeErtMoverInterval([...runs.slice(1), missedRun], null)).not.toBeNull();
    });

    test('is null without a solved run, and omits runs of unknown evaluations', () => {
      expect(computeErtMoverInterval([], 100)).toBeNull();
      expect(computeErtMoverInterval([missedRun, missedRun], 2_000)).toBeNull();
      expect(computeErtMoverInterval([missedRun, missedRun], null)).toBeNull();
      const unknownRun = { isSolved: true, evaluationsToTarget: null, usedEvaluations: 5 };
      expect(computeErtMoverInterval([unknownRun], 100)).toBeNull();
      expect(computeErtMoverInterval([...makeSolvedRuns(times), unknownRun], 2_000)).toEqual(
        computeErtMoverInterval(makeSolvedRuns(times), 2_000),
      );
    });

    test('reaches from below the runtime of a single solved run to beyond the budget', () => {
      const { lower, upper } = computeErtMoverInterval(makeSolvedRuns([400]), 2_000) ?? {};
      expect(lower).toBe(0);
      expect(upper).toBeGreaterThan(2_000);
    });

    test('contains the expected runtime for equal, zero and huge runtimes', () => {
      for (const values of [
        [7, 7, 7],
        [0, 0],
        [1, 1e300],
      ]) {
        const mean = values.reduce((sum, value) => sum + value / values.length, 0);
        const budget = Math.max(...values, 10);
        const { lower, upper } = computeErtMoverInterval(makeSolvedRuns(values), budget) ?? {};
        expect(lower).toBeLessThanOrEqual(mean);
        expect(upper ?? Infinity).toBeGreaterThanOrEqual(mean);
      }
    });
  });

  function isWithin(value: number, [least, most]: [number, number]): boolean {
    if (value === Infinity) return most === Infinity;
    return value >= least * (1 - 1e-9) && value <= most * (1 + 1e-9);
  }

  test('a seeded stream depends only on its text, and is uniform', () => {
    const [stream, sameStream, otherStream] = [
      createSeededRandom('a'),
      createSeededRandom('a'),
      createSeededRandom('b'),
    ];
    const values = Array.from({ length: 10_000 }, stream);
    expect(values).toEqual(Array.from({ length: 10_000 }, sameStream));
    expect(otherStream()).not.toBe(values[0]);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(mean).toBeCloseTo(0.5, 1);
    expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...values)).toBeLessThan(1);
  });
});
