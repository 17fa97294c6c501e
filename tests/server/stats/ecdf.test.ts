import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  getConvergenceLevels,
  getOutcomesAtLevels,
  profileAccuracies,
} from '#server/domain/outcome.ts';
import { getFirstHit, getTrace } from '#server/domain/trace.ts';
import { makeEqualWidthHistogram } from '#server/stats/descriptive.ts';
import {
  computeAnytimePerformance,
  computeMedianUnsolvedEvaluations,
  computeCumulativeSteps,
  computeDataProfile,
  computeEcdfOfAllRuns,
  computeEcdfOfSuccessfulRuns,
  makeLinearBudgets,
  makeLogarithmicBudgets,
  computePerformanceProfiles,
  getStepValue,
  computeSuccessVsBudget,
  computeSuccessWithin,
  collectTargetCosts,
  computeTargetEcdf,
  joinTargetCosts,
  simulateRestarts,
  type TargetHits,
} from '#server/stats/ecdf.ts';
import { computeExpectedRuntime, computeWilsonInterval } from '#server/stats/runtime.ts';
import { makeObjective, makeRun, addTraces } from '#tests/server/analysis/sample-runs.ts';
import { expectAllClose, expectClose, loadOracle } from './oracle.ts';

describe('Cumulative steps', () => {
  test('each distinct cost makes one step to the share reached with it', () => {
    expect(computeCumulativeSteps(new Set([3, 1]), 4)).toEqual([
      { x: 1, y: 0.25 },
      { x: 3, y: 0.5 },
    ]);
    expect(computeCumulativeSteps([2, 2, 1], 3)).toEqual([
      { x: 1, y: 1 / 3 },
      { x: 2, y: 1 },
    ]);
  });

  test('costs that are not reached make no step and stay in the denominator', () => {
    expect(computeCumulativeSteps([null, Infinity, 5], 3)).toEqual([{ x: 5, y: 1 / 3 }]);
    expect(computeCumulativeSteps([null], 1)).toEqual([]);
    expect(computeCumulativeSteps([], 0)).toEqual([]);
  });

  test('between steps the curve keeps its value, and it starts at 0', () => {
    const curve = Object.freeze([
      { x: 1, y: 0.25 },
      { x: 3, y: 0.5 },
    ]);
    expect([0.9, 1, 2.9, 3, 99].map((x) => getStepValue(curve, x))).toEqual([
      0, 0.25, 0.25, 0.5, 0.5,
    ]);
    expect(getStepValue([], 1)).toBe(0);
  });

  interface EcdfOracle {
    cases: {
      name: string;
      runtimes: (number | null)[];
      n_success: number;
      step_x: number[];
      step_y_total: number[];
      step_y_success: number[];
      at: number[];
      y_total: (number | null)[];
      y_success: (number | null)[];
      limit_total: number | null;
    }[];
  }

  describe.each((loadOracle('ecdf') as EcdfOracle).cases)('of the case $name', (expected) => {
    const all = computeEcdfOfAllRuns(expected.runtimes);
    const successful = computeEcdfOfSuccessfulRuns(expected.runtimes);

    test('steps agree with the reference', () => {
      expect(all.map(({ x }) => x)).toEqual(expected.step_x);
      expectAllClose(
        all.map(({ y }) => y),
        expected.step_y_total,
      );
      expectAllClose(
        successful.map(({ y }) => y),
        expected.step_y_success,
      );
      expectClose(
        all.at(-1)?.y ?? null,
        expected.step_x.length === 0 ? null : expected.limit_total,
      );
    });

    test('values between the steps agree with the reference', () => {
      expected.at.forEach((x, index) => {
        expectClose(getStepValue(all, x), expected.y_total[index] ?? 0);
        expectClose(getStepValue(successful, x), expected.y_success[index] ?? 0);
      });
    });
  });

  test('without successes both curves are empty', () => {
    expect(computeEcdfOfAllRuns([null, null])).toEqual([]);
    expect(computeEcdfOfSuccessfulRuns([null])).toEqual([]);
  });

  test('an infinite cost makes no step but stays in the denominator', () => {
    expect(computeCumulativeSteps([2, Infinity, null], 4)).toEqual([{ x: 2, y: 0.25 }]);
  });

  test('the curve rises at each step, up to the success rate', () => {
    const times = fc.array(fc.option(fc.integer({ min: 0, max: 20 })), { minLength: 1 });
    fc.assert(
      fc.property(times, (runtimes) => {
        const curve = computeEcdfOfAllRuns(Object.freeze(runtimes));
        for (const [index, { x, y }] of curve.entries()) {
          expect(x).toBeGreaterThan(curve[index - 1]?.x ?? -1);
          expect(y).toBeGreaterThan(curve[index - 1]?.y ?? 0);
        }
        const solved = runtimes.filter((time) => time !== null).length;
        expect(curve.at(-1)?.y ?? 0).toBe(solved / runtimes.length);
      }),
    );
  });
});

