import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  expectedRuntime,
  type RunOutcome,
  successPerformance,
  successRate,
} from '#server/stats/runtime.ts';
import { expectClose, loadOracle } from './oracle.ts';

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

const infinityAsNull = (value: number | null) => (value === Infinity ? null : value);

describe.each((loadOracle('ert') as ErtOracle).cases)('of the case $name', (expected) => {
  const outcomes = expected.success.map((solved, index): RunOutcome => {
    const evaluations = expected.evaluations[index] ?? null;
    return { solved, evaluationsToTarget: solved ? evaluations : null, budget: evaluations };
  });

  test('ERT and SP1 agree with the reference', () => {
    expectClose(expectedRuntime(outcomes), infinityAsNull(expected.ert));
    expectClose(successPerformance(outcomes), infinityAsNull(expected.sp1));
  });

  test('the success rate agrees with the reference where all evaluations are known', () => {
    if (expected.n_runs !== outcomes.length) return;
    expectClose(successRate(outcomes), expected.success_rate);
  });
});

const { trials } = loadOracle('coco-real') as TrialOracle;

test.each(trials)(
  'of $algorithm on function $function in dimension $dimension, ERT and SP1 per target agree',
  (expected) => {
    expected.evals_to_target.forEach((times, target) => {
      const outcomes = times.map((time, run) => ({
        solved: time !== null,
        evaluationsToTarget: time,
        budget: expected.max_evals[run] ?? null,
      }));
      expect(outcomes.filter(({ solved }) => solved)).toHaveLength(
        expected.success_count[target] ?? NaN,
      );
      expectClose(expectedRuntime(outcomes), infinityAsNull(expected.ert[target] ?? null));
      expectClose(successPerformance(outcomes), infinityAsNull(expected.sp1[target] ?? null));
    });
  },
);

test('no runs give a rate of 0 and neither ERT nor SP1', () => {
  expect([successRate([]), expectedRuntime([]), successPerformance([])]).toEqual([0, null, null]);
});

test('evaluations of a solved run after its hit do not count', () => {
  const outcomes = [
    { solved: true, evaluationsToTarget: 10, budget: 1000 },
    { solved: false, evaluationsToTarget: null, budget: 30 },
  ];
  expect(expectedRuntime(Object.freeze(outcomes))).toBe(40);
  expect(successPerformance(outcomes)).toBe(20);
});

test('a run without evaluations adds nothing and a run of unknown evaluations is left out', () => {
  const solved = { solved: true, evaluationsToTarget: 100, budget: 100 };
  const idle = { solved: false, evaluationsToTarget: null, budget: 0 };
  const unknown = { solved: false, evaluationsToTarget: null, budget: null };
  expect(successPerformance([solved, idle])).toBe(200);
  expect(successPerformance([solved, unknown])).toBe(100);
  expect(expectedRuntime([solved, idle, unknown])).toBe(100);
});

test('ERT does not depend on the order of runs and is at least the mean of the hits', () => {
  const outcome = fc
    .tuple(fc.boolean(), fc.integer({ min: 1, max: 1e6 }))
    .map(([solved, budget]) => ({ solved, evaluationsToTarget: solved ? budget : null, budget }));
  fc.assert(
    fc.property(fc.array(outcome, { minLength: 1 }), (outcomes) => {
      const ert = expectedRuntime(Object.freeze(outcomes));
      expect(expectedRuntime(outcomes.toReversed())).toBe(ert);
      const times = outcomes.flatMap((run) => run.evaluationsToTarget ?? []);
      const mean = times.reduce((total, time) => total + time, 0) / times.length;
      if (ert === null) expect(times).toEqual([]);
      else expect(ert).toBeGreaterThanOrEqual(mean);
    }),
  );
});
