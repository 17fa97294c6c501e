import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { convergence, convergenceBudgets } from '#server/stats/convergence.ts';
import {
  bestAtBudgets,
  bestOf,
  carryForward,
  firstHit,
  reaches,
  traceOf,
} from '#server/stats/trace.ts';
import { expectAllClose, expectClose, loadOracle } from './oracle.ts';

type Run = [evaluations: number, fitness: number][];

interface Summary {
  x: number;
  n: number;
  mean: number | null;
  median: number | null;
  ci95: [number, number] | null;
}

interface ConvergenceOracle {
  cases: {
    name: string;
    runs: Run[];
    grid: number[];
    filled: (number | null)[][];
    result: Summary[];
  }[];
}

interface TrajectoryOracle {
  cases: {
    algorithm: string;
    function: number;
    dimension: number;
    runs: Run[];
    grid: number[];
    result: Summary[];
  }[];
}

const iterationsOf = (run: Run) =>
  run.map(([evaluations, fitness], iteration) => ({ evaluations, iteration, fitness }));

function expectConvergence(runs: Run[], grid: number[], result: Summary[]) {
  const filled = runs.map((run) => bestAtBudgets(traceOf(iterationsOf(run), 'min'), grid));
  const points = convergence(grid, filled);
  const reached = result.filter(({ n }) => n > 0);
  expect(points.map(({ x, samples }) => [x, samples])).toEqual(reached.map(({ x, n }) => [x, n]));
  for (const [index, point] of points.entries()) {
    expectClose(point.mean, reached[index]?.mean);
    expectClose(point.median, reached[index]?.median);
    expectClose(point.ciLower, reached[index]?.ci95?.[0], 1e-11);
    expectClose(point.ciUpper, reached[index]?.ci95?.[1], 1e-11);
  }
  return filled;
}

describe.each((loadOracle('convergence') as ConvergenceOracle).cases)(
  'of the case $name',
  ({ runs, grid, filled, result }) => {
    test('best so far, mean, interval and median agree with the reference', () => {
      const actual = expectConvergence(runs, grid, result);
      filled.forEach((values, run) => expectAllClose(actual[run] ?? [], values));
    });
  },
);

test.each((loadOracle('coco-real-trajectories') as TrajectoryOracle).cases)(
  'convergence of $algorithm on function $function in dimension $dimension agrees',
  ({ runs, grid, result }) => {
    expectConvergence(runs, grid, result);
  },
);

test('a trace is ordered by evaluations, then iteration, and never gets worse', () => {
  const iterations = Object.freeze([
    { evaluations: 20, iteration: 2, fitness: 5 },
    { evaluations: 10, iteration: 0, fitness: 7 },
    { evaluations: 20, iteration: 1, fitness: 3 },
    { evaluations: 30, iteration: 3, fitness: 9 },
  ]);
  expect(traceOf(iterations, 'min').map(({ best }) => best)).toEqual([7, 3, 3, 3]);
  expect(traceOf(iterations, 'max').map(({ best }) => best)).toEqual([7, 7, 7, 9]);
});

test('iterations without a finite fitness are not part of the trace', () => {
  const fitness = [null, Infinity, NaN, -Infinity, 4];
  const iterations = fitness.map((value, iteration) => ({
    evaluations: 10 * iteration,
    iteration,
    fitness: value,
  }));
  expect(traceOf(iterations, 'min')).toEqual([{ evaluations: 40, best: 4 }]);
});

test('a target is reached when it is equalled', () => {
  expect(reaches(3, 3, 'min')).toBe(true);
  expect(reaches(3, 3, 'max')).toBe(true);
  expect(reaches(4, 3, 'min')).toBe(false);
  expect(reaches(2, 3, 'max')).toBe(false);
});

test('the first hit is the first point that reaches the target, null when none does', () => {
  const trace = [
    { evaluations: 10, best: 5 },
    { evaluations: 20, best: 2 },
    { evaluations: 30, best: 2 },
  ];
  expect(firstHit(trace, 2, 'min')).toBe(20);
  expect(firstHit(trace, 1, 'min')).toBeNull();
  expect(firstHit([], 1, 'min')).toBeNull();
});

test('the best of nothing is nothing', () => {
  expect(bestOf([], 'min')).toBeNull();
  expect([bestOf([2, 1, 3], 'min'), bestOf([2, 1, 3], 'max')]).toEqual([1, 3]);
});

test('what a database groups by intervals of budgets gives the same values as the trace', () => {
  const points = fc.array(
    fc.record({
      evaluations: fc.integer({ min: 1, max: 100 }),
      iteration: fc.nat(100),
      fitness: fc.integer({ min: -20, max: 20 }),
    }),
  );
  const budgets = [5, 10, 40, 90, 100];
  fc.assert(
    fc.property(points, fc.constantFrom('min' as const, 'max' as const), (run, direction) => {
      const perInterval = budgets.map((end, index) => {
        const start = budgets[index - 1] ?? -Infinity;
        const inside = run.filter((point) => point.evaluations > start && point.evaluations <= end);
        return bestOf(
          inside.map((point) => point.fitness),
          direction,
        );
      });
      const expected = bestAtBudgets(traceOf(Object.freeze(run), direction), budgets);
      expect(carryForward(perInterval, direction)).toEqual(expected);
    }),
  );
});

test('convergence is summarised at linear and logarithmic budgets together', () => {
  const budgets = convergenceBudgets(20, 10_000);
  expect([budgets[0], budgets.at(-1)]).toEqual([20, 10_000]);
  expect(budgets.length).toBeGreaterThan(100);
  expect(budgets.length).toBeLessThanOrEqual(126);
  expect(budgets).toEqual(budgets.toSorted((a, b) => a - b));
  expect(convergenceBudgets(5, 5)).toEqual([5]);
  expect(convergenceBudgets(5, 4)).toEqual([]);
});

test('a budget that no run has reached makes no point, and one run has no interval', () => {
  expect(convergence([1, 2], [[null, 3]])).toEqual([
    { x: 2, mean: 3, ciLower: null, ciUpper: null, median: 3, samples: 1 },
  ]);
});
