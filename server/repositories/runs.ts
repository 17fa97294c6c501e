import type { Database } from '#server/db/database.ts';
import type { RunsQuery } from '#shared/schemas/run.ts';
import type { DatabaseDialect } from '#server/db/dialect.ts';
import { compareStoredTimes } from '#shared/syntax.ts';
import { orderByColumn } from './order.ts';
import {
  countRows,
  sortByIds,
  sortRows,
  type ListId,
  type ListOptions,
  countRowsBefore,
  type PageRequest,
} from './list.ts';
import {
  findRareStatusCondition,
  isAmongTrials,
  selectMatchingRuns,
  listRunConditions,
  listIndexConditions,
  selectRunsWithExperiments,
  type RunsFilter,
} from './filters.ts';
import { orderByParam, getParamPath, listPathsAmong } from './params.ts';
import { createPreparedQuery, castInt8, selectTextPrefix } from '#server/db/queries.ts';
import {
  selectExactInteger,
  selectNullableText,
  selectNumber,
  makeRow,
  selectText,
  readText,
} from './row.ts';
import {
  sql,
  type Expression,
  type OrderByItemBuilder,
  type RawBuilder,
  type SelectQueryBuilder,
  type SqlBool,
} from 'kysely';

/**
 * Maximum number of characters of an error message that a list reads. It exceeds the number of displayed characters, so
 * truncation leaves no part of a secret unmasked.
 */
const messageLength = 4_000;

const runFields = {
  runId: selectText('r.run_id'),
  experimentId: selectText('r.experiment_id'),
  runName: selectNullableText('e.run_name'),
  algorithmType: selectText('e.algorithm_type'),
  modelType: selectText('e.model_type'),
  problemType: selectText('e.problem_type'),
  representationType: selectText('e.representation_type'),
  status: selectText('r.status'),
  startTime: selectText('r.start_time'),
  endTime: selectNullableText('r.end_time'),
  iterations: selectExactInteger('r.iterations'),
  evaluations: selectExactInteger('r.evaluations'),
  bestFitness: selectNumber('r.best_fitness'),
  runtimeMillis: selectExactInteger('r.runtime_millis'),
  configHash: selectText('e.config_hash'),
  seed: selectExactInteger('r.seed'),
  maxIterations: selectExactInteger('e.max_iterations'),
  resumedFrom: selectNullableText('r.resumed_from'),
};

const listedRun = makeRow({
  ...runFields,
  errorMessage: selectNullableText(
    selectTextPrefix(sql.ref<string>('r.error_message'), messageLength),
  ),
});

const fullRun = makeRow({
  ...runFields,
  errorMessage: selectNullableText('r.error_message'),
  schemaVersion: selectText('e.schema_version'),
  selectionType: selectText('e.selection_type'),
  replacementType: selectText('e.replacement_type'),
  stoppingType: selectText('e.stopping_type'),
  bestSummary: selectNullableText('r.best_summary'),
  artifactsJson: selectNullableText('r.artifacts_json'),
  configYaml: selectText('e.config_yaml'),
  configJson: selectText('e.config_json'),
  experimentCreatedAt: selectText('e.created_at'),
});

export type { RunsFilter };

/**
 * A run in a list, with columns of its row and of its experiment. `maxIterations` belongs to the experiment;
 * `errorMessage` has at most {@link messageLength} characters.
 */
export type RunRow = ReturnType<typeof listedRun.read>;

/** The order of a list, and the page to return. Without a page, a query returns the whole list. */
export type RunsOptions = Pick<RunsQuery, 'sortBy' | 'sortDir'> & ListOptions;

/**
 * Returns the ids of the matching runs, or of one page of them. Sorts by the chosen column or parameter, NULLs last,
 * then by run id. Pages of all runs by start time use an index that sorts by text: `…16.5Z` before `…16Z`. That order
 * is wrong only inside a second whose starts have different numbers of digits, so this function sorts the ids of each
 * second again. If such a second may continue on another page, it reads all runs of this second before.
 */
