import { sql } from 'kysely';
import { nullsLast } from '#server/db/expressions.ts';
import type { StoredInteger } from '#server/db/schema.ts';
import type {
  ExperimentDetail,
  ExperimentRunItem,
  ExperimentRunsQuery,
} from '#shared/schemas/experiment.ts';
import { counterColumns, experimentsWithCounts, toCounters } from './run-counts.ts';
import { pageOffset, textOf } from './expressions.ts';
import { columnOrder } from './order.ts';
import { runsWithExperiments } from './runs-filter.ts';
import type { Database } from '#server/db/database.ts';

/** An experiment with all that its row says and its runs counted. */
export type FullExperimentRow = Omit<
  ExperimentDetail,
  'direction' | 'directionSource' | 'targetFitness' | 'targetSource' | 'stopRequest'
>;

/** The experiment with this id, or null. */
export async function findExperiment(
  database: Database,
  experimentId: string,
): Promise<FullExperimentRow | null> {
  const row = await experimentsWithCounts(database, [experimentId])
    .selectAll('e')
    .select([
      ...counterColumns(),
      database.dialect.integer(sql.ref<number | null>('e.max_iterations')).as('max_iterations'),
    ])
    .executeTakeFirst();
  if (!row) return null;
  return {
    experimentId: row.experiment_id,
    configHash: textOf(row.config_hash),
    schemaVersion: textOf(row.schema_version),
    runName: row.run_name,
    algorithmType: textOf(row.algorithm_type),
    modelType: textOf(row.model_type),
    problemType: textOf(row.problem_type),
    representationType: textOf(row.representation_type),
    selectionType: textOf(row.selection_type),
    replacementType: textOf(row.replacement_type),
    stoppingType: textOf(row.stopping_type),
    maxIterations: row.max_iterations,
    configYaml: textOf(row.config_yaml),
    configJson: textOf(row.config_json),
    createdAt: textOf(row.created_at),
    ...toCounters(row),
  };
}

/** What decides the objective of an experiment. */
export interface ConfigurationRow {
  experimentId: string;
  problemType: string;
  configJson: string;
}

/** The configurations of these experiments, in no order. */
export async function listConfigurations(
  { kysely }: Database,
  experimentIds: readonly string[],
): Promise<ConfigurationRow[]> {
  if (experimentIds.length === 0) return [];
  const rows = await kysely
    .selectFrom('experiments')
    .select(['experiment_id', 'problem_type', 'config_json'])
    .where('experiment_id', 'in', experimentIds)
    .execute();
  return rows.map((row) => ({
    experimentId: row.experiment_id,
    problemType: textOf(row.problem_type),
    configJson: textOf(row.config_json),
  }));
}

/** A run of an experiment as its row has it. */
export interface ExperimentRunRow extends Omit<ExperimentRunItem, 'progress'> {
  /** `max_iterations` of the experiment. */
  maxIterations: StoredInteger | null;
}

/** One page of an experiment's runs: by the chosen column, NULLs last, then by run id. */
export async function listRunsOfExperiment(
  database: Database,
  experimentId: string,
  { page, size, sortBy, sortDir }: ExperimentRunsQuery,
): Promise<ExperimentRunRow[]> {
  const { dialect } = database;
  const integer = (column: string) => dialect.integer(sql.ref<StoredInteger | null>(column));
  const rows = await runsWithExperiments(database)
    .select([
      'r.run_id',
      'r.status',
      'r.start_time',
      'r.end_time',
      'r.resumed_from',
      'r.error_message',
      integer('r.seed').as('seed'),
      integer('r.iterations').as('iterations'),
      integer('r.evaluations').as('evaluations'),
      integer('r.runtime_millis').as('runtime_millis'),
      integer('e.max_iterations').as('max_iterations'),
      dialect.finiteNumber(sql.ref<number | null>('r.best_fitness')).as('best_fitness'),
    ])
    .where('r.experiment_id', '=', experimentId)
    .orderBy(columnOrder(database, 'r', sortBy), nullsLast(sortDir))
    .orderBy(dialect.byCodePoint(sql.ref<string>('r.run_id')), sortDir)
    .limit(size)
    .offset(pageOffset(page, size))
    .execute();
  return rows.map((row) => ({
    runId: row.run_id,
    seed: row.seed,
    status: textOf(row.status),
    startTime: textOf(row.start_time),
    endTime: row.end_time,
    iterations: row.iterations,
    evaluations: row.evaluations,
    bestFitness: row.best_fitness,
    runtimeMillis: row.runtime_millis,
    resumedFrom: row.resumed_from,
    errorMessage: row.error_message,
    maxIterations: row.max_iterations,
  }));
}

/** How many runs an experiment has. */
export async function countRunsOfExperiment(
  { kysely }: Database,
  experimentId: string,
): Promise<number> {
  const row = await kysely
    .selectFrom('runs')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('experiment_id', '=', experimentId)
    .executeTakeFirst();
  return row?.total ?? 0;
}
