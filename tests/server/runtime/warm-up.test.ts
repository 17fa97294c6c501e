import { expect, test, vi } from 'vitest';
import * as handling from '#server/runtime/run-handler.ts';
import { runSmallAnalyses } from '#server/runtime/warm-up.ts';

vi.mock('#server/runtime/run-handler.ts', { spy: true });

test('A thread warms up by analyses that all succeed', async () => {
  const run = vi.mocked(handling.runHandler).mockClear();
  await runSmallAnalyses({ version: '1' }, () => false);
  const outcomes = await Promise.all(run.mock.results.map(({ value }) => value as Promise<object>));
  expect(run.mock.calls.map(([, name]) => name)).toContain('compareProblem');
  for (const { body } of outcomes as { body: Uint8Array }[])
    expect(body.byteLength).toBeGreaterThan(100);
});

test('A thread that warms up stops after the current analysis when it is cancelled', async () => {
  const run = vi.mocked(handling.runHandler).mockClear();
  let checks = 0;
  await runSmallAnalyses({ version: '1' }, () => ++checks > 1);
  expect(run).toHaveBeenCalledTimes(1);
});
