import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { importDataSets } from '#server/import/import-data-sets.ts';
import { FolderWatch } from '#server/import/watch/watch-folder.ts';
import { settledType } from '#server/repositories/events.ts';
import { updateRun } from '#server/repositories/recording.ts';
import { listDataSets } from '#server/services/data-sets.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { clearTables } from '#tests/support/growth.ts';
import { insert } from '#tests/support/rows.ts';

const data = 'data_f1_Sphere/IOHprofiler_f1_DIM2.dat';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evoscope-watch-again-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Writes the first rows of a run, as a logger that writes its index at the end. */
function beginRun(): void {
  mkdirSync(dirname(join(folder, data)));
  appendFileSync(join(folder, data), 'evaluations raw_y\n1 40.0\n3 20.0\n');
}

/** Writes the last row of the run and the index, which names the algorithm and the instance. */
function endRun(): void {
  appendFileSync(join(folder, data), '20 20.0\n');
  const index = {
    version: '0.4.2',
    suite: 'BBOB',
    function_id: 1,
    function_name: 'Sphere',
    maximization: false,
    algorithm: { name: 'search', info: '' },
    attributes: ['evaluations', 'raw_y'],
    scenarios: [{ dimension: 2, path: data, runs: [{ instance: 4, evals: 20 }] }],
  };
  writeFileSync(join(folder, 'IOHprofiler_f1_Sphere.json'), JSON.stringify(index));
}

describeOnEachDatabase('a folder whose watch ended before its logger', (database) => {
  afterEach(() => clearTables(database()));

  const startWatch = () => new FolderWatch(database(), folder, { name: 'set' }, () => {});
  const importFolder = () => importDataSets(database(), { path: folder }, { name: 'set' });

  const listRuns = async () =>
    (await database().kysely.selectFrom('runs').select(['run_id', 'status']).execute()).map(
      ({ run_id, status }) => [run_id.slice('imp-123456789012-'.length), status],
    );

  test.each(['watched', 'imported'])('contains each run once when it is %s again', async (how) => {
    beginRun();
    const watch = startWatch();
    await watch.poll(new AbortController().signal);
    await watch.finish();
    expect(await listRuns()).toEqual([['f1-d2-i0-r1', 'STOPPED']]);
    endRun();
    if (how === 'watched') await startWatch().poll(new AbortController().signal);
    else await importFolder();
    expect(await listRuns()).toEqual([['f1-d2-i4-r1', 'COMPLETED']]);
    const optimizers = database().kysely.selectFrom('coco_optimizer_configs');
    expect(await optimizers.select('optimizer_id').execute()).toEqual([{ optimizer_id: 'search' }]);
  });

  test('contains each run once when it is imported again after a user settled a run', async () => {
    beginRun();
    await startWatch().poll(new AbortController().signal);
    const { run_id } = await database()
      .kysely.selectFrom('runs')
      .select('run_id')
      .executeTakeFirstOrThrow();
    await updateRun(database(), run_id, { status: 'FAILED' });
    await insert(database(), 'events', { run_id, event_type: settledType });
    expect(await listDataSets(database())).toMatchObject([{ name: 'set', runCount: 1 }]);
    endRun();
    await importFolder();
    expect(await listRuns()).toEqual([['f1-d2-i4-r1', 'COMPLETED']]);
    const events = database().kysely.selectFrom('events').where('run_id', 'is not', null);
    expect(await events.select('run_id').execute()).toEqual([]);
  });

  test('has no RUNNING campaign if the files of an unfinished run are deleted', async () => {
    beginRun();
    endRun();
    appendFileSync(join(folder, data), 'evaluations raw_y\n1 40.0\n');
    const watch = startWatch();
    await watch.poll(new AbortController().signal);
    const readStatuses = async () => {
      const campaigns = database().kysely.selectFrom('coco_campaigns');
      return (await campaigns.select('status').execute()).map(({ status }) => status);
    };
    expect(await readStatuses()).toEqual(['RUNNING']);
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    await watch.poll(new AbortController().signal);
    await watch.finish();
    expect(await readStatuses()).toEqual(['COMPLETED']);
    const statuses = (await listRuns()).map(([, status]) => status);
    expect(new Set(statuses)).toEqual(new Set(['COMPLETED', 'STOPPED']));
  });

  test('retains the rows of a file that was replaced after the last poll, with notes', async () => {
    beginRun();
    endRun();
    const watch = startWatch();
    await watch.poll(new AbortController().signal);
    rmSync(join(folder, data));
    writeFileSync(join(folder, data), 'evaluations raw_y\n1 99.0\n2 98.0\n3 97.0\n20 77.0\n');
    const { notes } = await watch.finish();
    expect(notes.map(({ code }) => code).sort()).toEqual(['FILE_REPLACED', 'STORED_DIFFERENTLY']);
    const rows = database().kysely.selectFrom('iterations').select('best_fitness');
    expect((await rows.orderBy('iteration').execute()).map((row) => row.best_fitness)).toEqual([
      40, 20, 20,
    ]);
  });
});
