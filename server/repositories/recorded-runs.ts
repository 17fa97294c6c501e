import { sql } from 'kysely';
import type { Database } from '#server/db/database.ts';
import type { StoredInteger } from '#server/db/schema.ts';

/**
 * Path of the parameter that marks the experiments of recorded runs. The hash of their configuration includes the value
 * of this parameter.
 */
export const recordingMark = 'recording.client';

/** The columns of a run that a recording checks, and whether its experiment has the mark. */
export interface RecordedRun {
  runId: string;
  experimentId: string;
  seed: StoredInteger;
  status: string;
  startTime: string;
  evaluations: StoredInteger | null;
  /** Whether its experiment has the {@link recordingMark}. */
  isRecorded: boolean;
}

/**
 * Returns the runs with these ids by id, without missing ones. If the database locks rows, `isLocked` locks them in
 * this order until the transaction ends, so two services cannot deadlock.
 */
export async function listRecordedRuns(
  { kysely, dialect }: Database,
  runIds: readonly string[],
  { isLocked = false } = {},
): Promise<RecordedRun[]> {
  const query = kysely
    .selectFrom('runs as r')
    .select([
      'r.run_id as runId',
      'r.experiment_id as experimentId',
      'r.seed',
      'r.status',
      'r.start_time as startTime',
      'r.evaluations',
    ])
    .select(
      sql`exists (select 1 from experiment_params as p
        where p.experiment_id = r.experiment_id and p.param_path = ${recordingMark})`.as(
        'isRecorded',
      ),
    )
    .where(dialect.isAmong(sql.ref<string>('r.run_id'), runIds))
    .orderBy('r.run_id');
  const lockedRows = isLocked ? await dialect.lockRows(query).execute() : [];
  const canUseLockedRows =
    isLocked && lockedRows.every(({ isRecorded }) => Number(isRecorded) === 1);
  // While PostgreSQL waited for a lock, a client may have moved the run to a new experiment. The locking query does not
  // see the mark of this experiment.
  const rows = canUseLockedRows ? lockedRows : await query.execute();
  return rows.map((run) => ({ ...run, isRecorded: Boolean(Number(run.isRecorded)) }));
}

/** Returns the ids of up to `limit` RUNNING recorded runs, latest start first. */
export async function listRunningRecordings(
  { kysely }: Pick<Database, 'kysely'>,
  limit: number,
): Promise<string[]> {
  const rows = await kysely
    .selectFrom('runs as r')
    .innerJoin('experiment_params as p', 'p.experiment_id', 'r.experiment_id')
    .select('r.run_id')
    .where('r.status', '=', 'RUNNING')
    .where('p.param_path', '=', recordingMark)
    .orderBy('r.start_time', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ run_id }) => run_id);
}

/** Returns the problem type and the configuration of an experiment; undefined if there is no such experiment. */
export async function findProblem(
  { kysely }: Database,
  experimentId: string,
): Promise<{ problemType: string; configJson: string } | undefined> {
  return kysely
    .selectFrom('experiments')
    .select(['problem_type as problemType', 'config_json as configJson'])
    .where('experiment_id', '=', experimentId)
    .executeTakeFirst();
}

/** Returns the stored iterations of a run with these numbers, in any order, without missing ones. */
export async function listIterationsAt(
  { kysely }: Database,
  runId: string,
  iterations: readonly number[],
) {
  if (iterations.length === 0) return [];
  return (
    kysely
      .selectFrom('iterations')
      .select([
        'iteration',
        'evaluations',
        'best_fitness',
        'mean_fitness',
        'std_fitness',
        'metrics_json',
        'diagnostics_json',
        'created_at',
      ])
      .where('run_id', '=', runId)
      // Without the range of the numbers, PostgreSQL reads all iterations of a run that is newer than its statistics.
      .where('iteration', '>=', Math.min(...iterations))
      .where('iteration', '<=', Math.max(...iterations))
      .where('iteration', 'in', iterations)
      .execute()
  );
}

