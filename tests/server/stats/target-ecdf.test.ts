import { describe, expect, test } from 'vitest';
import { logarithmicTargets, targetEcdf } from '#server/stats/target-ecdf.ts';
import { expectClose } from './oracle.ts';

describe('the ECDF over targets', () => {
  test('has 51 targets from 10² to 10⁻⁸ unless told otherwise', () => {
    const targets = logarithmicTargets();
    expect(targets).toHaveLength(51);
    expectClose(targets[0], 100);
    expectClose(targets[10], 1);
    expectClose(targets.at(-1), 1e-8);
    expect(logarithmicTargets(10, 1, 1)).toEqual([10]);
  });

  test('counts pairs of a trial and a target, in evaluations over the dimension', () => {
    const ecdf = targetEcdf([
      { dimension: 2, hits: [10, 20, null], budget: 100 },
      { dimension: 10, hits: [50, 100, 200], budget: 400 },
    ]);
    expect(ecdf).toEqual({
      points: [
        { x: 5, y: 2 / 6 },
        { x: 10, y: 4 / 6 },
        { x: 20, y: 5 / 6 },
      ],
      budgetCross: 50,
    });
  });

  test('has no points without trials, and no cross when all is solved', () => {
    expect(targetEcdf([])).toEqual({ points: [], budgetCross: null });
    expect(targetEcdf([{ dimension: 1, hits: [3], budget: 9 }]).budgetCross).toBeNull();
  });
});
