import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ecdfOfAllRuns, ecdfOfSuccessfulRuns } from '#server/stats/ecdf.ts';
import { cumulativeSteps, stepValueAt } from '#server/stats/step-curve.ts';
import { expectAllClose, expectClose, loadOracle } from './oracle.ts';

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
  const all = ecdfOfAllRuns(expected.runtimes);
  const successful = ecdfOfSuccessfulRuns(expected.runtimes);

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
    expectClose(all.at(-1)?.y ?? null, expected.step_x.length === 0 ? null : expected.limit_total);
  });

  test('values between the steps agree with the reference', () => {
    expected.at.forEach((x, index) => {
      expectClose(stepValueAt(all, x), expected.y_total[index] ?? 0);
      expectClose(stepValueAt(successful, x), expected.y_success[index] ?? 0);
    });
  });
});

test('without successes both curves are empty', () => {
  expect(ecdfOfAllRuns([null, null])).toEqual([]);
  expect(ecdfOfSuccessfulRuns([null])).toEqual([]);
});

test('an infinite cost makes no step but stays in the denominator', () => {
  expect(cumulativeSteps([2, Infinity, null], 4)).toEqual([{ x: 2, y: 0.25 }]);
});

test('the curve rises at each step, up to the success rate', () => {
  const times = fc.array(fc.option(fc.integer({ min: 0, max: 20 })), { minLength: 1 });
  fc.assert(
    fc.property(times, (runtimes) => {
      const curve = ecdfOfAllRuns(Object.freeze(runtimes));
      for (const [index, { x, y }] of curve.entries()) {
        expect(x).toBeGreaterThan(curve[index - 1]?.x ?? -1);
        expect(y).toBeGreaterThan(curve[index - 1]?.y ?? 0);
      }
      const solved = runtimes.filter((time) => time !== null).length;
      expect(curve.at(-1)?.y ?? 0).toBe(solved / runtimes.length);
    }),
  );
});
