import { existsSync, rmSync } from 'node:fs';
import SqliteDatabase from 'better-sqlite3';
import { CompiledQuery, sql, type Kysely } from 'kysely';
import type { DatabaseStructure } from '../dialect.ts';
import type { Database } from '../schema.ts';
import { StartUpError } from '../start-up-error.ts';
import { tableNames } from '../tables.ts';
import { busyTimeoutMillis } from './sqlite-driver.ts';

/** How tables are read, made and backed up in SQLite; each is described at {@link DatabaseStructure}. */
export function sqliteStructure(
  kysely: Kysely<Database>,
  writer: () => Kysely<Database>,
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
    alone: (work) => writer().transaction().execute(work),
    backUpAndReplace: async (tables, stamp, replace) => {
      const copy = `${file}.legacy-${stamp}.db`;
      const version = await dataVersion(writer());
      await backUp(writer(), tables, copy);
      await writer()
        .transaction()
        .execute(async (transaction) => {
          if ((await dataVersion(transaction)) !== version) {
            throw new StartUpError(
              `Another program wrote to ${file} while it was copied to ${copy}: nothing was changed`,
            );
          }
          await replace(transaction);
        });
      return copy;
    },
  };
}

async function readColumns(kysely: Kysely<Database>): Promise<Map<string, string[]>> {
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
async function dataVersion(kysely: Kysely<Database>): Promise<number | undefined> {
  const { rows } = await sql<{ data_version: number }>`pragma data_version`.execute(kysely);
  return rows[0]?.data_version;
}

async function backUp(kysely: Kysely<Database>, tables: string[], copy: string): Promise<void> {
  if (existsSync(copy)) throw noBackup(`${copy} exists`);
  try {
    await kysely.executeQuery(CompiledQuery.raw('vacuum into ?', [copy]));
    const counts = await Promise.all(tables.map((table) => countRows(kysely, table)));
    verify(copy, tables, counts);
  } catch (error) {
    rmSync(copy, { force: true });
    throw noBackup(error instanceof Error ? error.message : String(error));
  }
}

function noBackup(reason: string): StartUpError {
  return new StartUpError(
    `The tables are of an old version of the runner and no backup can be made (${reason}): nothing was changed`,
  );
}

async function countRows(kysely: Kysely<Database>, table: string): Promise<number> {
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
