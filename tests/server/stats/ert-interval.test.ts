import { describe, expect, test } from 'vitest';
import { ertInterval, expectedRuntimeInterval } from '#server/stats/ert-interval.ts';
import { seededRandom } from '#server/stats/seeded-random.ts';
import { loadOracle } from './oracle.ts';

interface Case {
  name: string;
  evaluations: number[];
  success: boolean[];
  accept_lower: [number, number];
  accept_upper: [number, number];
}

const outcomesOf = ({ evaluations, success }: Pick<Case, 'evaluations' | 'success'>) =>
  evaluations.map((spent, index) => ({
    solved: success[index] === true,
    evaluationsToTarget: success[index] === true ? spent : null,
    budget: spent,
  }));

describe('the bootstrap interval of an ERT', () => {
  const { cases } = loadOracle('ert_bootstrap') as { cases: Case[] };

  test.each(cases)('lies where exact enumeration allows it: $name', (one) => {
    const { lower, upper } = ertInterval(outcomesOf(one)) ?? {};
    expect(isWithin(lower ?? Infinity, one.accept_lower), `lower ${lower}`).toBe(true);
    expect(isWithin(upper ?? Infinity, one.accept_upper), `upper ${upper}`).toBe(true);
  });

  test('is the same for another order of the runs, and null without any', () => {
    const runs = outcomesOf({
      evaluations: [5, 9, 30, 12, 40],
      success: [true, true, false, true, false],
    });
    expect(ertInterval(runs.toReversed())).toEqual(ertInterval(runs));
    expect(ertInterval([])).toBeNull();
    expect(ertInterval([{ solved: true, evaluationsToTarget: null, budget: 1 }])).toBeNull();
  });
});

describe('the MOVER interval of an expected runtime within a budget', () => {
  const solvedAfter = (times: number[]) =>
    times.map((time) => ({ solved: true, evaluationsToTarget: time, budget: 2_000 }));
  const times = [200, 300, 500, 800, 1_200];
  const missed = { solved: false, evaluationsToTarget: null, budget: 2_000 };

  test('agrees with values computed by hand from its definition', () => {
    const some = expectedRuntimeInterval([...solvedAfter(times), missed, missed], 2_000);
    expect(some?.lower).toBeCloseTo(640.676, 3);
    expect(some?.upper).toBeCloseTo(4_514.041, 3);
    const all = expectedRuntimeInterval(solvedAfter(times), 2_000);
    expect(all?.lower).toBeCloseTo(227.335, 3);
    expect(all?.upper).toBeCloseTo(2_308.353, 3);
  });

  test('is null without a solved run, and leaves out runs of unknown effort', () => {
    expect(expectedRuntimeInterval([], 100)).toBeNull();
    expect(expectedRuntimeInterval([missed, missed], 2_000)).toBeNull();
    const unknown = { solved: true, evaluationsToTarget: null, budget: 5 };
    expect(expectedRuntimeInterval([unknown], 100)).toBeNull();
    expect(expectedRuntimeInterval([...solvedAfter(times), unknown], 2_000)).toEqual(
      expectedRuntimeInterval(solvedAfter(times), 2_000),
    );
  });

  test('reaches from below the runtime of a single solved run to beyond the budget', () => {
    const { lower, upper } = expectedRuntimeInterval(solvedAfter([400]), 2_000) ?? {};
    expect(lower).toBe(0);
    expect(upper).toBeGreaterThan(2_000);
  });

  test('contains the expected runtime for equal, zero and huge runtimes', () => {
    for (const values of [
      [7, 7, 7],
      [0, 0],
      [1, 1e300],
    ]) {
      const center = values.reduce((sum, value) => sum + value / values.length, 0);
      const budget = Math.max(...values, 10);
      const { lower, upper } = expectedRuntimeInterval(solvedAfter(values), budget) ?? {};
      expect(lower).toBeLessThanOrEqual(center);
      expect(upper ?? Infinity).toBeGreaterThanOrEqual(center);
    }
  });
});

function isWithin(value: number, [least, most]: [number, number]): boolean {
  if (value === Infinity) return most === Infinity;
  return value >= least * (1 - 1e-9) && value <= most * (1 + 1e-9);
}

test('a seeded stream depends on its text alone, and is uniform', () => {
  const [one, same, other] = [seededRandom('a'), seededRandom('a'), seededRandom('b')];
  const values = Array.from({ length: 10_000 }, one);
  expect(values).toEqual(Array.from({ length: 10_000 }, same));
  expect(other()).not.toBe(values[0]);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  expect(mean).toBeCloseTo(0.5, 1);
  expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...values)).toBeLessThan(1);
});
