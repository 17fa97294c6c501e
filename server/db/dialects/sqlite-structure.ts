import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import SqliteDatabase from 'better-sqlite3';
import { CompiledQuery, sql, type Kysely } from 'kysely';
import type { DatabaseStructure } from '../dialect.ts';
import type { Tables } from '../schema.ts';
import { StartUpError } from '../start-up-error.ts';
import { tableNames } from '../tables.ts';
import { busyTimeoutMillis } from './sqlite-driver.ts';

/** How tables are read, made and backed up in SQLite; each is described at {@link DatabaseStructure}. */
export function sqliteStructure(
  kysely: Kysely<Tables>,
  writer: () => Kysely<Tables>,
  file: string,
): DatabaseStructure {
  return {
    columnTypes: { id: 'INTEGER PRIMARY KEY AUTOINCREMENT', double: 'DOUBLE' },
    columns: () => readColumns(kysely),
    indexes: async () => {
      const { rows } = await sql<{ name: string }>`
        select name from sqlite_schema where type = 'index'`.execute(kysely);
      return new Set(rows.map((row) => row.name));
    },
    withSchemaLock: (work) => writer().transaction().execute(work),
    backUpAndReplace: async (tables, stamp, isNeeded, replace) => {
      const copy = `${file}.legacy-${stamp}.db`;
      // Another process may be at the same work: a copy gets its name when nobody else can replace any more.
      const partial = `${copy}.${process.pid}`;
      try {
        const version = await dataVersion(writer());
        if (!(await isNeeded())) return undefined;
        try {
          await backUp(writer(), tables, partial);
        } catch (error) {
          // Another process may have replaced the tables while they were copied.
          if (await isNeeded()) throw error;
          return undefined;
        }
        return await writer()
          .transaction()
          .execute(async (transaction) => {
            if ((await dataVersion(transaction)) !== version) {
              if (await isNeeded()) throw changedMeanwhile(file);
              return undefined;
            }
            if (existsSync(copy)) throw noBackup(`${copy} exists`);
            renameSync(partial, copy);
            await replace(transaction);
            return copy;
          });
      } finally {
        rmSync(partial, { force: true });
      }
    },
  };
}

function changedMeanwhile(file: string): StartUpError {
  return new StartUpError(
    `Another program wrote to ${file} while it was copied: nothing was changed`,
  );
}

async function readColumns(kysely: Kysely<Tables>): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ table: string; column: string }>`
    select lower(s.name) as "table", c.name as "column"
    from sqlite_schema as s, pragma_table_info(s.name) as c
    where s.type in ('table', 'view') and lower(s.name) in (${sql.join(tableNames)})
    order by s.name, c.cid`.execute(kysely);
  const byTable = Map.groupBy(rows, (row) => row.table);
  return new Map(
    [...byTable].map(([table, columns]) => [table, columns.map(({ column }) => column)]),
  );
}

/** A number that differs once another connection wrote. */
async function dataVersion(kysely: Kysely<Tables>): Promise<number | undefined> {
  const { rows } = await sql<{ data_version: number }>`pragma data_version`.execute(kysely);
  return rows[0]?.data_version;
}

async function backUp(kysely: Kysely<Tables>, tables: string[], copy: string): Promise<void> {
  try {
    await kysely.executeQuery(CompiledQuery.raw('vacuum into ?', [copy]));
    const counts = await Promise.all(tables.map((table) => countRows(kysely, table)));
    verify(copy, tables, counts);
    makeDurable(copy);
  } catch (error) {
    throw noBackup(error instanceof Error ? error.message : String(error));
  }
}

/** SQLite does not wait until the file it vacuumed into is on the disk, and the tables will be gone. */
function makeDurable(file: string): void {
  const descriptor = openSync(file, 'r+');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function noBackup(reason: string): StartUpError {
  return new StartUpError(
    `The tables are of an old version of the runner and no backup can be made (${reason}): nothing was changed`,
  );
}

async function countRows(kysely: Kysely<Tables>, table: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(table)}`.execute(kysely);
  return rows[0]?.count ?? 0;
}

function verify(copy: string, tables: string[], counts: number[]): void {
  const handle = new SqliteDatabase(copy, { readonly: true, timeout: busyTimeoutMillis });
  try {
    const verdict = handle.pragma('integrity_check', { simple: true });
    if (verdict !== 'ok') throw new Error(`the copy is damaged: ${String(verdict)}`);
    tables.forEach((table, index) => {
      const copied = handle.prepare(`select count(*) from "${table}"`).pluck().get();
      if (copied !== counts[index]) throw new Error(`the copy of ${table} is not complete`);
    });
  } finally {
    handle.close();
  }
}
