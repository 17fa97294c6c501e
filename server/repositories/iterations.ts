import type { Database } from '#server/db/database.ts';
import type { DatabaseDialect } from '#server/db/dialect.ts';
import { findRareStatusCondition, hasStatus } from './filters.ts';
import type { FullIteration, IterationRow } from '#shared/schemas/run.ts';
import type { StoredInteger } from '#server/db/schema.ts';
import {
  selectByteLength,
  castInt8,
  orderNullsLast,
  selectReadableText,
  selectTextPrefix,
  runInBatches,
  createPreparedQuery,
} from '#server/db/queries.ts';
import { countRows } from './list.ts';
import {
  selectExactInteger,
  selectRequiredInteger,
  selectNullableText,
  selectNumber,
  makeRow,
  selectText,
} from './row.ts';
import { type RawBuilder, sql, type SqlBool } from 'kysely';

/**
 * Returns the integer of at most 15 digits after a key, from a text that starts with that key (`"populationSize": 40,
 * …`). Returns null if another value follows, or if the text is null or ends before the next comma or brace.
 */
export function readInteger(json: string | null): number | null {
  const match = /^"[^"]*"\s*:\s*(-?\d{1,15})\s*[,}]/.exec(json ?? '');
  return match ? Number(match[1]) : null;
}

/**
 * Returns the number of elements of the array after a key. The text starts with that key and continues to the end of
 * its JSON object (`"adaptiveActions":[…]}`). Returns null if the value is not an array, or the text is truncated,
 * malformed or null.
 */
export function readArrayLength(json: string | null): number | null {
  const key = /^"([^"]*)"/.exec(json ?? '')?.[1];
  if (key === undefined) return null;
  try {
    const value = (JSON.parse(`{${json}`) as Record<string, unknown>)[key];
    return Array.isArray(value) ? value.length : null;
  } catch {
    return null;
  }
}

/**
 * Filter of the iterations of a run: the first `limit` iterations above `after`. Undefined fields do not restrict them.
 */
export interface IterationsFilter {
  runId: string;
  after?: StoredInteger | undefined;
  limit?: number | undefined;
}

/** Number of characters at the start of `diagnostics_json` that contain the sizes, the runner's first two keys. */
const headLength = 120;

/** Number of bytes at the end of `diagnostics_json` that contain the actions, its last key, in nearly all rows. */
const endBytes = 1_024;

/** Maximum number of characters, from the key of the actions on, that {@link readArrayLength} reads. */
const maximumActionsLength = 100_000;
const longActionsPerBatch = 500;

const actionsKey = '"adaptiveActions"';

/**
 * Returns the iterations in order, without their JSON and without rows whose iteration is not an integer. The sizes are
 * null if the first {@link headLength} characters of the diagnostics do not contain them. The number of adaptive
 * actions is 0 for an empty list. Otherwise, this number is null unless the diagnostics from the actions on are valid
 * JSON of at most {@link maximumActionsLength} characters.
 */
export async function listScalars(
  database: Database,
  filter: IterationsFilter,
): Promise<IterationRow[]> {
  const diagnostics = selectReadableText(sql.ref('i.diagnostics_json'));
  const { columns, read } = makeRow({
    ...scalars,
    head: selectNullableText(selectTextPrefix(diagnostics, headLength)),
    end: selectNullableText(database.dialect.selectTextEnd(diagnostics, endBytes)),
  });
  const rows = (await selectIterations(database, filter).select(columns).execute()).map(read);
  const longActions = await listLongActions(database, filter, rows.filter(canHaveEarlierActions));
  return rows.map(({ head, end, ...row }) => ({
    ...row,
    populationSize: readIntegerMember(head, '"populationSize"'),
    eliteSize: readIntegerMember(head, '"eliteSize"'),
    adaptiveActions: countActions(longActions.get(row.iteration) ?? end),
  }));
}

/** Returns whether the actions, if there are any, may start before `end`. */
function canHaveEarlierActions({ end }: { end: string | null }): boolean {
  return end !== null && end.length >= endBytes / 4 && !end.includes(actionsKey);
}

