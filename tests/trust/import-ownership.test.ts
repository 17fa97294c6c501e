import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { importDataSets } from '#server/import/import-data-sets.ts';
import type { ImportOptions } from '#server/import/read-data-set.ts';
import { tableNames } from '#server/db/tables.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { insert } from '#tests/support/rows.ts';
import { startService } from '#tests/support/test-service.ts';

const folder = mkdtempSync(join(tmpdir(), 'evoscope-ownership-'));
afterAll(() => rmSync(folder, { recursive: true }));

const table = join(folder, 'set.csv');
const lines = ['1,1,10,5', '1,1,20,4', '2,1,10,6', '2,1,30,3'];
writeFileSync(
  table,
  [
    'algorithm,problem,instance,dimension,evaluations,best',
    ...lines.map((line) => `A,bbob-f${line}`),
  ]
    .map((line) => line.replace(/^(A,bbob-f)(\d),(\d),/, '$11,$2,2,'))
    .join('\n') + '\n',
);

describeOnEachDatabase('The deletion of an imported data set', (database) => {
  const importSet = (options: ImportOptions = {}) =>
    importDataSets(database(), { path: table }, { name: 'set', direction: 'min', ...options });

  const importedExperiment = async () => {
    const { rows } = await sql<{ experiment_id: string }>`
      select experiment_id from runs where run_id like 'imp-%' limit 1`.execute(database().kysely);
    return rows[0]?.experiment_id ?? '';
  };

  const runIds = async () => {
    const rows = await database().kysely.selectFrom('runs').select('run_id').execute();
    return rows.map(({ run_id }) => run_id).sort();
  };

  const execute = (statement: string) => sql.raw(statement).execute(database().kysely);

  /** A runner's experiment with all parameters of the imported one, as a copied configuration has them. */
  const copyExperiment = async (id: string) => {
    const source = await importedExperiment();
    await insert(database(), 'experiments', { experiment_id: id, config_hash: id });
    const columns =
      'section, param_path, leaf_key, value_type, value_text, value_number, value_boolean, value_json';
    await execute(`insert into experiment_params (experiment_id, ${columns})
      select '${id}', ${columns} from experiment_params where experiment_id = '${source}'`);
  };

  beforeEach(async () => {
    for (const name of tableNames.toReversed()) await database().kysely.deleteFrom(name).execute();
    await importSet();
  });

  test('retains a runner’s experiment with a copied configuration, and its runs with any ids and status', async () => {
    await copyExperiment('running');
    await copyExperiment('alike');
    await copyExperiment('empty');
    const alike = 'imp-0123456789ab-f1-d2-i1-r1';
    await insert(
      database(),
      'runs',
      { run_id: 'live', experiment_id: 'running', status: 'RUNNING' },
      { run_id: alike, experiment_id: 'alike', status: 'COMPLETED' },
    );
    const before = await runIds();
    await importSet({ replace: true });
    await importSet();
    expect(await runIds()).toEqual(before);
    const service = await startService(database());
    const response = await fetch(`${service.url}/api/datasets/set`, { method: 'DELETE' });
    expect(await response.json()).toMatchObject({ experimentsDeleted: 1, runsDeleted: 2 });
    expect(await service.get('/api/datasets')).toEqual([]);
    await service.close();
    expect(await runIds()).toEqual([alike, 'live']);
    const left = await database()
      .kysely.selectFrom('experiments')
      .select('experiment_id')
      .execute();
    expect(left.map((row) => row.experiment_id).sort()).toEqual(['alike', 'empty', 'running']);
  });

  test('retains a runner’s runs in the imported experiment, and the experiment', async () => {
    const experiment_id = await importedExperiment();
    await insert(database(), 'runs', { run_id: 'joined', experiment_id, status: 'RUNNING' });
    await importSet({ replace: true });
    expect(await runIds()).toContain('joined');
    expect((await runIds()).length).toBe(3);
  });

  test('retains a campaign with trials of a runner', async () => {
    await execute(`insert into coco_trials (campaign_id, optimizer_id, run_id, function_id, instance_id, dimension,
      repetition, budget_evals, evaluations, status, reached_target, target_value, created_at)
      select campaign_id, optimizer_id, 'live', 9, 9, 9, 9, 1, 1, 'COMPLETED', 0, 1, '' from coco_trials limit 1`);
    await expect(importSet({ replace: true })).rejects.toMatchObject({
      code: 'IMPORT_CONFLICT',
      message: expect.stringMatching(
        /^The database holds rows with the ids of "set" that no import of this name wrote \(imp-[0-9a-f]{16}\): import under another name$/,
      ) as string,
    });
  });

  test('is refused while one of its runs is RUNNING', async () => {
    await execute(`update runs set status = 'Running' where run_id like 'imp-%-i2-r1'`);
    const before = await runIds();
    await expect(importSet({ replace: true })).rejects.toMatchObject({
      code: 'RUNS_ACTIVE',
      message: expect.stringMatching(
        /^"set" has runs that are RUNNING \(imp-[0-9a-f]{12}-f1-d2-i2-r1\): stop them first$/,
      ) as string,
    });
    expect(await runIds()).toEqual(before);
  });

  test('never removes a run of a runner that has the id of an imported one', async () => {
    await execute(`update runs set run_id = 'mine' where run_id like 'imp-%-i2-r1'`).catch(
      () => {},
    );
    const id = (await runIds()).find((one) => one.endsWith('-i1-r1')) ?? '';
    await insert(database(), 'events', {
      run_id: id,
      event_type: 'run_started',
      payload_json: '{}',
    });
    await expect(importSet({ replace: true })).rejects.toMatchObject({ code: 'IMPORT_CONFLICT' });
    expect(await runIds()).toContain(id);
  });

  test('removes only references that an import wrote', async () => {
    await importSet({ name: 'other', asReference: true });
    await execute(`update coco_reference_results set source_url = 'https://example.invalid/'`);
    const count = async () =>
      (await database().kysely.selectFrom('coco_reference_results').selectAll().execute()).length;
    const before = await count();
    expect(before).toBeGreaterThan(0);
    await expect(importSet({ asReference: true })).rejects.toMatchObject({
      code: 'IMPORT_CONFLICT',
      message:
        'The database holds references of "A" in bbob that no import wrote: import without writing references',
    });
    expect(await count()).toBe(before);
  });

  test('ignores events that are not JSON', async () => {
    const { rows } = await sql<{ payload_json: string }>`
      select payload_json from events where event_type = 'imported'`.execute(database().kysely);
    const cut = rows[0]?.payload_json.slice(0, -1) ?? '';
    for (const payload of [cut, 'null', '[]', '{"dataset":7}']) {
      await insert(database(), 'events', {
        event_type: 'imported',
        run_id: null,
        payload_json: payload,
      });
    }
    expect(await importSet()).toMatchObject({ skipped: 2 });
    expect(await importSet({ replace: true })).toMatchObject({ dataset: 'set' });
  });
});
