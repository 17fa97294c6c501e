import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { sql, type RawBuilder } from 'kysely';
import type { Database } from '#server/db/database.ts';
import { tableNames } from '#server/db/tables.ts';
import { writeSampleFile } from './sample-file.ts';

/** A table of the sample with all its rows as a JSON text. */
interface SampleTable {
  name: string;
  columns: string[];
  rows: string;
}

/**
 * Fills an empty database with all rows of the fixture, their ids included: 67 experiments, 159 runs of
 * every representation family, status and kind, iterations and events of some of them, one COCO campaign.
 */
export async function loadSample(database: Database): Promise<void> {
  const { source, ertColumn } = database;
  if (source.dialect === 'sqlite') copyTables(source.file, ertColumn);
  else await insertTables(database);
}

/** From file to file as another program does it, past the database's own connection. */
function copyTables(target: string, ertColumn: string): void {
  withSampleFile((file) => {
    const handle = new SqliteDatabase(target);
    handle.prepare('attach database ? as sample').run(file);
    handle.transaction(() => {
      for (const name of tableNames) {
        const columns = getColumns(handle.prepare(`select * from sample.${name}`));
        const into = columns.map((column) => (column === ertOfFile ? ertColumn : column));
        handle.exec(
          `insert into main.${name} (${into.join()}) select ${columns.join()} from sample.${name}`,
        );
      }
    })();
    handle.close();
  });
}

async function insertTables({ dialect, ertColumn }: Database): Promise<void> {
  await dialect.withWriteTransaction(async (transaction) => {
    for (const { name, columns, rows } of sampleTables()) {
      const table = sql.table(name);
      const names = getNames(columns, ertColumn);
      await sql`insert into ${table} (${names})
        select ${names}
        from json_populate_recordset(null::${table}, ${rows.replaceAll(ertOfFile, ertColumn)}::json)
        `.execute(transaction);
      if (!columns.includes('id')) continue;
      // The next id follows those that were inserted with their own.
      await sql`select setval(pg_get_serial_sequence(${name}, 'id'),
        (select coalesce(max(id), 0) + 1 from ${table}), false)`.execute(transaction);
    }
  });
}

/** The measure whose column is named as the runner at hand names it. */
const ertOfFile = 'edaf_ert';

function getNames(columns: readonly string[], ertColumn: string): RawBuilder<unknown> {
  return sql.join(columns.map((name) => sql.ref(name === ertOfFile ? ertColumn : name)));
}

let tables: SampleTable[] | undefined;

/** Read once for all suites of a process. */
function sampleTables(): SampleTable[] {
  return (tables ??= withSampleFile((file) => {
    const sample = new SqliteDatabase(file, { readonly: true });
    const read = tableNames.map((name) => {
      const rows = sample.prepare(`select * from ${name}`).safeIntegers();
      return {
        name,
        columns: getColumns(rows),
        rows: JSON.stringify(rows.all(), withLongIntegers),
      };
    });
    sample.close();
    return read;
  }));
}

function getColumns(statement: SqliteDatabase.Statement): string[] {
  return statement.columns().map(({ name }) => name);
}

/** PostgreSQL takes a number from its text too. */
function withLongIntegers(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

/** What `work` gives, which has the sample as a file meanwhile. */
function withSampleFile<Result>(work: (file: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-sample-'));
  const file = join(folder, 'sample.db');
  try {
    writeSampleFile(file);
    return work(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
