import { StartUpError } from './start-up-error.ts';
import {
  indexDefinitions,
  newErtColumn,
  tableDefinitions,
  tableNames,
  type TableName,
} from './tables.ts';

/** What stands in a database that tells whose it is; names of tables and views in lower case on SQLite. */
export interface SchemaState {
  /** Columns of the tables with names of ours, in their order. */
  columns: ReadonlyMap<string, readonly string[]>;
  indexes: ReadonlySet<string>;
  /** What has the name of one of our tables and is something else, such as a `view`. */
  impostors: ReadonlyMap<string, string>;
  /** What others made that acts when rows of our tables are deleted: `trigger "audit" on "runs"`. */
  hooks: readonly string[];
  /** What others made that refers to our tables: `table "run_tags"`. */
  dependents: readonly string[];
  /** Our tables that may not be read. */
  unreadable: readonly string[];
  /** Whether there are tables or views of other names. */
  hasOthers: boolean;
}

/** What the user has asked for by name. */
export interface OwnershipOptions {
  /**
   * What happens to tables of a runner before version 3. By default those with exactly its columns are
   * replaced by empty ones after a backup; `replace`: also those that only look like them; `refuse`: none.
   */
  legacy?: 'replace' | 'refuse' | undefined;
  /** Whether the tables may be made beside those of others; `false` said by name: a missing file neither. */
  create?: boolean | undefined;
  /**
   * Whether everything must be there, so that nothing is made or replaced, and a table that may not be read fails only
   * what reads it.
   */
  existing?: boolean | undefined;
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

/** Tables that are nobody else's: ours, and one of the older runner that is left alone. */
const runnerTables = new Set<string>([...tableNames, 'generation_stats']);

/** Whether a table has the name of one of ours. */
export function isOurs(table: string): boolean {
  return tableNames.some((name) => name === table);
}

/** Whether a table is another program's. */
export function isForeign(table: string): boolean {
  return !runnerTables.has(table);
}

/** Whether the tables stand in for those of a runner before version 3: `runs` without experiments. */
export function isLegacy({ columns }: SchemaState): boolean {
  const runs = columns.get('runs') ?? [];
  return runs.includes('run_id') && !runs.includes('experiment_id');
}

/** The first of our 13 tables that is not there. */
export function missingTable({ columns }: SchemaState): TableName | undefined {
  return tableNames.find((table) => !columns.has(table));
}

/** Whether the 13 tables and 16 indexes are there. */
export function isComplete(state: SchemaState): boolean {
  const hasIndexes = Object.keys(indexDefinitions).every((index) => state.indexes.has(index));
  return missingTable(state) === undefined && hasIndexes;
}

/** The column of the runner's own ERT in `coco_aggregates`, where that table is there. */
export function ertColumnOf(state: SchemaState): string | undefined {
  return ertColumnsOf(state)[0];
}

function ertColumnsOf({ columns }: SchemaState): string[] {
  const present = columns.get('coco_aggregates') ?? [];
  return present.filter((column) => column.endsWith('_ert') && column !== 'reference_ert');
}

/**
 * Throws a {@link StartUpError} unless the tables are the runner's, may be made, or may be replaced: the
 * sentence says what is there instead, and which option lets it be replaced or added to.
 */
export function assertAdmissible(
  state: SchemaState,
  where: string,
  options: OwnershipOptions,
): void {
  const [impostor] = state.impostors;
  if (impostor) throw notOurs(`its "${impostor[0]}" is a ${impostor[1]}, not a table`, where);
  if (isLegacy(state)) return assertReplaceable(state, where, options);
  const fault = firstFault(state);
  if (fault !== undefined) throw notOurs(fault, where);
  const ertColumns = ertColumnsOf(state);
  if (ertColumns.length > 1) {
    const names = ertColumns.map((column) => `"${column}"`).join(' or ');
    throw new StartUpError(
      `Which column of "coco_aggregates" has the runner's own ERT cannot be told: ${names} (${where}). Rename or drop all but one. Nothing was changed`,
    );
  }
  const [hook] = state.hooks;
  if (hook !== undefined) {
    throw new StartUpError(
      `A ${hook} is not the runner's and would act on what is deleted here (${where}): the database is not opened as long as it is there. Nothing was changed`,
    );
  }
  const [unreadable] = state.unreadable;
  if (unreadable !== undefined && options.existing !== true) {
    throw new StartUpError(
      `The database user lacks the right SELECT on table "${unreadable}" (${where})`,
      undefined,
      undefined,
      'forbidden',
    );
  }
  if (state.columns.size === 0 && state.hasOthers && options.create !== true) {
    throw new StartUpError(
      `The database has tables, but none of the runner's (${where}): choose another one, or have the runner's tables made in it with --create (SVC_CREATE=1). Nothing was changed`,
      'TABLES_OF_OTHERS',
    );
  }
}

function assertReplaceable(state: SchemaState, where: string, { legacy }: OwnershipOptions): void {
  if (legacy !== 'replace' && !isOlderRunners(state)) {
    throw new StartUpError(
      `This is not a database of the runner: its table "runs" has no column "experiment_id", and not the columns of an old runner either (${where}). Nothing was changed. If its tables are an old runner's all the same, --legacy replace (SVC_LEGACY=replace) replaces them by empty ones after a backup`,
      'LEGACY_SCHEMA',
    );
  }
  if (legacy === 'refuse') {
    throw new StartUpError(
      `The tables are of an old version of the runner (${where}): they can be replaced by empty ones after a backup`,
      'LEGACY_SCHEMA',
    );
  }
  const [dependent] = state.dependents;
  if (dependent === undefined) return;
  throw new StartUpError(
    `The tables of an old version of the runner cannot be replaced, as the ${dependent} refers to them (${where}). Nothing was changed`,
  );
}

function isOlderRunners(state: SchemaState): boolean {
  const runs = new Set(state.columns.get('runs'));
  const hasItsColumns =
    runs.size === olderRunsColumns.length && olderRunsColumns.every((column) => runs.has(column));
  return hasItsColumns && firstFault(state, 'runs') === undefined;
}

/** The first column of ours that a table of its name lacks, in words; tables that are not there lack none. */
function firstFault(state: SchemaState, except?: TableName): string | undefined {
  const ertColumn = ertColumnOf(state);
  for (const table of tableNames) {
    const present = state.columns.get(table);
    if (!present || table === except) continue;
    const missing = Object.keys(tableDefinitions[table].columns).find((column) =>
      column === newErtColumn ? ertColumn === undefined : !present.includes(column),
    );
    if (missing !== undefined) return `its table "${table}" has no column "${missing}"`;
  }
  return undefined;
}

function notOurs(what: string, where: string): StartUpError {
  return new StartUpError(
    `This is not a database of the runner: ${what} (${where}). Nothing was changed`,
  );
}
