import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deleteExperiment } from '#server/services/deletion.ts';
import type { Annotation } from '#shared/schemas/annotation.ts';
import type {
  BulkDeletionResponse,
  DeletionPreview,
  DeletionResponse,
} from '#shared/schemas/experiment.ts';
import {
  describeOnEachDatabase,
  openTestDatabase,
  type TestDatabase,
} from '#tests/support/databases.ts';
import { whySkipped } from '#tests/support/long.ts';
import {
  countRows,
  insert,
  insertExperiment,
  insertIterations,
  insertRun,
  deleteAllRows,
} from '#tests/support/rows.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

describeOnEachDatabase('deletion of experiments', (database, engine) => {
  let service: TestService;
  let artifacts: string;

  beforeAll(async () => {
    artifacts = await mkdtemp(join(tmpdir(), 'evoscope-artifacts-'));
    service = await startService(database(), {
      artifactsDirectory: artifacts,
      isInThisThread: true,
    });
  });
  beforeEach(() => deleteAllRows(database()));
  afterAll(async () => {
    await service.close();
    await rm(artifacts, { recursive: true, force: true });
  });

  const remove = async (experimentId: string, query = '') => {
    const path = `/api/experiments/${encodeURIComponent(experimentId)}${query}`;
    const response = await fetch(`${service.url}${path}`, { method: 'DELETE' });
    return { status: response.status, body: (await response.json()) as DeletionResponse };
  };
  const removeAll = async (experimentIds: unknown, countsKeys?: Record<string, string>) => {
    const response = await fetch(`${service.url}/api/experiments/delete-bulk`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ experimentIds, countsKeys }),
    });
    return { status: response.status, body: (await response.json()) as BulkDeletionResponse };
  };

  test('deletes and counts all rows of the experiment, and no others', async () => {
    await insertWhole(database(), 'kept', 'k');
    // A run may have the id of another experiment, and an experiment that of another run.
    await insertRun(database(), 'kept', 'gone');
    await insertStopRequest(database(), 'run', 'gone');
    await insertStopRequest(database(), 'experiment', 'g-1');
    const before = await countRows(database());
    await insertWhole(database(), 'gone', 'g');
    await mkdir(join(artifacts, 'runs', 'g-1', 'deep'), { recursive: true });
    await mkdir(join(artifacts, 'runs', 'k-1'), { recursive: true });
    const expected = {
      runsDeleted: 2,
      runObjectivesDeleted: 1,
      iterationsDeleted: 10,
      checkpointsDeleted: 1,
      eventsDeleted: 1,
      controlRequestsDeleted: 2,
      paramsDeleted: 1,
      artifactDirectoriesDeleted: 1,
      annotationsDeleted: 0,
    };
    expect(await service.get('/api/experiments/gone/deletion-preview')).toEqual({
      experimentId: 'gone',
      deletable: true,
      lockSeconds: expect.any(Number) as number,
      needsForce: false,
      countsKey: expect.any(String) as string,
      runningRuns: 0,
      ...expected,
    });
    expect(await remove('gone')).toEqual({
      status: 200,
      body: { experimentId: 'gone', deleted: true, ...expected },
    });
    expect(await countRows(database())).toEqual(before);
    expect(await readdir(join(artifacts, 'runs'))).toEqual(['k-1']);
    expect((await remove('gone')).status).toBe(404);
  });

  test('returns 404 for an unknown experiment in all three calls', async () => {
    const detail = 'There is no experiment with the id "nobody". Select another experiment';
    expect(await remove('nobody')).toMatchObject({ status: 404, body: { detail } });
    expect(await service.getProblem('/api/experiments/nobody/deletion-preview')).toMatchObject({
      code: 'EXPERIMENT_NOT_FOUND',
      detail,
    });
    expect((await removeAll(['nobody'])).body.items).toEqual([
      { experimentId: 'nobody', deleted: false, reason: 'NOT_FOUND' },
    ]);
  });

  test('refuses an experiment with a RUNNING run, and the response names the run', async () => {
    await insertWhole(database(), 'active', 'a');
    await insertRun(database(), 'active', 'a-live', { status: 'RUNNING' });
    const before = await countRows(database());
    expect(await remove('active')).toMatchObject({
      status: 409,
      body: {
        code: 'RUNS_ACTIVE',
        detail:
          'The service cannot delete experiment "active" while "a-live" is RUNNING: stop it first',
      },
    });
    expect(await service.get('/api/experiments/active/deletion-preview')).toMatchObject({
      deletable: false,
      runningRuns: 1,
    });
    expect(await countRows(database())).toEqual(before);
  });

  test('succeeds if the annotations cannot be read after the transaction', async () => {
    await insertWhole(database(), 'deleted', 'd');
    const { documents } = database().dialect;
    const read = async () => {
      if ((await countRows(database()))['experiments'] === 0) throw new Error('read failed');
      return documents.read();
    };
    const dialect = { ...database().dialect, documents: { ...documents, read } };
    const warnings: string[] = [];
    const logger = { warn: (_: object, text: string) => void warnings.push(text), error: () => {} };
    expect(
      await deleteExperiment({ database: { ...database(), dialect }, logger }, 'deleted', {
        force: false,
      }),
    ).toMatchObject({ deleted: true, runsDeleted: 2, annotationsDeleted: 0 });
    expect(warnings).toEqual([
      'Cannot delete the annotations of deleted runs and experiments. No action is necessary, because pages hide them',
    ]);
  });

  describe('with the key of a preview', () => {
    const readKey = async (experimentId: string) =>
      (await service.get<DeletionPreview>(`/api/experiments/${experimentId}/deletion-preview`))
        .countsKey;

    test('deletes an experiment whose data have not changed since', async () => {
      await insertWhole(database(), 'same', 's');
      expect(await remove('same', `?countsKey=${await readKey('same')}`)).toMatchObject({
        status: 200,
        body: { runsDeleted: 2 },
      });
    });

    test.each<[string, () => Promise<unknown>]>([
      ['an added run', () => insertRun(database(), 'changed', 'c-new')],
      [
        'a run instead of another one',
        () =>
          database()
            .kysely.updateTable('runs')
            .set({ run_id: 'c-new' })
            .where('run_id', '=', 'c-2')
            .execute(),
      ],
      ['an added iteration', () => insertIterations(database(), 'c-2', 1)],
      [
        'a note',
        async () => {
          const path = `${service.url}/api/annotations/run/c-1`;
          const { version } = await service.get<Annotation>('/api/annotations/run/c-1');
          const response = await fetch(path, {
            method: 'PUT',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ version, note: 'important' }),
          });
          expect(response.status).toBe(200);
        },
      ],
    ])('deletes nothing after %s', async (_, change) => {
      await insertWhole(database(), 'changed', 'c');
      const countsKey = await readKey('changed');
      await change();
      const before = await countRows(database());
      expect(await remove('changed', `?countsKey=${countsKey}`)).toMatchObject({
        status: 409,
        body: {
          code: 'COUNTS_CHANGED',
          detail:
            'The service did not delete experiment "changed", because its data have changed since the preview. Request the preview again and confirm its counts',
        },
      });
      expect(await countRows(database())).toEqual(before);
      expect(await remove('changed', `?countsKey=${await readKey('changed')}`)).toMatchObject({
        status: 200,
      });
    });

    test('a bulk deletion deletes only the experiments whose data have not changed', async () => {
      await insertWhole(database(), 'same', 's');
      await insertWhole(database(), 'changed', 'c');
      await insertWhole(database(), 'constructor', 'k');
      const countsKeys = { same: await readKey('same'), changed: await readKey('changed') };
      await insertRun(database(), 'changed', 'c-new');
      const { body } = await removeAll(['same', 'changed', 'constructor'], countsKeys);
      expect(body).toMatchObject({ deletedCount: 2, blockedCount: 1 });
      expect(body.items).toEqual([
        { experimentId: 'same', deleted: true, reason: 'DELETED' },
        { experimentId: 'changed', deleted: false, reason: 'COUNTS_CHANGED' },
        { experimentId: 'constructor', deleted: true, reason: 'DELETED' },
      ]);
    });

    test('refuses an empty key instead of ignoring it', async () => {
      await insertWhole(database(), 'same', 's');
      expect(await remove('same', '?countsKey=')).toMatchObject({ status: 400 });
      expect((await removeAll(['same'], { same: '' })).status).toBe(400);
    });
  });

  test.each(['..', '.', '../x', '/etc', 'a/b', '%2e%2e', ''])(
    'deletes the rows of a run with the id %j, and nothing outside the artifacts',
    async (runId) => {
      const inside = join(artifacts, 'runs', 'other');
      await mkdir(inside, { recursive: true });
      await insertExperiment(database(), 'hostile');
      await insertRun(database(), 'hostile', runId);
      const { status, body } = await remove('hostile');
      expect(status).toBe(200);
      expect(body).toMatchObject({ runsDeleted: 1, artifactDirectoriesDeleted: 0 });
      expect(await readdir(artifacts)).toEqual(['runs']);
      expect(await readdir(join(artifacts, 'runs'))).toContain('other');
    },
  );

  test('deletes an experiment whose id needs encoding', async () => {
    await insertExperiment(database(), 'a/b %?#ü');
    expect((await remove('a/b %?#ü')).status).toBe(200);
  });

  test('counts a run as RUNNING that becomes so on another connection immediately before', async () => {
    await insertExperiment(database(), 'race');
    await insertRun(database(), 'race', 'runner');
    const other = await openTestDatabase(database().url);
    const started = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const writing = other.dialect.withWriteTransaction(async (transaction) => {
      await transaction
        .updateTable('runs')
        .set({ status: 'RUNNING' })
        .where('run_id', '=', 'runner')
        .execute();
      started.resolve();
      await release.promise;
    });
    await started.promise;
    const deleting = remove('race');
    // Answered after the deletion was begun.
    await fetch(`${service.url}/api/health`);
    release.resolve();
    await writing;
    expect(await deleting).toMatchObject({ status: 409, body: { code: 'RUNS_ACTIVE' } });
    await other.close();
    expect((await countRows(database()))['runs']).toBe(1);
  });

  test('reports RUNNING, unknown and duplicate ids among 500 experiments', async () => {
    const ids = Array.from({ length: 497 }, (_, index) => `bulk-${index}`);
    const rows = ids.map((id) => ({ experiment_id: id, config_hash: id }));
    await insert(database(), 'experiments', ...rows);
    await insertExperiment(database(), 'active');
    await insertRun(database(), 'active', 'live', { status: 'RUNNING' });
    const { status, body } = await removeAll([...ids, 'active', 'nobody', 'bulk-0']);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      deletedCount: 497,
      blockedCount: 1,
      missingCount: 1,
      errorCount: 0,
    });
    expect(body.items).toHaveLength(499);
    expect(body.items.at(-2)).toEqual({
      experimentId: 'active',
      deleted: false,
      reason: 'RUNNING',
    });
    expect(body.items.at(-1)).toEqual({
      experimentId: 'nobody',
      deleted: false,
      reason: 'NOT_FOUND',
    });
    expect((await countRows(database()))['experiments']).toBe(1);
    // Each is deleted in its own transaction, which takes long with other work.
  }, 120_000);

  // It waits for as long as a write waits for a lock.
  const why = engine === 'postgres' ? whySkipped : '';
  test.skipIf(why)(
    `in bulk ends with 503 while the database is busy, and can be repeated for the remaining experiments${why}`,
    async () => {
      for (const id of ['first', 'second', 'third']) await insertExperiment(database(), id);
      const other = await openTestDatabase(database().url);
      const held = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      const holding = other.dialect.withWriteTransaction(async (transaction) => {
        await transaction.updateTable('experiments').set({ run_name: 'held' }).execute();
        held.resolve();
        await release.promise;
      });
      await held.promise;
      const { status, body } = await removeAll(['first', 'second', 'third']);
      release.resolve();
      await holding;
      await other.close();
      expect(status).toBe(503);
      expect(body).toMatchObject({ code: 'DATABASE_BUSY' });
      expect((await countRows(database()))['experiments']).toBe(3);
      expect((await removeAll(['first', 'second', 'third'])).body.deletedCount).toBe(3);
    },
  );

  test('in bulk refuses an empty list, more than 500 ids and other values', async () => {
    await insertExperiment(database(), 'kept');
    const tooMany = Array.from({ length: 501 }, (_, index) => `id-${index}`);
    for (const ids of [[], tooMany, 'kept', [''], [7], undefined, null]) {
      expect((await removeAll(ids)).status, JSON.stringify(ids)?.slice(0, 20)).toBe(400);
    }
    expect((await countRows(database()))['experiments']).toBe(1);
  });

  test('is refused with READ_ONLY by a read-only database, and changes nothing', async () => {
    await insertExperiment(database(), 'kept');
    const readOnly = await openTestDatabase(database().url, { isReadOnly: true });
    const other = await startService(readOnly, { isInThisThread: true });
    try {
      const deletion = await other.getProblem('/api/experiments/kept', { method: 'DELETE' });
      expect(deletion).toMatchObject({ status: 409, code: 'READ_ONLY' });
      const bulk = await other.getProblem('/api/experiments/delete-bulk', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"experimentIds":["kept"]}',
      });
      expect(bulk).toMatchObject({ status: 409, code: 'READ_ONLY' });
    } finally {
      await other.close();
      await readOnly.close();
    }
    expect((await countRows(database()))['experiments']).toBe(1);
  });
});

