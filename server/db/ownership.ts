import { StartUpError } from './start-up-error.ts';
import {
  indexDefinitions,
  newErtColumn,
  tableDefinitions,
  tableNames,
  type TableName,
} from './tables.ts';

/** Facts about a database that show which program it belongs to; names of tables and views in lower case on SQLite. */
export interface SchemaState {
  /** Columns of the tables with our names, in order. */
  columns: ReadonlyMap<string, readonly string[]>;
  indexes: ReadonlySet<string>;
  /** Objects with our names that are not tables, such as a `view`. */
  nonTables: ReadonlyMap<string, string>;
  /**
   * Objects of other programs that act on a deletion of rows of our tables, triggers and rules for any change, and
   * policies that hide rows: `trigger "audit" on "runs"`.
   */
  hooks: readonly string[];
  /** Objects of other programs that refer to our tables: `table "run_tags"`. */
  dependentNames: readonly string[];
  /** Our tables that may not be read. */
  unreadableTables: readonly string[];
  /** Whether there are tables or views with other names. */
  hasOtherTables: boolean;
}

/** Options that the user set. */
export interface OwnershipOptions {
  /**
   * Handling of tables of a runner before version 3. By default, the service replaces those with exactly its columns by
   * empty ones after a backup; `replace`: also tables that only resemble them; `refuse`: none.
   */
  legacy?: 'replace' | 'refuse' | undefined;
  /**
   * Whether the tables may be created next to those of other programs; `false`: a missing file may not be created
   * either.
   */
  canCreate?: boolean | undefined;
  /**
   * Whether everything must exist, so that nothing is created or replaced, and a table that may not be read affects
   * only reads of that table.
   */
  mustExist?: boolean | undefined;
}

/** The columns of `runs` before version 3, when there were no experiments. */
const olderRunsColumns = [
  'run_id',
  'algorithm_id',
  'problem_class',
  'genotype_type',
  'population_size',
  'max_generations',
  'config_hash',
  'seed',
  'started_at',
  'completed_at',
  'total_generations',
  'best_fitness',
  'best_individual',
  'total_duration_ms',
  'status',
];

/** The table of the documents of Evoscope itself; see {@link DatabaseDialect.documents}. */
export const documentsTable = 'evoscope_documents';

/**
 * Tables that belong to no other program: our tables, an unused table of the old runner, and the table of the
 * documents.
 */
const runnerTables = new Set<string>([...tableNames, 'generation_stats', documentsTable]);

/** Returns whether a table has one of our names. */
export function isOwnTable(table: string): boolean {
  return tableNames.some((name) => name === table);
}

/** Returns whether a table belongs to another program. */
export function isForeign(table: string): boolean {
  return !runnerTables.has(table);
}

/** Returns whether the tables are those of a runner before version 3: `runs` without experiments. */
export function isLegacy({ columns }: SchemaState): boolean {
  const runs = columns.get('runs') ?? [];
  return runs.includes('run_id') && !runs.includes('experiment_id');
}

/** Returns the first of our 13 tables that is missing; undefined if all exist. */
export function findMissingTable({ columns }: SchemaState): TableName | undefined {
  return tableNames.find((table) => !columns.has(table));
}

/** Returns whether the 13 tables and 16 indexes exist. */
export function isComplete(state: SchemaState): boolean {
  const hasIndexes = Object.keys(indexDefinitions).every((index) => state.indexes.has(index));
  return findMissingTable(state) === undefined && hasIndexes;
}

/**
 * Returns the column of the runner's ERT in `coco_aggregates`, the first one if there are several; undefined without
 * that table or such a column.
 */
export function getErtColumn(state: SchemaState): string | undefined {
  return getErtColumns(state)[0];
}

function getErtColumns({ columns }: SchemaState): string[] {
  const aggregateColumns = columns.get('coco_aggregates') ?? [];
  return aggregateColumns.filter((column) => column.endsWith('_ert') && column !== 'reference_ert');
}

