import { expect, test, vi } from 'vitest';
import * as handling from '#server/runtime/run-handler.ts';
import { runSmallAnalyses } from '#server/runtime/warm-up.ts';

vi.mock('#server/runtime/run-handler.ts', { spy: true });

test('all analyses of a warm-up succeed', async () => {
  const run = vi.mocked(handling.runHandler).mockClear();
  await runSmallAnalyses({ version: '1' }, () => false);
  const outcomes = await Promise.all(run.mock.results.map(({ value }) => value as Promise<object>));
  expect(run.mock.calls.map(([, name]) => name)).toContain('compareProblem');
  for (const { body } of outcomes as { body: Uint8Array }[])
    expect(body.byteLength).toBeGreaterThan(100);
});

test('a cancelled warm-up stops after the current analysis', async () => {
  const run = vi.mocked(handling.runHandler).mockClear();
  let checks = 0;
  await runSmallAnalyses({ version: '1' }, () => ++checks > 1);
  expect(run).toHaveBeenCalledTimes(1);
});