/** Returns the diagnostics of these iterations from the adaptive actions on, by iteration; null without actions. */
async function listLongActions(
  database: Database,
  { runId }: IterationsFilter,
  rows: readonly { iteration: StoredInteger }[],
): Promise<Map<StoredInteger, string | null>> {
  const diagnostics = selectReadableText(sql.ref('i.diagnostics_json'));
  const actions = database.dialect.selectTextFrom(diagnostics, actionsKey, maximumActionsLength);
  const actionRows = await runInBatches(rows, longActionsPerBatch, (batch) =>
    selectIterations(database, { runId })
      .select(['i.iteration', actions.as('actions')])
      .where(
        'i.iteration',
        'in',
        batch.map((row) => castInt8(row.iteration)),
      )
      .execute(),
  );
  return new Map(actionRows.map((row) => [row.iteration, row.actions]));
}

/**
 * Returns the number of adaptive actions; null unless the text contains all of them. Nearly all iterations have an
 * empty list, which needs no parsing.
 */
function countActions(end: string | null): number | null {
  if (end === null) return null;
  const start = end.lastIndexOf(actionsKey);
  if (start < 0) return null;
  const actions = end.slice(start);
  return actions.startsWith(`${actionsKey}:[]`) ? 0 : readArrayLength(actions);
}

function readIntegerMember(head: string | null, key: string): number | null {
  const start = head?.indexOf(key) ?? -1;
  return start < 0 ? null : readInteger(head?.slice(start) ?? null);
}

/** An iteration and the size of its metrics and diagnostics in bytes. */
export interface IterationSize {
  iteration: StoredInteger;
  jsonBytes: number;
}

/** Returns the iterations in order with the size of their JSON, without reading the JSON. */
export async function listIterationSizes(
  database: Database,
  filter: IterationsFilter,
): Promise<IterationSize[]> {
  const selectBytes = (column: string) =>
    sql<number>`coalesce(${selectByteLength(sql.ref<string | null>(column))}, 0)`;
  return selectIterations(database, filter)
    .select([
      'i.iteration',
      sql<number>`${selectBytes('i.metrics_json')} + ${selectBytes('i.diagnostics_json')}`.as(
        'jsonBytes',
      ),
    ])
    .execute();
}

/**
 * Returns the matching iterations up to and including `lastIteration`, in order, with their JSON. A text above 256 MiB
 * is null.
 */
export async function listIterations(
  database: Database,
  filter: IterationsFilter & { lastIteration: StoredInteger },
): Promise<FullIteration[]> {
  const rows = await selectIterations(database, filter)
    .select(fullRow.columns)
    .where('i.iteration', '<=', castInt8(filter.lastIteration))
    .execute();
  return rows.map(fullRow.read);
}

/**
 * Returns the iteration of a run with this number, a decimal 64-bit integer, with its JSON like {@link listIterations};
 * null if there is none.
 */
export async function findIteration(
  database: Database,
  runId: string,
  iteration: string,
): Promise<FullIteration | null> {
  const row = await selectIterations(database, { runId })
    .select(fullRow.columns)
    .where('i.iteration', '=', castInt8(iteration))
    .executeTakeFirst();
  return row ? fullRow.read(row) : null;
}

/**
 * Selects the row with the highest iteration of a run, without columns. If several rows have this iteration, selects
 * the row with the highest id. Omits rows with NULL.
 */
export function selectNewestIteration(kysely: Database['kysely'], runId: string) {
  return (
    kysely
      .selectFrom('iterations as i')
      .where('i.run_id', '=', runId)
      // With "nulls last" instead, PostgreSQL would sort all iterations of the run.
      .where('i.iteration', 'is not', null)
      .orderBy('i.iteration', 'desc')
      .orderBy('i.id', 'desc')
      .limit(1)
  );
}

/**
 * Returns the stored metrics of a run's highest iteration; null without iterations or metrics, and for metrics above
 * 256 MiB.
 */
export async function findLastMetrics({ kysely }: Database, runId: string): Promise<string | null> {
  const row = await selectNewestIteration(kysely, runId)
    .select(selectReadableText(sql.ref('i.metrics_json')).as('metrics_json'))
    .executeTakeFirst();
  return row?.metrics_json ?? null;
}

