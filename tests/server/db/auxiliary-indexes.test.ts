import SqliteDatabase from 'better-sqlite3';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuxiliaryIndexes, iterationScalars } from '#server/db/auxiliary-indexes.ts';
import {
  describeOnEachDatabase,
  makePostgresLocation,
  onServer,
  openTestDatabase,
  type TestDatabase,
  type TestLocation,
} from '#tests/support/databases.ts';
import { explain } from '#tests/support/explain.ts';
import { loadSample } from '#tests/support/sample.ts';

async function makeIndexes(database: TestDatabase): Promise<string[]> {
  const messages: string[] = [];
  await createAuxiliaryIndexes(database, { notify: (message) => messages.push(message) });
  return messages;
}

/**
 * Marks all rows as visible to all transactions, which takes a moment after a write, so that the planner does not read
 * all of a small table.
 */
async function preferIndexes(kysely: TestDatabase['kysely']): Promise<void> {
  const countVisiblePages = async () => {
    await sql`vacuum analyze iterations`.execute(kysely);
    const { rows } = await sql<{ relallvisible: number }>`
      select relallvisible from pg_class where relname = 'iterations'`.execute(kysely);
    return rows[0]?.relallvisible;
  };
  await expect.poll(countVisiblePages, { timeout: 20_000, interval: 250 }).toBeGreaterThan(0);
  await sql`set enable_seqscan = off`.execute(kysely);
  await sql`set enable_bitmapscan = off`.execute(kysely);
}

const getStates = (messages: string[]) => messages.map((message) => message.split(':')[0]);

describeOnEachDatabase('Our own indexes', (database) => {
  beforeAll(() => loadSample(database()));

  test('are built once', async () => {
    const expected = [
      'Index idx_evoscope_iteration_scalars built',
      'Index idx_evoscope_runs_experiment built',
      'Index idx_evoscope_runs_start built',
      'Index idx_evoscope_runs_best built',
      'Index idx_evoscope_runs_latest built',
      'Index idx_evoscope_runs_extremes built',
    ];
    expect(getStates(await makeIndexes(database()))).toEqual(expected);
    expect(await makeIndexes(database())).toEqual([]);
  });

  test('and saved notes do not wait for each other', async () => {
    const { dialect } = database();
    const note = { kind: 'run', id: 'r1', version: '1', value: {} };
    const outcome = await dialect.withWriteTransaction(async (transaction) => {
      await dialect.documents.replace(transaction, (notes) => [...notes, note]);
      return dialect.buildIndex(iterationScalars, new AbortController().signal);
    });
    expect(outcome).toEqual({ state: 'existing', detail: 'it exists already' });
  });

  test('replace the index of an earlier version, and no other', async () => {
    const { kysely } = database();
    const oldNames = ['idx_evoscope_runs_start_time', 'idx_other_runs_start_time'];
    for (const name of oldNames) {
      await sql`create index ${sql.ref(name)} on runs (start_time)`.execute(kysely);
    }
    const listIndexNames = async () => {
      const { rows } = await sql<{ name: string }>`${
        database().dialect.name === 'sqlite'
          ? sql`select name from sqlite_schema where type = 'index'`
          : sql`select indexname as name from pg_indexes`
      }`.execute(kysely);
      return rows.map(({ name }) => name);
    };
    expect(await listIndexNames()).toEqual(expect.arrayContaining(oldNames));
    await makeIndexes(database());
    expect(await listIndexNames()).not.toContain(oldNames[0]);
    expect(await listIndexNames()).toEqual(
      expect.arrayContaining(['idx_evoscope_runs_start', oldNames[1]]),
    );
    await sql`drop index idx_evoscope_runs_start`.execute(kysely);
    await sql`create index idx_evoscope_runs_start_time on runs (start_time)`.execute(kysely);
    await makeIndexes(database());
    expect(await listIndexNames()).not.toContain(oldNames[0]);
    await sql`drop index idx_other_runs_start_time`.execute(kysely);
  });

  test('contain all columns of iterations that an analysis reads', async () => {
    const { kysely, dialect } = database();
    if (dialect.name === 'postgres') await preferIndexes(kysely);
    const firstEvaluationsQuery = kysely
      .selectFrom('iterations')
      .select((eb) => ['run_id', eb.fn.min('evaluations').as('first')])
      .where('best_fitness', '>=', 1)
      .groupBy('run_id');
    expect(await explain(database(), firstEvaluationsQuery)).toMatch(
      /(COVERING INDEX|Index Only Scan using) idx_evoscope_iteration_scalars/i,
    );
    const trace = kysely
      .selectFrom('iterations')
      .select(['iteration', 'best_fitness', 'mean_fitness', 'std_fitness'])
      .where('run_id', '=', 'sphere5-cma-r01')
      .orderBy('iteration');
    expect(await explain(database(), trace)).toMatch(
      /(COVERING INDEX|Index Only Scan using) idx_evoscope_iteration_scalars/i,
    );
  });

  test('return a first page of runs by start time without sorting all runs', async () => {
    const { kysely, dialect } = database();
    if (dialect.name === 'postgres') await sql`analyze runs`.execute(kysely);
    const page = kysely
      .selectFrom('runs')
      .select('run_id')
      .orderBy(dialect.orderByCodePoint(sql.ref<string>('start_time')), (item) =>
        item.desc().nullsLast(),
      )
      .orderBy(dialect.orderByCodePoint(sql.ref<string>('run_id')), 'desc')
      .limit(25);
    expect(await explain(database(), page)).toMatch(/idx_evoscope_runs_start/);
  });

  test('are not built in a database that is opened read-only', async () => {
    const readOnlyDatabase = await openTestDatabase(database().url, { isReadOnly: true });
    expect(await makeIndexes(readOnlyDatabase)).toEqual([]);
    await readOnlyDatabase.close();
  });
});

