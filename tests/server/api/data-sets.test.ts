import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DataSet, DataSetDeletionPreview } from '#shared/schemas/import.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { makeBenchmark } from '#tests/support/benchmark-data.ts';
import { importThrough } from '#tests/support/imports.ts';
import { countRows, insert, insertExperiment, insertRun } from '#tests/support/rows.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

const folder = mkdtempSync(join(tmpdir(), 'evoscope-data-sets-'));
const benchmark = makeBenchmark({ functions: 2, dimensions: [2], instances: 3 });
const table = join(folder, 'table.csv');
// Two suites and experiments of none, under one name.
writeFileSync(
  table,
  'algorithm,problem,instance,seed,evaluations,best\nA,f1,1,1,1,5\nA,f1,1,1,9,2\nB,own,,7,1,3\nB,own,,7,4,1\n',
);
afterAll(() => {
  benchmark.remove();
  rmSync(folder, { recursive: true });
});

describeOnEachDatabase('an imported data set', (database) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(database(), { isInThisThread: true });
    await insertExperiment(database(), 'of-a-runner');
    await insertRun(database(), 'of-a-runner', 'other-run');
    await importThrough(service, { path: benchmark.folder }, 'name=a/b');
    await importThrough(service, { path: table }, 'name=kept&direction=min');
  });
  afterAll(() => service.close());

  const address = `/api/datasets/${encodeURIComponent('a/b')}`;
  const remove = async (query = '') => {
    const response = await fetch(`${service.url}${address}${query}`, { method: 'DELETE' });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  test('is listed with its campaigns, experiments and runs', async () => {
    const dataSets = await service.get<DataSet[]>('/api/datasets');
    expect(dataSets).toMatchObject([
      {
        name: 'a/b',
        campaigns: [{ campaignId: expect.stringMatching(/^imp-/) as string, suite: 'bbob' }],
        experimentCount: 2,
        runCount: 6,
        importedAt: expect.stringMatching(/^20/) as string,
      },
      { name: 'kept', runCount: 2 },
    ]);
  });

  test('is not deleted while a run of it is RUNNING', async () => {
    const [run] = await database().kysely.selectFrom('coco_trials').select('run_id').execute();
    const { kysely } = database();
    const setStatus = (status: string) =>
      kysely.updateTable('runs').set({ status }).where('run_id', '=', run!.run_id).execute();
    await setStatus('RUNNING');
    const preview = await service.get<DataSetDeletionPreview>(`${address}/deletion-preview`);
    expect(preview).toMatchObject({ deletable: false, runningRuns: 1 });
    expect(await remove()).toMatchObject({
      status: 409,
      body: {
        code: 'RUNS_ACTIVE',
        detail: `The service cannot delete data set "a/b" while "${run!.run_id}" is RUNNING: stop it first`,
      },
    });
    await setStatus('COMPLETED');
  });

  test('is deleted as a whole, as the preview states, and nothing else is deleted', async () => {
    const before = await countRows(database());
    const preview = await service.get<DataSetDeletionPreview>(`${address}/deletion-preview`);
    expect(preview).toMatchObject({
      name: 'a/b',
      deletable: true,
      campaignsDeleted: 1,
      experimentsDeleted: 2,
      trialsDeleted: 6,
      optimizersDeleted: 1,
      runsDeleted: 6,
      iterationsDeleted: 300,
    });
    const { status, body } = await remove();
    expect(status).toBe(200);
    const { deleted, ...counters } = body;
    expect(deleted).toBe(true);
    expect(preview).toMatchObject(counters);
    const after = await countRows(database());
    expect((before['runs'] ?? 0) - (after['runs'] ?? 0)).toBe(6);
    expect(await service.get('/api/coco/campaigns?q=a/b')).toMatchObject({ total: 0 });
    expect((await service.get<DataSet[]>('/api/datasets')).map(({ name }) => name)).toEqual([
      'kept',
    ]);
    expect(await remove()).toMatchObject({
      status: 404,
      body: {
        code: 'DATASET_NOT_FOUND',
        detail: 'No experiment or campaign belongs only to data set "a/b". Select another data set',
      },
    });
  });

  test('of a table without a suite is deleted too, except rows that another campaign refers to', async () => {
    await insert(database(), 'coco_campaigns', { campaign_id: 'foreign', status: 'COMPLETED' });
    await insert(database(), 'coco_optimizer_configs', { campaign_id: 'foreign' });
    const [shared] = await database()
      .kysely.selectFrom('runs as r')
      .innerJoin('experiments as e', 'e.experiment_id', 'r.experiment_id')
      .select(['r.run_id', 'r.experiment_id'])
      .where('e.algorithm_type', '=', 'B')
      .execute();
    await insert(database(), 'coco_trials', { campaign_id: 'foreign', run_id: shared!.run_id });
    const response = await fetch(`${service.url}/api/datasets/kept`, { method: 'DELETE' });
    expect(await response.json()).toMatchObject({ campaignsDeleted: 0, experimentsDeleted: 1 });
    const left = await database()
      .kysely.selectFrom('experiments')
      .select('experiment_id')
      .execute();
    expect(left.map(({ experiment_id }) => experiment_id).sort()).toEqual(
      ['of-a-runner', shared!.experiment_id].sort(),
    );
    expect(await service.get('/api/datasets')).toMatchObject([{ name: 'kept' }]);
    expect(await service.getProblem('/api/datasets/kept/deletion-preview')).toMatchObject({
      status: 404,
      detail: 'No experiment or campaign belongs only to data set "kept". Select another data set',
    });
  });
});
