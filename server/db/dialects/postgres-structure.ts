import { sql, type Kysely } from 'kysely';
import type { DatabaseStructure } from '../dialect.ts';
import type { Tables } from '../schema.ts';
import { StartUpError } from '../start-up-error.ts';
import { tableNames } from '../tables.ts';

/** Key of the advisory lock under which processes of ours make tables and indexes; any fixed number. */
const structureLock = 7_070_315_200;

/** How tables are read, made and backed up in PostgreSQL; see {@link DatabaseStructure}. */
export function postgresStructure(kysely: Kysely<Tables>): DatabaseStructure {
  const withSchemaLock: DatabaseStructure['withSchemaLock'] = (work) =>
    kysely.transaction().execute(async (transaction) => {
      await sql`set local statement_timeout = 0`.execute(transaction);
      await sql`select pg_advisory_xact_lock(${structureLock})`.execute(transaction);
      return work(transaction);
    });
  return {
    columnTypes: { id: 'BIGSERIAL PRIMARY KEY', double: 'DOUBLE PRECISION' },
    columns: () => readColumns(kysely),
    indexes: async () => {
      const { rows } = await sql<{ indexname: string }>`
        select indexname from pg_indexes where schemaname = current_schema()`.execute(kysely);
      return new Set(rows.map((row) => row.indexname));
    },
    withSchemaLock,
    backUpAndReplace: (tables, stamp, isNeeded, replace) =>
      withSchemaLock(async (transaction) => {
        if (!(await isNeeded())) return undefined;
        const schema = `legacy_${stamp.toLowerCase()}`;
        await copyTables(transaction, tables, schema).catch((error: unknown) => {
          throw new StartUpError(
            `The tables are of an old version of the runner and no backup can be made (${error instanceof Error ? error.message : String(error)}): nothing was changed`,
          );
        });
        await replace(transaction);
        return `schema ${schema}`;
      }),
  };
}

async function readColumns(kysely: Kysely<Tables>): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ relname: string; attname: string }>`
    select relname, attname from pg_class join pg_attribute on attrelid = pg_class.oid
    where relnamespace = (select oid from pg_namespace where nspname = current_schema()) and relkind in ('r', 'p', 'v', 'm', 'f')
      and relname in (${sql.join(tableNames)}) and attnum > 0 and not attisdropped
    order by relname, attnum`.execute(kysely);
  const byTable = Map.groupBy(rows, (row) => row.relname);
  return new Map(
    [...byTable].map(([table, columns]) => [table, columns.map(({ attname }) => attname)]),
  );
}

async function copyTables(
  transaction: Kysely<Tables>,
  tables: string[],
  schema: string,
): Promise<void> {
  await sql`create schema ${sql.id(schema)}`.execute(transaction);
  for (const table of tables) {
    const copy = sql.id(schema, table);
    await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(transaction);
    await sql`create table ${copy} as table ${sql.table(table)}`.execute(transaction);
    const counts = sql<{ complete: boolean }>`
      select (select count(*) from ${copy}) = (select count(*) from ${sql.table(table)}) as complete`;
    const complete = (await counts.execute(transaction)).rows[0]?.complete;
    if (complete !== true) throw new Error(`the copy of ${table} is not complete`);
  }
}
