import SqliteDatabase from 'better-sqlite3';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import {
  describeOnEachDatabase,
  execute,
  getFile,
  makePostgresLocation,
  onServer,
  openTestDatabase,
  type TestDatabase,
  type TestLocation,
} from '#tests/support/databases.ts';
import { whySkipped } from '#tests/support/long.ts';
import { insert, insertExperiment, insertIterations, insertRun } from '#tests/support/rows.ts';
import { parseAddress, spawnService } from '#tests/support/service-process.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

/** Rows that belong to nothing, by kind. */
async function getOrphans({ kysely }: Pick<Database, 'kysely'>): Promise<Record<string, number>> {
  const without = (table: string, key: string, owner: string) =>
    sql`(select count(*) from ${sql.table(table)} c where c.${sql.ref(key)} is not null
      and c.${sql.ref(key)} not in (select ${sql.ref(key)} from ${sql.table(owner)}))`;
  const { rows } = await sql<Record<string, number>>`select
    ${without('runs', 'experiment_id', 'experiments')} as runs,
    ${without('experiment_params', 'experiment_id', 'experiments')} as params,
    ${without('iterations', 'run_id', 'runs')} as iterations,
    ${without('run_objectives', 'run_id', 'runs')} as objectives,
    ${without('events', 'run_id', 'runs')} as events`.execute(kysely);
  return rows[0] ?? {};
}

const none = { runs: 0, params: 0, iterations: 0, objectives: 0, events: 0 };

describeOnEachDatabase(
  'a runner that adds runs to an experiment that is deleted repeatedly',
  (database) => {
    let service: TestService;
    let runner: TestDatabase;
    beforeAll(async () => {
      service = await startService(database());
      runner = await openTestDatabase(database().url);
    });
    afterAll(async () => {
      await service.close();
      await runner.close();
    });

    /** Writes a run in the transactions and the order in which the runner writes one. */
    async function writeRun(runId: string): Promise<void> {
      await runner.dialect.withWriteTransaction(async (kysely) => {
        const inside = { ...runner, kysely };
        await sql`insert into experiments (experiment_id, config_hash, schema_version, algorithm_type, model_type, problem_type,
          representation_type, selection_type, replacement_type, stopping_type, config_yaml, config_json, created_at)
        values ('e1', 'e1', '3.0', 'a', 'm', 'p', 'r', 's', 'r', 's', '', '{}', '2026-11-21T10:00:00Z')
        on conflict (config_hash) do update set schema_version = '3.0'`.execute(kysely);
        await kysely.deleteFrom('experiment_params').where('experiment_id', '=', 'e1').execute();
        await insert(inside, 'experiment_params', { param_path: 'a.x' });
        await insertRun(inside, 'e1', runId, { status: 'RUNNING' });
        await insert(inside, 'events', { run_id: runId });
      });
      for (let iteration = 0; iteration < 3; iteration++) {
        await runner.dialect.withWriteTransaction(async (kysely) => {
          const inside = { ...runner, kysely };
          await insert(inside, 'events', { run_id: runId });
          await insert(inside, 'iterations', { run_id: runId, iteration });
        });
      }
      await runner.dialect.withWriteTransaction(async (kysely) => {
        await kysely
          .updateTable('runs')
          .set({ status: 'COMPLETED' })
          .where('run_id', '=', runId)
          .execute();
        const objective = { run_id: runId, objective_name: 'best', objective_value: 1 };
        await insert({ ...runner, kysely }, 'run_objectives', objective);
      });
    }

    test('loses no row and leaves none: the deletion is refused, or removes everything', async () => {
      const outcomes = new Set<number>();
      const end = new AbortController();
      const deleting = (async () => {
        while (!end.signal.aborted) {
          const response = await fetch(`${service.url}/api/experiments/e1`, { method: 'DELETE' });
          await response.json();
          outcomes.add(response.status);
        }
      })();
      for (let run = 0; run < 25; run++) {
        await writeRun(`r${run}`);
        expect(await getOrphans(runner)).toEqual(none);
      }
      end.abort();
      await deleting;
      expect([200, 404, 409]).toEqual(expect.arrayContaining([...outcomes]));
      const last = await fetch(`${service.url}/api/experiments/e1`, { method: 'DELETE' });
      expect([200, 404]).toContain(last.status);
      expect(await getOrphans(runner)).toEqual(none);
    }, 60_000);
  },
);

