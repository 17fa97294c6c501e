import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectedRuntime } from '#server/stats/runtime.ts';
import { convergenceLevels, profileAccuracies } from '#server/domain/outcome.ts';
import { dataProfile, performanceProfiles } from '#server/stats/profiles.ts';
import { cumulativeSteps, stepValueAt } from '#server/stats/ecdf.ts';
import { firstHit, traceOf } from '#server/domain/trace.ts';
import { expectAllClose, expectClose, loadOracle } from './oracle.ts';

type History = [evaluations: number, fitness: number][];

interface ProfileOracle {
  cases: {
    name: string;
    t: number[][];
    dimension: number[];
    taus: number[];
    performance_profile: number[][];
    alphas: number[];
    data_profile: number[][];
    perf_breakpoints: number[][];
    data_breakpoints: number[][];
  }[];
  meta: {
    convergence_test: {
      histories: Record<string, History>;
      f_L: number;
      f_x0: number;
      cases: { tau: number; threshold: number; t: Record<string, number | null> }[];
    };
    pooled_targets_ecdf: {
      name: string;
      runs: History[];
      targets: number[];
      hitting_evals: (number | null)[][];
      at: number[];
      y_total: number[];
      budgets: number[];
      ert_per_target: (number | null)[];
    }[];
  };
}

const oracle = loadOracle('profiles') as ProfileOracle;

const traceFrom = (history: History) => traceOf(Float64Array.from(history.flat()), 'min');

describe.each(oracle.cases)('of the case $name', (expected) => {
  const solvers = (expected.t[0] ?? []).map((_, solver) => ({
    name: `solver ${solver}`,
    costs: expected.t.map((row) => row[solver] ?? NaN),
  }));

  test('performance profiles agree with the reference', () => {
    performanceProfiles(solvers).forEach(({ points }, solver) => {
      const shares = expected.taus.map((tau) => stepValueAt(points, tau));
      expectAllClose(shares, expected.performance_profile[solver] ?? []);
      const steps = points.map(({ x }) => x).filter((x) => x > 1);
      expectAllClose(
        steps,
        (expected.perf_breakpoints[solver] ?? []).filter((x) => x > 1),
      );
    });
  });

  test('data profiles agree with the reference', () => {
    solvers.forEach(({ costs }, solver) => {
      const points = dataProfile(
        costs.map((cost, problem) => ({
          evaluations: cost === Infinity ? null : cost,
          dimension: expected.dimension[problem] ?? null,
        })),
      );
      const shares = expected.alphas.map((alpha) => stepValueAt(points, alpha));
      expectAllClose(shares, expected.data_profile[solver] ?? []);
      expectAllClose(
        points.map(({ x }) => x),
        expected.data_breakpoints[solver] ?? [],
      );
    });
  });
});

describe('the convergence test', () => {
  const { histories, f_L: best, f_x0: start, cases } = oracle.meta.convergence_test;

  test.each(cases)('has the threshold $threshold at the accuracy $tau', ({ tau, threshold, t }) => {
    const level = best + tau * (start - best);
    const index = profileAccuracies.findIndex((accuracy) => accuracy === tau);
    if (index >= 0) expectClose(convergenceLevels(start, best, 'min')[index], threshold);
    expectClose(level, threshold);
    for (const [solver, time] of Object.entries(t)) {
      expect(firstHit(traceFrom(histories[solver] ?? []), threshold)).toBe(time);
    }
  });
});

test.each(oracle.meta.pooled_targets_ecdf)('pooled targets of $name agree', (expected) => {
  const traces = expected.runs.map(traceFrom);
  const hits = traces.map((trace) => expected.targets.map((target) => firstHit(trace, target)));
  expect(hits).toEqual(expected.hitting_evals);
  const curve = cumulativeSteps(hits.flat(), hits.flat().length);
  expectAllClose(
    expected.at.map((x) => stepValueAt(curve, x)),
    expected.y_total,
  );
  const runtimes = expected.targets.map((_, target) =>
    expectedRuntime(
      hits.map((times, run) => ({
        solved: times[target] !== null,
        evaluationsToTarget: times[target] ?? null,
        budget: expected.budgets[run] ?? null,
      })),
    ),
  );
  expectAllClose(
    runtimes,
    expected.ert_per_target.map((ert) => (ert === Infinity ? null : ert)),
  );
});

test('levels approach the best, mirrored when maximising', () => {
  expect(convergenceLevels(100, 0, 'min')).toEqual([10, 1, 0.1, 0.001, expect.closeTo(1e-5), 0]);
  expect(convergenceLevels(0, 100, 'max').slice(0, 2)).toEqual([90, 99]);
  expect(convergenceLevels(0, 100, 'max').at(-1)).toBe(100);
});

test('a start that already is as good as the best makes every level the best', () => {
  expect(convergenceLevels(3, 5, 'min')).toEqual(Array(6).fill(5));
  expect(convergenceLevels(7, 5, 'max')).toEqual(Array(6).fill(5));
});

test('without a dimension a data profile counts plain evaluations', () => {
  expect(dataProfile([{ evaluations: 30, dimension: null }])).toEqual([{ x: 30, y: 1 }]);
  expect(dataProfile([{ evaluations: 30, dimension: 2 }])).toEqual([{ x: 10, y: 1 }]);
  expect(dataProfile([])).toEqual([]);
});

test('a solver that solves nothing has a flat profile, and no problems make no points', () => {
  const [flat] = performanceProfiles([
    { name: 'a', costs: [null] },
    { name: 'b', costs: [5] },
  ]);
  expect(flat?.points).toEqual([{ x: 1, y: 0 }]);
  expect(performanceProfiles([{ name: 'a', costs: [] }])).toEqual([{ name: 'a', points: [] }]);
  expect(performanceProfiles([])).toEqual([]);
});

test('a cost of nothing is the best, and any other is infinitely far from it', () => {
  const profiles = performanceProfiles([
    { name: 'a', costs: [0] },
    { name: 'b', costs: [3] },
  ]);
  expect(profiles.map(({ points }) => points)).toEqual([[{ x: 1, y: 1 }], [{ x: 1, y: 0 }]]);
});

test('performance profiles do not depend on the scale of the costs', () => {
  const cost = fc.option(fc.integer({ min: 1, max: 100 }));
  const row = fc.array(cost, { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(row, row, (a, b) => {
      const scaled = (costs: (number | null)[]) => costs.map((c) => (c === null ? null : 8 * c));
      const plain = performanceProfiles([
        { name: 'a', costs: Object.freeze(a) },
        { name: 'b', costs: b },
      ]);
      const large = performanceProfiles([
        { name: 'a', costs: scaled(a) },
        { name: 'b', costs: scaled(b) },
      ]);
      expect(large).toEqual(plain);
    }),
  );
});