export async function listRunIds(
  database: Database,
  wholeFilter: RunsFilter,
  options: RunsOptions,
): Promise<ListId[]> {
  const { sortBy, sortDir, pageRequest } = options;
  const isPageOfAllRuns = pageRequest && wholeFilter.experimentId === undefined;
  const filter = isPageOfAllRuns ? await narrowFilter(database, wholeFilter) : wholeFilter;
  const sortRuns = (order: readonly RawBuilder<unknown>[]) =>
    listSortedRunIds(database, filter, options, order);
  if (sortBy !== 'start_time' || !isPageOfAllRuns)
    return (await sortRuns(getRunOrder(database, sortBy))).map(({ id }) => id);
  const textOrder = database.dialect.orderByCodePoint(sql.ref<string>('r.start_time'));
  const rows = (await sortRuns([textOrder])).map(readStartedRun);
  const edgeSeconds = findEdgeSeconds(rows, pageRequest);
  const edgeRows: StartedRun[] = [];
  if (await hasMixedSecond(database, edgeSeconds))
    for (const second of edgeSeconds)
      edgeRows.push(...(await listStartsInSecond(database, filter, second, sortDir)));
  return sortInsideSeconds(rows, edgeRows, sortDir).map(({ id }) => id);
}

/**
 * Returns the sorted ids, with the starts of the runs if the list is sorted by start. Joins experiments only if the
 * filter or the order needs them, so an index can contain all columns that the query reads.
 */
async function listSortedRunIds(
  database: Database,
  filter: RunsFilter,
  options: RunsOptions,
  order: readonly RawBuilder<unknown>[],
) {
  const { sortBy, sortDir, pageRequest } = options;
  const path = getParamPath(sortBy);
  const matchingRuns = selectMatchingRuns(database, filter, experimentColumns.has(sortBy))
    .$if(path !== null, (query) =>
      query.leftJoin('experiment_params as p', (join) =>
        join.onRef('p.experiment_id', '=', 'r.experiment_id').on('p.param_path', '=', path ?? ''),
      ),
    )
    .select('r.run_id as id')
    .$if(sortBy === 'start_time', (query) => query.select('r.start_time'));
  const id = database.dialect.orderByCodePoint(sql.ref<string>('r.run_id'));
  const [key, ...furtherKeys] = order;
  const isUnfiltered = listRunConditions(database.dialect, filter).length === 0;
  if (pageRequest && isUnfiltered && key && furtherKeys.length === 0)
    return sortPageByKey(matchingRuns, key, id, { sortDir, pageRequest });
  return sortRows(matchingRuns, order, id, options).execute();
}

/** Number of rows before a page above which reading these rows takes longer than counting all rows with the key. */
const maximumSkippedRows = 10_000;

/**
 * Returns one page of the rows of a query by one key, in the order of {@link sortRows}. Reads rows with and without the
 * key in separate queries, because one index on key and id then serves both directions. Counts the rows with the key
 * for a page after {@link maximumSkippedRows} rows or after the last row with the key. The count is slow unless an
 * index narrows the rows.
 */
async function sortPageByKey<DB, Names extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, Names, Row>,
  key: Expression<unknown>,
  id: Expression<unknown>,
  { sortDir, pageRequest }: ListOptions & { pageRequest: PageRequest },
) {
  const queryWithKey = query.where(sql<SqlBool>`${key} is not null`);
  // Key and id are not NULL, but the indexes have NULLs first in ascending order.
  const readPage = (direction: 'asc' | 'desc', offset: number) => {
    const orderLikeIndex = (item: OrderByItemBuilder) =>
      direction === 'desc' ? item.desc().nullsLast() : item.asc().nullsFirst();
    return queryWithKey
      .orderBy(key, orderLikeIndex)
      .orderBy(id, orderLikeIndex)
      .limit(pageRequest.size)
      .offset(castInt8(offset))
      .execute();
  };
  const countBefore = countRowsBefore(pageRequest);
  let countWithKey: number | undefined;
  if (countBefore > maximumSkippedRows) {
    // A database reads all rows before a page, so the query of a page in the second half starts from the end.
    countWithKey = await countRows(queryWithKey.clearSelect());
    const countAfter = countWithKey - countBefore - pageRequest.size;
    if (countAfter >= 0 && countAfter < countBefore)
      return (await readPage(sortDir === 'asc' ? 'desc' : 'asc', countAfter)).reverse();
  }
  const rows = await readPage(sortDir, countBefore);
  if (rows.length === pageRequest.size) return rows;
  const isAfterLast = rows.length === 0 && countBefore > 0;
  countWithKey ??= isAfterLast
    ? await countRows(queryWithKey.clearSelect())
    : countBefore + rows.length;
  const rowsWithoutKey = await query
    .where(sql<SqlBool>`${key} is null`)
    .orderBy(id, sortDir)
    .limit(pageRequest.size - rows.length)
    .offset(castInt8(Math.max(0, countBefore - countWithKey)))
    .execute();
  return [...rows, ...rowsWithoutKey];
}

