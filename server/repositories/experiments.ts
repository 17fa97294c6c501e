import { sql, type RawBuilder } from 'kysely';
import { nullsLast } from '#server/db/expressions.ts';
import type { ExperimentsQuery, ExperimentStatus } from '#shared/schemas/experiment.ts';
import { bestByDirection } from './experiment-direction.ts';
import { experimentConditions, type ExperimentsFilter } from './experiments-filter.ts';
import { pageOffset, textOf } from './expressions.ts';
import type { RunState } from './locks.ts';
import { columnOrder, instantKey, timeOfKey } from './order.ts';
import { paramOrder, paramPathOf } from './param-filter.ts';
import { listPathsAmong } from './param-names.ts';
import { hasStatus, type KnownStatus } from './run-conditions.ts';
import type { Database } from '#server/db/database.ts';

/** The runs of an experiment, counted by status; those of an unknown status are in the total only. */
export interface RunCounters {
  totalRuns: number;
  completedRuns: number;
  failedRuns: number;
  stoppedRuns: number;
  runningRuns: number;
}

/** An experiment as its own row and its runs' have it. */
export interface ExperimentRow extends RunCounters {
  experimentId: string;
  runName: string | null;
  algorithmType: string;
  modelType: string;
  problemType: string;
  representationType: string;
  configHash: string;
  createdAt: string;
  latestRunTime: string;
  status: ExperimentStatus;
  /** Extremes of the finite best fitness of its runs that have ended. */
  lowest: number | null;
  highest: number | null;
}

/** One page of a list: where it begins, how long it is and in which order. */
export type ExperimentsSelection = Pick<ExperimentsQuery, 'page' | 'size' | 'sortBy' | 'sortDir'>;

/**
 * Experiments `e` with their runs counted, as `c`: `c.total_runs` and the like are NULL for an experiment
 * without runs. `c.lowest` and `c.highest` are the extremes of its runs' best fitness, `c.latest_start` is
 * an {@link instantKey}.
 */
export function experimentsWithCounts({ kysely, dialect }: Database) {
  const count = (status: KnownStatus) =>
    sql<number>`count(case when ${hasStatus(status)} then 1 end)`;
  const best = dialect.finiteNumber(sql.ref<number | null>('r.best_fitness'));
  const start = dialect.byCodePoint(instantKey(sql.ref<string>('r.start_time')));
  return kysely.selectFrom('experiments as e').leftJoin(
    (eb) =>
      eb
        .selectFrom('runs as r')
        .select([
          'r.experiment_id as of_experiment',
          sql<number>`count(*)`.as('total_runs'),
          count('COMPLETED').as('completed_runs'),
          count('FAILED').as('failed_runs'),
          count('STOPPED').as('stopped_runs'),
          count('RUNNING').as('running_runs'),
          sql<string | null>`max(${start})`.as('latest_start'),
          sql<number | null>`min(${best})`.as('lowest'),
          sql<number | null>`max(${best})`.as('highest'),
        ])
        .groupBy('r.experiment_id')
        .as('c'),
    (join) => join.onRef('c.of_experiment', '=', 'e.experiment_id'),
  );
}

/**
 * The status that its runs give an experiment of {@link experimentsWithCounts}: RUNNING while one of them
 * runs, COMPLETED or FAILED when all of them are, else PARTIAL, which one without runs is too.
 */
export const experimentStatus: RawBuilder<ExperimentStatus> = sql<ExperimentStatus>`case
  when c.running_runs > 0 then 'RUNNING'
  when c.completed_runs = c.total_runs then 'COMPLETED'
  when c.failed_runs = c.total_runs then 'FAILED'
  else 'PARTIAL' end`;

