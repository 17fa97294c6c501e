import { CompiledQuery, sql, type Kysely } from 'kysely';
import { lockNumbers, type DatabaseStructure } from '../dialect.ts';
import { hashIdentity, makeReplacedError } from '../identity.ts';
import { documentsTable, isForeign, isOwnTable, type SchemaState } from '../ownership.ts';
import type { Tables } from '../schema.ts';
import { StartUpError } from '../start-up-error.ts';
import { tableDefinitions, tableNames } from '../tables.ts';

/**
 * Returns functions that read, create and move tables in PostgreSQL; see {@link DatabaseStructure}. `isSchemaNamed`:
 * whether the URL names its schemas.
 */
export function createPostgresStructure(
  kysely: Kysely<Tables>,
  isSchemaNamed: boolean,
): DatabaseStructure {
  const runUnderLock = <Result>(work: (transaction: Kysely<Tables>) => Promise<Result>) =>
    kysely.transaction().execute(async (transaction) => {
      await sql`set local statement_timeout = 0`.execute(transaction);
      await sql`set local lock_timeout = 0`.execute(transaction);
      await sql`select pg_advisory_xact_lock(${lockNumbers.structure})`.execute(transaction);
      return work(transaction);
    });
  return {
    columnTypes: { id: 'BIGSERIAL PRIMARY KEY', double: 'DOUBLE PRECISION' },
    inspect: async () => {
      const state = await inspectPostgres(kysely);
      if (isSchemaNamed || state.columns.size > 0) return state;
      return { ...state, runnerSchema: (await runnerSchemaQuery.execute(kysely)).rows[0] ?? null };
    },
    createTables: (statements, identity) =>
      runUnderLock(async (transaction) => {
        await requireIdentity(transaction, identity);
        await executeAll(transaction, statements);
      }),
    replaceTables: (isNeeded, timestamp, statements, identity) =>
      runUnderLock(async (transaction) => {
        await requireIdentity(transaction, identity);
        const state = await inspectPostgres(transaction);
        if (!isNeeded(state)) return undefined;
        const schema = `legacy_${timestamp.toLowerCase()}`;
        await sql`set local lock_timeout = '10s'`.execute(transaction);
        // A table moves together with its keys, indexes and sequences. Objects that refer to it still do so afterwards.
        const moveStatements = [...state.columns.keys()].map(
          (table) => `alter table ${table} set schema ${schema}`,
        );
        await executeAll(transaction, [`create schema ${schema}`, ...moveStatements]).catch(
          throwNoBackup,
        );
        await executeAll(transaction, statements);
        return `schema ${schema}`;
      }),
  };
}

const identityQuery = sql<{ database: string; tables: string; can_identify: boolean }>`
  select (select oid::text from pg_database where datname = current_database()) as database,
    (select string_agg(oid::text, ' ' order by relname) from pg_class
      where relnamespace = (select oid from pg_namespace where nspname = current_schema())
        and relkind in ('r', 'p') and relname = any(${tableNames})) as tables,
    has_function_privilege('pg_control_system()', 'execute') as can_identify`;

const serverQuery = sql<{ server: string }>`
  select system_identifier::text as server from pg_control_system()`;

async function requireIdentity(
  transaction: Kysely<Tables>,
  identity: string | undefined,
): Promise<void> {
  if (identity !== undefined && (await readIdentity(transaction)) !== identity) {
    throw makeReplacedError();
  }
}

/** Returns the identity of the database; see {@link DatabaseDialect.readIdentity}. */
export async function readIdentity(kysely: Kysely<Tables>): Promise<string> {
  const [identityRow] = (await identityQuery.execute(kysely)).rows;
  const [server] = identityRow?.can_identify ? (await serverQuery.execute(kysely)).rows : [];
  return hashIdentity([server?.server, identityRow?.database, identityRow?.tables]);
}

