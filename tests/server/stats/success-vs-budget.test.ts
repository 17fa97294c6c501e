import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { equalWidthHistogram } from '#server/stats/histogram.ts';
import { successVsBudget, successWithin } from '#server/stats/success-vs-budget.ts';
import { wilsonInterval } from '#server/stats/wilson-interval.ts';
import { expectAllClose, loadOracle } from './oracle.ts';

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
    const curve = successWithin(times, budgets);
    expectAllClose(
      budgets.map((_, index) => curve[index]?.y),
      rates,
    );
  });

  test('bins of the times to target agree with the reference', () => {
    const { times_of_successful_runs: times, edges = [], counts } = expected;
    if (!times) return;
    const bins = equalWidthHistogram(times, 5);
    expect(bins.map(({ count }) => count)).toEqual(counts);
    expectAllClose(
      bins.map((bin) => bin.startInclusive),
      edges.slice(0, -1),
    );
  });
});

test('the curve stands at logarithmic budgets from 1 to the largest one', () => {
  const curve = successVsBudget([100, null], 1000);
  expect(curve[0]).toMatchObject({ x: 1, y: 0 });
  expect(curve.at(-1)).toMatchObject({ x: 1000, y: 0.5 });
  expect(curve.length).toBeLessThanOrEqual(64);
});

test('each share has the Wilson interval of its runs', () => {
  const [first, last] = successWithin([5, 50, null, 60], [10, 55]);
  expect(first).toEqual({ x: 10, y: 0.25, ...endsOf(1) });
  expect(last).toEqual({ x: 55, y: 0.5, ...endsOf(2) });
  function endsOf(solved: number) {
    const interval = wilsonInterval(solved, 4);
    return { ciLower: interval?.lower, ciUpper: interval?.upper };
  }
});

test('without runs or without any evaluations there is no curve', () => {
  expect(successVsBudget([], 100)).toEqual([]);
  expect(successVsBudget([null], 0)).toEqual([]);
});

test('the curve never falls', () => {
  const times = fc.array(fc.option(fc.integer({ min: 1, max: 500 })), { minLength: 1 });
  fc.assert(
    fc.property(times, (runs) => {
      const shares = successVsBudget(Object.freeze(runs), 500).map(({ y }) => y);
      expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    }),
  );
});
