import type { Database } from '#server/db/database.ts';
import type { ExperimentsQuery } from '#shared/schemas/experiment.ts';
import { orderByColumn, selectTimeKey, getTimeOfKey } from './order.ts';
import {
  countRows,
  countRowsBefore,
  sortByIds,
  sortRows,
  type ListId,
  type ListOptions,
} from './list.ts';
import {
  counterFields,
  selectExtreme,
  selectLatestStart,
  selectRunCounts,
  countRunsByStatus,
  addStatus,
} from './run-counts.ts';
import { getCounters } from '#server/domain/status.ts';
import {
  findRareStatusCondition,
  listExperimentConditions,
  type ExperimentsFilter,
} from './filters.ts';
import { listPathsAmong, orderByParam, getParamPath } from './params.ts';
import { createPreparedQuery, orderNullsLast } from '#server/db/queries.ts';
import {
  selectExactInteger,
  selectNullableText,
  selectNumber,
  makeRow,
  selectText,
} from './row.ts';
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { selectTraceEnd } from './iterations.ts';
import { type Direction, directionRules, wordPadding } from '#server/domain/objective.ts';

const experimentFields = {
  experimentId: selectText('e.experiment_id'),
  runName: selectNullableText('e.run_name'),
  algorithmType: selectText('e.algorithm_type'),
  modelType: selectText('e.model_type'),
  problemType: selectText('e.problem_type'),
  representationType: selectText('e.representation_type'),
  configHash: selectText('e.config_hash'),
  createdAt: selectText('e.created_at'),
};

/**
 * An experiment in a list; `lowestFitness` and `highestFitness` are the extremes of the finite best fitness in the rows
 * of its runs.
 */
const listedExperiment = makeRow({
  ...experimentFields,
  ...counterFields,
  latestStart: selectNullableText(sql.ref('c.latest_start')),
  lowestFitness: selectNumber(sql.ref('c.lowest_fitness')),
  highestFitness: selectNumber(sql.ref('c.highest_fitness')),
});

const fullExperiment = makeRow({
  ...experimentFields,
  schemaVersion: selectText('e.schema_version'),
  selectionType: selectText('e.selection_type'),
  replacementType: selectText('e.replacement_type'),
  stoppingType: selectText('e.stopping_type'),
  maxIterations: selectExactInteger('e.max_iterations'),
  configYaml: selectText('e.config_yaml'),
  configJson: selectText('e.config_json'),
});

/** The order of a list, and the page to return. Without a page, a query returns the whole list. */
export type ExperimentsOptions = Pick<ExperimentsQuery, 'sortBy' | 'sortDir'> & ListOptions;

/**
 * Returns the ids of the matching experiments, or of one page of them. Sorts by the chosen key, NULLs last, then by
 * experiment id. Omits rows without an id. Counts runs only if the filter or the order needs the counts.
 */
export async function listExperimentIds(
  database: Database,
  filter: ExperimentsFilter,
  options: ExperimentsOptions,
): Promise<ListId[]> {
  const { dialect } = database;
  const pageIds =
    (await listRecentExperimentIds(database, filter, options)) ??
    (await listBestExperimentIds(database, filter, options));
  if (pageIds) return pageIds;
  const path = getParamPath(options.sortBy);
  const matchingExperiments = selectMatchingExperiments(database, filter, options.sortBy)
    .$if(path !== null, (query) =>
      query.leftJoin('experiment_params as p', (join) =>
        join.onRef('p.experiment_id', '=', 'e.experiment_id').on('p.param_path', '=', path ?? ''),
      ),
    )
    .select('e.experiment_id');
  const id = dialect.orderByCodePoint(sql.ref<string>('e.experiment_id'));
  const order = await orderExperiments(database, options.sortBy);
  const rows = await sortRows(matchingExperiments, order, id, options).execute();
  return rows.map((row) => row.experiment_id);
}

/** Number of runs with the latest starts whose experiments {@link listRecentExperimentIds} sorts. */
const recentRunCount = 5_000;