/** Returns the number and the best fitness of the last iteration before this one; undefined if there is none. */
export async function findBestBefore(
  { kysely }: Database,
  runId: string,
  iteration: number,
): Promise<{ iteration: number; best: number } | undefined> {
  return kysely
    .selectFrom('iterations')
    .select(['iteration', 'best_fitness as best'])
    .where('run_id', '=', runId)
    .where('iteration', '<', iteration)
    .orderBy('iteration', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Returns whether a run has an iteration after this one. */
export async function hasIterationAfter(
  { kysely }: Database,
  runId: string,
  iteration: number,
): Promise<boolean> {
  const row = await kysely
    .selectFrom('iterations')
    .select('iteration')
    .where('run_id', '=', runId)
    .where('iteration', '>', iteration)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Returns the numbers of the iterations from `firstIteration` on that have this metric, in ascending order. The name of
 * the metric must not contain characters that JSON escapes.
 */
export async function listIterationsWithMetric(
  { kysely }: Database,
  runId: string,
  firstIteration: number,
  metric: string,
): Promise<number[]> {
  const key = `"${metric}":`;
  const rows = await kysely
    .selectFrom('iterations')
    .select(['iteration', 'metrics_json'])
    .where('run_id', '=', runId)
    .where('iteration', '>=', firstIteration)
    .where('metrics_json', 'like', `%${key}%`)
    .orderBy('iteration')
    .execute();
  // LIKE ignores case on SQLite, and its `_` matches any character.
  return rows.flatMap((row) => (row.metrics_json?.includes(key) ? row.iteration : []));
}

/** Replaces the best fitness of an iteration, and its mean fitness if both were equal. */
export async function updateBest(
  { kysely }: Database,
  runId: string,
  iteration: number,
  best: number,
): Promise<void> {
  await kysely
    .updateTable('iterations')
    .set({
      best_fitness: best,
      mean_fitness: sql<number>`case when mean_fitness = best_fitness then ${best} else mean_fitness end`,
    })
    .where('run_id', '=', runId)
    .where('iteration', '=', iteration)
    .execute();
}

/**
 * Returns the highest iteration and the highest number of evaluations of a run, and the minimum and maximum of its
 * finite best fitness. All values are null without iterations. Minimum and maximum are null without a finite best
 * fitness.
 */
export async function findExtremes({ kysely, dialect }: Database, runId: string) {
  const fitness = dialect.selectFiniteNumber(sql.ref('best_fitness'));
  const row = await kysely
    .selectFrom('iterations')
    .select(({ fn }) => [
      fn.max<number | null>('iteration').as('iteration'),
      fn.max<StoredInteger | null>('evaluations').as('evaluations'),
      sql<number | null>`min(${fitness})`.as('minimum'),
      sql<number | null>`max(${fitness})`.as('maximum'),
    ])
    .where('run_id', '=', runId)
    .executeTakeFirst();
  return row ?? { iteration: null, evaluations: null, minimum: null, maximum: null };
}

/** Returns the payloads of the events of a run with one of these types, highest id first; empty without types. */
export async function listPayloadsOfTypes(
  { kysely }: Database,
  runId: string,
  types: readonly string[],
): Promise<string[]> {
  if (types.length === 0) return [];
  const rows = await kysely
    .selectFrom('events')
    .select('payload_json as payload')
    .where('run_id', '=', runId)
    .where('event_type', 'in', types)
    .orderBy('id', 'desc')
    .execute();
  return rows.map(({ payload }) => payload);
}

/** Returns the iteration and path of each checkpoint of a run, in any order. */
export async function listCheckpointPaths({ kysely }: Database, runId: string) {
  return kysely
    .selectFrom('checkpoints')
    .select(['iteration', 'checkpoint_path as path'])
    .where('run_id', '=', runId)
    .execute();
}
