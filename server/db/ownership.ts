import { StartUpError } from './start-up-error.ts';
import {
  indexDefinitions,
  newErtColumn,
  tableDefinitions,
  tableNames,
  type TableName,
} from './tables.ts';

/**
 * Facts about a database that show which program it belongs to. On SQLite, all names except names of columns are in
 * lower case.
 */
export interface SchemaState {
  /** Columns of the tables with our names, in order, by table. */
  columns: ReadonlyMap<string, readonly string[]>;
  indexes: ReadonlySet<string>;
  /** Kinds, such as `view`, of the objects with our names that are not tables, by name. */
  nonTables: ReadonlyMap<string, string>;
  /**
   * Objects of other programs that may act on changes of our tables: triggers, rules, child tables, and tables whose
   * foreign keys act on a deletion. Also includes active row-level security policies, which hide rows. Example:
   * `trigger "audit" on "runs"`.
   */
  hooks: readonly string[];
  /**
   * Tables and views of other programs that refer to our tables, such as `table "run_tags"`. SQLite: also triggers.
   * There, a view or trigger refers to our tables if its text contains the name of one of them.
   */
  dependentNames: readonly string[];
  /** Names of our tables that the user may not read; empty on SQLite. */
  unreadableTables: readonly string[];
  /**
   * Columns of our tables with a type that the service cannot read, as clauses: `column "status" of "runs" has the type
   * boolean, not text`. Empty on SQLite, because its columns may contain any type.
   */
  unreadableColumns: readonly string[];
  /**
   * Whether there are tables or views with other names. PostgreSQL: ignores the tables and views of extensions and
   * {@link documentsTable}.
   */
  hasOtherTables: boolean;
  /**
   * `name`: another schema of the PostgreSQL database, in which the user may read the runner's tables. `current`: the
   * open schema. Null if there is no such schema, if the open schema has one of our tables, or if the URL names its
   * schemas.
   */
  runnerSchema: { name: string; current: string } | null;
}

/** Options for the tables of old runners and of other programs. */
export interface OwnershipOptions {
  /**
   * Whether the service replaces tables of a runner before version 3 (see {@link isLegacy}) by empty tables after a
   * backup. By default, it replaces them only if `runs` has exactly the columns of that runner, and all other tables
   * with our names have our columns. With `replace`, it also replaces tables with any other columns. With `refuse`, it
   * replaces no tables.
   */
  legacy?: 'replace' | 'refuse' | undefined;
  /**
   * Whether the service may create the tables next to tables of other programs, or while another schema has the
   * runner's tables; default false. An explicit `false` also forbids the creation of a missing file.
   */
  canCreate?: boolean | undefined;
  /**
   * Whether file and tables must exist. The service then creates and replaces nothing. A table that the user may not
   * read then affects only reads of that table.
   */
  isExistenceRequired?: boolean | undefined;
}