describe('Spaced budgets', () => {
  test('logarithmic budgets are whole, rise, and hold both ends', () => {
    expect(makeLogarithmicBudgets(1, 100, 28)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 15, 18, 22, 26, 30, 36, 43, 51, 60, 71, 84, 100,
    ]);
  });

  test('linear budgets are evenly spaced', () => {
    expect(makeLinearBudgets(0, 10, 6)).toEqual([0, 2, 4, 6, 8, 10]);
  });

  test('the steps begin at the first budget', () => {
    expect(makeLinearBudgets(10, 100, 4)).toEqual([10, 40, 70, 100]);
    expect(makeLogarithmicBudgets(10, 10_000, 4)).toEqual([10, 100, 1_000, 10_000]);
    expect(makeLinearBudgets(1.4, 1.6, 3)).toEqual([1.4, 1.6]);
  });

  test('a single budget is left when both ends are the same', () => {
    expect(makeLogarithmicBudgets(5, 5, 64)).toEqual([5]);
    expect(makeLinearBudgets(5, 5, 64)).toEqual([5]);
  });

  test('a first evaluation of 0 is on the linear grid, and the logarithmic one starts at 1', () => {
    expect(makeLinearBudgets(0, 100, 64)[0]).toBe(0);
    expect(makeLogarithmicBudgets(0, 100, 64)[0]).toBe(1);
  });

  test('without anything between the ends there are no budgets', () => {
    expect(makeLogarithmicBudgets(1, 0, 64)).toEqual([]);
    expect(makeLinearBudgets(10, 5, 64)).toEqual([]);
  });

  test('budgets stay within their ends and never repeat', () => {
    const ends = fc.tuple(fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 0, max: 1e9 }));
    fc.assert(
      fc.property(ends, ([first, span]) => {
        for (const budgets of [
          makeLogarithmicBudgets(first, first + span, 64),
          makeLinearBudgets(first, first + span, 64),
        ]) {
          expect(budgets[0]).toBe(first);
          expect(budgets.at(-1)).toBe(first + span);
          expect(budgets.every(Number.isInteger)).toBe(true);
          expect(budgets).toEqual([...new Set(budgets)].toSorted((a, b) => a - b));
        }
      }),
    );
  });
});

describe('successVsBudget', () => {
  interface BudgetOracle {
    cases: {
      name: string;
      evaluations?: number[];
      success?: boolean[];
      budgets?: number[];
      rate_total?: (number | null)[];
      times_of_successful_runs?: number[];
      edges?: number[];
      counts?: number[];
    }[];
  }

  const { cases } = loadOracle('success_budget') as BudgetOracle;

  describe.each(cases)('of the case $name', (expected) => {
    test('success within each budget agrees with the reference', () => {
      const { evaluations = [], success = [], budgets = [], rate_total: rates = [] } = expected;
      const times = evaluations.map((time, run) => (success[run] ? time : null));
      const curve = computeSuccessWithin(times, budgets);
      expectAllClose(
        budgets.map((_, index) => curve[index]?.y),
        rates,
      );
    });

    test('bins of the times to target agree with the reference', () => {
      const { times_of_successful_runs: times, edges = [], counts } = expected;
      if (!times) return;
      const bins = makeEqualWidthHistogram(times, 5);
      expect(bins.map(({ count }) => count)).toEqual(counts);
      expectAllClose(
        bins.map((bin) => bin.startInclusive),
        edges.slice(0, -1),
      );
    });
  });

  test('the curve has logarithmic budgets from 1 to the largest one', () => {
    const curve = computeSuccessVsBudget([100, null], 1000);
    expect(curve[0]).toMatchObject({ x: 1, y: 0 });
    expect(curve.at(-1)).toMatchObject({ x: 1000, y: 0.5 });
    // The last of 63 equal ratios.
    expect(curve.at(-2)?.x).toBe(Math.round(1000 ** (62 / 63)));
  });

  test('each share has the Wilson interval of its runs', () => {
    const [first, last] = computeSuccessWithin([5, 50, null, 60], [10, 55]);
    expect(first).toEqual({ x: 10, y: 0.25, ...getEnds(1) });
    expect(last).toEqual({ x: 55, y: 0.5, ...getEnds(2) });
    function getEnds(solved: number) {
      const interval = computeWilsonInterval(solved, 4);
      return { ciLower: interval?.lower, ciUpper: interval?.upper };
    }
  });

  test('without runs or without any evaluations there is no curve', () => {
    expect(computeSuccessVsBudget([], 100)).toEqual([]);
    expect(computeSuccessVsBudget([null], 0)).toEqual([]);
  });

  test('the curve never falls', () => {
    const times = fc.array(fc.option(fc.integer({ min: 1, max: 500 })), { minLength: 1 });
    fc.assert(
      fc.property(times, (runs) => {
        const shares = computeSuccessVsBudget(Object.freeze(runs), 500).map(({ y }) => y);
        expect(shares).toEqual(shares.toSorted((a, b) => a - b));
      }),
    );
  });
});