/**
 * Returns the first 80 characters of the diagnostics of a run's highest iteration, from the key `representationFamily`
 * on; null without this key, and for diagnostics above 256 MiB.
 */
export async function findFamilyText(
  { kysely, dialect }: Database,
  runId: string,
): Promise<string | null> {
  const diagnostics = selectReadableText(sql.ref('i.diagnostics_json'));
  const row = await selectNewestIteration(kysely, runId)
    .select(dialect.selectTextFrom(diagnostics, '"representationFamily"', 80).as('family'))
    .executeTakeFirst();
  return row?.family ?? null;
}

/**
 * Returns the gains of the runs of these experiments, as lists in any order by experiment id. The gain of a run is its
 * last minus its first finite best fitness; it may be infinite. Omits runs without a finite best fitness and
 * experiments without runs.
 */
export async function listTraceGains(
  database: Database,
  experimentIds: readonly string[],
): Promise<Map<string, number[]>> {
  const gains = new Map<string, number[]>();
  if (experimentIds.length === 0) return gains;
  const rows = await selectTraceEnds(database)
    .select('r.experiment_id')
    .where(database.dialect.isAmong(sql.ref<string>('r.experiment_id'), experimentIds))
    .execute();
  for (const [experimentId, ends] of Map.groupBy(rows, (row) => row.experiment_id))
    gains.set(experimentId, computeGains(ends));
  return gains;
}

/** Returns the gains, as in {@link listTraceGains}, of any `limit` runs of an experiment, or of one run. */
export async function listSomeTraceGains(
  database: Database,
  scope: { experimentId: string; limit: number } | { runId: string },
): Promise<number[]> {
  const query = selectTraceEnds(database);
  const rows = await (
    'runId' in scope
      ? query.where('r.run_id', '=', scope.runId)
      : query.where('r.experiment_id', '=', scope.experimentId).limit(scope.limit)
  ).execute();
  return computeGains(rows);
}

function selectTraceEnds({ kysely, dialect }: Database) {
  return kysely
    .selectFrom('runs as r')
    .select([
      selectTraceEnd(dialect, 'r', 'asc').as('firstFitness'),
      selectTraceEnd(dialect, 'r', 'desc').as('lastFitness'),
    ]);
}

function computeGains(
  ends: readonly { firstFitness: number | null; lastFitness: number | null }[],
): number[] {
  return ends.flatMap(({ firstFitness, lastFitness }) =>
    firstFitness === null || lastFitness === null ? [] : [lastFitness - firstFitness],
  );
}

/** Returns the number of rows of a run that lists of iterations omit, because their iteration is not an integer. */
export async function countRowsWithoutNumber(
  { kysely, dialect }: Database,
  runId: string,
): Promise<number> {
  return countRows(
    kysely
      .selectFrom('iterations as i')
      .where('i.run_id', '=', runId)
      .where(dialect.selectInteger(sql.ref<StoredInteger | null>('i.iteration')), 'is', null),
  );
}

/**
 * Returns the first or last finite best fitness of the iterations of a run, by iteration, as SQL; NULL if there is
 * none. `runAlias` is the alias of `runs`.
 */
export function selectTraceEnd(
  dialect: Database['dialect'],
  runAlias: string,
  order: 'asc' | 'desc',
): RawBuilder<number | null> {
  const fitness = dialect.selectFiniteNumber(sql.ref<number>('i.best_fitness'));
  const selectEnd = (condition: string) => sql`(select ${fitness} from iterations i
    where i.run_id = ${sql.ref(`${runAlias}.run_id`)} and ${fitness} is not null and i.iteration ${sql.raw(condition)}
    order by i.iteration ${sql.raw(order)} limit 1)`;
  // With "nulls last" in one query, no index would serve both directions. The runner stores no NULL.
  return sql<number | null>`coalesce(${selectEnd('is not null')}, ${selectEnd('is null')})`;
}

