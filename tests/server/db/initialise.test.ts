import { readdirSync, readFileSync } from 'node:fs';
import { sql } from 'kysely';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSqlite } from '#server/db/dialects/sqlite-open.ts';
import { initialise } from '#server/db/open.ts';
import { indexDefinitions, tableDefinitions, tableNames } from '#server/db/tables.ts';
import { parseDatabaseUrl, type SqliteUrl } from '#server/db/url.ts';
import { listAggregates } from '#server/repositories/coco.ts';
import {
  describeOnEachEngine,
  execute,
  getFile,
  makeSqliteLocation,
  openTestDatabase,
  type TestDatabase,
  type TestLocation,
} from '#tests/support/databases.ts';
import { openInProcess } from '#tests/support/opener.ts';
import { writeSampleFile } from '#tests/support/sample-file.ts';
import { loadSample } from '#tests/support/sample.ts';

/** Returns everything that is stored: definitions of tables and indexes with their identity, and all rows. */
async function readContents(database: TestDatabase): Promise<unknown> {
  const structure =
    database.dialect.name === 'sqlite'
      ? sql`select type, name, rootpage, sql from sqlite_schema order by name`
      : sql`select relname, oid, relfilenode from pg_class
          where relnamespace = current_schema()::regnamespace order by relname`;
  const rows: unknown[] = [(await structure.execute(database.kysely)).rows];
  for (const table of tableNames) {
    rows.push(
      await database.kysely
        .selectFrom(table)
        .selectAll()
        .orderBy(sql`1`)
        .orderBy(sql`2`)
        .execute(),
    );
  }
  return rows;
}

describeOnEachEngine('Opening a database', (engine) => {
  let location: TestLocation;
  const databases: TestDatabase[] = [];
  const open = async (...parameters: Parameters<typeof openTestDatabase>) => {
    const database = await openTestDatabase(...parameters);
    databases.push(database);
    return database;
  };

  beforeEach(async () => {
    location = await engine.makeLocation();
  });
  afterEach(async () => {
    for (const database of databases.splice(0)) await database.close();
    await location.remove();
  });

  test('creates the 13 tables and 16 indexes of the runner in a new database, with the columns in order', async () => {
    const database = await open(location.url);
    const tables = await database.kysely.introspection.getTables();
    const columns = Object.fromEntries(
      tables
        .filter(({ name }) => !name.startsWith('sqlite_'))
        .map((table) => [table.name, table.columns.map(({ name }) => name)]),
    );
    const expected = Object.fromEntries(
      tableNames.map((table) => [table, Object.keys(tableDefinitions[table].columns)]),
    );
    expect(columns).toEqual(expected);
    expect(tableNames).toHaveLength(13);
    expect(Object.keys(indexDefinitions)).toHaveLength(16);
    expect(database.ertColumn).toBe('svc_ert');
    expect(database.isReadOnly).toBe(false);
  });

  test('of a runner changes nothing in it, also the second time, and retains its name of the ERT column', async () => {
    const firstDatabase = await open(location.url);
    await loadSample(firstDatabase);
    await execute(location, ['alter table coco_aggregates rename column svc_ert to edaf_ert']);
    const contentsBefore = await readContents(await open(location.url));
    const reopenedDatabase = await open(location.url);
    expect(reopenedDatabase.ertColumn).toBe('edaf_ert');
    expect(await readContents(reopenedDatabase)).toEqual(contentsBefore);
  });

  test('reads the ERT with another prefix, and refuses two possible columns or none', async () => {
    const { ertColumn } = await open(location.url);
    await execute(location, [
      `alter table coco_aggregates rename column ${ertColumn} to other_brand_ert`,
      "insert into coco_campaigns values ('c', 'c', 'bbob', '[]', '[]', '[]', 'RUNNING', 'now', null, null, null)",
      "insert into coco_aggregates (campaign_id, optimizer_id, dimension, target_value, success_rate, other_brand_ert, created_at) values ('c', 'o', 2, 1, 1, 12.5, 'now')",
    ]);
    const otherDatabase = await open(location.url);
    expect(await listAggregates(otherDatabase, 'c')).toMatchObject([{ svcErt: 12.5 }]);
    await execute(location, ['alter table coco_aggregates add column second_ert double precision']);
    const contentsBefore = await readContents(otherDatabase);
    await expect(open(location.url)).rejects.toThrow(
      /^Several columns of "coco_aggregates" may have the runner's own ERT, so the service changed nothing: "other_brand_ert", "second_ert" \(.*\)\. Rename or drop all but one$/,
    );
    expect(await readContents(otherDatabase)).toEqual(contentsBefore);
    await execute(location, [
      'alter table coco_aggregates drop column second_ert',
      'alter table coco_aggregates rename column other_brand_ert to other',
    ]);
    await expect(open(location.url)).rejects.toThrow(
      /its table "coco_aggregates" has no column "svc_ert" .*The service changed nothing/,
    );
  });

  test('adds missing tables and indexes, and does not change the others', async () => {
    await loadSample(await open(location.url));
    await execute(location, ['drop table run_objectives', 'drop index idx_runs_status']);
    const { kysely } = await open(location.url);
    expect(await kysely.selectFrom('run_objectives').selectAll().execute()).toEqual([]);
    expect(await kysely.selectFrom('runs').select('run_id').execute()).toHaveLength(159);
    expect(await kysely.selectFrom('iterations').select('id').execute()).toHaveLength(888);
    await execute(location, ['drop index idx_runs_status']);
  });

  test('by several processes at the same time creates the tables once, and all processes succeed', async () => {
    const openers = await Promise.all([1, 2, 3, 4].map(() => openInProcess(location.url)));
    for (const { firstLine: line } of openers) {
      expect(JSON.parse(line)).toMatchObject({ isReadOnly: false, ertColumn: 'svc_ert' });
    }
    await Promise.all(openers.map((opener) => opener.close()));
  });

  test('that belongs to another program is refused with the first difference, and nothing is created in it', async () => {
    const statements = [
      'create table experiments (experiment_id integer primary key, name varchar(256), lifecycle_stage text)',
      'create table runs (run_uuid varchar(32) primary key, name text, experiment_id integer)',
      "insert into experiments values (0, 'Default', 'active')",
    ];
    await execute(location, statements);
    const readFileText = () =>
      engine.name === 'sqlite' ? readFileSync(getFile(location)).toString('latin1') : '';
    const contentsBefore = readFileText();
    await expect(open(location.url)).rejects.toThrow(
      /^This is not a database of the runner: its table "experiments" has no column "config_hash" \((sqlite|postgres): .*\)\. The service changed nothing: choose another database$/,
    );
    expect(readFileText()).toBe(contentsBefore);
    await execute(location, ['drop table experiments', 'drop table runs']);
    await expect(execute(location, ['select 1 from iterations'])).rejects.toThrow();
  });

  test('read-only shows its rows and refuses to write', async () => {
    await loadSample(await open(location.url));
    const database = await open(location.url, { isReadOnly: true });
    expect(database.isReadOnly).toBe(true);
    expect(await database.kysely.selectFrom('runs').selectAll().execute()).toHaveLength(159);
    const writeAttempt = database.dialect.withWriteTransaction((transaction) =>
      transaction.deleteFrom('events').execute(),
    );
    await expect(writeAttempt).rejects.toThrow(/read-?only/);
  });

  test('read-only that lacks a table is refused with its name', async () => {
    await open(location.url);
    await execute(location, ['drop table checkpoints']);
    await expect(open(location.url, { isReadOnly: true })).rejects.toThrow(
      /^The database is read-only and has no table "checkpoints" \(.*\): open it once with write permission$/,
    );
  });
});

