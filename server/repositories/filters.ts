import type { Database } from '#server/db/database.ts';
import type { DatabaseDialect } from '#server/db/dialect.ts';
import type { ExperimentsQuery } from '#shared/schemas/experiment.ts';
import type { RunsQuery } from '#shared/schemas/run.ts';
import type { TrialsFilter } from '#shared/schemas/common.ts';
import {
  experimentStatusRules,
  type ExperimentStatus,
  type RunStatus,
} from '#server/domain/status.ts';
import { hasParam, matchParam } from './params.ts';
import { listValueConditions, listRangeConditions } from './list.ts';
import { sql, type RawBuilder, type SqlBool } from 'kysely';

/** Condition that a run `r` is a trial of a COCO campaign. */
export const isTrial = sql<SqlBool>`exists (select 1 from coco_trials t where t.run_id = r.run_id)`;

/**
 * Condition that an experiment `e` has runs and all of them are trials. Starts from the trials, because most databases
 * have none.
 */
export const hasOnlyTrials = sql<SqlBool>`(e.experiment_id in (select r.experiment_id from runs r
      where r.run_id in (select t.run_id from coco_trials t))
    and not exists (select 1 from runs r where r.experiment_id = e.experiment_id and not ${isTrial}))`;

/** Returns `isTrialCondition` for `only`, its negation for `exclude`, and no condition for `include`. */
export function listTrialInclusionConditions(
  trials: TrialsFilter,
  isTrialCondition: RawBuilder<SqlBool>,
): RawBuilder<SqlBool>[] {
  if (trials === 'include') return [];
  return [trials === 'only' ? isTrialCondition : sql<SqlBool>`not ${isTrialCondition}`];
}

/**
 * Returns the condition that a run `r`, a group `g` of runs of one status, or a trial `t` has this status, ignoring
 * ASCII case; NULL for a missing status.
 */
export function hasStatus(
  dialect: DatabaseDialect,
  status: RunStatus,
  table: 'r' | 'g' | 't' = 'r',
): RawBuilder<SqlBool> {
  const storedStatus = dialect.orderByCodePoint(sql.ref<string>(`${table}.status`));
  return sql<SqlBool>`upper(${storedStatus}) = ${sql.lit(status)}`;
}

/**
 * Returns the condition of {@link hasStatus} on a run `r`, for a status that few runs have; see {@link
 * selectStatuses}.
 */
export function hasRareStatus(dialect: DatabaseDialect, status: RunStatus): RawBuilder<SqlBool> {
  return hasStoredStatus(isStoredStatus(dialect, status));
}

/** Returns the condition that a run `r` has a stored status that meets a condition; see {@link selectStatuses}. */
function hasStoredStatus(condition: RawBuilder<SqlBool>): RawBuilder<SqlBool> {
  return sql<SqlBool>`r.status in (${selectStatuses(condition)})`;
}

function isStoredStatus(dialect: DatabaseDialect, status: RunStatus): RawBuilder<SqlBool> {
  const storedStatus = dialect.orderByCodePoint(sql.ref<string>('s.status'));
  return sql<SqlBool>`upper(${storedStatus}) = ${sql.lit(status)}`;
}

/**
 * Selects the distinct stored statuses that meet a condition on `s.status`, with one lookup in the status index per
 * stored status.
 */
function selectStatuses(condition: RawBuilder<SqlBool>) {
  return sql<{ status: string }>`
    with recursive s(status) as (
      select min(status) from runs
      union all
      select (select min(status) from runs where status > s.status) from s where s.status is not null
    )
    select s.status from s where ${condition}`;
}

/**
 * Returns the condition that a run `r` has one of the statuses, ignoring case. Reads the stored statuses first, and the
 * condition lists the matching ones. The condition is always true for an empty list, and always false if no run has one
 * of the statuses. The condition lets the database find few runs by the status index. A page in another order must not
 * use the condition for many runs, because the database would sort all runs that it finds.
 */
export async function findRareStatusCondition(
  { kysely, dialect }: Database,
  statuses: RunStatus | readonly string[],
): Promise<RawBuilder<SqlBool>> {
  const conditions =
    typeof statuses === 'string'
      ? [isStoredStatus(dialect, statuses)]
      : listValueConditions(dialect, 's.status', statuses);
  if (conditions.length === 0) return sql<SqlBool>`1 = 1`;
  const { rows } = await selectStatuses(sql.join(conditions, sql` and `)).execute(kysely);
  if (rows.length === 0) return sql<SqlBool>`1 = 0`;
  return sql<SqlBool>`r.status in (${sql.join(rows.map(({ status }) => status))})`;
}

const counters = {
  runningRuns: 'c.running_runs',
  completedRuns: 'c.completed_runs',
  failedRuns: 'c.failed_runs',
} as const;

const cases = experimentStatusRules.map(({ status, counter, amount }) => {
  const count = sql.ref<number | null>(counters[counter]);
  const condition = amount === 'any' ? sql`${count} > 0` : sql`${count} = c.total_runs`;
  return sql`when ${condition} then ${sql.lit(status)}`;
});