/** One page of the experiments that match: by the chosen column, NULLs last, then by experiment id. */
export async function listExperiments(
  database: Database,
  filter: ExperimentsFilter,
  selection: ExperimentsSelection,
): Promise<ExperimentRow[]> {
  const { dialect } = database;
  const path = paramPathOf(selection.sortBy);
  const matching = experimentsWithCounts(database)
    .$if(path !== null, (query) =>
      query.leftJoin('experiment_params as p', (join) =>
        join.onRef('p.experiment_id', '=', 'e.experiment_id').on('p.param_path', '=', path ?? ''),
      ),
    )
    .select([
      'e.experiment_id',
      'e.run_name',
      'e.algorithm_type',
      'e.model_type',
      'e.problem_type',
      'e.representation_type',
      'e.config_hash',
      'e.created_at',
      ...counterColumns(),
      'c.latest_start',
      'c.lowest',
      'c.highest',
      experimentStatus.as('status'),
    ])
    .where((eb) => eb.and(experimentConditions(dialect, filter, experimentStatus)));
  const rows = await experimentOrder(database, selection.sortBy)
    .reduce((query, key) => query.orderBy(key, nullsLast(selection.sortDir)), matching)
    .orderBy(dialect.byCodePoint(sql.ref<string>('e.experiment_id')), selection.sortDir)
    .limit(selection.size)
    .offset(pageOffset(selection.page, selection.size))
    .execute();
  return rows.map((row) => ({
    experimentId: row.experiment_id,
    runName: row.run_name,
    algorithmType: textOf(row.algorithm_type),
    modelType: textOf(row.model_type),
    problemType: textOf(row.problem_type),
    representationType: textOf(row.representation_type),
    configHash: textOf(row.config_hash),
    createdAt: textOf(row.created_at),
    latestRunTime: row.latest_start === null ? textOf(row.created_at) : timeOfKey(row.latest_start),
    ...toCounters(row),
    status: row.status,
    lowest: row.lowest,
    highest: row.highest,
  }));
}

/** The statuses that experiments show, each once. */
export async function listExperimentStatuses(database: Database): Promise<ExperimentStatus[]> {
  const rows = await experimentsWithCounts(database)
    .select(experimentStatus.as('status'))
    .distinct()
    .execute();
  return rows.map(({ status }) => status);
}

/** How many experiments match. */
export async function countExperiments(
  database: Database,
  filter: ExperimentsFilter,
): Promise<number> {
  const row = await experimentsWithCounts(database)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where((eb) => eb.and(experimentConditions(database.dialect, filter, experimentStatus)))
    .executeTakeFirst();
  return row?.total ?? 0;
}

/** Which of these paths of parameters the experiments have that match, apart from the filter on parameters. */
export async function listParamPathsOfExperiments(
  database: Database,
  filter: ExperimentsFilter,
  paths: readonly string[],
): Promise<string[]> {
  const conditions = experimentConditions(
    database.dialect,
    { ...filter, param: [] },
    experimentStatus,
  );
  const experimentIds = experimentsWithCounts(database)
    .select('e.experiment_id')
    .where((eb) => eb.and(conditions));
  return listPathsAmong(database, paths, experimentIds);
}

function experimentOrder(
  database: Database,
  sortBy: ExperimentsSelection['sortBy'],
): RawBuilder<unknown>[] {
  const path = paramPathOf(sortBy);
  if (path !== null) return paramOrder(database.dialect, path);
  switch (sortBy) {
    case 'latest_run_time':
      return [latestStart(database)];
    case 'total_runs':
      return [sql`coalesce(c.total_runs, 0)`];
    case 'best_fitness':
      return [bestByDirection(database)];
    default:
      return [columnOrder(database, 'e', sortBy)];
  }
}

/** The key of when the last of its runs started, or the experiment was made when it has none. */
function latestStart({ dialect }: Database): RawBuilder<string> {
  const created = instantKey(sql.ref<string>('e.created_at'));
  return dialect.byCodePoint(sql<string>`coalesce(c.latest_start, ${created})`);
}

/** The counters of an experiment's runs, to be read by {@link toCounters}. */
export function counterColumns() {
  return [
    'c.total_runs',
    'c.completed_runs',
    'c.failed_runs',
    'c.stopped_runs',
    'c.running_runs',
  ] as const;
}

/** The counters as {@link counterColumns} delivers them, 0 for an experiment without runs. */
export function toCounters(row: {
  total_runs: number | null;
  completed_runs: number | null;
  failed_runs: number | null;
  stopped_runs: number | null;
  running_runs: number | null;
}): RunCounters {
  return {
    totalRuns: row.total_runs ?? 0,
    completedRuns: row.completed_runs ?? 0,
    failedRuns: row.failed_runs ?? 0,
    stoppedRuns: row.stopped_runs ?? 0,
    runningRuns: row.running_runs ?? 0,
  };
}

/** Whether there is an experiment with this id. */
export async function experimentExists(
  { kysely }: Database,
  experimentId: string,
): Promise<boolean> {
  const row = await kysely
    .selectFrom('experiments')
    .select('experiment_id')
    .where('experiment_id', '=', experimentId)
    .executeTakeFirst();
  return row !== undefined;
}

/** The runs of an experiment with their statuses, by id, nothing locked. */
export async function listRunStates(
  { kysely, dialect }: Database,
  experimentId: string,
): Promise<RunState[]> {
  return kysely
    .selectFrom('runs')
    .select(['run_id as runId', 'status'])
    .where('experiment_id', '=', experimentId)
    .orderBy(dialect.byCodePoint(sql.ref<string>('run_id')))
    .execute();
}