describeOnEachDatabase('Our own indexes, while another transaction is writing', (database) => {
  test('are postponed, and built after it has ended', async () => {
    const isSqlite = database().dialect.name === 'sqlite';
    const controller = new AbortController();
    const messages: string[] = [];
    const makeOurIndexes = () =>
      createAuxiliaryIndexes(database(), {
        signal: controller.signal,
        notify: (message) => {
          messages.push(message);
          controller.abort();
        },
      });
    if (isSqlite) {
      const runner = new SqliteDatabase(database().url.slice('jdbc:sqlite:'.length));
      runner.exec('begin immediate');
      await makeOurIndexes();
      runner.exec('rollback');
      runner.close();
    } else {
      await onServer(database().url, async (client) => {
        await client.query('begin');
        await client.query(
          `insert into control_requests values ('run', 'r', 'STOP', 'now', null, null, 'PENDING', null, null)`,
        );
        await client.query('lock table iterations in row exclusive mode');
        await makeOurIndexes();
        await client.query('rollback');
      });
    }
    expect(messages).toEqual([
      'Index idx_evoscope_iteration_scalars postponed: another program is writing to the database',
    ]);
    const laterMessages = await makeIndexes(database());
    expect(getStates(laterMessages)).toContain('Index idx_evoscope_iteration_scalars built');
    if (!isSqlite) {
      const invalidIndexes = sql`select 1 from pg_index where not indisvalid`.execute(
        database().kysely,
      );
      expect((await invalidIndexes).rows).toEqual([]);
    }
  });
});

describeOnEachDatabase('Our own indexes, of which one cannot be built,', (database) => {
  test('are built except that one, which is reported with the reason and built later', async () => {
    const { kysely } = database();
    await sql`alter table iterations rename to elsewhere`.execute(kysely);
    const [failure, ...others] = await makeIndexes(database());
    expect(failure).toMatch(
      /^Index idx_evoscope_iteration_scalars failed: .*iterations.*\. Restart the service to retry; until then, responses are slower$/,
    );
    expect(others.map((message) => message.split(/[ :]/)[2])).toEqual(Array(5).fill('built'));
    await sql`alter table elsewhere rename to iterations`.execute(kysely);
    expect(getStates(await makeIndexes(database()))).toEqual([
      'Index idx_evoscope_iteration_scalars built',
    ]);
  });
});

describe('A build of an index in PostgreSQL', () => {
  let location: TestLocation;
  let database: TestDatabase;

  beforeAll(async () => {
    location = await makePostgresLocation();
    database = await openTestDatabase(location.url);
    await loadSample(database);
    await sql`create function slow(iteration integer) returns integer immutable language plpgsql as
      $$ begin perform pg_sleep(0.05); return iteration; end $$`.execute(database.kysely);
  });
  afterAll(async () => {
    await database.close();
    await location.remove();
  });

  const makeIndexOn = (column: string, signal: AbortSignal) =>
    database.dialect.buildIndex(
      { name: 'idx_test', table: 'iterations', columns: [column] },
      signal,
    );
  const countInvalidIndexes = async () =>
    (await sql`select 1 from pg_index where not indisvalid`.execute(database.kysely)).rows.length;

  test('that a value prevents leaves no invalid index', async () => {
    expect(await makeIndexOn('(1 / iteration)', new AbortController().signal)).toEqual({
      state: 'failed',
      detail: 'division by zero',
    });
    expect(await countInvalidIndexes()).toBe(0);
  });

  test('ends when it is cancelled, and leaves no invalid index', async () => {
    const controller = new AbortController();
    const outcome = makeIndexOn('slow(iteration)', controller.signal);
    await expect.poll(countInvalidIndexes).toBe(1);
    controller.abort();
    expect(await outcome).toMatchObject({ state: 'failed', detail: /canceling statement/ });
    expect(await countInvalidIndexes()).toBe(0);
  });

  test('does not start when it is cancelled between two of its statements', async () => {
    let checks = 0;
    const signal = Object.defineProperty(new AbortController().signal, 'aborted', {
      get: () => ++checks > 1,
    });
    expect(await makeIndexOn('slow(iteration)', signal)).toEqual({
      state: 'postponed',
      detail: 'the service cancelled its build',
    });
  });
});

test('A database in memory gets all of our own indexes', async () => {
  const database = await openTestDatabase(':memory:');
  const messages = await makeIndexes(database);
  expect(getStates(messages)).toHaveLength(6);
  expect(getStates(messages).filter((state) => !state?.endsWith(' built'))).toEqual([]);
  await database.close();
});
