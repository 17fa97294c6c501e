import { expect, test } from 'vitest';
import { getListedRuntime } from '#renderer/features/runs/listed-runtime.ts';

test('a RUNNING run has a runtime from its first iteration on, as on its own page', () => {
  const getRuntime = (status: string, iteration: number | null) => {
    const progress = { iteration, lastActivityAt: '2026-11-21T10:55:09Z' };
    const run = { status, startTime: '2026-11-21T10:55:00Z', runtimeMillis: 5, progress };
    return getListedRuntime(run as unknown as Parameters<typeof getListedRuntime>[0]);
  };
  expect(getRuntime('RUNNING', null)).toBeNull();
  expect(getRuntime('RUNNING', 0)).toBe(9000);
  expect(getRuntime('COMPLETED', null)).toBe(5);
});