/**
 * Throws a {@link StartUpError} unless the tables are the runner's, may be created, or may be replaced. Also throws it
 * for several columns of the runner's ERT, and for an object of another program that may act on changes. Without
 * `mustExist`, also throws it for a table that may not be read. The message states the fault, and the option that
 * allows replacing or adding tables.
 */
export function assertAdmissible(
  state: SchemaState,
  database: string,
  options: OwnershipOptions,
): void {
  const [nonTable] = state.nonTables;
  if (nonTable)
    throw makeNotOursError(`its "${nonTable[0]}" is a ${nonTable[1]}, not a table`, database);
  if (isLegacy(state)) return assertReplaceable(state, database, options);
  const fault = findFirstFault(state);
  if (fault !== undefined) throw makeNotOursError(fault, database);
  const ertColumns = getErtColumns(state);
  if (ertColumns.length > 1) {
    const names = ertColumns.map((column) => `"${column}"`).join(', ');
    throw new StartUpError(
      `Several columns of "coco_aggregates" may have the runner's own ERT, so nothing was changed: ${names} (${database}). Rename or drop all but one`,
    );
  }
  const [hook] = state.hooks;
  if (hook !== undefined) {
    throw new StartUpError(
      `A ${hook} is not the runner's and may act on rows that Evoscope writes or deletes, so the database was not opened or changed (${database}). Remove it, or choose another database`,
    );
  }
  const [unreadableTable] = state.unreadableTables;
  if (unreadableTable !== undefined && options.mustExist !== true) {
    throw new StartUpError(
      `The database user lacks the right SELECT on table "${unreadableTable}" (${database}): grant it, or use another user`,
      undefined,
      undefined,
      'forbidden',
    );
  }
  if (state.columns.size === 0 && state.hasOtherTables && options.canCreate !== true) {
    throw new StartUpError(
      `The database has tables, but none of the runner's (${database}): choose another database, or create the runner's tables in it with --create (SVC_CREATE=1). Nothing was changed`,
      'TABLES_OF_OTHERS',
    );
  }
}

function assertReplaceable(
  state: SchemaState,
  database: string,
  { legacy }: OwnershipOptions,
): void {
  if (legacy !== 'replace' && !hasOlderRunnerTables(state)) {
    throw new StartUpError(
      `This is not a database of the runner, so nothing was changed: its table "runs" has no column "experiment_id", and not the columns of an old runner either (${database}). If its tables belong to an old runner anyway, --legacy replace (SVC_LEGACY=replace) replaces them by empty ones after a backup`,
      'LEGACY_SCHEMA',
    );
  }
  if (legacy === 'refuse') {
    throw new StartUpError(
      `The tables are of an old version of the runner (${database}): they can be replaced by empty ones after a backup`,
      'LEGACY_SCHEMA',
    );
  }
  const [dependentName] = state.dependentNames;
  if (dependentName === undefined) return;
  throw new StartUpError(
    `The tables of an old version of the runner cannot be replaced, because the ${dependentName} refers to them (${database}). Nothing was changed; choose another database`,
  );
}

function hasOlderRunnerTables(state: SchemaState): boolean {
  const runs = new Set(state.columns.get('runs'));
  const hasOlderColumns =
    runs.size === olderRunsColumns.length && olderRunsColumns.every((column) => runs.has(column));
  return hasOlderColumns && findFirstFault(state, 'runs') === undefined;
}

/**
 * Returns a clause that names the first of our columns that an existing table with our name lacks; undefined if there
 * is none.
 */
function findFirstFault(state: SchemaState, excludedTable?: TableName): string | undefined {
  const ertColumn = getErtColumn(state);
  for (const table of tableNames) {
    const presentColumns = state.columns.get(table);
    if (!presentColumns || table === excludedTable) continue;
    const missingColumn = Object.keys(tableDefinitions[table].columns).find((column) =>
      column === newErtColumn ? ertColumn === undefined : !presentColumns.includes(column),
    );
    if (missingColumn !== undefined) return `its table "${table}" has no column "${missingColumn}"`;
  }
  return undefined;
}

function makeNotOursError(fault: string, database: string): StartUpError {
  return new StartUpError(
    `This is not a database of the runner: ${fault} (${database}). Nothing was changed; choose another database`,
  );
}