/**
 * Returns the ids of a page of experiments by latest run, newest first, without reading the latest start of every
 * experiment. Sorts only the experiments of the {@link recentRunCount} latest runs, and those whose creation is later
 * than the start of the oldest of these runs. Returns null if these experiments do not fill the page. Also returns null
 * if there are fewer runs, for another order, without a page, or with a filter by status. The other experiments have no
 * later key than that start: a key of {@link selectTimeKey} never sorts after its time, because `!` sorts before
 * `Z`. A full page of later keys is therefore the page of the whole list.
 */
async function listRecentExperimentIds(
  database: Database,
  filter: ExperimentsFilter,
  { sortBy, sortDir, pageRequest }: ExperimentsOptions,
): Promise<ListId[] | null> {
  const isByLatestRun = sortBy === 'latest_run_time' && sortDir === 'desc';
  if (!isByLatestRun || !pageRequest || filter.status.length > 0) return null;
  const { dialect, kysely } = database;
  const start = dialect.orderByCodePoint(sql.ref<string>('start_time'));
  const newestRuns = kysely.selectFrom('runs').orderBy(start, orderNullsLast('desc'));
  const oldestStart = newestRuns
    .select(start.as('start'))
    .limit(1)
    .offset(sql.lit(recentRunCount - 1));
  const isRecent = sql<SqlBool>`(e.experiment_id in ${newestRuns.select('experiment_id').limit(sql.lit(recentRunCount))}
    or ${orderByColumn(database, 'e', 'created_at')} > ${oldestStart})`;
  const key = selectLatestStartKey(database);
  const recentExperiments = selectMatchingExperiments(database, filter)
    .where(isRecent)
    .where(sql<SqlBool>`${key} > ${oldestStart}`)
    .select('e.experiment_id');
  const id = dialect.orderByCodePoint(sql.ref<string>('e.experiment_id'));
  const page = sortRows(recentExperiments, [key], id, { sortDir, pageRequest });
  const rows = await page.execute();
  return rows.length === pageRequest.size ? rows.map((row) => row.experiment_id) : null;
}

/** Maximum end of a page for {@link listBestExperimentIds}, which reads all experiments up to this end twice. */
const maximumPageEnd = 1_000;

/** Number of experiments after a page whose best fitness {@link listBestExperimentIds} also reads. */
const furtherExperimentCount = 50;

/**
 * Returns the ids of a page of experiments by best fitness, without reading the traces of every experiment whose
 * direction follows from traces. Returns null if the page needs more of these traces. Also returns null for another
 * order, without a page, with a filter by status, or for a page that ends after {@link maximumPageEnd}. An experiment
 * has the bound of {@link selectBestBound}, which never sorts after its best fitness. Sorts all experiments by this
 * bound, then sorts the first of them by best fitness. No other experiment sorts before the last bound, so a page
 * before this bound is the page of the whole list.
 */
async function listBestExperimentIds(
  database: Database,
  filter: ExperimentsFilter,
  { sortBy, sortDir, pageRequest }: ExperimentsOptions,
): Promise<ListId[] | null> {
  if (sortBy !== 'best_fitness' || !pageRequest || filter.status.length > 0) return null;
  const end = countRowsBefore(pageRequest) + pageRequest.size;
  if (end > maximumPageEnd) return null;
  const id = database.dialect.orderByCodePoint(sql.ref<string>('e.experiment_id'));
  const isRunning = await findRareStatusCondition(database, 'RUNNING');
  const readFirst = (key: RawBuilder<number | null>, keyFilter: ExperimentsFilter) => {
    const matchingExperiments = selectMatchingExperiments(database, keyFilter);
    return sortRows(matchingExperiments.select(['e.experiment_id', key.as('fitness')]), [key], id, {
      sortDir,
      pageRequest: { page: 0, size: end + furtherExperimentCount },
    }).execute();
  };
  const bounds = await readFirst(selectBestBound(database, isRunning, sortDir), filter);
  const experimentIds = bounds.map((row) => row.experiment_id);
  const rows = await readFirst(selectBestByDirection(database, isRunning), {
    ...filter,
    experimentIds,
  });
  const lastBound = bounds.at(-1)?.fitness ?? null;
  const lastRow = rows[end - 1];
  const boundOfLastRow = bounds.find((row) => row.experiment_id === lastRow?.experiment_id);
  // Rows with equal fitness sort by id, and so do rows with equal bounds.
  const isBefore =
    lastBound === null ||
    lastRow === undefined ||
    (lastRow.fitness !== null &&
      (sortDir === 'desc' ? lastRow.fitness > lastBound : lastRow.fitness < lastBound)) ||
    (lastRow.fitness === lastBound && boundOfLastRow?.fitness === lastBound);
  return isBefore ? rows.slice(end - pageRequest.size, end).map((row) => row.experiment_id) : null;
}

