import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnEachDatabase, openTestDatabase } from '#tests/support/databases.ts';
import { countRows, insert, insertExperiment, insertRun } from '#tests/support/rows.ts';
import { loadSample } from '#tests/support/sample.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

describeOnEachDatabase('deletion of a COCO campaign', (database) => {
  let service: TestService;
  let artifacts: string;

  beforeAll(async () => {
    artifacts = await mkdtemp(join(tmpdir(), 'evoscope-artifacts-'));
    await loadSample(database());
    service = await startService(database(), {
      artifactsDirectory: artifacts,
      isInThisThread: true,
    });
  });
  afterAll(async () => {
    await service.close();
    await rm(artifacts, { recursive: true, force: true });
  });

  const getPath = (campaignId: string) => `/api/coco/campaigns/${encodeURIComponent(campaignId)}`;
  const remove = async (campaignId: string, from = service, query = '') => {
    const response = await fetch(`${from.url}${getPath(campaignId)}${query}`, { method: 'DELETE' });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const preview = (campaignId: string) =>
    service.get<Record<string, unknown>>(`${getPath(campaignId)}/deletion-preview`);

  /** A campaign with one trial of a run of an experiment. */
  async function insertCampaign(id: string, status: string, columns = {}): Promise<void> {
    await insert(database(), 'coco_campaigns', { campaign_id: id, status, ...columns });
    await insert(database(), 'coco_optimizer_configs', { campaign_id: id });
    await insertExperiment(database(), `${id}-e`);
    await insertRun(database(), `${id}-e`, `${id}-r`);
    await insert(database(), 'coco_trials', { campaign_id: id, run_id: `${id}-r` });
  }

  test('deletes its optimizers, trials, aggregates and experiments, in the numbers of the preview', async () => {
    const before = await countRows(database());
    await mkdir(join(artifacts, 'runs', 'bbob-small-cma-es-f1-d2-i1-r1'), { recursive: true });
    const expected = await preview('bbob-small');
    expect(expected).toMatchObject({
      campaignId: 'bbob-small',
      deletable: true,
      runningRuns: 0,
      needsForce: false,
      countsKey: expect.any(String) as string,
      trialsDeleted: 48,
      optimizersDeleted: 2,
      aggregatesDeleted: 4,
      runsDeleted: 48,
      iterationsDeleted: 156,
      artifactDirectoriesDeleted: 1,
      annotationsDeleted: 0,
    });
    expect(await countRows(database())).toEqual(before);
    const { status, body } = await remove('bbob-small');
    expect(status).toBe(200);
    const { deleted, ...counters } = body;
    expect(deleted).toBe(true);
    expect(expected).toMatchObject(counters);
    const after = await countRows(database());
    expect(after['runs']).toBe((before['runs'] ?? 0) - 48);
    expect(after['experiments']).toBe(
      (before['experiments'] ?? 0) - Number(expected['experimentsDeleted']),
    );
    expect(await readdir(join(artifacts, 'runs'))).toEqual([]);
    expect(await service.get('/api/runs?trials=only')).toMatchObject({ total: 0 });
    expect((await remove('bbob-small')).status).toBe(404);
    const references = await database()
      .kysely.selectFrom('coco_reference_results')
      .selectAll()
      .execute();
    expect(references).toHaveLength(6);
  });

  test('with the key of a preview, deletes nothing if a trial was added since', async () => {
    await insertCampaign('grown', 'COMPLETED');
    const { countsKey } = await preview('grown');
    await insertRun(database(), 'grown-e', 'grown-r2');
    await insert(database(), 'coco_trials', {
      campaign_id: 'grown',
      run_id: 'grown-r2',
      instance_id: 2,
    });
    const before = await countRows(database());
    expect(await remove('grown', service, `?countsKey=${String(countsKey)}`)).toMatchObject({
      status: 409,
      body: {
        code: 'COUNTS_CHANGED',
        detail:
          'The service did not delete campaign "grown", because its data have changed since the preview. Request the preview again and confirm its counts',
      },
    });
    expect(await countRows(database())).toEqual(before);
    const { countsKey: newKey } = await preview('grown');
    expect(await remove('grown', service, `?countsKey=${String(newKey)}`)).toMatchObject({
      status: 200,
      body: { trialsDeleted: 2 },
    });
  });

  test('does not delete experiments with other runs or with trials of another campaign', async () => {
    await insertCampaign('one', 'COMPLETED');
    await insertCampaign('two', 'COMPLETED');
    await insertCampaign('both', 'COMPLETED');
    await insertRun(database(), 'one-e', 'of-somebody');
    await insert(database(), 'coco_trials', {
      campaign_id: 'both',
      run_id: 'two-r',
      instance_id: 2,
    });
    expect((await remove('one')).body).toMatchObject({ trialsDeleted: 1, experimentsDeleted: 0 });
    expect((await remove('two')).body).toMatchObject({ trialsDeleted: 1, experimentsDeleted: 0 });
    expect(await service.get('/api/runs/one-r')).toMatchObject({ runId: 'one-r' });
    expect((await remove('both')).body).toMatchObject({ trialsDeleted: 2, experimentsDeleted: 2 });
    expect(await service.getProblem('/api/runs/two-r')).toMatchObject({ status: 404 });
  });

  test('is refused while a run of it is RUNNING, or if it has recently added trials', async () => {
    await insertCampaign('live', 'RUNNING', { started_at: new Date().toISOString() });
    await database()
      .kysely.updateTable('runs')
      .set({ status: 'RUNNING' })
      .where('run_id', '=', 'live-r')
      .execute();
    const created_at = new Date().toISOString();
    await database()
      .kysely.updateTable('coco_trials')
      .set({ created_at })
      .where('run_id', '=', 'live-r')
      .execute();
    const rows = await countRows(database());
    expect(await remove('live')).toMatchObject({
      status: 409,
      body: {
        code: 'RUNS_ACTIVE',
        detail: `The service cannot delete campaign "live" while it is RUNNING and active: its last activity was at ${created_at}. Wait until it ends or adds no more trials`,
      },
    });
    await database()
      .kysely.updateTable('coco_campaigns')
      .set({ status: 'FAILED' })
      .where('campaign_id', '=', 'live')
      .execute();
    expect(await remove('live')).toMatchObject({
      status: 409,
      body: {
        detail:
          'The service cannot delete campaign "live" while "live-r" is RUNNING: stop it first',
      },
    });
    expect(await preview('live')).toMatchObject({ deletable: false, runningRuns: 1 });
    expect(await countRows(database())).toEqual(rows);
  });

  test('is refused while the newest trial of a RUNNING campaign is recent, also without a RUNNING run', async () => {
    await insertCampaign('growing', 'RUNNING');
    await insertRun(database(), 'growing-e', 'growing-r2');
    await insert(database(), 'coco_trials', {
      campaign_id: 'growing',
      run_id: 'growing-r2',
      instance_id: 2,
      created_at: new Date().toISOString(),
    });
    const rows = await countRows(database());
    expect(await preview('growing')).toMatchObject({ deletable: false, runningRuns: 0 });
    expect(await remove('growing')).toMatchObject({ status: 409, body: { code: 'RUNS_ACTIVE' } });
    expect(await countRows(database())).toEqual(rows);
  });

  test('is allowed for a RUNNING campaign without recent trials, and is 404 for an unknown one', async () => {
    await insertCampaign('lost', 'RUNNING');
    expect(await preview('lost')).toMatchObject({ deletable: true });
    expect((await remove('lost')).status).toBe(200);
    expect(await service.getProblem(`${getPath('no/body')}/deletion-preview`)).toMatchObject({
      code: 'CAMPAIGN_NOT_FOUND',
      detail: 'There is no campaign with the id "no/body". Select another campaign',
    });
  });

  test('is refused in a read-only database', async () => {
    await insertCampaign('kept', 'COMPLETED');
    const readOnly = await openTestDatabase(database().url, { isReadOnly: true });
    const other = await startService(readOnly, { isInThisThread: true });
    expect((await remove('kept', other)).body).toMatchObject({ code: 'READ_ONLY' });
    await other.close();
    await readOnly.close();
    expect((await preview('kept'))['trialsDeleted']).toBe(1);
  });
});