/**
 * Selects iterations by number, then by id. Omits rows whose iteration is not an integer, so a page that is not full is
 * the last one. Sorts by the qualified name `i.iteration`, because the name `iteration` would mean the selected
 * expression of that name.
 */
function selectIterations(
  { kysely, dialect }: Database,
  { runId, after, limit }: IterationsFilter,
) {
  let query = kysely
    .selectFrom('iterations as i')
    .where('i.run_id', '=', runId)
    .where(dialect.selectInteger(sql.ref<StoredInteger | null>('i.iteration')), 'is not', null)
    .orderBy('i.iteration')
    .orderBy('i.id');
  if (after !== undefined) query = query.where('i.iteration', '>', castInt8(after));
  if (limit !== undefined) query = query.limit(castInt8(limit));
  return query;
}

const scalars = {
  iteration: selectRequiredInteger('i.iteration'),
  evaluations: selectExactInteger('i.evaluations'),
  bestFitness: selectNumber('i.best_fitness'),
  meanFitness: selectNumber('i.mean_fitness'),
  stdFitness: selectNumber('i.std_fitness'),
  createdAt: selectText('i.created_at'),
};

const fullRow = makeRow({
  ...scalars,
  metricsJson: selectNullableText(selectReadableText(sql.ref('i.metrics_json'))),
  diagnosticsJson: selectNullableText(selectReadableText(sql.ref('i.diagnostics_json'))),
});

const newestRow = makeRow({
  runId: selectText('i.run_id'),
  iteration: selectExactInteger('i.iteration'),
  evaluations: selectExactInteger('i.evaluations'),
  meanFitness: selectNumber('i.mean_fitness'),
  createdAt: selectText('i.created_at'),
});

/** Run id, number, evaluations, mean fitness and time of an iteration that {@link listNewestRows} returns. */
export type NewestRow = ReturnType<typeof newestRow.read>;

/**
 * Number of newest rows that determine the pace of a run. It is small, because `created_at` follows the JSON in each
 * row and is expensive to read.
 */
const newestRowCount = 32;

/**
 * Returns up to {@link newestRowCount} newest rows of each of these runs, grouped by run, oldest first. Returns more
 * rows of a resumed run if times are equal. A resumed run overwrites rows of its earlier segment, so its newest rows
 * are the last written rows, by the text of their times. The newest rows of other runs have the highest iterations.
 */
export async function listNewestRows(
  database: Database,
  runIds: readonly string[],
): Promise<NewestRow[]> {
  if (runIds.length === 0) return [];
  const rows = [
    ...(await selectNewestByIteration(database, runIds)),
    ...(await selectNewestByTime(database, runIds)),
  ];
  return rows.map(newestRow.read);
}

const selectNewestByIteration = createPreparedQuery((database, runIds: readonly string[]) =>
  selectNewestRows(database, runIds, sql<SqlBool>`r.resumed_from is null`, 'iteration'),
);

const selectNewestByTime = createPreparedQuery((database, runIds: readonly string[]) =>
  selectNewestRows(database, runIds, sql<SqlBool>`r.resumed_from is not null`, 'created_at'),
);

/**
 * Selects the newest rows, by one column, of the runs among these that meet the condition. First finds the lower bound
 * of each run, to read only the rows from this bound on.
 */
function selectNewestRows(
  { kysely, dialect }: Database,
  runIds: readonly string[],
  condition: RawBuilder<SqlBool>,
  order: 'iteration' | 'created_at',
) {
  const selectOrderValue = (table: string) =>
    order === 'iteration'
      ? sql`${sql.ref(`${table}.iteration`)}`
      : dialect.orderByCodePoint(sql.ref<string>(`${table}.created_at`));
  const minimum = order === 'iteration' ? castInt8('-9223372036854775808') : sql`''`;
  const lowerBound = sql`coalesce((select ${selectOrderValue('t')} from iterations t where t.run_id = r.run_id
    order by ${selectOrderValue('t')} desc limit 1 offset ${sql.lit(newestRowCount - 1)}), ${minimum})`;
  return kysely
    .with(
      (cte) => cte('b').materialized(),
      (query) =>
        query
          .selectFrom('runs as r')
          .select(['r.run_id', lowerBound.as('lower_bound')])
          .where(dialect.isAmong(sql.ref<string>('r.run_id'), runIds))
          .where(condition),
    )
    .selectFrom('b')
    .innerJoin('iterations as i', (join) =>
      join
        .onRef('i.run_id', '=', 'b.run_id')
        .on(sql<SqlBool>`${selectOrderValue('i')} >= b.lower_bound`),
    )
    .select(newestRow.columns)
    .orderBy('i.run_id')
    .orderBy(selectOrderValue('i'));
}