/**
 * Returns these experiments in this order, with the counts of their runs and their status. Omits missing experiments.
 * Experiments with the same id are in the order of their creation. `latestRunTime` is the latest start of a run, or the
 * creation of an experiment without runs.
 */
export async function listExperiments(database: Database, experimentIds: readonly ListId[]) {
  if (experimentIds.length === 0) return [];
  const storedRows = await selectListedExperiments(database, experimentIds.map(String));
  const rows = storedRows.map(listedExperiment.read).map(({ latestStart, ...row }) => {
    const latestRunTime = latestStart === null ? row.createdAt : getTimeOfKey(latestStart);
    return { ...addStatus(row), latestRunTime };
  });
  return sortByIds(experimentIds, rows, ({ experimentId }) => experimentId);
}

const selectListedExperiments = createPreparedQuery((database, experimentIds: readonly string[]) =>
  database.kysely
    .selectFrom('experiments as e')
    .leftJoin(selectRunCounts(database, experimentIds), (join) =>
      join.onRef('c.counted_experiment_id', '=', 'e.experiment_id'),
    )
    .where(database.dialect.isAmong(sql.ref<string>('e.experiment_id'), experimentIds))
    .select(listedExperiment.columns)
    .orderBy(orderByColumn(database, 'e', 'created_at'), orderNullsLast('asc')),
);

/**
 * Returns the experiment with this id, with all columns of its row, the counts of its runs and its status. Returns the
 * first one by creation if several have this id, and null if there is none.
 */
export async function findExperiment(database: Database, experimentId: string) {
  const [row] = await selectExperiment(database, experimentId);
  if (!row) return null;
  const counters = getCounters(await countRunsByStatus(database, experimentId));
  return addStatus({ ...fullExperiment.read(row), ...counters });
}

const selectExperiment = createPreparedQuery((database, experimentId: string) =>
  database.kysely
    .selectFrom('experiments as e')
    .select(fullExperiment.columns)
    .where('e.experiment_id', '=', experimentId)
    .orderBy(orderByColumn(database, 'e', 'created_at'), orderNullsLast('asc')),
);

/**
 * Returns a query of the matching experiments `e` that have an id, without columns. The query joins the counts `c` if
 * the filter or the order needs them.
 */
function selectMatchingExperiments(database: Database, filter: ExperimentsFilter, sortBy?: string) {
  const hasCounts = filter.status.length > 0 || sortBy === 'total_runs';
  return database.kysely
    .selectFrom('experiments as e')
    .where('e.experiment_id', 'is not', null)
    .$if(hasCounts, (query) =>
      query.leftJoin(selectRunCounts(database), (join) =>
        join.onRef('c.counted_experiment_id', '=', 'e.experiment_id'),
      ),
    )
    .where((eb) => eb.and(listExperimentConditions(database.dialect, filter)));
}

/** Returns the number of matching experiments that have an id. */
export async function countExperiments(
  database: Database,
  filter: ExperimentsFilter,
): Promise<number> {
  return countRows(selectMatchingExperiments(database, filter));
}

/**
 * Returns the paths of parameters among these that at least one matching experiment has, without duplicates, in any
 * order. Ignores the filter on parameters.
 */
