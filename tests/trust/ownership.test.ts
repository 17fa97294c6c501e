import { copyFileSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inspectDatabase } from '#server/db/inspect.ts';
import type { OpenOptions } from '#server/db/open.ts';
import { StartUpError } from '#server/db/start-up-error.ts';
import { parseDatabaseUrl } from '#server/db/url.ts';
import { describeInspection } from '#server/runtime/inspection.ts';
import { deleteExperiment } from '#server/services/deletion.ts';
import { getContents } from '#tests/support/contents.ts';
import {
  describeOnEachEngine,
  execute,
  getFile,
  makePostgresLocation,
  makeSqliteLocation,
  onServer,
  openTestDatabase,
  type TestLocation,
} from '#tests/support/databases.ts';
import { openInProcess } from '#tests/support/opener.ts';
import { insertExperiment, insertIterations, insertRun } from '#tests/support/rows.ts';
import { olderRunner, otherPrograms } from '#tests/support/schemas.ts';
import { spawnService } from '#tests/support/service-process.ts';
import SqliteDatabase from 'better-sqlite3';

/** Runs a query at a place and returns the first column. */
async function values(location: TestLocation, query: string): Promise<unknown[]> {
  if (!location.url.startsWith('jdbc:sqlite:')) {
    const { rows } = await onServer(location.url, (client) =>
      client.query<unknown[]>({ text: query, rowMode: 'array' }),
    );
    return rows.map(([value]) => value);
  }
  const handle = new SqliteDatabase(getFile(location), { readonly: true });
  const found = handle.prepare<[]>(query).pluck().all();
  handle.close();
  return found;
}