/** The lowest and highest finite best fitness of a run's iterations; null if there is none. */
export interface FitnessRange {
  runId: string;
  lowestFitness: number | null;
  highestFitness: number | null;
}

/** Returns the fitness range of each of these runs, in any order, without runs that have no iterations. */
export async function listFitnessRanges(
  { kysely, dialect }: Database,
  runIds: readonly string[],
): Promise<FitnessRange[]> {
  if (runIds.length === 0) return [];
  return kysely
    .selectFrom('iterations as i')
    .select(['i.run_id as runId', ...selectFitnessRange(dialect)])
    .where('i.run_id', 'in', runIds)
    .groupBy('i.run_id')
    .execute();
}

/** Selects the lowest and highest finite best fitness of iterations `i`. */
function selectFitnessRange(dialect: DatabaseDialect) {
  const bestFitness = dialect.selectFiniteNumber(sql.ref<number>('i.best_fitness'));
  return [
    sql<number | null>`min(${bestFitness})`.as('lowestFitness'),
    sql<number | null>`max(${bestFitness})`.as('highestFitness'),
  ] as const;
}

/** The fitness range of all RUNNING runs of an experiment. */
export interface RunningRange extends Omit<FitnessRange, 'runId'> {
  experimentId: string;
}

/**
 * Returns the fitness range of the RUNNING runs of each of these experiments, in any order, without experiments that
 * have no RUNNING run with iterations.
 */
export async function listRunningRanges(
  { kysely, dialect }: Database,
  experimentIds: readonly string[],
): Promise<RunningRange[]> {
  if (experimentIds.length === 0) return [];
  return kysely
    .selectFrom('runs as r')
    .innerJoin('iterations as i', 'i.run_id', 'r.run_id')
    .select(['r.experiment_id as experimentId', ...selectFitnessRange(dialect)])
    .where('r.experiment_id', 'in', experimentIds)
    .where(hasStatus(dialect, 'RUNNING'))
    .groupBy('r.experiment_id')
    .execute();
}

/** Returns the RUNNING runs of these experiments, in any order. */
export async function listRunningRuns(
  { kysely, dialect }: Database,
  experimentIds: readonly string[],
): Promise<{ runId: string; experimentId: string; startTime: string; status: string }[]> {
  if (experimentIds.length === 0) return [];
  return kysely
    .selectFrom('runs as r')
    .select([
      'r.run_id as runId',
      'r.experiment_id as experimentId',
      'r.start_time as startTime',
      'r.status',
    ])
    .where('r.experiment_id', 'in', experimentIds)
    .where(hasStatus(dialect, 'RUNNING'))
    .execute();
}

/** Returns at most `limit` RUNNING runs, those with the latest starts by the text of their times, latest first. */
export async function listLatestRunningRuns(
  database: Database,
  limit: number,
): Promise<{ runId: string; startTime: string; status: string }[]> {
  const { kysely, dialect } = database;
  const isRunning = await findRareStatusCondition(database, 'RUNNING');
  return (
    kysely
      // The table is materialized, because SQLite would otherwise read all runs in the order of their starts.
      .with(
        (cte) => cte('running_runs').materialized(),
        (query) =>
          query
            .selectFrom('runs as r')
            .select(['r.run_id as runId', 'r.start_time as startTime', 'r.status'])
            .where(isRunning),
      )
      .selectFrom('running_runs')
      .selectAll()
      .orderBy(dialect.orderByCodePoint(sql.ref<string>('startTime')), orderNullsLast('desc'))
      .limit(limit)
      .execute()
  );
}