export async function listParamPathsOfExperiments(
  database: Database,
  filter: ExperimentsFilter,
  paths: readonly string[],
): Promise<string[]> {
  const experimentIds = selectMatchingExperiments(database, { ...filter, param: [] }).select(
    'e.experiment_id',
  );
  return listPathsAmong(database, paths, experimentIds);
}

async function orderExperiments(
  database: Database,
  sortBy: ExperimentsOptions['sortBy'],
): Promise<RawBuilder<unknown>[]> {
  const path = getParamPath(sortBy);
  if (path !== null) return orderByParam(database.dialect, path);
  switch (sortBy) {
    case 'latest_run_time':
      return [selectLatestStartKey(database)];
    case 'total_runs':
      return [sql`coalesce(c.total_runs, 0)`];
    case 'best_fitness':
      return [selectBestByDirection(database, await findRareStatusCondition(database, 'RUNNING'))];
    default:
      return [orderByColumn(database, 'e', sortBy)];
  }
}

/** Returns the sort key of the latest start of the runs of an experiment `e`, or of its creation if it has no runs. */
function selectLatestStartKey(database: Database): RawBuilder<string> {
  const creation = selectTimeKey(sql.ref<string>('e.created_at'));
  const latestKey = sql<string>`coalesce(${selectLatestStart(database)}, ${creation})`;
  return database.dialect.orderByCodePoint(latestKey);
}

/** Returns whether there is an experiment with this id. */
export async function hasExperiment(database: Database, experimentId: string): Promise<boolean> {
  return (await selectExperimentId(database, experimentId)).length > 0;
}

const selectExperimentId = createPreparedQuery(({ kysely }, experimentId: string) =>
  kysely
    .selectFrom('experiments')
    .select('experiment_id')
    .where('experiment_id', '=', experimentId),
);

/**
 * Returns the best fitness of the runs of an experiment `e`, by the direction of the experiment, as SQL for sorting and
 * paging; NULL without a finite best fitness. For a run `r` that meets the condition `isRunning`, the best fitness of
 * its iterations counts too. The direction follows the rules of `findDirection` in `server/domain/objective.ts`. The
 * query derives the direction from traces only if neither configuration nor problem type decides.
 */
export function selectBestByDirection(
  database: Database,
  isRunning: RawBuilder<SqlBool>,
): RawBuilder<number | null> {
  const direction = sql<Direction>`coalesce(${selectKnownDirection(database)}, ${selectTraceDirection(database)}, 'min')`;
  return selectBest(database, direction, isRunning);
}

/**
 * Returns a bound of the fitness of {@link selectBestByDirection} without reading traces. The bound equals this fitness
 * if configuration or problem type decides the direction. Otherwise, the bound is the best fitness in the direction
 * that sorts first: the highest for `desc`, the lowest for `asc`. Bound and fitness are NULL for the same experiments.
 */
function selectBestBound(
  database: Database,
  isRunning: RawBuilder<SqlBool>,
  sortDir: 'asc' | 'desc',
): RawBuilder<number | null> {
  const firstDirection = sql.lit(sortDir === 'desc' ? 'max' : 'min');
  const direction = sql<Direction>`coalesce(${selectKnownDirection(database)}, ${firstDirection})`;
  return selectBest(database, direction, isRunning);
}

function selectBest(
  database: Database,
  direction: RawBuilder<Direction>,
  isRunning: RawBuilder<SqlBool>,
): RawBuilder<number | null> {
  return sql<
    number | null
  >`case ${direction} when 'max' then ${selectExtremeFitness(database, 'max', isRunning)}
    else ${selectExtremeFitness(database, 'min', isRunning)} end`;
}

/**
 * Returns the direction in the configuration, else the direction of the problem type, as SQL; NULL if there is neither.
 */
function selectKnownDirection(database: Database): RawBuilder<Direction | null> {
  const type = sql.ref<string | null>('e.problem_type');
  return sql`coalesce(${selectStatedDirection(database)}, ${getDirection(database, type, directionRules.problems)})`;
}