async function executeAll(kysely: Kysely<Tables>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await kysely.executeQuery(CompiledQuery.raw(statement));
}

function throwNoBackup(error: unknown): never {
  const reason = error instanceof Error ? error.message : String(error);
  throw new StartUpError(
    `The tables belong to an old version of the runner, and the service cannot back them up (${reason}), so it changed nothing. Correct this, then try again`,
  );
}

/**
 * Returns the facts of {@link SchemaState} about the current schema of a connection or transaction; `runnerSchema` is
 * null.
 */
export async function inspectPostgres(kysely: Kysely<Tables>): Promise<SchemaState> {
  const { rows: relations } = await relationsQuery.execute(kysely);
  const { rows: references } = await referencesQuery.execute(kysely);
  const { rows: indexes } = await indexesQuery.execute(kysely);
  const ownRelations = relations.filter(({ name }) => isOwnTable(name));
  const tables = ownRelations.filter(({ kind }) => kind === 'table');
  const foreignReferences = references.filter(({ source }) => isForeign(source));
  return {
    columns: new Map(tables.map(({ name, columns }) => [name, columns])),
    indexes: new Set(indexes.map(({ name }) => name)),
    nonTables: new Map(
      ownRelations.filter(({ kind }) => kind !== 'table').map(({ name, kind }) => [name, kind]),
    ),
    hooks: [
      ...references
        .filter(
          ({ has_action, source, kind }) => has_action && (kind !== 'table' || isForeign(source)),
        )
        .map(({ kind, source, target }) => `${kind} "${source}" on "${target}"`),
      ...tables
        .filter(({ is_filtered }) => is_filtered)
        .map(({ name }) => `row-level security policy on "${name}"`),
    ],
    dependentNames: foreignReferences
      .filter(({ kind }) => kind === 'table' || kind === 'child table' || kind === 'view')
      .map(({ kind, source }) => `${kind} "${source}"`),
    unreadableTables: tables.filter(({ is_readable }) => !is_readable).map(({ name }) => name),
    unreadableColumns: tables.flatMap(listUnreadableColumns),
    hasOtherTables: relations.some(({ name }) => !isOwnTable(name) && name !== documentsTable),
    runnerSchema: null,
  };
}

const currentSchema = sql`(select oid from pg_namespace where nspname = current_schema())`;

/**
 * Categories of the types of texts and of numbers in the catalogue. Domains over these types have the same categories.
 */
const typeCategories = { text: 'S', number: 'N' };

/** Returns the columns of one of our tables whose values the service cannot read; see {@link SchemaState}. */
function listUnreadableColumns({ name, columns, categories, types }: Relation): string[] {
  const definitions: Readonly<Record<string, { columns: Readonly<Record<string, string>> }>> =
    tableDefinitions;
  const declarations = definitions[name]?.columns ?? {};
  return columns.flatMap((column, index) => {
    const declaration = declarations[column];
    if (declaration === undefined) return [];
    const isText = declaration.startsWith('TEXT');
    if (categories[index] === typeCategories[isText ? 'text' : 'number']) return [];
    return [
      `column "${column}" of "${name}" has the type ${types[index]}, not ${isText ? 'text' : 'a numeric type'}`,
    ];
  });
}

/** A table or view with its columns in order. `types` and `categories` describe the types of these columns. */
interface Relation {
  name: string;
  kind: string;
  columns: string[];
  categories: string[];
  types: string[];
  is_readable: boolean;
  is_filtered: boolean;
}

const selectFromColumns = (expression: string) => sql`
  array(select ${sql.raw(expression)}::text from pg_attribute a join pg_type t on t.oid = a.atttypid
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum)`;

/**
 * Query of the tables, foreign tables and views of the current schema, in order of their names, without those of
 * extensions.
 */
