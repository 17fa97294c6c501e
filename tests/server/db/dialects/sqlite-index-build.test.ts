import { spawn } from 'node:child_process';
import { once } from 'node:events';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { buildSqliteIndex, createSqliteIndex } from '#server/db/dialects/sqlite-index-build.ts';
import { recordOwnWrite } from '#server/db/dialects/sqlite-driver.ts';
import { makeSqliteLocation, openTestDatabase } from '#tests/support/databases.ts';

const index = {
  name: 'idx_test',
  table: 'iterations',
  columns: ['run_id', 'iteration', 'best_fitness'],
} as const;

/** Limits with which every build is long. */
const zeroLimits = { harmlessMillis: 0, quietMillis: 300 };

const oldTime = '2020-01-01T00:00:00Z';

describe('A long build of an index', () => {
  let location: Awaited<ReturnType<typeof makeSqliteLocation>>;
  let handle: SqliteDatabase.Database;

  beforeEach(async () => {
    location = await makeSqliteLocation();
    await (await openTestDatabase(location.url)).close();
    handle = new SqliteDatabase(location.file);
    handle.pragma('foreign_keys = off');
  });
  afterEach(async () => {
    handle.close();
    await location.remove();
  });

  const insertRun = (status: string, startTime: string, lastIteration: string) => {
    handle
      .prepare(
        "insert into runs (run_id, experiment_id, seed, status, start_time) values ('r', 'e', 1, ?, ?)",
      )
      .run(status, startTime);
    handle
      .prepare(
        `insert into iterations (run_id, iteration, evaluations, best_fitness, mean_fitness, std_fitness, created_at)
         values ('r', 0, 1, 1, 1, 1, ?)`,
      )
      .run(lastIteration);
    recordOwnWrite(location.file);
  };
  const hasIndex = () =>
    handle.prepare("select 1 from sqlite_schema where name = 'idx_test'").get() !== undefined;

  test.each([
    ['RUNNING', 'started today', () => new Date().toISOString(), () => oldTime],
    ['Running', 'wrote an iteration today', () => oldTime, () => new Date().toISOString()],
  ])('waits for a run that is %s and %s', (status, _title, startTime, lastIteration) => {
    insertRun(status, startTime(), lastIteration());
    expect(buildSqliteIndex(handle, index, zeroLimits)).toEqual({
      state: 'postponed',
      detail: expect.stringMatching(
        /^it would lock the database for about \d+ s while another program may be writing$/,
      ),
    });
    expect(hasIndex()).toBe(false);
  });

  test('does not wait for a RUNNING run that has been silent for days, nor for an ended run', () => {
    insertRun('RUNNING', oldTime, oldTime);
    expect(buildSqliteIndex(handle, index, zeroLimits).state).toBe('built');
    expect(hasIndex()).toBe(true);
    expect(buildSqliteIndex(handle, index, zeroLimits).state).toBe('existing');
    handle.exec("drop index idx_test; update runs set status = 'COMPLETED'");
    handle.prepare('update runs set start_time = ?').run(new Date().toISOString());
    recordOwnWrite(location.file);
    expect(buildSqliteIndex(handle, index, zeroLimits).state).toBe('built');
  });

  test('waits for any program that is writing, also without RUNNING runs', async () => {
    const program = `
      const Database = require('better-sqlite3');
      const database = new Database(${JSON.stringify(location.file)});
      const write = database.prepare("insert into events (event_type, payload_json, created_at) values ('x', '{}', 'x')");
      write.run();
      console.log('writing');
      setInterval(() => write.run(), 10);`;
    const writer = spawn(process.execPath, ['-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    // A writer that continues after a failure would keep the whole run of tests from ending.
    onTestFinished(() => void writer.kill());
    await once(writer.stdout, 'data');
    expect(buildSqliteIndex(handle, index, zeroLimits).state).toBe('postponed');
    writer.kill();
    await once(writer, 'exit');
    await expect.poll(() => buildSqliteIndex(handle, index, zeroLimits).state).toBe('built');
  });

  test('is cancelled while it reads the columns', () => {
    insertRun('COMPLETED', oldTime, oldTime);
    expect(buildSqliteIndex(handle, index, undefined, () => true)).toEqual({
      state: 'postponed',
      detail: 'the service cancelled its build',
    });
    expect(hasIndex()).toBe(false);
  });

  test('is not long for few rows, which are indexed while a run is active', () => {
    insertRun('RUNNING', new Date().toISOString(), oldTime);
    expect(buildSqliteIndex(handle, index).state).toBe('built');
  });
});

describe('A build of an index that a lock blocks', () => {
  let location: Awaited<ReturnType<typeof makeSqliteLocation>>;
  let runner: SqliteDatabase.Database;

  beforeEach(async () => {
    location = await makeSqliteLocation();
    await (await openTestDatabase(location.url)).close();
    runner = new SqliteDatabase(location.file);
  });
  afterEach(async () => {
    runner.close();
    await location.remove();
  });

  const createIndex = (isCancelled: () => boolean) =>
    createSqliteIndex({ file: location.file, isRealPathRequired: false }, index, isCancelled);
  const blocked = { state: 'postponed', detail: 'another program is writing to the database' };

  test('ends soon after it is cancelled', () => {
    runner.exec('begin immediate');
    // The check before the build takes the lock is the only one without rows.
    let checks = 0;
    const start = performance.now();
    expect(createIndex(() => ++checks > 1)).toEqual(blocked);
    expect(performance.now() - start).toBeLessThan(3_000);
  });

  test('is postponed, also if not even a read is possible', () => {
    runner.pragma('foreign_keys = off');
    runner.exec(
      `insert into iterations (run_id, iteration, evaluations, best_fitness, mean_fitness, std_fitness, created_at)
       values ('r', 0, 1, 1, 1, 1, 'x')`,
    );
    runner.pragma('journal_mode = delete');
    const lock = () => {
      if (!runner.inTransaction) runner.exec('begin exclusive');
      return false;
    };
    expect(createIndex(lock)).toEqual(blocked);
  });
});
