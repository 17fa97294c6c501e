import { sql, type RawBuilder } from 'kysely';
import { nullsLast, textPrefix } from '#server/db/expressions.ts';
import type { StoredInteger } from '#server/db/schema.ts';
import type { RunItem, RunsQuery } from '#shared/schemas/run.ts';
import { finiteOf, integerOf, pageOffset, textOf } from './expressions.ts';
import { columnOrder } from './order.ts';
import { edgeSeconds, hasMixedSecond, orderInsideSeconds } from './start-seconds.ts';
import { listPathsAmong } from './param-names.ts';
import { paramOrder, paramPathOf } from './param-filter.ts';
import { runConditions, runsToCount, runsWithExperiments, type RunsFilter } from './runs-filter.ts';
import type { Database } from '#server/db/database.ts';

/** A run as its own row and its experiment's have it. */
export interface RunRow extends Omit<RunItem, 'params' | 'progress' | 'stopRequest'> {
  /** `max_iterations` of the experiment. */
  maxIterations: StoredInteger | null;
}

/** One page of a list: where it begins, how long it is and in which order. */
export type RunsSelection = Pick<RunsQuery, 'page' | 'size' | 'sortBy' | 'sortDir'>;

/**
 * One page of the runs that match: ordered by the chosen column, NULLs last, then by run id. Runs whose
 * experiment is missing are among them, with empty texts for what it would say. By start time they come from the
 * index, which has them in the order of its texts: `…16.5Z` before `…16Z`. That is wrong only inside of a second that
 * has both forms, so rows are put right second by second; where such a second may go beyond the page, all
 * are ordered anew, without the index.
 */
export async function listRuns(
  database: Database,
  filter: RunsFilter,
  selection: RunsSelection,
): Promise<RunRow[]> {
  if (selection.sortBy !== 'start_time') {
    return selectRuns(database, filter, selection, runOrder(database, selection.sortBy));
  }
  const asText = database.dialect.byCodePoint(sql.ref<string>('r.start_time'));
  const rows = await selectRuns(database, filter, selection, [asText]);
  const edges = edgeSeconds(rows, selection);
  if (await hasMixedSecond(database, edges)) {
    const asInstant = columnOrder(database, 'r', 'start_time');
    return selectRuns(database, filter, selection, [asInstant]);
  }
  return orderInsideSeconds(rows, selection.sortDir);
}

async function selectRuns(
  database: Database,
  filter: RunsFilter,
  selection: RunsSelection,
  order: readonly RawBuilder<unknown>[],
): Promise<RunRow[]> {
  const { dialect } = database;
  const conditions = runConditions(dialect, filter);
  const path = paramPathOf(selection.sortBy);
  const matching = runsWithExperiments(database)
    .$if(path !== null, (query) =>
      query.leftJoin('experiment_params as p', (join) =>
        join.onRef('p.experiment_id', '=', 'r.experiment_id').on('p.param_path', '=', path ?? ''),
      ),
    )
    .select([
      ...runColumns,
      textPrefix(sql.ref<string>('r.error_message'), messageLength).as('error_message'),
    ])
    .$if(conditions.length > 0, (query) => query.where((eb) => eb.and(conditions)));
  const rows = await order
    .reduce((query, key) => query.orderBy(key, nullsLast(selection.sortDir)), matching)
    .orderBy(dialect.byCodePoint(sql.ref<string>('r.run_id')), selection.sortDir)
    .limit(selection.size)
    .offset(pageOffset(selection.page, selection.size))
    .execute();
  return rows.map(toRun);
}

/** Characters of an error message that a list reads: more than it shows, so that a cut hides no secret. */
const messageLength = 4_000;

/** How many runs match. */
export async function countRuns(database: Database, filter: RunsFilter): Promise<number> {
  const conditions = runConditions(database.dialect, filter);
  const row = await runsToCount(database, filter)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .$if(conditions.length > 0, (query) => query.where((eb) => eb.and(conditions)))
    .executeTakeFirst();
  return row?.total ?? 0;
}

/** Which of these paths of parameters the runs have that match, apart from the filter on parameters. */
export async function listParamPathsOfRuns(
  database: Database,
  filter: RunsFilter,
  paths: readonly string[],
): Promise<string[]> {
  const conditions = runConditions(database.dialect, { ...filter, param: [] });
  const experimentIds = runsToCount(database, filter)
    .select('r.experiment_id')
    .where((eb) => eb.and(conditions));
  return listPathsAmong(database, paths, experimentIds);
}

function runOrder(database: Database, sortBy: RunsSelection['sortBy']): RawBuilder<unknown>[] {
  const path = paramPathOf(sortBy);
  if (path !== null) return paramOrder(database.dialect, path);
  return [columnOrder(database, ofExperiment.has(sortBy) ? 'e' : 'r', sortBy)];
}

const ofExperiment = new Set<string>(['run_name', 'algorithm_type', 'model_type', 'problem_type']);

