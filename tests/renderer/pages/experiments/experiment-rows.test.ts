import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '#shared/api.ts';
import {
  getErt,
  getSuccess,
  addComputedValues,
} from '#renderer/pages/experiments/experiment-rows.ts';

const page = (...items: object[]) =>
  ({ items, total: items.length }) as ResponseBody<'listExperiments'>;

describe('addComputedValues', () => {
  test('shows the stored rows before the computed values are there', () => {
    const stored = page({ experimentId: 'a', totalRuns: 3 });
    expect(addComputedValues(stored, undefined)).toBe(stored);
    expect(addComputedValues(undefined, stored)).toBeUndefined();
  });

  test('adds the computed values to the rows of the same experiments, and changes nothing else', () => {
    const stored = page({ experimentId: 'a', totalRuns: 3 }, { experimentId: 'b', totalRuns: 1 });
    const computed = page({ experimentId: 'a', totalRuns: 2, successRate: 0.5, ert: 20 });
    expect(addComputedValues(stored, computed)).toEqual(
      page(
        { experimentId: 'a', totalRuns: 3, successRate: 0.5, ert: 20 },
        { experimentId: 'b', totalRuns: 1 },
      ),
    );
  });
});

test('success and ERT have a value only with a target and runs', () => {
  const row = { totalRuns: 3, successfulRuns: 0, targetFitness: 0, successRate: 0, ert: null };
  expect([getSuccess(row), getErt(row)]).toEqual([0, Infinity]);
  const empty = { ...row, totalRuns: 0 };
  expect([getSuccess(empty), getErt(empty)]).toEqual([undefined, undefined]);
  const aimless = { ...row, targetFitness: null };
  expect([getSuccess(aimless), getErt(aimless)]).toEqual([undefined, undefined]);
  const unknown = { ...row, successfulRuns: 2 };
  expect(getErt(unknown)).toBeUndefined();
});