describe('computeAnytimePerformance', () => {
  interface Case {
    name: string;
    kind?: string;
    direction: 'min' | 'max';
    levels: number[];
    trace: [number, number][];
    budget: number;
    run_best?: number;
    run_evaluations?: number;
    hits: (number | null)[];
    value: number;
  }

  describe('the anytime performance of a run agrees with the reference', () => {
    const { cases } = loadOracle('anytime') as { cases: Case[] };

    test.each(cases.filter(({ kind }) => kind !== 'groups'))('$name', (expected) => {
      const objective = makeObjective(expected.direction, null);
      const run = makeRun('a-1', expected.trace, {
        bestFitness: expected.run_best ?? null,
        evaluations: expected.run_evaluations ?? expected.trace.at(-1)?.[0] ?? null,
      });
      const times = getOutcomesAtLevels(
        addTraces([run], objective),
        expected.levels,
        objective,
      ).map(([outcome]) => outcome!.evaluationsToTarget);
      expect(times).toEqual(expected.hits);
      const value = computeAnytimePerformance(times, expected.budget);
      expect(Math.abs((value ?? NaN) - expected.value)).toBeLessThanOrEqual(1e-12);
    });
  });

  test('there is none without levels or budget', () => {
    expect(computeAnytimePerformance([], 100)).toBeNull();
    expect(computeAnytimePerformance([1], 0)).toBeNull();
  });

  test('it lies between 0 and 1, does not depend on the order of the levels, and is exactly equal where equal', () => {
    const times = fc.array(fc.option(fc.integer({ min: 0, max: 2_000 })), { minLength: 1 });
    fc.assert(
      fc.property(times, (levels) => {
        const value = computeAnytimePerformance(levels, 1_000);
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1);
        expect(computeAnytimePerformance(levels.toReversed(), 1_000)).toBe(value);
      }),
    );
    // Their sums differ in the last bit.
    expect(computeAnytimePerformance([2, 5], 1_000)).toBe(
      computeAnytimePerformance([1, 10], 1_000),
    );
  });
});