/** An experiment with a row in each table that a deletion empties, and two runs. */
async function insertWhole(database: TestDatabase, experimentId: string, prefix: string) {
  const { kysely } = database;
  await insertExperiment(database, experimentId);
  await insertRun(database, experimentId, `${prefix}-1`);
  await insertRun(database, experimentId, `${prefix}-2`, { status: 'FAILED' });
  await insertIterations(database, `${prefix}-1`, 10);
  await kysely
    .insertInto('run_objectives')
    .values({ run_id: `${prefix}-1`, objective_name: 'best', objective_value: 1 })
    .execute();
  await kysely
    .insertInto('checkpoints')
    .values({ run_id: `${prefix}-1`, iteration: 1, checkpoint_path: 'p', created_at: 't' })
    .execute();
  await kysely
    .insertInto('events')
    .values({ run_id: `${prefix}-1`, event_type: 'x', payload_json: '{}', created_at: 't' })
    .execute();
  await kysely
    .insertInto('experiment_params')
    .values({
      experiment_id: experimentId,
      section: 's',
      param_path: 's.a',
      leaf_key: 'a',
      value_type: 'string',
      value_text: 'v',
      value_number: null,
      value_boolean: null,
      value_json: null,
    })
    .execute();
  await insertStopRequest(database, 'experiment', experimentId);
  await insertStopRequest(database, 'run', `${prefix}-2`);
}

async function insertStopRequest(
  { kysely }: TestDatabase,
  scope: 'experiment' | 'run',
  target: string,
) {
  await kysely
    .insertInto('control_requests')
    .values({
      scope,
      target_id: target,
      action: 'STOP',
      requested_at: 't',
      requested_by: null,
      reason: null,
      status: 'PENDING',
      acknowledged_at: null,
      acknowledged_by_run_id: null,
    })
    .execute();
}
