import { expect, test } from 'vitest';
import { cumulativeSteps, stepValueAt } from '#server/stats/step-curve.ts';

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
