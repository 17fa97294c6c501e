import { sql, type RawBuilder } from 'kysely';
import { nullsLast } from '#server/db/expressions.ts';
import type { ExperimentStatus, RunCounters } from '#server/rules/status.ts';
import type { ExperimentsQuery } from '#shared/schemas/experiment.ts';
import { bestByDirection } from './experiment-direction.ts';
import { experimentConditions, type ExperimentsFilter } from './experiments-filter.ts';
import { pageOffset, textOf } from './expressions.ts';
import type { RunState } from './locks.ts';
import { columnOrder, instantKey, timeOfKey } from './order.ts';
import { paramOrder, paramPathOf } from './param-filter.ts';
import { listPathsAmong } from './param-names.ts';
import { experimentStatus } from './run-conditions.ts';
import {
  counterColumns,
  experimentsWithCounts,
  latestStarts,
  runCounts,
  statusCounts,
  toCounters,
} from './run-counts.ts';
import type { Database } from '#server/db/database.ts';

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
 * The ids of one page of the experiments that match: by the chosen column, NULLs last, then by experiment id. Runs
 * are counted only as far as filter and order ask for it.
 */
export async function listExperimentIds(
  database: Database,
  filter: ExperimentsFilter,
  selection: ExperimentsSelection,
): Promise<string[]> {
  const { dialect } = database;
  const path = paramPathOf(selection.sortBy);
  const matching = matchingExperiments(database, filter, selection.sortBy)
    .$if(path !== null, (query) =>
      query.leftJoin('experiment_params as p', (join) =>
        join.onRef('p.experiment_id', '=', 'e.experiment_id').on('p.param_path', '=', path ?? ''),
      ),
    )
    .select('e.experiment_id');
  const rows = await experimentOrder(database, selection.sortBy)
    .reduce((query, key) => query.orderBy(key, nullsLast(selection.sortDir)), matching)
    .orderBy(dialect.byCodePoint(sql.ref<string>('e.experiment_id')), selection.sortDir)
    .limit(selection.size)
    .offset(pageOffset(selection.page, selection.size))
    .execute();
  return rows.map((row) => row.experiment_id);
}

/** These experiments, in this order, with their runs counted; one that is not there any more is left out. */
export async function listExperiments(
  database: Database,
  experimentIds: readonly string[],
): Promise<ExperimentRow[]> {
  if (experimentIds.length === 0) return [];
  const rows = await experimentsWithCounts(database, experimentIds)
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
    ])
    .execute();
  const found = new Map(
    rows.map((row) => [
      row.experiment_id,
      {
        experimentId: row.experiment_id,
        runName: row.run_name,
        algorithmType: textOf(row.algorithm_type),
        modelType: textOf(row.model_type),
        problemType: textOf(row.problem_type),
        representationType: textOf(row.representation_type),
        configHash: textOf(row.config_hash),
        createdAt: textOf(row.created_at),
        latestRunTime:
          row.latest_start === null ? textOf(row.created_at) : timeOfKey(row.latest_start),
        ...toCounters(row),
        lowest: row.lowest,
        highest: row.highest,
      },
    ]),
  );
  return experimentIds.flatMap((id) => found.get(id) ?? []);
}

/** The experiments `e` that match, with so much of their counts `c` as filter and order need. */
function matchingExperiments(database: Database, filter: ExperimentsFilter, sortBy?: string) {
  const isCounted =
    filter.status.length > 0 || sortBy === 'total_runs' || sortBy === 'best_fitness';
  return database.kysely
    .selectFrom('experiments as e')
    .$if(isCounted, (query) =>
      query.leftJoin(runCounts(database), (join) =>
        join.onRef('c.of_experiment', '=', 'e.experiment_id'),
      ),
    )
    .$if(!isCounted && sortBy === 'latest_run_time', (query) =>
      query.leftJoin(latestStarts(database), (join) =>
        join.onRef('c.of_experiment', '=', 'e.experiment_id'),
      ),
    )
    .where((eb) => eb.and(experimentConditions(database.dialect, filter)));
}

/** The statuses that experiments show, each once. */
export async function listExperimentStatuses(database: Database): Promise<ExperimentStatus[]> {
  const rows = await database.kysely
    .selectFrom('experiments as e')
    .leftJoin(statusCounts(database), (join) =>
      join.onRef('c.of_experiment', '=', 'e.experiment_id'),
    )
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
  const row = await matchingExperiments(database, filter)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirst();
  return row?.total ?? 0;
}

/** Which of these paths of parameters the experiments have that match, apart from the filter on parameters. */
export async function listParamPathsOfExperiments(
  database: Database,
  filter: ExperimentsFilter,
  paths: readonly string[],
): Promise<string[]> {
  const experimentIds = matchingExperiments(database, { ...filter, param: [] }).select(
    'e.experiment_id',
  );
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