describe('on PostgreSQL a deletion in progress', () => {
  let location: TestLocation;
  let database: TestDatabase;
  let service: TestService;

  beforeEach(async () => {
    location = await makePostgresLocation();
    database = await openTestDatabase(location.url);
    service = await startService(database);
    await insertExperiment(database, 'e1');
    await insertRun(database, 'e1', 'r1');
    await insertIterations(database, 'r1', 10);
    await insert(database, 'events', { run_id: 'r1' });
  });
  afterEach(async () => {
    await service.close();
    await database.close();
    await location.remove();
  });

  /** Holds up a deletion at the events, after it has deleted the iterations, while `work` runs. */
  const whileDeleting = (work: (backend: number) => Promise<void>) =>
    onServer(location.url, async (holder) => {
      await holder.query('begin');
      await holder.query('lock table events in exclusive mode');
      const deleting = fetch(`${service.url}/api/experiments/e1`, { method: 'DELETE' });
      const backend = await waitingBackend(location, 'delete from "events"%');
      await work(backend);
      await holder.query('rollback');
      return (await deleting).status;
    });

  test('lets no run become RUNNING', async () => {
    const status = await whileDeleting(() =>
      onServer(location.url, async (runner) => {
        await runner.query(`set lock_timeout = '200ms'`);
        const start = `update runs set status = 'RUNNING' where run_id = 'r1'`;
        await expect(runner.query(start)).rejects.toMatchObject({ code: '55P03' });
        const join = `insert into runs (run_id, experiment_id, seed, status, start_time) values ('r2', 'e1', 1, 'RUNNING', '')`;
        await expect(runner.query(join)).rejects.toMatchObject({ code: '55P03' });
        const write = `insert into iterations (run_id, iteration, evaluations, best_fitness, mean_fitness, std_fitness, created_at)
          values ('r1', 99, 1, 1, 1, 1, '')`;
        await expect(runner.query(write)).rejects.toMatchObject({ code: '55P03' });
      }),
    );
    expect(status).toBe(200);
    expect(await getOrphans(database)).toEqual(none);
  });

  test('changes nothing if its connection is lost', async () => {
    const status = await whileDeleting((backend) =>
      onServer(location.url, async (client) => {
        await client.query('select pg_terminate_backend($1)', [backend]);
      }),
    );
    expect(status).toBe(503);
    const { rows } = await sql<Record<string, number>>`select
      (select count(*) from experiments) as experiments, (select count(*) from runs) as runs,
      (select count(*) from iterations) as iterations, (select count(*) from events) as events`.execute(
      database.kysely,
    );
    expect(rows).toEqual([{ experiments: 1, runs: 1, iterations: 10, events: 1 }]);
    const again = await fetch(`${service.url}/api/experiments/e1`, { method: 'DELETE' });
    expect(again.status).toBe(200);
  });
});

/** The process of the server that waits for a lock with a statement like this. */
async function waitingBackend(location: TestLocation, statement: string): Promise<number> {
  return onServer(location.url, async (client) => {
    const find = async () => {
      const { rows } = await client.query<{ pid: number }>(
        `select pid from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query like $1`,
        [statement],
      );
      return rows[0]?.pid;
    };
    await expect.poll(find, { timeout: 30_000 }).toEqual(expect.any(Number));
    return (await find()) ?? 0;
  });
}

