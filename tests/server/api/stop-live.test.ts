import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { Page } from '#shared/schemas/common.ts';
import type { ExperimentItem } from '#shared/schemas/experiment.ts';
import type { RunDetail, RunItem } from '#shared/schemas/run.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { resolveProgramFile } from '#tests/support/programs.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

const root = join(import.meta.dirname, '../../..');
const patience = { timeout: 60_000, interval: 100 };

describeOnEachDatabase('a runner in a separate process', (database) => {
  let service: TestService;
  let runners: ChildProcess[] = [];

  beforeAll(async () => {
    service = await startService(database());
  });
  afterEach(async () => {
    for (const runner of runners.filter(({ exitCode }) => exitCode === null)) {
      runner.kill('SIGKILL');
      await once(runner, 'exit');
    }
    runners = [];
  });
  afterAll(() => service.close());

  /** At most two runs at a time, each of which takes half a minute when it is left alone. */
  const startRunner = (seeds: number) => {
    const flags = [
      '--live',
      '--interval',
      '1000',
      '--iterations',
      '5000',
      '--only',
      'onemax40-pbil',
    ];
    const script = [resolveProgramFile('sample-runner'), '--db', database().url, ...flags];
    const parameters = [...script, '--seeds', String(seeds)];
    runners.push(spawn(process.execPath, parameters, { cwd: root, stdio: 'ignore' }));
  };
  const runningRuns = async () =>
    (await service.get<Page<RunItem>>('/api/runs?status=RUNNING')).items;
  const stop = async (path: string) => {
    const response = await fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"reason":"seen enough"}',
    });
    expect(response.status).toBe(200);
    return (await response.json()) as { affectedRuns: number };
  };

  test(
    'ends a run after its current iteration and acknowledges the request by the run’s id',
    { timeout: 120_000 },
    async () => {
      startRunner(1);
      const run = await vi.waitUntil(async () => (await runningRuns())[0], patience);
      await stop(`/api/runs/${run.runId}/stop`);
      const ended = await vi.waitUntil(async () => {
        const detail = await service.get<RunDetail>(`/api/runs/${run.runId}`);
        const isRead = detail.stopRequest?.status === 'ACKNOWLEDGED';
        return detail.status === 'STOPPED' && isRead && detail;
      }, patience);
      expect(ended.stopRequest).toMatchObject({
        scope: 'run',
        reason: 'seen enough',
        acknowledgedByRunId: run.runId,
      });
      const iterations = await service.get<{ iteration: number }[]>(
        `/api/runs/${run.runId}/iterations?fields=scalars`,
      );
      expect(iterations.at(-1)?.iteration).toBe(ended.iterations);
    },
  );

  test('ends all three RUNNING runs of a stopped experiment', { timeout: 120_000 }, async () => {
    startRunner(2);
    await vi.waitUntil(async () => (await runningRuns()).length === 2, patience);
    startRunner(1);
    const runs = await vi.waitUntil(async () => {
      const found = await runningRuns();
      return found.length === 3 && found;
    }, patience);
    const [experimentId, ...others] = new Set(runs.map((run) => run.experimentId));
    expect(others).toEqual([]);
    const { affectedRuns } = await stop(`/api/experiments/${experimentId}/stop`);
    expect(affectedRuns).toBe(3);
    await vi.waitUntil(async () => (await runningRuns()).length === 0, patience);
    for (const { runId } of runs) {
      const detail = await service.get<RunDetail>(`/api/runs/${runId}`);
      expect(detail).toMatchObject({ status: 'STOPPED' });
    }
    const { items } = await service.get<Page<ExperimentItem>>('/api/experiments');
    expect(items[0]).toMatchObject({ experimentId, stoppedRuns: 4, runningRuns: 0 });
    const requests = await database()
      .kysely.selectFrom('control_requests')
      .select(['status', 'acknowledged_by_run_id'])
      .execute();
    expect(requests.map(({ status }) => status)).toEqual(
      Array.from({ length: requests.length }, () => 'ACKNOWLEDGED'),
    );
  });
});