const relationsQuery = sql<Relation>`
  select c.relname::text as name,
    case c.relkind when 'v' then 'view' when 'm' then 'materialized view'
      when 'f' then 'foreign table' else 'table' end as kind,
    ${selectFromColumns('a.attname')} as columns,
    ${selectFromColumns('t.typcategory')} as categories,
    ${selectFromColumns('format_type(a.atttypid, a.atttypmod)')} as types,
    has_table_privilege(c.oid, 'SELECT') as is_readable,
    row_security_active(c.oid) as is_filtered
  from pg_class c
  where c.relnamespace = ${currentSchema} and c.relkind in ('r', 'p', 'v', 'm', 'f')
    and not exists (select from pg_depend d
      where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
  order by c.relname`;

const qualifyName = (relation: string) => {
  const makeReference = (column: string) => sql.ref(`${relation}.${column}`);
  return sql`case when ${makeReference('relnamespace')} = ${currentSchema} then ${makeReference('relname')}::text
    else ${makeReference('relnamespace')}::regnamespace::text || '.' || ${makeReference('relname')} end`;
};

/**
 * Query of the objects, other than our tables and their partitions, that refer to these tables: foreign keys, child
 * tables, triggers, rules and views. `has_action` is true for triggers, rules and child tables, and for a foreign key
 * if a deletion of our rows changes or deletes rows of the other table.
 */
const referencesQuery = sql<{ kind: string; source: string; target: string; has_action: boolean }>`
  with recursive own_tables as (
    select oid, relname, relkind from pg_class
    where relnamespace = ${currentSchema} and relkind in ('r', 'p') and relname in (${sql.join(tableNames)})
    union
    select c.oid, c.relname, c.relkind from own_tables join pg_inherits i on i.inhparent = own_tables.oid
      join pg_class c on c.oid = i.inhrelid
    where own_tables.relkind = 'p'
  )
  select 'table' as kind, ${qualifyName('s')} as source, own_tables.relname::text as target,
    k.confdeltype in ('c', 'n', 'd') as has_action
  from pg_constraint k join own_tables on own_tables.oid = k.confrelid join pg_class s on s.oid = k.conrelid
  where k.contype = 'f' and k.conrelid not in (select oid from own_tables)
  union all
  select 'child table', ${qualifyName('c')}, own_tables.relname::text, true
  from pg_inherits i join own_tables on own_tables.oid = i.inhparent join pg_class c on c.oid = i.inhrelid
  where i.inhrelid not in (select oid from own_tables)
  union all
  select 'trigger', t.tgname::text, own_tables.relname::text, true
  from pg_trigger t join own_tables on own_tables.oid = t.tgrelid where not t.tgisinternal
  union all
  select 'rule', r.rulename::text, own_tables.relname::text, true
  from pg_rewrite r join own_tables on own_tables.oid = r.ev_class where r.rulename <> '_RETURN'
  union all
  select distinct 'view', ${qualifyName('v')}, own_tables.relname::text, false
  from pg_depend d join own_tables on own_tables.oid = d.refobjid and d.refclassid = 'pg_class'::regclass
    join pg_rewrite r on r.oid = d.objid and d.classid = 'pg_rewrite'::regclass
    join pg_class v on v.oid = r.ev_class
  where v.oid <> own_tables.oid`;

/** Query of the first other schema with a table `runs` of the runner that the user may read, `public` before others. */
const runnerSchemaQuery = sql<{ name: string; current: string }>`
  select n.nspname::text as name, current_schema()::text as current
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relname = 'runs' and c.relkind in ('r', 'p') and n.nspname <> current_schema()
    and (select count(*) from pg_attribute
      where attrelid = c.oid and attname in ('run_id', 'experiment_id') and not attisdropped) = 2
    and has_schema_privilege(n.oid, 'USAGE') and has_table_privilege(c.oid, 'SELECT')
  order by n.nspname <> 'public', n.nspname limit 1`;

const indexesQuery = sql<{ name: string }>`
  select indexname::text as name from pg_indexes where schemaname = current_schema()`;