/**
 * Returns the runs with these ids in this order. Omits missing runs. Includes runs whose experiment is missing, with
 * empty texts or null for the fields of the experiment.
 */
export async function listRuns(database: Database, runIds: readonly ListId[]): Promise<RunRow[]> {
  if (runIds.length === 0) return [];
  const rows = await selectListedRuns(database, runIds);
  return sortByIds(runIds, rows.map(listedRun.read), ({ runId }) => runId);
}

const selectListedRuns = createPreparedQuery((database, runIds: readonly ListId[]) =>
  selectRunsWithExperiments(database)
    .select(listedRun.columns)
    .where(database.dialect.isAmong(sql.ref<string>('r.run_id'), runIds)),
);

/**
 * Returns the number of matching runs that have an id. Counts all matching rows, and subtracts the rows without an id
 * and the trials that the filter excludes. An index on the columns of the filter is therefore enough.
 */
export async function countRuns(database: Database, filter: RunsFilter): Promise<number> {
  const isWithoutTrials = filter.trials === 'exclude';
  const conditions = listIndexConditions(database.dialect, {
    ...filter,
    trials: isWithoutTrials ? 'include' : filter.trials,
  });
  const countRunsWith = (...furtherConditions: RawBuilder<SqlBool>[]) => {
    const allConditions = [...conditions, ...furtherConditions];
    // SQLite counts the rows of a table three times faster without a condition, even one that is always true.
    const whereClause =
      allConditions.length > 0 ? sql`where ${sql.join(allConditions, sql` and `)}` : sql``;
    return sql<number>`(select count(*) from runs r ${whereClause})`;
  };
  const row = await database.kysely
    .selectNoFrom([
      countRunsWith().as('all_runs'),
      countRunsWith(sql<SqlBool>`r.run_id is null`).as('runs_without_id'),
      (isWithoutTrials ? countRunsWith(isAmongTrials) : sql<number>`0`).as('excluded_runs'),
    ])
    .executeTakeFirst();
  return row ? row.all_runs - row.runs_without_id - row.excluded_runs : 0;
}

/** Maximum number of matching runs whose ids {@link narrowFilter} adds to the filter. */
const maximumNarrowedRuns = 1_000;

/**
 * Returns the filter with the ids of the matching runs if there are few, because a query in the order of a page would
 * read all runs to find them. Returns the filter unchanged if more than {@link maximumNarrowedRuns} runs match, if the
 * filter has `runIds` or no condition, and for a search, which reads all runs anyway.
 */
async function narrowFilter(database: Database, filter: RunsFilter): Promise<RunsFilter> {
  const isSearch = filter.q !== undefined || filter.runIds !== undefined;
  if (isSearch || listRunConditions(database.dialect, filter).length === 0) return filter;
  const matchingRuns = database.kysely
    .selectFrom('runs as r')
    .where(await findRareStatusCondition(database, filter.status))
    .where((eb) => eb.and(listIndexConditions(database.dialect, { ...filter, status: [] })))
    .limit(maximumNarrowedRuns + 1);
  const matchCount = await countRows(
    database.kysely.selectFrom(matchingRuns.select('r.status').as('m')),
  );
  if (matchCount > maximumNarrowedRuns) return filter;
  const rows = await matchingRuns.select('r.run_id').where('r.run_id', 'is not', null).execute();
  // A runner may have added runs since the count.
  if (rows.length > maximumNarrowedRuns) return filter;
  return { ...filter, runIds: rows.map((row) => row.run_id) };
}

const diagnosedRun = makeRow({
  runId: runFields.runId,
  experimentId: runFields.experimentId,
  status: runFields.status,
  startTime: runFields.startTime,
  endTime: runFields.endTime,
  iterations: runFields.iterations,
  evaluations: runFields.evaluations,
  bestFitness: runFields.bestFitness,
  resumedFrom: runFields.resumedFrom,
});

