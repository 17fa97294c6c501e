import { CompiledQuery, type Kysely } from 'kysely';
import type { DatabaseConnections, DatabaseStructure } from './dialect.ts';
import type { Tables } from './schema.ts';
import { StartUpError } from './start-up-error.ts';
import {
  createIndexSql,
  createTableSql,
  indexDefinitions,
  newErtColumn,
  tableDefinitions,
  tableNames,
} from './tables.ts';
import { describeDatabase, type DatabaseUrl } from './url.ts';

export interface InitialiseOptions {
  /**
   * Whether tables of a runner before version 3 may be replaced by empty ones, after a backup; default yes.
   */
  allowLegacyReplacement?: boolean | undefined;
  /** Told what a user should know: a file that was made, a backup, tables that were replaced. */
  notify?: ((message: string) => void) | undefined;
}

/** What is in a database of the tables and indexes of ours. */
interface SchemaState {
  columns: Map<string, string[]>;
  indexes: Set<string>;
}

const attempts = 3;

/**
 * Ensures that the runner's 13 tables and 16 indexes exist; returns the name of the column of its own ERT.
 * Looks before it creates: when all is there, no statement writes or locks. Tables from before version 3
 * (`runs` with `run_id` but without `experiment_id`) are backed up and replaced, unless the options forbid it.
 * Throws a {@link StartUpError}, with nothing changed, when a table of a name of ours has other columns,
 * when the database is read-only and lacks a table, or when making the tables or the backup fails.
 */
export async function initialise(
  connections: DatabaseConnections,
  url: DatabaseUrl,
  options: InitialiseOptions,
): Promise<{ ertColumn: string }> {
  const where = describeDatabase(url);
  let state = await inspectSchema(connections.structure);
  if (isLegacy(state) && !connections.readOnly) {
    await replaceLegacy(connections, where, state, options);
    state = await inspectSchema(connections.structure);
  }
  if (!isLegacy(state)) assertOurs(state, where);
  if (connections.readOnly) {
    assertComplete(state, where);
  } else {
    await connections.applyPersistentSettings();
    if (!isComplete(state)) await createMissing(connections, where);
  }
  return { ertColumn: ertColumnOf(state) ?? newErtColumn };
}

async function inspectSchema(structure: DatabaseStructure): Promise<SchemaState> {
  return { columns: await structure.columns(), indexes: await structure.indexes() };
}

function isLegacy({ columns }: SchemaState): boolean {
  const runs = columns.get('runs') ?? [];
  return runs.includes('run_id') && !runs.includes('experiment_id');
}

function isComplete({ columns, indexes }: SchemaState): boolean {
  return (
    tableNames.every((table) => columns.has(table)) &&
    Object.keys(indexDefinitions).every((index) => indexes.has(index))
  );
}

function ertColumnOf({ columns }: SchemaState): string | undefined {
  return columns
    .get('coco_aggregates')
    ?.find((column) => column.endsWith('_ert') && column !== 'reference_ert');
}

function assertOurs(state: SchemaState, where: string): void {
  for (const table of tableNames) {
    const present = state.columns.get(table);
    if (!present) continue;
    const missing = Object.keys(tableDefinitions[table].columns).find(
      (column) =>
        !(column === newErtColumn ? ertColumnOf(state) !== undefined : present.includes(column)),
    );
    if (missing !== undefined) {
      throw new StartUpError(
        `This is not a database of the runner: its table "${table}" has no column "${missing}" (${where}). Nothing was changed`,
      );
    }
  }
}

function assertComplete({ columns }: SchemaState, where: string): void {
  const missing = tableNames.find((table) => !columns.has(table));
  if (missing !== undefined) {
    throw new StartUpError(
      `The database is opened read-only and has no table "${missing}" (${where}): open it once with write permission`,
    );
  }
  if (isLegacy({ columns, indexes: new Set() })) {
    throw new StartUpError(
      `The database is opened read-only and its tables are of an old version of the runner (${where})`,
    );
  }
}

/** Tries again when another process, such as a starting runner, made the same tables at the same time. */
async function createMissing(
  { structure, dialect }: DatabaseConnections,
  where: string,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await structure.withSchemaLock((transaction) => createAll(transaction, structure));
      return;
    } catch (error) {
      const complete = await inspectSchema(structure).then(isComplete, () => false);
      if (complete) return;
      if (attempt < attempts && dialect.failureKind(error) !== 'unavailable') continue;
      throw new StartUpError(`The tables cannot be created in ${where}: ${reason(error)}`);
    }
  }
}

async function createAll(transaction: Kysely<Tables>, structure: DatabaseStructure): Promise<void> {
  const statements = [
    ...tableNames.map((table) => createTableSql(table, structure.columnTypes)),
    ...Object.keys(indexDefinitions).map(createIndexSql),
  ];
  for (const statement of statements) await execute(transaction, statement);
}

async function execute(kysely: Kysely<Tables>, statement: string): Promise<void> {
  await kysely.executeQuery(CompiledQuery.raw(statement));
}

async function replaceLegacy(
  { structure }: DatabaseConnections,
  where: string,
  { columns }: SchemaState,
  options: InitialiseOptions,
): Promise<void> {
  if (options.allowLegacyReplacement === false) {
    throw new StartUpError(
      `The tables are of an old version of the runner (${where}): they can be replaced by empty ones after a backup`,
      'LEGACY_SCHEMA',
    );
  }
  const present = tableNames.filter((table) => columns.has(table)).reverse();
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const isNeeded = () => inspectSchema(structure).then(isLegacy);
  const copy = await structure.backUpAndReplace(present, stamp, isNeeded, async (transaction) => {
    for (const table of present) await execute(transaction, `DROP TABLE ${table}`);
    await createAll(transaction, structure);
  });
  if (copy === undefined) return;
  options.notify?.(`Tables of an old version of the runner were copied to ${copy} and replaced`);
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
