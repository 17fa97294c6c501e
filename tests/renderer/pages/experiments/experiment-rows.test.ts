import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '#shared/api.ts';
import { withComputed } from '#renderer/pages/experiments/experiment-rows.ts';

const page = (...items: object[]) =>
  ({ items, total: items.length }) as ResponseBody<'listExperiments'>;

describe('withComputed', () => {
  test('shows the stored rows before the computed values are there', () => {
    const stored = page({ experimentId: 'a', totalRuns: 3 });
    expect(withComputed(stored, undefined)).toBe(stored);
    expect(withComputed(undefined, stored)).toBeUndefined();
  });

  test('adds the computed values to the rows of the same experiments, and changes nothing else', () => {
    const stored = page({ experimentId: 'a', totalRuns: 3 }, { experimentId: 'b', totalRuns: 1 });
    const computed = page({ experimentId: 'a', totalRuns: 2, successRate: 0.5, ert: 20 });
    expect(withComputed(stored, computed)).toEqual(
      page(
        { experimentId: 'a', totalRuns: 3, successRate: 0.5, ert: 20 },
        { experimentId: 'b', totalRuns: 1 },
      ),
    );
  });
});
