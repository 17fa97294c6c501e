import { describe, expect, test } from 'vitest';
import {
  computeConvergence,
  getMedianRank,
  makeConvergenceBudgets,
} from '#server/stats/convergence.ts';
import { getBestAt, getTrace } from '#server/domain/trace.ts';
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

const getPairs = (run: Run) => Float64Array.from(run.flat());

function expectConvergence(runs: Run[], grid: number[], result: Summary[]) {
  const filled = runs.map((run) => getBestAt(getTrace(getPairs(run), 'min'), grid));
  const points = computeConvergence(grid, filled);
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
      filled.forEach((values, run) => {
        const runValues = Array.from(actual[run] ?? [], (value) =>
          Number.isNaN(value) ? null : value,
        );
        expectAllClose(runValues, values);
      });
    });
  },
);

test.each((loadOracle('coco-real-trajectories') as TrajectoryOracle).cases)(
  'convergence of $algorithm on function $function in dimension $dimension agrees',
  ({ runs, grid, result }) => {
    expectConvergence(runs, grid, result);
  },
);

test('convergence is summarised at linear and logarithmic budgets together', () => {
  const budgets = makeConvergenceBudgets(20, 10_000);
  expect([budgets[0], budgets.at(-1)]).toEqual([20, 10_000]);
  expect(budgets.length).toBeGreaterThan(100);
  expect(budgets.length).toBeLessThanOrEqual(126);
  expect(budgets).toEqual(budgets.toSorted((a, b) => a - b));
  expect(makeConvergenceBudgets(5, 5)).toEqual([5]);
  expect(makeConvergenceBudgets(5, 4)).toEqual([]);
});

test('quartiles are of type 7', () => {
  const [point] = computeConvergence(
    [1],
    [1, 2, 3, 10].map((best) => Float64Array.of(best)),
  );
  expect(point).toMatchObject({ q1: 1.75, median: 2.5, q3: 4.75 });
});

test('a budget that no run has reached makes no point, and one run has no interval', () => {
  expect(computeConvergence([1, 2], [Float64Array.of(NaN, 3)])).toEqual([
    {
      x: 2,
      mean: 3,
      ciLower: null,
      ciUpper: null,
      median: 3,
      medianCiLower: null,
      medianCiUpper: null,
      q1: 3,
      q3: 3,
      samples: 1,
    },
  ]);
});

describe('getMedianRank', () => {
  test('returns the ranks of the binomial distribution, also for many values', () => {
    // R: qbinom(0.025, n, 0.5), and 1 for 5 values.
    const ranks = [4, 5, 6, 8, 9, 10, 15, 30, 50, 2_000].map(getMedianRank);
    expect(ranks).toEqual([null, 1, 1, 1, 2, 2, 4, 10, 18, 956]);
  });

  test('gives the ends of the interval of the median', () => {
    const runs = Array.from({ length: 15 }, (_, run) => Float64Array.of(15 - run));
    expect(computeConvergence([10], runs)).toMatchObject([
      { median: 8, medianCiLower: 4, medianCiUpper: 12 },
    ]);
    expect(computeConvergence([10], runs.slice(0, 4))).toMatchObject([
      { medianCiLower: null, medianCiUpper: null },
    ]);
  });
});