describe('Profiles', () => {
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

  const traceFrom = (history: History) => getTrace(Float64Array.from(history.flat()), 'min');

  describe.each(oracle.cases)('of the case $name', (expected) => {
    const solvers = (expected.t[0] ?? []).map((_, solver) => ({
      name: `solver ${solver}`,
      costs: expected.t.map((row) => row[solver] ?? NaN),
    }));

    test('performance profiles agree with the reference', () => {
      computePerformanceProfiles(solvers).forEach(({ points }, solver) => {
        const shares = expected.taus.map((tau) => getStepValue(points, tau));
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
        const points = computeDataProfile(
          costs.map((cost, problem) => ({
            evaluations: cost === Infinity ? null : cost,
            dimension: expected.dimension[problem] ?? null,
          })),
        );
        const shares = expected.alphas.map((alpha) => getStepValue(points, alpha));
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

    test.each(cases)(
      'has the threshold $threshold at the accuracy $tau',
      ({ tau, threshold, t }) => {
        const level = best + tau * (start - best);
        const index = profileAccuracies.findIndex((accuracy) => accuracy === tau);
        if (index >= 0) expectClose(getConvergenceLevels(start, best, 'min')[index], threshold);
        expectClose(level, threshold);
        for (const [solver, time] of Object.entries(t)) {
          expect(getFirstHit(traceFrom(histories[solver] ?? []), threshold)).toBe(time);
        }
      },
    );
  });

  test.each(oracle.meta.pooled_targets_ecdf)('pooled targets of $name agree', (expected) => {
    const traces = expected.runs.map(traceFrom);
    const hits = traces.map((trace) =>
      expected.targets.map((target) => getFirstHit(trace, target)),
    );
    expect(hits).toEqual(expected.hitting_evals);
    const curve = computeCumulativeSteps(hits.flat(), hits.flat().length);
    expectAllClose(
      expected.at.map((x) => getStepValue(curve, x)),
      expected.y_total,
    );
    const runtimes = expected.targets.map((_, target) =>
      computeExpectedRuntime(
        hits.map((times, run) => ({
          isSolved: times[target] !== null,
          evaluationsToTarget: times[target] ?? null,
          usedEvaluations: expected.budgets[run] ?? null,
        })),
      ),
    );
    expectAllClose(
      runtimes,
      expected.ert_per_target.map((ert) => (ert === Infinity ? null : ert)),
    );
  });

  test('levels approach the best, mirrored when maximising', () => {
    expect(getConvergenceLevels(100, 0, 'min')).toEqual([
      10,
      1,
      0.1,
      0.001,
      expect.closeTo(1e-5),
      0,
    ]);
    expect(getConvergenceLevels(0, 100, 'max').slice(0, 2)).toEqual([90, 99]);
    expect(getConvergenceLevels(0, 100, 'max').at(-1)).toBe(100);
  });

  test('a start that already is as good as the best makes every level the best', () => {
    expect(getConvergenceLevels(3, 5, 'min')).toEqual(Array(6).fill(5));
    expect(getConvergenceLevels(7, 5, 'max')).toEqual(Array(6).fill(5));
  });

  test('without a dimension a data profile counts plain evaluations', () => {
    expect(computeDataProfile([{ evaluations: 30, dimension: null }])).toEqual([{ x: 30, y: 1 }]);
    expect(computeDataProfile([{ evaluations: 30, dimension: 2 }])).toEqual([{ x: 10, y: 1 }]);
    expect(computeDataProfile([])).toEqual([]);
  });

  test('a solver that solves nothing has a flat profile, and no problems make no points', () => {
    const [flat] = computePerformanceProfiles([
      { name: 'a', costs: [null] },
      { name: 'b', costs: [5] },
    ]);
    expect(flat?.points).toEqual([{ x: 1, y: 0 }]);
    expect(computePerformanceProfiles([{ name: 'a', costs: [] }])).toEqual([
      { name: 'a', points: [] },
    ]);
    expect(computePerformanceProfiles([])).toEqual([]);
  });

  test('a cost of nothing is the best, and any other is infinitely far from it', () => {
    const profiles = computePerformanceProfiles([
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
        const plain = computePerformanceProfiles([
          { name: 'a', costs: Object.freeze(a) },
          { name: 'b', costs: b },
        ]);
        const large = computePerformanceProfiles([
          { name: 'a', costs: scaled(a) },
          { name: 'b', costs: scaled(b) },
        ]);
        expect(large).toEqual(plain);
      }),
    );
  });
});

const trial = (dimension: number, hits: number[], usedEvaluations: number) =>
  Object.freeze({ dimension, hits: Float64Array.from(hits), usedEvaluations });

/** Each trial is a cell, and all have the same targets. */
const getEcdf = (trials: readonly ReturnType<typeof trial>[], budget: number) =>
  computeTargetEcdf(collectTargetCosts(trials), {
    budget,
    cells: trials.length,
    targets: trials[0]?.hits.length ?? 0,
  });

describe('a runtime ECDF over targets', () => {
  const trials = [trial(2, [10, 20, Infinity], 100), trial(10, [50, 100, 200], 400)];

  test('counts pairs of a trial and a target, in evaluations over the dimension', () => {
    expect(getEcdf(trials, 50)).toMatchObject({
      pairs: 6,
      solvedPairs: 5,
      points: [
        { x: 5, y: 2 / 6 },
        { x: 10, y: 4 / 6 },
        { x: 20, y: 5 / 6 },
      ],
    });
  });

  test('has the same steps whether its costs are few whole numbers or not', () => {
    const hit = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.constant(Infinity));
    const some = fc.array(fc.array(hit, { minLength: 3, maxLength: 3 }), { minLength: 4 });
    fc.assert(
      fc.property(some, fc.constantFrom(1, 2, 5), (rows, dimension) => {
        const scaled = (factor: number) =>
          getEcdf(
            rows.map((hits) =>
              trial(
                dimension,
                hits.map((one) => factor * one),
                100,
              ),
            ),
            50,
          );
        const large = scaled(2 ** 20);
        const points = large.points.map(({ x, y }) => ({ x: x / 2 ** 20, y }));
        expect(scaled(1)).toMatchObject({ points, solvedPairs: large.solvedPairs });
      }),
    );
  });

  test('crosses at the median budget of the trials that missed a target', () => {
    expect(computeMedianUnsolvedEvaluations(trials)).toBe(50);
    expect(computeMedianUnsolvedEvaluations([...trials, trial(1, [Infinity], 10)])).toBe(30);
    expect(computeMedianUnsolvedEvaluations(trials.slice(1))).toBeNull();
  });

  test('has no points and no area without trials, or when nothing is solved', () => {
    expect(getEcdf([], 10)).toEqual({ pairs: 0, solvedPairs: 0, points: [], area: 0 });
    expect(getEcdf([trial(1, [Infinity], 9)], 10)).toMatchObject({ points: [], area: 0 });
  });

  test('has the area of its steps over the logarithm of x from 1 to the budget', () => {
    const hit = fc.oneof(fc.integer({ min: 1, max: 2000 }), fc.constant(Infinity));
    const some = fc.array(fc.tuple(fc.constantFrom(2, 5, 10), fc.array(hit, { maxLength: 9 })));
    fc.assert(
      fc.property(some, fc.double({ min: 1.5, max: 5000, noNaN: true }), (rows, budget) => {
        const all = rows.map(([dimension, hits]) => trial(dimension, [...hits, Infinity], 3000));
        const targets = all.reduce((sum, { hits }) => sum + hits.length, 0) / (all.length || 1);
        const { points, area } = computeTargetEcdf(collectTargetCosts(all), {
          budget,
          cells: all.length,
          targets,
        });
        const inside = points.map(({ x }) => x).filter((x) => x > 1 && x < budget);
        const edges = [1, ...inside, budget];
        const plain = edges
          .slice(1)
          .map((end, index) => {
            const start = edges[index] ?? 1;
            return getStepValue(points, start) * (Math.log10(end) - Math.log10(start));
          })
          .reduce((sum, part) => sum + part, 0);
        expect(area).toBeCloseTo(plain / Math.log10(budget), 10);
      }),
    );
  });

  test('counts each cell once, however many trials it has, and cells without a trial as unsolved', () => {
    const half = (hit: number) => ({ ...trial(1, [hit], 100), weight: 0.5 });
    const weighted = [half(10), half(40), trial(1, [20], 100)];
    const { points, pairs, solvedPairs, area } = computeTargetEcdf(collectTargetCosts(weighted), {
      budget: 100,
      cells: 4,
      targets: 1,
    });
    expect(points).toEqual([
      { x: 10, y: 0.125 },
      { x: 20, y: 0.375 },
      { x: 40, y: 0.5 },
    ]);
    expect({ pairs, solvedPairs }).toEqual({ pairs: 3, solvedPairs: 3 });
    const below = (hit: number) => 1 - Math.log(hit) / Math.log(100);
    expect(area).toBeCloseTo((0.5 * below(10) + 0.5 * below(40) + below(20)) / 4, 12);
  });

  test('has one step for equal costs of cells with different numbers of trials', () => {
    const quarter = (hit: number) => ({ ...trial(2, [hit, Infinity], 100), weight: 1 / 4 });
    const getSteps = (weightedTrials: readonly TargetHits[], cells: number) =>
      computeTargetEcdf(collectTargetCosts(weightedTrials), { budget: 50, cells, targets: 2 })
        .points;
    expect(getSteps([quarter(20), quarter(40), quarter(40), quarter(40)], 1)).toEqual([
      { x: 10, y: 1 / 8 },
      { x: 20, y: 1 / 2 },
    ]);
    const quarters = [quarter(20), quarter(20), quarter(40), quarter(40)];
    expect(getSteps([...quarters, trial(2, [20, 40], 100)], 2)).toEqual([
      { x: 10, y: 3 / 8 },
      { x: 20, y: 3 / 4 },
    ]);
  });

  test('counts a cost of any size, whole or not', () => {
    const hits = [2.5, 2.5, ...Array.from({ length: 49_997 }, () => 5), 200_000];
    expect(getEcdf([trial(5, hits, 1_000)], 50_000).points).toEqual([
      { x: 0.5, y: 2 / 50_000 },
      { x: 1, y: 49_999 / 50_000 },
      { x: 40_000, y: 1 },
    ]);
  });

  test('is the same whether its trials were collected together or in parts', () => {
    const weighted = fc.record({
      dimension: fc.constantFrom(2, 5),
      hits: fc.array(fc.oneof(fc.integer({ min: 1, max: 50 }), fc.constant(Infinity)), {
        minLength: 3,
        maxLength: 3,
      }),
      weight: fc.constantFrom(1, 0.5),
    });
    fc.assert(
      fc.property(fc.array(fc.array(weighted)), (parts) => {
        const make = (part: (typeof parts)[number]) =>
          part.map(({ dimension, hits, weight }) => ({ ...trial(dimension, hits, 60), weight }));
        const options = { budget: 20, cells: 9, targets: 3 };
        const joined = joinTargetCosts(parts.map(make).map(collectTargetCosts));
        expect(computeTargetEcdf(joined, options)).toEqual(
          computeTargetEcdf(collectTargetCosts(parts.flatMap(make)), options),
        );
      }),
    );
  });

  test('is the share at the budget where that leaves no room for an area', () => {
    expect(getEcdf([trial(10, [5, 20], 30)], 1).area).toBe(0.5);
    expect(getEcdf([trial(10, [5, 20], 30)], 0.4).area).toBe(0);
  });

  test('of very many steps sends those that are apart, each with its own value', () => {
    const hits = Array.from({ length: 20_000 }, (_, index) => index + 1);
    const { points } = getEcdf([trial(1, hits, 20_000)], 20_000);
    expect(points.length).toBeLessThan(600);
    expect(points.length).toBeGreaterThan(300);
    for (const { x, y } of points) expect(y).toBe(x / 20_000);
    expect(points.at(-1)).toEqual({ x: 20_000, y: 1 });
  });
});

describe('simulated restarts', () => {
  const trials = [
    trial(1, [10, Infinity, Infinity], 100),
    trial(1, [20, 50, Infinity], 200),
    trial(1, [Infinity, Infinity, Infinity], 300),
  ];

  test('solve every target that any trial solved, after whole trials that missed it', () => {
    const extended = simulateRestarts(trials, 'seed');
    expect(extended.map(({ hits }) => hits[2])).toEqual([Infinity, Infinity, Infinity]);
    expect(extended.map(({ hits }) => hits[0]).slice(0, 2)).toEqual([10, 20]);
    for (const index of [0, 2]) {
      const spent = (extended[index]?.hits[1] ?? 0) - 50 - (trials[index]?.usedEvaluations ?? 0);
      expect(spent % 100).toBe(0);
      expect(spent).toBeGreaterThanOrEqual(0);
    }
  });

  test('never draw or continue a trial of unknown evaluations, which would cost nothing', () => {
    const unknownTrial = trial(1, [Infinity, Infinity, Infinity], 0);
    const extended = simulateRestarts([...trials, unknownTrial], 'seed');
    expect(extended.slice(0, 3)).toEqual(simulateRestarts(trials, 'seed'));
    expect(extended[3]).toEqual(unknownTrial);
    expect(simulateRestarts([unknownTrial], 'seed')).toEqual([unknownTrial]);
  });

  test('are the same for the same seed, and leave the trials as they were', () => {
    expect(simulateRestarts(trials, 'a')).toEqual(simulateRestarts(trials, 'a'));
    expect(trials[0]?.hits[1]).toBe(Infinity);
    expect(simulateRestarts([], 'a')).toEqual([]);
  });

  test('take the theoretical time on average: half of the trials solve', () => {
    const half = Array.from({ length: 2_000 }, (_, index) =>
      trial(1, [index % 2 === 0 ? 10 : Infinity], 100),
    );
    const extended = simulateRestarts(half, 'mean').map(({ hits }) => hits[0] ?? NaN);
    const unsolved = extended.filter((hit) => hit > 10);
    const mean = unsolved.reduce((sum, hit) => sum + hit, 0) / unsolved.length;
    expect(mean).toBeGreaterThan(190);
    expect(mean).toBeLessThan(230);
  });
});