/** A run with the columns that its diagnosis needs. */
export type DiagnosedRun = ReturnType<typeof diagnosedRun.read>;

/** Returns all matching runs that have an id, in any order. */
export async function listRunsToDiagnose(
  database: Database,
  filter: RunsFilter,
): Promise<DiagnosedRun[]> {
  const rows = await selectMatchingRuns(database, filter).select(diagnosedRun.columns).execute();
  return rows.map(diagnosedRun.read);
}

/**
 * Returns the paths of parameters among these that the experiment of at least one matching run has, without duplicates,
 * in any order. Ignores the filter on parameters.
 */
export async function listParamPathsOfRuns(
  database: Database,
  filter: RunsFilter,
  paths: readonly string[],
): Promise<string[]> {
  const experimentIds = selectMatchingRuns(database, { ...filter, param: [] }).select(
    'r.experiment_id',
  );
  return listPathsAmong(database, paths, experimentIds);
}

function getRunOrder(database: Database, sortBy: RunsOptions['sortBy']): RawBuilder<unknown>[] {
  const path = getParamPath(sortBy);
  if (path !== null) return orderByParam(database.dialect, path);
  return [orderByColumn(database, experimentColumns.has(sortBy) ? 'e' : 'r', sortBy)];
}

const experimentColumns = new Set<string>([
  'run_name',
  'algorithm_type',
  'model_type',
  'problem_type',
]);

/** Returns whether there is a run with this id. */
export async function hasRun(database: Database, runId: string): Promise<boolean> {
  return (await selectRunId(database, runId)).length > 0;
}

/** Returns the ids of these runs that exist, in any order. */
export async function listPresentRuns(
  { kysely, dialect }: Pick<Database, 'kysely' | 'dialect'>,
  runIds: readonly string[],
): Promise<string[]> {
  const rows = await kysely
    .selectFrom('runs')
    .select('run_id')
    .where(dialect.isAmong(sql.ref<string>('run_id'), runIds))
    .execute();
  return rows.map((row) => row.run_id);
}

const selectRunId = createPreparedQuery(({ kysely }, runId: string) =>
  kysely.selectFrom('runs').select('run_id').where('run_id', '=', runId),
);

/**
 * Returns the run with this id, with all columns of the run and of its experiment; null if there is none. The columns
 * of a missing experiment are empty texts or null.
 */
export async function findRun(database: Database, runId: string) {
  const [row] = await selectFullRun(database, runId);
  return row ? fullRun.read(row) : null;
}

const selectFullRun = createPreparedQuery((database, runId: string) =>
  selectRunsWithExperiments(database).select(fullRun.columns).where('r.run_id', '=', runId),
);

const siblingRun = makeRow({ runId: selectText('r.run_id'), seed: selectExactInteger('r.seed') });

/**
 * Returns id and seed of the run of the same experiment directly before or after this one by (seed, run id). Returns
 * null at the ends, for an unknown run, and for a run without an experiment id.
 */
export async function findSibling(
  { kysely, dialect }: Database,
  runId: string,
  side: 'previous' | 'next',
): Promise<ReturnType<typeof siblingRun.read> | null> {
  const comparison = side === 'next' ? sql`>` : sql`<`;
  const order = side === 'next' ? 'asc' : 'desc';
  const getId = (table: string) => dialect.orderByCodePoint(sql.ref<string>(`${table}.run_id`));
  const row = await kysely
    .selectFrom('runs as current_run')
    .innerJoin('runs as r', 'r.experiment_id', 'current_run.experiment_id')
    .select(siblingRun.columns)
    .where('current_run.run_id', '=', runId)
    .where('r.run_id', 'is not', null)
    .where(
      sql<boolean>`(r.seed ${comparison} current_run.seed or (r.seed = current_run.seed and ${getId('r')} ${comparison} ${getId('current_run')}))`,
    )
    .orderBy('r.seed', order)
    .orderBy(getId('r'), order)
    .limit(1)
    .executeTakeFirst();
  return row ? siblingRun.read(row) : null;
}

interface StartedRun {
  id: ListId;
  startTime: string;
}

function readStartedRun({ id, start_time }: { id: ListId; start_time?: unknown }): StartedRun {
  return { id, startTime: readText(start_time) };
}

