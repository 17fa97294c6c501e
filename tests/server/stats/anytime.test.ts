import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { outcomesOfLevels } from '#server/domain/outcome.ts';
import { anytimePerformance } from '#server/stats/anytime.ts';
import { makeObjective, makeRun, traced } from '#tests/server/analysis/sample-runs.ts';
import { loadOracle } from './oracle.ts';

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
    const times = outcomesOfLevels(traced([run], objective), expected.levels, objective).map(
      ([outcome]) => outcome!.evaluationsToTarget,
    );
    expect(times).toEqual(expected.hits);
    const value = anytimePerformance(times, expected.budget);
    expect(Math.abs((value ?? NaN) - expected.value)).toBeLessThanOrEqual(1e-12);
  });
});

test('there is none without levels or budget', () => {
  expect(anytimePerformance([], 100)).toBeNull();
  expect(anytimePerformance([1], 0)).toBeNull();
});

test('it lies between 0 and 1, does not depend on the order of the levels, and is exactly equal where equal', () => {
  const times = fc.array(fc.option(fc.integer({ min: 0, max: 2_000 })), { minLength: 1 });
  fc.assert(
    fc.property(times, (levels) => {
      const value = anytimePerformance(levels, 1_000);
      expect(value).toBeGreaterThanOrEqual(0);
      expect(value).toBeLessThanOrEqual(1);
      expect(anytimePerformance(levels.toReversed(), 1_000)).toBe(value);
    }),
  );
  // Their sums differ in the last bit.
  expect(anytimePerformance([2, 5], 1_000)).toBe(anytimePerformance([1, 10], 1_000));
});
