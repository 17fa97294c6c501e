import { describe, expect, it } from 'vitest';
import { differencesAmong } from '#server/analysis/across-differences.ts';
import { makeObjective, makeRun, traced } from './sample-runs.ts';

const group = (count: number, evaluations: number, firstStatus = 'COMPLETED') => {
  const made = Array.from({ length: count }, (_, index) =>
    makeRun(`r${index}`, [[evaluations, 1]]),
  );
  const runs = traced(made, makeObjective('min', null));
  return {
    runs: runs.map((run, index) => ({
      ...run,
      evaluations,
      status: index === 0 ? firstStatus : 'COMPLETED',
    })),
  };
};

describe('differencesAmong', () => {
  it('is null for groups with equal runs, and for budgets within 5 %', () => {
    const none = { budget: null, runs: null, completed: null };
    expect(differencesAmong([group(5, 1_000), group(5, 1_000)])).toEqual(none);
    expect(differencesAmong([group(5, 1_000), group(5, 950)])).toEqual(none);
    expect(differencesAmong([])).toEqual(none);
  });

  it('states the smallest and the largest budget, number of runs and share of completed runs', () => {
    expect(differencesAmong([group(5, 1_000), group(5, 949)]).budget).toEqual({
      least: 949,
      most: 1_000,
    });
    expect(differencesAmong([group(5, 1_000), group(4, 1_000)]).runs).toEqual({
      least: 4,
      most: 5,
    });
    expect(differencesAmong([group(5, 1_000), group(5, 1_000, 'FAILED')]).completed).toEqual({
      least: 0.8,
      most: 1,
    });
  });
});
