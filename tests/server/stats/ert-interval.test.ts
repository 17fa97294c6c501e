import { describe, expect, test } from 'vitest';
import { ertInterval } from '#server/stats/ert-interval.ts';
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
