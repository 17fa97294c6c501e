import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
} from 'kysely';
import type { DatabaseDialect } from '#server/db/dialect.ts';
import { postgresDialect } from '#server/db/dialects/postgres.ts';
import { sqliteDialect } from '#server/db/dialects/sqlite.ts';
import type { Database } from '#server/db/schema.ts';
import { newErtColumn } from '#server/db/tables.ts';
import type { Store } from '#server/repositories/store.ts';

/** A store over no database: it answers every query with no rows, and keeps the query. */
export interface RecordingStore extends Store {
  /** What was asked so far; empties the record. */
  takeQueries(): CompiledQuery[];
}

/** A store that compiles queries as the real one of this dialect does. */
export function recordingStore(name: DatabaseDialect['name']): RecordingStore {
  const asked: CompiledQuery[] = [];
  const kysely = new Kysely<Database>({
    dialect: name === 'sqlite' ? sqliteParts : postgresParts,
    log: ({ query }) => void asked.push(query),
  });
  return {
    kysely,
    dialect: dialectOf(name, kysely),
    readOnly: false,
    name: 'none',
    schema: 'none',
    ertColumn: newErtColumn,
    close: () => kysely.destroy(),
    takeQueries: () => asked.splice(0),
  };
}

const sqliteParts = {
  createAdapter: () => new SqliteAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (kysely: Kysely<unknown>) => new SqliteIntrospector(kysely),
  createQueryCompiler: () => new SqliteQueryCompiler(),
};

const postgresParts = {
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (kysely: Kysely<unknown>) => new PostgresIntrospector(kysely),
  createQueryCompiler: () => new PostgresQueryCompiler(),
};

function dialectOf(name: DatabaseDialect['name'], kysely: Kysely<Database>): DatabaseDialect {
  if (name === 'postgres') return postgresDialect(kysely);
  return sqliteDialect({
    kysely,
    writer: () => kysely,
    changeCursor: () => '',
    makeIndex: async () => ({ state: 'present', detail: '' }),
  });
}
