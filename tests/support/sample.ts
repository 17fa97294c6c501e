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
  const { location, ertColumn } = database;
  if (location.dialect === 'sqlite') copyTables(location.file, ertColumn);
  else await insertTables(database);
}

/** Copies rows from file to file like another program, without the connection of the database. */
function copyTables(target: string, ertColumn: string): void {
  useSampleFile((file) => {
    const database = new SqliteDatabase(target);
    database.prepare('attach database ? as sample').run(file);
    database.transaction(() => {
      for (const name of tableNames) {
        const columns = getColumns(database.prepare(`select * from sample.${name}`));
        const targetColumns = columns.map((column) => (column === ertOfFile ? ertColumn : column));
        database.exec(
          `insert into main.${name} (${targetColumns.join()}) select ${columns.join()} from sample.${name}`,
        );
      }
    })();
    database.close();
  });
}

async function insertTables({ dialect, ertColumn }: Database): Promise<void> {
  await dialect.withWriteTransaction(async (transaction) => {
    for (const { name, columns, rows } of readSampleTables()) {
      const table = sql.table(name);
      const names = getNames(columns, ertColumn);
      await sql`insert into ${table} (${names})
        select ${names}
        from json_populate_recordset(null::${table}, ${rows.replaceAll(ertOfFile, ertColumn)}::json)
        `.execute(transaction);
      if (!columns.includes('id')) continue;
      // The next id follows the inserted ids.
      await sql`select setval(pg_get_serial_sequence(${name}, 'id'),
        (select coalesce(max(id), 0) + 1 from ${table}), false)`.execute(transaction);
    }
  });
}

/** Name of the ERT column in the sample. Other versions of the runner have another name. */
const ertOfFile = 'edaf_ert';

function getNames(columns: readonly string[], ertColumn: string): RawBuilder<unknown> {
  return sql.join(columns.map((name) => sql.ref(name === ertOfFile ? ertColumn : name)));
}

let tables: SampleTable[] | undefined;

/** Returns the tables of the sample. Reads them once for all suites of a process. */
function readSampleTables(): SampleTable[] {
  return (tables ??= useSampleFile((file) => {
    const sample = new SqliteDatabase(file, { readonly: true });
    const sampleRows = tableNames.map((name) => {
      const rows = sample.prepare(`select * from ${name}`).safeIntegers();
      return {
        name,
        columns: getColumns(rows),
        rows: JSON.stringify(rows.all(), replaceBigInt),
      };
    });
    sample.close();
    return sampleRows;
  }));
}

function getColumns(statement: SqliteDatabase.Statement): string[] {
  return statement.columns().map(({ name }) => name);
}

/** Replaces a bigint by its text, from which PostgreSQL reads the number. */
function replaceBigInt(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

/** Returns the result of `work`, which gets the sample as a file that exists until it returns. */
function useSampleFile<Result>(work: (file: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-sample-'));
  const file = join(folder, 'sample.db');
  try {
    writeSampleFile(file);
    return work(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