const runColumns = [
  'r.run_id',
  'r.experiment_id',
  'e.run_name',
  'e.algorithm_type',
  'e.model_type',
  'e.problem_type',
  'e.representation_type',
  'r.status',
  'r.start_time',
  'r.end_time',
  'r.iterations',
  'r.evaluations',
  'r.best_fitness',
  'r.runtime_millis',
  'e.config_hash',
  'r.seed',
  'e.max_iterations',
] as const;

/** The columns of {@link runColumns} as they arrive. */
interface StoredRun {
  run_id: string;
  experiment_id: string | null;
  run_name: string | null;
  algorithm_type: string | null;
  model_type: string | null;
  problem_type: string | null;
  representation_type: string | null;
  status: string | null;
  start_time: string | null;
  end_time: string | null;
  config_hash: string | null;
  iterations: StoredInteger | null;
  evaluations: StoredInteger | null;
  best_fitness: number | null;
  runtime_millis: StoredInteger | null;
  seed: StoredInteger | null;
  max_iterations: StoredInteger | null;
  error_message: string | null;
}

function toRun(row: StoredRun): RunRow {
  return {
    runId: row.run_id,
    experimentId: textOf(row.experiment_id),
    runName: row.run_name,
    algorithmType: textOf(row.algorithm_type),
    modelType: textOf(row.model_type),
    problemType: textOf(row.problem_type),
    representationType: textOf(row.representation_type),
    status: textOf(row.status),
    startTime: textOf(row.start_time),
    endTime: row.end_time,
    iterations: integerOf(row.iterations),
    evaluations: integerOf(row.evaluations),
    bestFitness: finiteOf(row.best_fitness),
    runtimeMillis: integerOf(row.runtime_millis),
    configHash: textOf(row.config_hash),
    seed: integerOf(row.seed),
    maxIterations: integerOf(row.max_iterations),
    errorMessage: row.error_message,
  };
}

/** Whether there is a run with this id. */
export async function runExists({ kysely }: Database, runId: string): Promise<boolean> {
  const row = await kysely
    .selectFrom('runs')
    .select('run_id')
    .where('run_id', '=', runId)
    .executeTakeFirst();
  return row !== undefined;
}

/** A run with everything that its own row and its experiment's say. */
export interface FullRunRow extends RunRow {
  schemaVersion: string;
  selectionType: string;
  replacementType: string;
  stoppingType: string;
  bestSummary: string | null;
  artifactsJson: string | null;
  resumedFrom: string | null;
  configYaml: string;
  configJson: string;
  experimentCreatedAt: string;
}

/** The run with this id, or null. */
export async function findRun(database: Database, runId: string): Promise<FullRunRow | null> {
  const row = await runsWithExperiments(database)
    .select([
      ...runColumns,
      'e.schema_version',
      'e.selection_type',
      'e.replacement_type',
      'e.stopping_type',
      'r.best_summary',
      'r.artifacts_json',
      'r.resumed_from',
      'r.error_message',
      'e.config_yaml',
      'e.config_json',
      'e.created_at',
    ])
    .where('r.run_id', '=', runId)
    .executeTakeFirst();
  if (!row) return null;
  return {
    ...toRun(row),
    schemaVersion: textOf(row.schema_version),
    selectionType: textOf(row.selection_type),
    replacementType: textOf(row.replacement_type),
    stoppingType: textOf(row.stopping_type),
    bestSummary: row.best_summary,
    artifactsJson: row.artifacts_json,
    resumedFrom: row.resumed_from,
    configYaml: textOf(row.config_yaml),
    configJson: textOf(row.config_json),
    experimentCreatedAt: textOf(row.created_at),
  };
}

/** A run of the same experiment. */
export interface SiblingRow {
  runId: string;
  seed: StoredInteger | null;
}

/**
 * The run of the same experiment that comes right before or after this one by (seed, run id); null at the
 * end of the row, and for a run without an experiment id.
 */
export async function findSibling(
  { kysely, dialect }: Database,
  runId: string,
  side: 'previous' | 'next',
): Promise<SiblingRow | null> {
  const isBeyond = side === 'next' ? sql`>` : sql`<`;
  const order = side === 'next' ? 'asc' : 'desc';
  const idOf = (table: string) => dialect.byCodePoint(sql.ref<string>(`${table}.run_id`));
  const row = await kysely
    .selectFrom('runs as me')
    .innerJoin('runs as r', 'r.experiment_id', 'me.experiment_id')
    .select(['r.run_id', 'r.seed'])
    .where('me.run_id', '=', runId)
    .where(
      sql<boolean>`(r.seed ${isBeyond} me.seed or (r.seed = me.seed and ${idOf('r')} ${isBeyond} ${idOf('me')}))`,
    )
    .orderBy('r.seed', order)
    .orderBy(idOf('r'), order)
    .limit(1)
    .executeTakeFirst();
  return row ? { runId: row.run_id, seed: integerOf(row.seed) } : null;
}
