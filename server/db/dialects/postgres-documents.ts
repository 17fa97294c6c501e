import { sql, type Kysely } from 'kysely';
import {
  makeDocumentsFullError,
  makeUnreadableDocumentsError,
  type ProblemError,
} from '#server/errors.ts';
import { lockNumbers } from '../dialect.ts';
import { isTooLarge, type DocumentStore, type StoredDocument } from '../documents.ts';
import { documentsTable } from '../ownership.ts';
import type { Tables } from '../schema.ts';

/** Key of the row whose version changes with every change of a document. No document has an empty kind. */
const versionKey = { kind: '', id: '' };

const table = sql.table(documentsTable);

interface Row {
  kind: string;
  id: string;
  version: string;
  value: string;
}

/**
 * Returns the store of the documents of a PostgreSQL database: a table in the runner's schema, created with the first
 * document.
 */
export function createPostgresDocuments(kysely: Kysely<Tables>): DocumentStore {
  let cache: { version: string; documents: readonly StoredDocument[] } | undefined;
  const findVersion = async () => {
    const { has_table, is_readable } = await findTable(kysely);
    if (!has_table) return 'none';
    return is_readable ? readVersion(kysely) : 'unreadable';
  };
  return {
    isTransactional: true,
    readVersion: findVersion,
    read: async () => {
      const currentVersion = await findVersion();
      if (currentVersion === 'none') return [];
      if (currentVersion === 'unreadable') throw makeRefusalError();
      if (cache?.version !== currentVersion) cache = await load(kysely);
      return cache.documents;
    },
    requireReadPrivilege: async () => {
      const { has_table, is_readable } = await findTable(kysely);
      if (has_table && !is_readable) throw makeRefusalError();
    },
    replace: async (transaction, change) => {
      await sql`select pg_advisory_xact_lock(${lockNumbers.documents})`.execute(transaction);
      const { has_table } = await findTable(transaction);
      const previousDocuments = has_table ? (await load(transaction)).documents : [];
      const nextDocuments = change(previousDocuments);
      if (nextDocuments === previousDocuments) return;
      if (isTooLarge(nextDocuments)) throw makeDocumentsFullError();
      if (!has_table) await createTable(transaction);
      await write(transaction, previousDocuments, nextDocuments);
    },
  };
}

/**
 * Query of whether the table of documents exists and the user may read it. Searches only the runner's schema, because
 * another schema of the search path may have such a table too. Without a privilege on any schema, there is no current
 * schema and so no table.
 */
const tableQuery = sql<{ has_table: boolean; is_readable: boolean }>`
  select c.oid is not null as has_table, coalesce(has_table_privilege(c.oid, 'SELECT'), false) as is_readable
  from (select to_regclass(quote_ident(current_schema()) || '.' || ${sql.lit(documentsTable)}) as oid) as c`;

async function findTable(
  kysely: Kysely<Tables>,
): Promise<{ has_table: boolean; is_readable: boolean }> {
  const { rows } = await tableQuery.execute(kysely);
  return rows[0] ?? { has_table: false, is_readable: false };
}

async function readVersion(kysely: Kysely<Tables>): Promise<string> {
  const { rows } = await sql<{ version: string }>`select version from ${table}
    where kind = ${versionKey.kind} and id = ${versionKey.id}`
    .execute(kysely)
    .catch((error: unknown) => {
      if (isMissingColumn(error)) return { rows: [] };
      throw error;
    });
  return rows[0]?.version ?? 'empty';
}

/**
 * Returns whether an error reports a missing column. If the table of documents lacks a column, another program has
 * created this table.
 */
function isMissingColumn(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '42703';
}

/**
 * Reads all documents and their common version in one statement, so they belong together. Throws DOCUMENTS_UNREADABLE
 * for a table of this name that another program has created, and for a damaged row.
 */
async function load(
  kysely: Kysely<Tables>,
): Promise<{ version: string; documents: StoredDocument[] }> {
  const { rows } = await sql<Row>`select kind, id, version, value from ${table}`
    .execute(kysely)
    .catch((error: unknown) => {
      throw isMissingColumn(error) ? makeUnreadableError('belongs to another program') : error;
    });
  const documents = rows.filter(({ kind }) => kind !== versionKey.kind);
  return {
    version: rows.find(({ kind }) => kind === versionKey.kind)?.version ?? 'empty',
    documents: documents.map(({ value, ...document }) => ({ ...document, value: parse(value) })),
  };
}

function parse(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    throw makeUnreadableError('contains a damaged row');
  }
}

function makeRefusalError(): ProblemError {
  return makeUnreadableError(
    'is not readable for this database user',
    'Grant the user the privilege SELECT on it',
  );
}

function makeUnreadableError(reason: string, remedy?: string): ProblemError {
  return makeUnreadableDocumentsError(`the table "${documentsTable}"`, reason, remedy);
}

async function createTable(transaction: Kysely<Tables>): Promise<void> {
  await sql`create table if not exists ${table} (kind text not null, id text not null,
    version text not null, value text not null, primary key (kind, id))`.execute(transaction);
}

async function write(
  transaction: Kysely<Tables>,
  previousDocuments: readonly StoredDocument[],
  nextDocuments: readonly StoredDocument[],
): Promise<void> {
  const previousDocumentsByKey = new Map(
    previousDocuments.map((document) => [getKey(document), document]),
  );
  const remainingKeys = new Set(nextDocuments.map(getKey));
  for (const { kind, id } of previousDocuments.filter(
    (document) => !remainingKeys.has(getKey(document)),
  )) {
    await sql`delete from ${table} where kind = ${kind} and id = ${id}`.execute(transaction);
  }
  const changedDocuments = nextDocuments.filter(
    (document) => previousDocumentsByKey.get(getKey(document)) !== document,
  );
  for (const { value, ...document } of changedDocuments) {
    await save(transaction, { ...document, value: JSON.stringify(value) });
  }
  const version = sql`md5(random()::text || clock_timestamp()::text)`;
  await sql`insert into ${table} values (${versionKey.kind}, ${versionKey.id}, ${version}, '')
    on conflict (kind, id) do update set version = excluded.version`.execute(transaction);
}

async function save(transaction: Kysely<Tables>, row: Row): Promise<void> {
  await sql`insert into ${table} values (${row.kind}, ${row.id}, ${row.version}, ${row.value})
    on conflict (kind, id) do update set version = excluded.version, value = excluded.value`.execute(
    transaction,
  );
}

function getKey({ kind, id }: StoredDocument): string {
  return JSON.stringify([kind, id]);
}