/** Returns the second of a stored time: `2026-11-21T10:32:16`. */
function getSecond({ startTime }: StartedRun): string {
  return startTime.slice(0, 19);
}

/**
 * Returns the seconds whose rows may continue on the page before or after this one, without duplicates. These are the
 * second of the first row unless this is the first page, and the second of the last row if the page is full. Omits
 * empty times.
 */
export function findEdgeSeconds(rows: readonly StartedRun[], pageRequest: PageRequest): string[] {
  const [firstRow, lastRow] = [rows[0], rows.at(-1)];
  const edges = [
    countRowsBefore(pageRequest) > 0 ? firstRow : undefined,
    rows.length === pageRequest.size ? lastRow : undefined,
  ];
  return [...new Set(edges.flatMap((row) => (row?.startTime ? [getSecond(row)] : [])))];
}

/** Maximum number of runs of a second that {@link hasMixedSecond} reads. A second has more only in imported data. */
const maximumInspectedRuns = 10_000;

/**
 * Returns whether one of these seconds has starts of any runs with different numbers of digits, such as `…16Z`, `…16.5Z`
 * and `…16.55Z`; false for no seconds. Reads at most {@link maximumInspectedRuns} runs of a second.
 */
export async function hasMixedSecond(
  { kysely, dialect }: Database,
  seconds: readonly string[],
): Promise<boolean> {
  if (seconds.length === 0) return false;
  const mixedSeconds = seconds.map(
    (second) => sql<SqlBool>`(select min(length(s.start_time)) < max(length(s.start_time)) from
      (select start_time from runs where ${isInSecond(dialect, 'start_time', second)} limit ${sql.lit(maximumInspectedRuns)}) s)`,
  );
  const row = await kysely
    .selectNoFrom(sql<SqlBool>`(${sql.join(mixedSeconds, sql` or `)})`.as('is_mixed'))
    .executeTakeFirst();
  return Boolean(row?.is_mixed);
}

/** Returns the condition that a stored time is in this second. 'Z' or '.' follows a second, and '[' follows 'Z'. */
function isInSecond(dialect: DatabaseDialect, column: string, second: string): RawBuilder<SqlBool> {
  const time = dialect.orderByCodePoint(sql.ref<string>(column));
  return sql<SqlBool>`(${time} >= ${`${second}.`} and ${time} < ${`${second}[`})`;
}

/** Returns the matching runs that started in this second, sorted by their starts as text, then by id. */
export async function listStartsInSecond(
  database: Database,
  filter: RunsFilter,
  second: string,
  sortDir: ListOptions['sortDir'],
): Promise<StartedRun[]> {
  const { dialect } = database;
  const rows = await sortRows(
    selectMatchingRuns(database, filter)
      .select(['r.run_id as id', 'r.start_time'])
      .where(isInSecond(dialect, 'r.start_time', second)),
    [dialect.orderByCodePoint(sql.ref<string>('r.start_time'))],
    dialect.orderByCodePoint(sql.ref<string>('r.run_id')),
    { sortDir },
  ).execute();
  return rows.map(readStartedRun);
}

/**
 * Returns the rows of a page, sorted by instant inside each second. Equal instants retain their order. Rows of one
 * second must be adjacent. `edgeRows` are all rows of seconds that may continue on another page, in the order of the
 * page: the page then gets the rows of these seconds that belong to it by instant.
 */
function sortInsideSeconds(
  rows: readonly StartedRun[],
  edgeRows: readonly StartedRun[],
  direction: 'asc' | 'desc',
): StartedRun[] {
  const sign = direction === 'asc' ? 1 : -1;
  const edgeRowsBySecond = Map.groupBy(edgeRows, getSecond);
  return [...Map.groupBy(rows, getSecond)].flatMap(([second, pageRows]) => {
    const edgeRowsOfSecond = edgeRowsBySecond.get(second) ?? [];
    const firstPosition = edgeRowsOfSecond.findIndex(({ id }) => id === pageRows[0]?.id);
    // Another program may have deleted the first row of the page meanwhile.
    const [allRows, position] =
      firstPosition < 0 ? [pageRows, 0] : [edgeRowsOfSecond, firstPosition];
    return allRows
      .toSorted((a, b) => sign * compareStoredTimes(a.startTime, b.startTime))
      .slice(position, position + pageRows.length);
  });
}