/** Status of an experiment with the counts `c`, by the rule of `getExperimentStatus`. */
export const experimentStatus: RawBuilder<ExperimentStatus> = sql<ExperimentStatus>`case
  ${sql.join(cases, sql` `)} else 'PARTIAL' end`;

/** Fields of a query that services handle, so filters of rows omit them. */
type ServiceField = 'page' | 'size' | 'sortBy' | 'sortDir' | 'params' | 'tag';

/** Ids of the runs, experiments and algorithms whose annotations match a search; see {@link Annotations.findIds}. */
export interface AnnotatedIds {
  runIds: readonly string[];
  experimentIds: readonly string[];
  algorithms: readonly string[];
}

/**
 * Filter of a list of runs. Undefined fields and empty lists do not restrict the runs, but an empty `runIds` matches no
 * run. Parameters have their full paths.
 */
export type RunsFilter = Omit<RunsQuery, ServiceField | 'diagnosis'> & {
  experimentId?: string;
  runIds?: readonly string[];
  /** Further matches of `q`, in annotations. */
  annotatedIds?: AnnotatedIds;
};

/**
 * Filter of a list of experiments, like {@link RunsFilter}; an empty `experimentIds` matches no experiment. `from` and
 * `to` apply to the creation time.
 */
export type ExperimentsFilter = Omit<ExperimentsQuery, ServiceField | 'figures'> & {
  experimentIds?: readonly string[];
  /** Further matches of `q`, in annotations. */
  annotatedIds?: AnnotatedIds;
};

/**
 * Selects runs `r` that have an id, with their experiments `e`, if any. SQLite's keys allow a run without an id. Such a
 * run has no page, but the summary counts it.
 */
export function selectRunsWithExperiments({ kysely }: Database) {
  return kysely
    .selectFrom('runs as r')
    .leftJoin('experiments as e', 'e.experiment_id', 'r.experiment_id')
    .where('r.run_id', 'is not', null);
}

/**
 * Selects the matching runs `r` that have an id, joined with their experiments `e` only if the filter or the caller
 * needs them.
 */
export function selectMatchingRuns(database: Database, filter: RunsFilter, hasExperiments = false) {
  const { algorithm, model, problem } = filter;
  const isByType = [algorithm, model, problem].some((values) => values.length > 0);
  const runs =
    isByType || hasExperiments
      ? selectRunsWithExperiments(database)
      : database.kysely.selectFrom('runs as r').where('r.run_id', 'is not', null);
  return runs.where((eb) => eb.and(listRunConditions(database.dialect, filter)));
}

/** Returns the conditions of a filter on runs `r`. The conditions on types apply to the experiments `e` of the runs. */
export function listRunConditions(
  dialect: DatabaseDialect,
  filter: RunsFilter,
): RawBuilder<SqlBool>[] {
  const { experimentId, runIds, minBest, maxBest } = filter;
  const bestFitness = dialect.selectFiniteNumber(sql.ref<number | null>('r.best_fitness'));
  return [
    ...(experimentId === undefined ? [] : [sql<SqlBool>`r.experiment_id = ${experimentId}`]),
    ...(runIds === undefined ? [] : [dialect.isAmong(sql.ref<string>('r.run_id'), runIds)]),
    ...listTypeConditions(dialect, filter),
    ...listValueConditions(dialect, 'r.status', filter.status),
    ...listRangeConditions(dialect, sql.ref<string>('r.start_time'), filter),
    ...(minBest === undefined ? [] : [sql<SqlBool>`${bestFitness} >= ${minBest}`]),
    ...(maxBest === undefined ? [] : [sql<SqlBool>`${bestFitness} <= ${maxBest}`]),
    ...listTrialInclusionConditions(filter.trials, isTrial),
    ...filter.param.map((param) => hasParam(dialect, sql.ref('r.experiment_id'), param)),
    ...(filter.q === undefined ? [] : [matchRun(dialect, filter.q, filter.annotatedIds)]),
  ];
}

/**
 * Returns the conditions of a filter on runs `r`, without a join with experiments. The conditions on types, statuses
 * and `only` trials compare with lists of values, so an index can find all matching runs.
 */
export function listIndexConditions(
  dialect: DatabaseDialect,
  filter: RunsFilter,
): RawBuilder<SqlBool>[] {
  const noTypes = { algorithm: [], model: [], problem: [] };
  const { trials, ...otherFilters } = { ...filter, ...noTypes, status: [] };
  const types = listTypeConditions(dialect, filter);
  const statuses = listValueConditions(dialect, 's.status', filter.status);
  return [
    ...(types.length === 0
      ? []
      : [
          sql<SqlBool>`r.experiment_id in (select e.experiment_id from experiments e
            where ${sql.join(types, sql` and `)})`,
        ]),
    ...statuses.map(hasStoredStatus),
    ...listRunConditions(dialect, { ...otherFilters, trials: 'include' }),
    ...listTrialInclusionConditions(trials, trials === 'only' ? isAmongTrials : isTrial),
  ];
}

/** Condition that a run `r` is a trial, in a form that lets a query start from the trials. */
export const isAmongTrials = sql<SqlBool>`r.run_id in (select t.run_id from coco_trials t)`;