/** The columns of `runs` before version 3, when there were no experiments. */
const legacyRunsColumns = [
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

/** Returns whether a name, in lower case, is the name of one of our 13 tables. */
export function isOwnTable(table: string): boolean {
  return tableNames.some((name) => name === table);
}

/** Returns whether a table or view belongs to another program, by its name. */
export function isForeign(table: string): boolean {
  return !runnerTables.has(table);
}

/** Returns whether the tables may belong to a runner before version 3: `runs` has `run_id`, but no `experiment_id`. */
export function isLegacy({ columns }: SchemaState): boolean {
  const runs = columns.get('runs') ?? [];
  return runs.includes('run_id') && !runs.includes('experiment_id');
}

/** Returns the first of our 13 tables that is missing; undefined if all exist. */
export function findMissingTable({ columns }: SchemaState): TableName | undefined {
  return tableNames.find((table) => !columns.has(table));
}

/** Returns whether the 13 tables and 16 indexes exist, by their names. */
export function isComplete(state: SchemaState): boolean {
  const hasIndexes = Object.keys(indexDefinitions).every((index) => state.indexes.has(index));
  return findMissingTable(state) === undefined && hasIndexes;
}

/**
 * Returns the column of the runner's ERT in `coco_aggregates`, the first one if there are several; undefined if the
 * table or such a column is missing.
 */
export function getErtColumn(state: SchemaState): string | undefined {
  return getErtColumns(state)[0];
}

function getErtColumns({ columns }: SchemaState): string[] {
  const aggregateColumns = columns.get('coco_aggregates') ?? [];
  return aggregateColumns.filter((column) => column.endsWith('_ert') && column !== 'reference_ert');
}

/**
 * Throws a {@link StartUpError} unless the tables are the runner's, or the service may create or replace them. The
 * service must not replace tables to which an object of another program refers. For tables of a current runner, also
 * throws it if there are several columns of the runner's ERT, if a column has a type that the service cannot read, or
 * if an object of another program may act on changes. Without `isExistenceRequired`, also throws it if the user may not
 * read one of these tables. The message states the fault and, if there is one, the option that allows adding or
 * replacing tables.
 */
export function assertAdmissible(
  state: SchemaState,
  database: string,
  options: OwnershipOptions,
): void {
  const [nonTable] = state.nonTables;
  if (nonTable)
    throw makeForeignDatabaseError(
      `its "${nonTable[0]}" is a ${nonTable[1]}, not a table`,
      database,
    );
  if (isLegacy(state)) return assertReplaceable(state, database, options);
  const fault = findFirstFault(state);
  if (fault !== undefined) throw makeForeignDatabaseError(fault, database);
  const ertColumns = getErtColumns(state);
  if (ertColumns.length > 1) {
    const names = ertColumns.map((column) => `"${column}"`).join(', ');
    throw new StartUpError(
      `Several columns of "coco_aggregates" may have the runner's own ERT, so the service changed nothing: ${names} (${database}). Rename or drop all but one`,
    );
  }
  const [unreadableColumn] = state.unreadableColumns;
  if (unreadableColumn !== undefined) {
    throw new StartUpError(
      `The ${unreadableColumn} (${database}), so the service changed nothing. Convert the column, or choose another database`,
    );
  }
  const [hook] = state.hooks;
  if (hook !== undefined) {
    throw new StartUpError(
      `A ${hook} is not the runner's and may act on rows that Evoscope writes or deletes, so the service neither opened nor changed the database (${database}). Remove it, or choose another database`,
    );
  }
  const [unreadableTable] = state.unreadableTables;
  if (unreadableTable !== undefined && options.isExistenceRequired !== true) {
    throw new StartUpError(
      `The database user lacks the privilege SELECT on table "${unreadableTable}" (${database}): grant it, or use another user`,
      undefined,
      undefined,
      'forbidden',
    );
  }
  if (state.columns.size === 0 && state.runnerSchema !== null && options.canCreate !== true) {
    const { name, current } = state.runnerSchema;
    throw new StartUpError(
      `The runner's tables are in the schema "${name}", and none in "${current}" (${database}), so the service changed nothing. Add ?currentSchema=${encodeURIComponent(name)} to the URL, or create them in "${current}" with --create (SVC_CREATE=1)`,
      'TABLES_OF_OTHERS',
    );
  }
  if (state.columns.size === 0 && state.hasOtherTables && options.canCreate !== true) {
    throw new StartUpError(
      `The database has tables, but none of the runner's (${database}), so the service changed nothing. Choose another database, or create the runner's tables in it with --create (SVC_CREATE=1)`,
      'TABLES_OF_OTHERS',
    );
  }
}

function assertReplaceable(
  state: SchemaState,
  database: string,
  { legacy }: OwnershipOptions,
): void {
  if (legacy !== 'replace' && !hasExactLegacyTables(state)) {
    throw new StartUpError(
      `This is not a database of the runner, so the service changed nothing: its table "runs" has no column "experiment_id", and its tables do not match those of an old runner either (${database}). If its tables belong to an old runner anyway, --legacy replace (SVC_LEGACY=replace) replaces them by empty ones after a backup`,
      'LEGACY_SCHEMA',
    );
  }
  if (legacy === 'refuse') {
    throw new StartUpError(
      `The tables belong to an old version of the runner (${database}), so the service changed nothing. --legacy replace (SVC_LEGACY=replace) replaces them by empty ones after a backup`,
      'LEGACY_SCHEMA',
    );
  }
  const [dependentName] = state.dependentNames;
  if (dependentName === undefined) return;
  throw new StartUpError(
    `The service cannot replace the tables of an old version of the runner, because the ${dependentName} refers to them (${database}). It changed nothing: choose another database`,
  );
}

function hasExactLegacyTables(state: SchemaState): boolean {
  const runs = new Set(state.columns.get('runs'));
  const hasLegacyColumns =
    runs.size === legacyRunsColumns.length && legacyRunsColumns.every((column) => runs.has(column));
  return hasLegacyColumns && findFirstFault(state, 'runs') === undefined;
}

/**
 * Returns a clause about the first of our columns that is missing in an existing table with our name; undefined if none
 * is missing. Ignores `excludedTable`.
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

function makeForeignDatabaseError(fault: string, database: string): StartUpError {
  return new StartUpError(
    `This is not a database of the runner: ${fault} (${database}). The service changed nothing: choose another database`,
  );
}