describeOnEachEngine('A database that may not belong to a runner', (engine) => {
  let location: TestLocation;

  beforeEach(async () => {
    location = await engine.makeLocation();
  });
  afterEach(() => location.remove());

  const open = async (options?: OpenOptions) =>
    (await openTestDatabase(location.url, options)).close();

  async function expectRefusal(message: RegExp, options?: OpenOptions): Promise<void> {
    const before = await getContents(location);
    await expect(open(options)).rejects.toThrow(message);
    expect(await getContents(location)).toEqual(before);
  }

  test('is not changed by a service that is started on it, which reports the reason and ends', async () => {
    await execute(location, otherPrograms.Dagster);
    const before = await getContents(location);
    const service = spawnService(['--port', '0'], { environment: { SVC_DB_URL: location.url } });
    expect(await service.exitCode).toBe(1);
    expect(service.output().stderr.trim().split('\n').at(-1)).toMatch(
      /^This is not a database of the runner, so the service changed nothing: its table "runs" has no column "experiment_id", and its tables do not match those of an old runner either \((sqlite|postgres): .*\)\. If its tables belong to an old runner anyway, --legacy replace \(SVC_LEGACY=replace\) replaces them by empty ones after a backup$/,
    );
    expect(await getContents(location)).toEqual(before);
  });

  test('retains its tables even with `--legacy replace` while others refer to them', async () => {
    await execute(location, otherPrograms.Dagster);
    await expectRefusal(
      /^The service cannot replace the tables of an old version of the runner, because the table "run_tags" refers to them \(.*\)\. It changed nothing: choose another database$/,
      { legacy: 'replace' },
    );
    await execute(location, ['drop table run_tags', 'create view failed as select * from runs']);
    await expectRefusal(/because the view "failed" refers to them/, { legacy: 'replace' });
  });

  test('is refused with its first missing column', async () => {
    await execute(location, otherPrograms.MLflow);
    await expectRefusal(
      /^This is not a database of the runner: its table "experiments" has no column "config_hash" \(.*\)\. The service changed nothing: choose another database$/,
    );
  });

  test.each(['Optuna', 'a browser'] as const)(
    'of %s gets the runner’s tables only on request',
    async (program) => {
      await execute(location, otherPrograms[program]);
      await expectRefusal(
        /^The database has tables, but none of the runner's \(.*\), so the service changed nothing\. Choose another database, or create the runner's tables in it with --create \(SVC_CREATE=1\)$/,
      );
      const [table] = program === 'Optuna' ? ['trials'] : ['moz_places'];
      const rows = await values(location, `select count(*) from ${table}`);
      const service = spawnService(['--port', '0', '--create'], {
        environment: { SVC_DB_URL: location.url },
      });
      expect(await service.readyLine).toMatch(/^Evoscope ready/);
      service.child.kill('SIGTERM');
      await service.exitCode;
      expect(await values(location, `select count(*) from ${table}`)).toEqual(rows);
      expect(await values(location, 'select run_id from runs')).toEqual([]);
    },
  );

  test('with views instead of tables is refused', async () => {
    await open();
    await execute(location, [
      'alter table run_objectives rename to somewhere',
      'create view run_objectives as select * from somewhere',
    ]);
    await expectRefusal(
      /^This is not a database of the runner: its "run_objectives" is a view, not a table \(.*\)\. The service changed nothing: choose another database$/,
    );
  });

  test('with an old `runs` that is a view is refused without a backup', async () => {
    await execute(location, [
      'create table jobs (run_id text, algorithm_id text)',
      'create view runs as select * from jobs',
    ]);
    await expectRefusal(/its "runs" is a view, not a table/, { legacy: 'replace' });
  });

  test('with a trigger on the runner’s tables is refused', async () => {
    await open();
    await execute(
      location,
      engine.name === 'sqlite'
        ? [
            'create table diary (text text)',
            'create trigger sweep after insert on events begin delete from diary; end',
          ]
        : [
            'create table diary (text text)',
            'create function sweep() returns trigger language plpgsql as $$ begin delete from diary; return new; end $$',
            'create trigger sweep after insert on events for each row execute function sweep()',
          ],
    );
    await expectRefusal(
      /^A trigger "sweep" on "events" is not the runner's and may act on rows that Evoscope writes or deletes, so the service neither opened nor changed the database \(.*\)\. Remove it, or choose another database$/,
    );
  });

  test('with tables that lose rows by cascading deletions is refused; with others it is opened', async () => {
    await open();
    await execute(location, [
      'create table notes (run_id text references runs(run_id), text text)',
      "insert into notes values (null, 'mine')",
    ]);
    await open();
    await execute(location, [
      'create table tags (run_id text references runs(run_id) on delete cascade)',
    ]);
    await expectRefusal(/^A table "tags" on "runs" is not the runner's/);
  });
});

describe('On PostgreSQL a runner’s database', () => {
  let location: TestLocation;

  beforeEach(async () => {
    location = await makePostgresLocation();
    await (await openTestDatabase(location.url)).close();
  });
  afterEach(() => location.remove());

  const partitioned = [
    'drop table iterations',
    `create table iterations (id bigserial, run_id text not null references runs(run_id), iteration integer not null,
      evaluations bigint, best_fitness double precision, mean_fitness double precision, std_fitness double precision,
      metrics_json text, diagnostics_json text, created_at text, unique (run_id, iteration)) partition by hash (run_id)`,
    'create schema parts',
    'create table parts.even partition of iterations for values with (modulus 2, remainder 0)',
    'create table parts.odd partition of iterations for values with (modulus 2, remainder 1)',
  ];
  const trigger = (table: string) => [
    'create function nothing() returns trigger language plpgsql as $$ begin return old; end $$',
    `create trigger t after delete on ${table} for each row execute function nothing()`,
  ];

  test.each([
    [
      'a table that inherits from one of its tables',
      'child table "old_runs" on "runs"',
      ['create table old_runs (remark text) inherits (runs)'],
    ],
    [
      'a table of another schema that inherits from one of its tables',
      'child table "other.runs" on "runs"',
      ['create schema other', 'create table other.runs () inherits (runs)'],
    ],
    [
      'a table of another schema, with the name of one of its tables, whose rows are deleted with its own',
      'table "other.iterations" on "runs"',
      [
        'create schema other',
        'create table other.iterations (run_id text references runs(run_id) on delete cascade)',
      ],
    ],
    ['a trigger on a partition', 'trigger "t" on "odd"', [...partitioned, ...trigger('parts.odd')]],
    [
      'a key that refers to a partition and deletes',
      'table "marks" on "even"',
      [
        ...partitioned,
        'alter table parts.even add unique (id)',
        'create table marks (id bigint references parts.even(id) on delete cascade)',
      ],
    ],
    [
      'a rule in place of a deletion',
      'rule "keep" on "events"',
      ['create rule keep as on delete to events do instead nothing'],
    ],
  ])('with %s is refused', async (_what, hook, statements) => {
    await execute(location, statements);
    const before = await getContents(location);
    await expect(openTestDatabase(location.url)).rejects.toThrow(
      `A ${hook} is not the runner's and may act on rows that Evoscope writes or deletes`,
    );
    expect(await getContents(location)).toEqual(before);
  });

  test('with rows that a policy hides from the user is refused, and opened by a user who sees all rows', async () => {
    const role = `reader_${Math.random().toString(36).slice(2)}`;
    await execute(location, [
      `create role ${role} login password 'secret'`,
      `grant usage on schema public to ${role}`,
      `grant all on all tables in schema public to ${role}`,
      'alter table runs enable row level security',
      'create policy later on runs using (seed > 5)',
    ]);
    const url = new URL(location.url);
    url.username = role;
    url.password = 'secret';
    await expect(openTestDatabase(url.href)).rejects.toThrow(
      `A row-level security policy on "runs" is not the runner's and may act on rows that Evoscope writes or deletes`,
    );
    await (await openTestDatabase(location.url)).close();
    await execute(location, [`drop owned by ${role}`, `drop role ${role}`]);
  });

  test('with a partitioned table is opened, and deletions remove the rows of its partitions', async () => {
    await execute(location, partitioned);
    const database = await openTestDatabase(location.url);
    await insertExperiment(database, 'e1');
    await insertRun(database, 'e1', 'r1');
    await insertIterations(database, 'r1', 10);
    const tools = { database, logger: { warn: () => {}, error: () => {} } };
    expect(await deleteExperiment(tools, 'e1', { force: false })).toMatchObject({
      iterationsDeleted: 10,
    });
    await database.close();
    expect(await values(location, 'select count(*) from iterations')).toEqual(['0']);
  });
});

describeOnEachEngine('The tables of a runner before version 3', (engine) => {
  let location: TestLocation;

  beforeEach(async () => {
    location = await engine.makeLocation();
    await execute(location, olderRunner);
  });
  afterEach(() => location.remove());

  async function expectUntouched(options: OpenOptions, refusal: object): Promise<void> {
    const before = await getContents(location);
    await expect(openTestDatabase(location.url, options)).rejects.toMatchObject(refusal);
    expect(await getContents(location)).toEqual(before);
  }

  /** Opens the database; returns the location of the old tables in the message. */
  async function replace(options: OpenOptions = {}): Promise<string> {
    const messages: string[] = [];
    const notify = (message: string) => messages.push(message);
    await (await openTestDatabase(location.url, { ...options, notify })).close();
    await (await openTestDatabase(location.url, { notify })).close();
    expect(messages).toEqual([
      expect.stringMatching(
        /^The service backed up tables of an old version of the runner to .* and replaced them$/,
      ),
    ]);
    return (
      /backed up .* runner to (?:schema )?(.*) and replaced/.exec(messages[0] ?? '')?.[1] ?? ''
    );
  }

  test('are replaced by empty ones once; other tables are unchanged', async () => {
    await replace();
    expect(await values(location, 'select experiment_id from runs')).toEqual([]);
    expect(await values(location, 'select id from generation_stats order by id')).toEqual([1, 2]);
  });

  test('can be restored from the backup with rows, keys, indexes and sequences', async () => {
    await execute(location, [
      `create table events (id ${engine.name === 'sqlite' ? 'integer primary key autoincrement' : 'bigserial primary key'},
        run_id text, event_type text, payload_json text, created_at text)`,
      "insert into events (run_id, event_type, payload_json, created_at) values ('a', 'x', '{}', '')",
    ]);
    const before = await storedIn();
    const backup = await replace();
    if (engine.name === 'sqlite') {
      renameSync(backup, getFile(location));
    } else {
      const names = ['runs', 'events'];
      await execute(location, [
        ...(
          await values(
            location,
            `select 'drop table ' || tablename || ' cascade' from pg_tables
          where schemaname = 'public' and tablename <> 'generation_stats'`,
          )
        ).map(String),
        ...names.map((name) => `alter table ${backup}.${name} set schema public`),
      ]);
    }
    expect(await storedIn()).toEqual(before);
    await execute(location, [
      "insert into events (run_id, event_type, payload_json, created_at) values ('b', 'x', '{}', '')",
    ]);
    expect(await values(location, 'select cast(id as integer) from events order by id')).toEqual([
      1, 2,
    ]);
    await expect(
      execute(location, ["insert into generation_stats values (3, 'nobody', 0, 0)"]),
    ).rejects.toThrow(/foreign key/i);
  });

  async function storedIn(): Promise<unknown[]> {
    const catalogue =
      engine.name === 'sqlite'
        ? "select type || name || coalesce(sql, '') from sqlite_schema order by name"
        : `select conname || pg_get_constraintdef(oid) from pg_constraint where conrelid <> 0
             and connamespace = 'public'::regnamespace
           union all select indexdef from pg_indexes where schemaname = 'public' order by 1`;
    return [
      await values(location, catalogue),
      await values(location, 'select run_id from runs order by run_id'),
      await values(location, 'select best_fitness from generation_stats order by id'),
    ];
  }

  test('are replaced once if several processes start at the same time', async () => {
    const openers = await Promise.all([1, 2, 3].map(() => openInProcess(location.url)));
    for (const { firstLine } of openers) expect(firstLine).toContain('"ertColumn":"svc_ert"');
    await Promise.all(openers.map((opener) => opener.close()));
    expect(await countBackups()).toBe(1);
  });

  async function countBackups(): Promise<number> {
    if (engine.name === 'postgres') {
      return (await values(location, "select 1 from pg_namespace where nspname like 'legacy%'"))
        .length;
    }
    const names = readdirSync(dirname(getFile(location)));
    return names.filter((name) => name.startsWith(`${basename(getFile(location))}.legacy-`)).length;
  }

  test('are not replaced on request', () =>
    expectUntouched(
      { legacy: 'refuse' },
      {
        code: 'LEGACY_SCHEMA',
        message: expect.stringMatching(
          /^The tables belong to an old version of the runner \(.*\), so the service changed nothing\. --legacy replace \(SVC_LEGACY=replace\) replaces them by empty ones after a backup$/,
        ),
      },
    ));

  test('are not replaced if one column differs, except with `--legacy replace`', async () => {
    await execute(location, ['alter table runs rename column genotype_type to genotype']);
    await expectUntouched({}, { code: 'LEGACY_SCHEMA' });
    await replace({ legacy: 'replace' });
    expect(await values(location, 'select experiment_id from runs')).toEqual([]);
  });

  test('are not replaced if the backup fails', async () => {
    const stamps = Array.from({ length: 20 }, (_, second) =>
      new Date(Date.now() + second * 1000).toISOString().replace(/[-:]|\.\d+/g, ''),
    );
    if (engine.name === 'sqlite') {
      for (const stamp of stamps) mkdirSync(`${getFile(location)}.legacy-${stamp}.db`);
    } else {
      await execute(
        location,
        stamps.map((stamp) => `create schema legacy_${stamp}`),
      );
    }
    await expect(openTestDatabase(location.url)).rejects.toThrow(
      /^The tables belong to an old version of the runner, and the service cannot back them up \(.*exists\), so it changed nothing\. Correct this, then try again$/,
    );
    expect(await values(location, 'select algorithm_id from runs order by 1')).toEqual([
      'pbil',
      'umda',
    ]);
    await expect(values(location, 'select 1 from experiments')).rejects.toThrow();
  });

  test('of a database that is opened read-only are reported', () =>
    expectUntouched(
      { isReadOnly: true },
      {
        message: expect.stringMatching(
          /^The database is read-only and its tables belong to an old version of the runner \(.*\): open it with write permission to replace them after a backup$/,
        ),
      },
    ));
});

describe('A SQLite file of another program', () => {
  let location: TestLocation;
  beforeEach(async () => {
    location = await makeSqliteLocation();
  });
  afterEach(() => location.remove());

  test('retains its log, in use or not, and no other file is created next to it', async () => {
    const file = getFile(location);
    const other = new SqliteDatabase(file);
    other.pragma('journal_mode = wal');
    other.exec(otherPrograms['a browser'].join(';'));
    const inUse = await getContents(location);
    await expect(openTestDatabase(location.url)).rejects.toThrow(/none of the runner's/);
    expect(Object.keys((await getContents(location)) as object)).toEqual(
      Object.keys(inUse as object),
    );
    const left = join(dirname(file), 'left');
    mkdirSync(left);
    for (const end of ['', '-wal']) copyFileSync(file + end, join(left, `other.db${end}`));
    other.close();
    const leftPlace = { ...location, url: `jdbc:sqlite:${join(left, 'other.db')}` };
    const before = await getContents(leftPlace);
    await expect(openTestDatabase(leftPlace.url)).rejects.toThrow(/none of the runner's/);
    expect(await getContents(leftPlace)).toEqual(before);
  });
});

describe('A PostgreSQL user without the privilege to read', () => {
  test('gets the reason at the start', async () => {
    const location = await makePostgresLocation();
    await (await openTestDatabase(location.url)).close();
    await execute(location, [
      `create role blind_${process.pid} login password 'x'`,
      `grant usage on schema public to blind_${process.pid}`,
    ]);
    const url = new URL(location.url);
    url.username = `blind_${process.pid}`;
    url.password = 'x';
    await expect(openTestDatabase(url.href)).rejects.toThrow(
      /^The database user lacks the privilege SELECT on table "checkpoints" \(postgres: .*\): grant it, or use another user$/,
    );
    await execute(location, [
      `drop owned by blind_${process.pid}`,
      `drop role blind_${process.pid}`,
    ]);
    await location.remove();
  });
});

describe('A PostgreSQL user with another schema than the runner', () => {
  const role = `other_${process.pid}`;
  let location: TestLocation;
  let url: URL;
  beforeEach(async () => {
    location = await makePostgresLocation();
    await execute(location, [
      `create role ${role} login password 'x'`,
      `create schema ${role} authorization ${role}`,
    ]);
    url = new URL(location.url);
    url.username = role;
    url.password = 'x';
  });
  afterEach(async () => {
    await execute(location, [`drop owned by ${role}`, `drop role ${role}`]);
    await location.remove();
  });

  test('gets the schema with the runs, and no tables without a request', async () => {
    await (await openTestDatabase(location.url)).close();
    await execute(location, [`grant select on all tables in schema public to ${role}`]);
    const before = await getContents(location);
    await expect(openTestDatabase(url.href)).rejects.toThrow(
      new StartUpError(
        `The runner's tables are in the schema "public", and none in "${role}" (postgres: ${url.host}${url.pathname}), so the service changed nothing. Add ?currentSchema=public to the URL, or create them in "${role}" with --create (SVC_CREATE=1)`,
        'TABLES_OF_OTHERS',
      ),
    );
    const place = parseDatabaseUrl(url.href, { workingDirectory: '/' });
    expect(describeInspection(await inspectDatabase(place), place)).toMatchObject({
      verdict: 'others',
      message: `postgres: ${url.host}${url.pathname} has the runner’s tables in the schema "public", and none in "${role}"`,
    });
    expect(await getContents(location)).toEqual(before);

    await (await openTestDatabase(`${url.href}&currentSchema=public`)).close();
    expect(await getContents(location)).toEqual(before);
    await (await openTestDatabase(url.href, { canCreate: true })).close();
    expect(await values(location, `select run_id from ${role}.runs`)).toEqual([]);
  });

  test.each([
    ['a schema that the URL names', 'the runner', role],
    ['a database with the tables of MLflow', 'MLflow', ''],
    ['a database whose runs may not be read', 'the runner', ''],
  ])('gets tables in %s', async (what, program, schema) => {
    if (program === 'MLflow') await execute(location, otherPrograms.MLflow);
    else await (await openTestDatabase(location.url)).close();
    if (!what.includes('not be read'))
      await execute(location, [`grant select on all tables in schema public to ${role}`]);
    if (schema !== '') url.searchParams.set('currentSchema', schema);
    await (await openTestDatabase(url.href)).close();
    expect(await values(location, `select run_id from ${role}.runs`)).toEqual([]);
  });
});

describe('The contents that these tests compare', () => {
  let location: TestLocation;

  beforeAll(async () => {
    location = await makePostgresLocation();
    await execute(location, [
      'create table a (b int)',
      'create view v as select b from a',
      'create function f() returns trigger language plpgsql as $$ begin return old; end $$',
      'create trigger t after delete on a for each row execute function f()',
    ]);
  });
  afterAll(() => location.remove());

  test.each([
    ['column', ['alter table a add column c text']],
    ['type', ['alter table a alter column c type varchar(9)']],
    ['default', ['alter table a alter column b set default 1']],
    ['constraint', ['alter table a add constraint positive check (b > 0)']],
    ['view', ['create or replace view v as select b from a where b > 1']],
    [
      'trigger',
      ['create or replace trigger t after delete or update on a for each row execute function f()'],
    ],
  ])('differ after a change of a %s of an empty table on PostgreSQL', async (_part, statements) => {
    const contents = await getContents(location);
    expect(await getContents(location)).toEqual(contents);
    await execute(location, statements);
    expect(await getContents(location)).not.toEqual(contents);
  });
});
