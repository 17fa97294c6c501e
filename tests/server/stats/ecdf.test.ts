import * as fc from 'fast-check';
import {
  cumulativeSteps,
  stepValueAt,
  ecdfOfAllRuns,
  ecdfOfSuccessfulRuns,
} from '#server/stats/ecdf.ts';
import { expect, test, describe } from 'vitest';
import { expectAllClose, expectClose, loadOracle } from './oracle.ts';

test('each distinct cost makes one step to the share reached with it', () => {
  expect(cumulativeSteps(new Set([3, 1]), 4)).toEqual([
    { x: 1, y: 0.25 },
    { x: 3, y: 0.5 },
  ]);
  expect(cumulativeSteps([2, 2, 1], 3)).toEqual([
    { x: 1, y: 1 / 3 },
    { x: 2, y: 1 },
  ]);
});

test('costs that are not reached make no step and stay in the denominator', () => {
  expect(cumulativeSteps([null, Infinity, 5], 3)).toEqual([{ x: 5, y: 1 / 3 }]);
  expect(cumulativeSteps([null], 1)).toEqual([]);
  expect(cumulativeSteps([], 0)).toEqual([]);
});

test('between steps the curve keeps its value, and it starts at 0', () => {
  const curve = Object.freeze([
    { x: 1, y: 0.25 },
    { x: 3, y: 0.5 },
  ]);
  expect([0.9, 1, 2.9, 3, 99].map((x) => stepValueAt(curve, x))).toEqual([0, 0.25, 0.25, 0.5, 0.5]);
  expect(stepValueAt([], 1)).toBe(0);
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