/**
 * Returns the lowest or highest finite best fitness of all runs of an experiment `e`, and of the iterations of its runs
 * `r` that meet `isRunning`; NULL if there is none.
 */
function selectExtremeFitness(
  database: Database,
  extreme: 'min' | 'max',
  isRunning: RawBuilder<SqlBool>,
): RawBuilder<number | null> {
  const { dialect } = database;
  const bestOfRuns = selectExtreme(database, extreme);
  const bestFitness = dialect.selectFiniteNumber(sql.ref<number>('i.best_fitness'));
  const bestOfIterations = sql`(select ${sql.raw(extreme)}(${bestFitness}) from runs r join iterations i on i.run_id = r.run_id
    where r.experiment_id = e.experiment_id and ${isRunning})`;
  const values = sql`select ${bestOfRuns} as value union all select ${bestOfIterations}`;
  const hasRunningRun = sql<SqlBool>`exists (select 1 from runs r
    where r.experiment_id = e.experiment_id and ${isRunning})`;
  return sql<number | null>`case when ${hasRunningRun}
    then (select ${sql.raw(extreme)}(b.value) from (${values}) as b) else ${bestOfRuns} end`;
}

/**
 * Returns the direction whose words include the text, ignoring ASCII case and surrounding whitespace; NULL if there is
 * none.
 */
function getDirection(
  { dialect }: Database,
  text: RawBuilder<string | null>,
  words: Record<Direction, readonly string[]>,
): RawBuilder<Direction | null> {
  const word = sql`lower(trim(${dialect.orderByCodePoint(text)}, ${sql.lit(wordPadding)}))`;
  const isAmong = (list: readonly string[]) =>
    sql`${word} in (${sql.join(list.map(quoteLiteral))})`;
  return sql`case when ${isAmong(words.min)} then 'min' when ${isAmong(words.max)} then 'max' end`;
}

/**
 * Returns the direction in the configuration. Returns NULL if the configuration states none, if
 * {@link DatabaseDialect.isJson} is false for it, or if the experiment has no flattened parameter of the direction. Few
 * experiments have such a parameter, and the query parses only the configurations of these experiments. The paths of
 * flattened parameters omit `params`.
 */
function selectStatedDirection(database: Database): RawBuilder<Direction | null> {
  const { paths, words } = directionRules;
  const flatPaths = paths.map((path) =>
    quoteLiteral(path.filter((key) => key !== 'params').join('.')),
  );
  const config = sql.ref<string | null>('e.config_json');
  const directions = paths.map((path) =>
    getDirection(database, database.dialect.selectTextAt(config, path), words),
  );
  const isStated = sql`exists (select 1 from experiment_params p
    where p.experiment_id = e.experiment_id and p.param_path in (${sql.join(flatPaths)}))`;
  return sql`case when ${isStated} then case when ${database.dialect.isJson(config)}
    then coalesce(${sql.join(directions)}) end end`;
}

/** A limit that no table reaches. */
const noLimit = sql.raw(String(2n ** 63n - 1n));

/**
 * Returns the direction in which more traces of an experiment `e` go, from their first to their last finite best
 * fitness; NULL for a tie, without traces, or if all are constant. Compares the ends instead of subtracting them,
 * because the difference of two finite numbers may overflow, which is an error in PostgreSQL. Without the limit,
 * planners would compute both ends for each comparison.
 */
function selectTraceDirection({ dialect }: Database): RawBuilder<Direction | null> {
  return sql`(select case sign(sum(case when g.last_fitness > g.first_fitness then 1 when g.last_fitness < g.first_fitness then -1 end))
      when 1 then 'max' when -1 then 'min' end
    from (select ${selectTraceEnd(dialect, 't', 'desc')} as last_fitness, ${selectTraceEnd(dialect, 't', 'asc')} as first_fitness from runs t
      where t.experiment_id = e.experiment_id limit ${noLimit}) as g)`;
}

function quoteLiteral(value: string): RawBuilder<string> {
  return sql.lit(value);
}