/**
 * Returns the conditions of a filter on experiments `e`. If the filter restricts the status, `c` must contain the
 * counts of their runs.
 */
export function listExperimentConditions(
  dialect: DatabaseDialect,
  filter: ExperimentsFilter,
): RawBuilder<SqlBool>[] {
  const { status, experimentIds } = filter;
  return [
    ...(experimentIds === undefined
      ? []
      : [dialect.isAmong(sql.ref<string>('e.experiment_id'), experimentIds)]),
    ...listTypeConditions(dialect, filter),
    ...(status.length === 0 ? [] : [sql<SqlBool>`${experimentStatus} in (${sql.join(status)})`]),
    ...listRangeConditions(dialect, sql.ref<string>('e.created_at'), filter),
    ...listTrialInclusionConditions(filter.trials, hasOnlyTrials),
    ...filter.param.map((param) => hasParam(dialect, sql.ref('e.experiment_id'), param)),
    ...(filter.q === undefined ? [] : [matchExperiment(dialect, filter.q, filter.annotatedIds)]),
  ];
}

function listTypeConditions(
  dialect: DatabaseDialect,
  { algorithm, model, problem }: Pick<RunsFilter, 'algorithm' | 'model' | 'problem'>,
): RawBuilder<SqlBool>[] {
  return [
    ...listValueConditions(dialect, 'e.algorithm_type', algorithm),
    ...listValueConditions(dialect, 'e.model_type', model),
    ...listValueConditions(dialect, 'e.problem_type', problem),
  ];
}

/**
 * Returns the condition that a run `r` matches a text, ignoring case. The text is in the id of the run, in the id,
 * name, types or hash of its experiment, or in a parameter by {@link matchParam}. A run also matches if `annotatedIds`
 * contain it, its experiment or its algorithm. The types are those of algorithm, model and problem. The database finds
 * the matching experiments once, not once per run.
 */
function matchRun(
  dialect: DatabaseDialect,
  substring: string,
  annotatedIds: AnnotatedIds = noIds,
): RawBuilder<SqlBool> {
  const contains = (column: string) =>
    dialect.containsText(sql.ref<string | null>(column), substring);
  const experimentColumns = ['x.run_name', 'x.algorithm_type', 'x.model_type', 'x.problem_type'];
  const isInColumns = sql.join([...experimentColumns, 'x.config_hash'].map(contains), sql` or `);
  const hasAnnotatedRun = isAmongAny(dialect, [['r.run_id', annotatedIds.runIds]]);
  const isAnnotated = isAmongAny(dialect, [
    ['x.experiment_id', annotatedIds.experimentIds],
    ['x.algorithm_type', annotatedIds.algorithms],
  ]);
  return sql<SqlBool>`(${contains('r.run_id')} or ${contains('r.experiment_id')}${hasAnnotatedRun} or r.experiment_id in (
    select x.experiment_id from experiments x where ${isInColumns}${isAnnotated}
    union all select p.experiment_id from experiment_params p
      where ${matchParam(dialect, substring)}))`;
}

/**
 * Returns the condition that an experiment `e` matches a text, ignoring case. The text is in its id, name, types or
 * hash, in a parameter by {@link matchParam}, or in the id of one of its runs. An experiment also matches if
 * `annotatedIds` contain it, its algorithm or one of its runs. The types are those of algorithm, model and problem. The
 * database finds the matching runs and parameters once, not once per experiment.
 */
function matchExperiment(
  dialect: DatabaseDialect,
  substring: string,
  annotatedIds: AnnotatedIds = noIds,
): RawBuilder<SqlBool> {
  const contains = (column: string) =>
    dialect.containsText(sql.ref<string | null>(column), substring);
  const columns = ['experiment_id', 'run_name', 'config_hash', 'algorithm_type', 'model_type'];
  const columnConditions = [...columns, 'problem_type'].map((column) => contains(`e.${column}`));
  const isAnnotated = isAmongAny(dialect, [
    ['e.experiment_id', annotatedIds.experimentIds],
    ['e.algorithm_type', annotatedIds.algorithms],
  ]);
  const hasAnnotatedRun = isAmongAny(dialect, [['r.run_id', annotatedIds.runIds]]);
  return sql<SqlBool>`(${sql.join(columnConditions, sql` or `)}${isAnnotated} or e.experiment_id in (
    select r.experiment_id from runs r where ${contains('r.run_id')}${hasAnnotatedRun}
    union all select p.experiment_id from experiment_params p
      where ${matchParam(dialect, substring)}))`;
}

const noIds: AnnotatedIds = { runIds: [], experimentIds: [], algorithms: [] };

/** Returns ` or <column> is among <values>` for each column with values; empty SQL if no column has values. */
function isAmongAny(
  dialect: DatabaseDialect,
  columns: readonly (readonly [column: string, values: readonly string[]])[],
): RawBuilder<unknown> {
  const conditions = columns
    .filter(([, values]) => values.length > 0)
    .map(([column, values]) => sql` or ${dialect.isAmong(sql.ref<string>(column), values)}`);
  return conditions.length === 0 ? sql`` : sql.join(conditions, sql``);
}