test('A new database in which a runner creates the tables first has the name of its ERT column', async () => {
  const location = await makeSqliteLocation();
  const url = parseDatabaseUrl(location.url, { workingDirectory: '/' }) as SqliteUrl;
  const connections = openSqlite(url, {
    isReadOnly: false,
    isExistenceRequired: false,
    notify: () => {},
    admit: () => {},
  });
  const { structure } = connections;
  const createTables: typeof structure.createTables = async (statements) => {
    await execute(
      location,
      statements.map((statement) => statement.replace('svc_ert', 'edaf_ert')),
    );
    await structure.createTables(statements);
  };
  const slowConnections = { ...connections, structure: { ...structure, createTables } };
  expect(await initialise(slowConnections, url, {})).toEqual({ ertColumn: 'edaf_ert' });
  await connections.close();
  await location.remove();
});

describe('The real file of a runner', () => {
  test('has the columns and indexes that the service creates', async () => {
    const location = await makeSqliteLocation();
    writeSampleFile(location.file);
    const handle = new SqliteDatabase(location.file, { readonly: true });
    const structure = handle
      .prepare<[], { name: string; columns: string }>(
        `select s.name, group_concat(c.name || ' ' || c.type || c."notnull" || c.pk, ',') as columns
         from sqlite_schema s, pragma_table_info(s.name) c
         where s.type = 'table' and s.name not like 'sqlite_%' group by s.name order by s.name`,
      )
      .all();
    const indexes = getIndexes(handle);
    handle.close();
    const ourDatabase = await openTestDatabase(':memory:');
    const ourColumns = await sql<{ name: string; columns: string }>`
      select s.name, group_concat(c.name || ' ' || c.type || c."notnull" || c.pk, ',') as columns
      from sqlite_schema s, pragma_table_info(s.name) c
      where s.type = 'table' and s.name not like 'sqlite_%' group by s.name order by s.name`.execute(
      ourDatabase.kysely,
    );
    expect(
      ourColumns.rows.map((row) => ({
        ...row,
        columns: row.columns.replace('svc_ert', 'edaf_ert'),
      })),
    ).toEqual(structure);
    const ourIndexes = await sql<{ sql: string }>`
      select sql from sqlite_schema where type = 'index' and sql is not null order by name`.execute(
      ourDatabase.kysely,
    );
    expect(ourIndexes.rows.map((row) => normalise(row.sql))).toEqual(indexes);
    await ourDatabase.close();
    await location.remove();
  });

  test('does not change by a byte when it is opened read-only, and no file is created next to it', async () => {
    const location = await makeSqliteLocation();
    writeSampleFile(location.file);
    const contentsBefore = readFileSync(location.file);
    const database = await openTestDatabase(location.url, { isReadOnly: true });
    expect(database.ertColumn).toBe('edaf_ert');
    expect(await database.kysely.selectFrom('runs').select('run_id').execute()).toHaveLength(159);
    await database.close();
    expect(readFileSync(location.file).equals(contentsBefore)).toBe(true);
    expect(readdirSync(location.folder)).toEqual(['test.db']);
    await location.remove();
  });
});

function getIndexes(handle: SqliteDatabase.Database): string[] {
  return handle
    .prepare<[], { sql: string }>(
      "select sql from sqlite_schema where type = 'index' and sql is not null order by name",
    )
    .all()
    .map((row) => normalise(row.sql));
}

/** Returns a definition without insignificant spaces and quotes. */
function normalise(definition: string): string {
  return definition.replace(/\s+/g, '').toLowerCase().replace('ifnotexists', '');
}
