import { ProblemError } from '#server/errors.ts';
import type { DatabaseConnections, DatabaseStructure } from './dialect.ts';
import {
  assertAdmissible,
  ertColumnOf,
  isComplete,
  isLegacy,
  missingTable,
  type OwnershipOptions,
  type SchemaState,
} from './ownership.ts';
import { StartUpError } from './start-up-error.ts';
import {
  createIndexSql,
  createTableSql,
  indexDefinitions,
  newErtColumn,
  tableNames,
} from './tables.ts';
import { describeDatabase, type DatabaseUrl } from './url.ts';

export interface InitialiseOptions extends OwnershipOptions {
  /** Reports to the user: a created file, a backup, replaced tables. */
  notify?: ((message: string) => void) | undefined;
  /** The identity of the database in which tables may be created or replaced; any if undefined. */
  identity?: string | undefined;
}

const attempts = 3;

/**
 * Ensures that the runner's 13 tables and 16 indexes exist. Returns the name of the column of the runner's ERT. If
 * everything exists, no statement writes or locks. Tables from before version 3 are backed up and replaced if {@link
 * OwnershipOptions} allow it. Throws a {@link StartUpError}, with nothing changed, if the database is not the runner's,
 * if a table is missing and may not be created, or if creating the tables or the backup fails.
 */
export async function initialise(
  connections: DatabaseConnections,
  url: DatabaseUrl,
  options: InitialiseOptions,
): Promise<{ ertColumn: string }> {
  const where = describeDatabase(url);
  const { structure } = connections;
  const mayMake = !connections.readOnly && options.existing !== true;
  let state = await structure.inspect();
  assertAdmissible(state, where, options);
  if (!mayMake) {
    assertComplete(state, where, connections.readOnly);
  } else {
    if (isLegacy(state)) await replaceLegacy(structure, options);
    await connections.applyPersistentSettings();
    state = await structure.inspect();
    if (!isComplete(state)) await createMissing(connections, where, options.identity);
  }
  return { ertColumn: ertColumnOf(state) ?? newErtColumn };
}

function assertComplete(state: SchemaState, where: string, readOnly: boolean): void {
  const manner = readOnly ? 'is opened read-only and' : 'is here already, but';
  if (isLegacy(state)) {
    throw new StartUpError(
      `The database ${manner} its tables are of an old version of the runner (${where})`,
    );
  }
  const missing = missingTable(state);
  if (missing === undefined) return;
  throw new StartUpError(
    `The database ${manner} has no table "${missing}" (${where}): open it once with write permission`,
  );
}

/** Retries if another process, such as a starting runner, created the same tables at the same time. */
async function createMissing(
  { structure, dialect }: DatabaseConnections,
  where: string,
  identity: string | undefined,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await structure.make(allOf(structure), identity);
      return;
    } catch (error) {
      if (error instanceof ProblemError) throw error;
      const complete = await structure.inspect().then(isComplete, () => false);
      if (complete) return;
      if (attempt < attempts && dialect.failureKind(error) !== 'unavailable') continue;
      const reason = error instanceof Error ? error.message : String(error);
      throw new StartUpError(`The tables cannot be created in ${where}: ${reason}`);
    }
  }
}

function allOf({ columnTypes }: DatabaseStructure): string[] {
  return [
    ...tableNames.map((table) => createTableSql(table, columnTypes)),
    ...Object.keys(indexDefinitions).map(createIndexSql),
  ];
}

async function replaceLegacy(
  structure: DatabaseStructure,
  { notify, identity }: InitialiseOptions,
): Promise<void> {
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const copy = await structure.replace(isLegacy, stamp, allOf(structure), identity);
  if (copy === undefined) return;
  notify?.(`Tables of an old version of the runner were kept in ${copy} and replaced`);
}