describe('an experiment that a client leaves while another client uses it, on postgres', () => {
  let location: TestLocation;
  let database: TestDatabase;
  let service: TestService;
  beforeAll(async () => {
    location = await makePostgresLocation();
    database = await openTestDatabase(location.url);
    service = await startService(database, { isRecording: true });
  });
  afterAll(async () => {
    await service.close();
    await database.close();
    await location.remove();
  });

  const post = async (path: string, type: string, body: unknown) => {
    const response = await fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    return response.json() as Promise<{ run: { info: { run_id: string } } }>;
  };
  const mlflow = (path: string, body: unknown) =>
    post(`/mlflow/api/2.0/mlflow/${path}`, 'application/json', body);
  const recordRun = (runId: string) => {
    const config = { algorithm: { type: 'PSO' }, problem: { type: 'sphere' } };
    return post('/api/record', 'application/x-ndjson', { type: 'run', runId, config, seed: 1 });
  };
  const createRun = async (): Promise<string> =>
    (
      await mlflow('runs/create', {
        experiment_id: '0',
        tags: [{ key: 'algorithm', value: 'PSO' }],
      })
    ).run.info.run_id;
  const listRuns = async () =>
    (await database.kysely.selectFrom('runs').select('run_id').execute()).map((run) => run.run_id);

  test('deletes none of its runs', async () => {
    const leaves = await createRun();
    const joins = await onServer(location.url, async (holder) => {
      await holder.query('begin');
      await holder.query('lock table run_objectives, control_requests in exclusive mode');
      const tag = { run_id: leaves, key: 'dimension', value: '5' };
      const leaving = mlflow('runs/set-tag', tag);
      await waitingBackend(location, 'delete from%');
      const joining = createRun();
      await Promise.race([joining, waitingBackend(location, 'insert into "runs"%')]);
      await holder.query('rollback');
      await leaving;
      return joining;
    });
    expect((await listRuns()).sort()).toEqual([leaves, joins].sort());
    expect(await getOrphans(database)).toEqual(none);
  });

  test('is created again by a record that uses it', async () => {
    await recordRun('first');
    const answer = await onServer(location.url, async (other) => {
      await other.query('begin');
      const { rows } = await other.query(
        `delete from runs where run_id = 'first' returning experiment_id`,
      );
      const id = [rows[0].experiment_id];
      await other.query('delete from experiment_params where experiment_id = $1', id);
      await other.query('delete from experiments where experiment_id = $1', id);
      const recording = recordRun('second');
      await waitingBackend(location, 'insert into "runs"%');
      await other.query('commit');
      return recording;
    });
    expect(answer).toMatchObject({ accepted: 1, rejected: [] });
    expect(await listRuns()).toContain('second');
    expect(await getOrphans(database)).toEqual(none);
  });
});

describeOnEachDatabase('a service that is killed while it settles a run', (database, engine) => {
  const why = engine === 'sqlite' ? whySkipped : '';
  const place = () => ({ url: database().url, remove: async () => {} });
  const isSqlite = () => database().dialect.name === 'sqlite';

  /** Settles once a settle has changed the run and is about to add its event, and holds it up there until `release`. */
  async function holdUp(): Promise<{ reached: Promise<unknown>; release: () => Promise<unknown> }> {
    if (!isSqlite()) {
      const gate = Promise.withResolvers<void>();
      const held = Promise.withResolvers<void>();
      const holding = onServer(database().url, async (holder) => {
        await holder.query('begin');
        await holder.query('lock table events in exclusive mode');
        held.resolve();
        await gate.promise;
      });
      await held.promise;
      return {
        reached: waitingBackend(place(), 'insert into "events"%'),
        release: () => (gate.resolve(), holding),
      };
    }
    await execute(place(), [
      `create trigger slow before insert on events begin select count(*) from (
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 50000000) select i from n); end`,
    ]);
    const handle = new SqliteDatabase(getFile(place()), { timeout: 0 });
    const isLocked = () => {
      try {
        handle.exec('begin immediate; rollback');
        return false;
      } catch {
        return true;
      }
    };
    return {
      reached: expect.poll(isLocked, { timeout: 30_000, interval: 10 }).toBe(true),
      release: async () => (handle.exec('drop trigger slow'), handle.close()),
    };
  }

  test.skipIf(why)(
    `leaves the run unchanged${why}`,
    async () => {
      await insertExperiment(database(), 'e1');
      const columns = { status: 'RUNNING', start_time: '2026-11-21T10:00:00Z' };
      await insertRun(database(), 'e1', 'r1', columns);
      const service = spawnService(['--db', database().url, '--port', '0', '--log-level', 'error']);
      const address = parseAddress(await service.readyLine);
      const settle = (runId: string) =>
        fetch(`${address}/api/runs/${runId}/settle`, { method: 'POST' }).then(
          ({ status }) => status,
          () => 'cut off' as const,
        );
      // The thread that writes has the database open from now on.
      expect(await settle('missing')).toBe(404);
      const { reached, release } = await holdUp();
      const settling = settle('r1');
      await reached;
      service.child.kill('SIGKILL');
      await service.exitCode;
      expect(await settling).toBe('cut off');
      await release();
      const { kysely, dialect } = database();
      const runs = await dialect.withWriteTransaction((transaction) =>
        dialect
          .lockRows(transaction.selectFrom('runs').select(['status', 'end_time', 'error_message']))
          .execute(),
      );
      expect(runs).toEqual([{ status: 'RUNNING', end_time: null, error_message: null }]);
      expect(await kysely.selectFrom('events').select('event_type').execute()).toEqual([]);
    },
    60_000,
  );
});
