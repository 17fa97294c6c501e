import { describe, expect, it } from 'vitest';
import { budgetLimits, type BudgetedRun } from '#server/domain/claims/common-budget.ts';

const run = (fields: Partial<BudgetedRun>): BudgetedRun => ({
  status: 'COMPLETED',
  granted: 1_000,
  spent: 1_000,
  hasMissed: true,
  ...fields,
});
const limits = (...runs: BudgetedRun[]) =>
  budgetLimits(runs).map(({ evaluations, source }) => [evaluations, source]);

describe('budgetLimits', () => {
  it('has the granted budgets, the smallest first, and not where runs ended that were granted more', () => {
    expect(limits(run({}), run({ granted: 500, spent: 400 }))).toEqual([
      [500, 'granted'],
      [1_000, 'granted'],
    ]);
  });

  it('has the ends of runs that missed the target where some run states no granted budget', () => {
    expect(limits(run({ granted: null, spent: 300 }), run({ spent: 900 }))).toEqual([
      [300, 'observed'],
      [900, 'observed'],
      [1_000, 'granted'],
    ]);
    expect(limits(run({ granted: null, spent: 300, hasMissed: false }))).toEqual([]);
  });

  it('has where runs were stopped without the target, and what RUNNING ones have spent', () => {
    const stopped = { status: 'STOPPED', spent: 200 };
    expect(limits(run(stopped))[0]).toEqual([200, 'stopped']);
    expect(limits(run({ ...stopped, hasMissed: false }))[0]).toEqual([1_000, 'granted']);
    expect(limits(run({ status: 'RUNNING', spent: 50 }))[0]).toEqual([50, 'running']);
  });

  it('is not limited by where a FAILED run ended', () => {
    expect(limits(run({ status: 'FAILED', granted: null, spent: 10 }))).toEqual([]);
  });
});
