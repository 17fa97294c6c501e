import {
  CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { DatabaseDialect } from '#server/db/dialect.ts';
import { createPostgresDialect } from '#server/db/dialects/postgres.ts';
import type { SqliteHandle } from '#server/db/dialects/sqlite-file.ts';
import { createSqliteDocuments } from '#server/db/dialects/sqlite-documents.ts';
import { createSqliteDialect } from '#server/db/dialects/sqlite.ts';
import type { Tables } from '#server/db/schema.ts';
import { newErtColumn } from '#server/db/tables.ts';
import type { Database } from '#server/db/database.ts';

/** A database with Kysely's dummy driver. It records every query, and returns no rows. */
export interface DummyDatabase extends Database {
  /** Returns the queries since the previous call. */
  takeQueries(): CompiledQuery[];
}

/** Returns a database that compiles queries like a real database of this dialect. */
export function createDummyDatabase(name: DatabaseDialect['name']): DummyDatabase {
  const queries: CompiledQuery[] = [];
  const kysely = new Kysely<Tables>({
    dialect: name === 'sqlite' ? sqliteParts : postgresParts,
    log: ({ query }) => void queries.push(query),
  });
  return {
    kysely,
    dialect: createDialect(name, kysely, queries),
    isReadOnly: false,
    name: 'none',
    schema: 'none',
    ertColumn: newErtColumn,
    file: null,
    location: { dialect: 'sqlite', file: ':memory:', mode: 'ro', isImmutable: false },
    isOpenedReadOnly: false,
    readAccess: async () => ({ isReadOnly: false, reason: null }),
    isCurrent: () => true,
    closeImmediately: () => {},
    close: () => kysely.destroy(),
    takeQueries: () => queries.splice(0),
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

function createDialect(
  name: DatabaseDialect['name'],
  kysely: Kysely<Tables>,
  queries: CompiledQuery[],
): DatabaseDialect {
  if (name === 'postgres')
    return createPostgresDialect(kysely, {
      isScarce: () => false,
      hasSettings: true,
      canFlushStatistics: false,
    });
  return createSqliteDialect({
    kysely,
    getWriter: () => kysely,
    getReader: () => createDummyHandle(queries),
    readChangeCursor: () => '',
    isWrittenByOthers: () => false,
    readIdentity: () => '',
    documents: createSqliteDocuments({ file: ':memory:' }),
    buildIndex: async () => ({ state: 'existing', detail: '' }),
  });
}

/** Returns a handle for statements that bypass Kysely. The handle records them in `queries`; they return no rows. */
function createDummyHandle(queries: CompiledQuery[]): SqliteHandle {
  const handle = {
    prepare(text: string) {
      queries.push(CompiledQuery.raw(text));
      const statement = { raw: () => statement, all: () => [] };
      return statement;
    },
    transaction: (work: () => void) => work,
  };
  return handle as unknown as SqliteHandle;
}
