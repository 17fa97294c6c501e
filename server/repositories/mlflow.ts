import type { Database } from '#server/db/database.ts';

/** A row of `events` with the data of a client of MLflow about a run or an experiment of MLflow. */
export interface StoredState {
  id: number;
  payload: string;
}

/** Type of the event that stores a run as clients of MLflow know it. The payload of the event changes with the run. */
export const runStateType = 'mlflow_run';

/** Type of the event, without a run, that stores an experiment as clients of MLflow know it. */
export const experimentStateType = 'mlflow_experiment';

/**
 * Type and id of the event of an ended run whose metrics contain no evaluations: the steps of the run count as
 * evaluations.
 */
export const stepsNote = { eventType: 'note', eventId: 'steps-as-evaluations' };

/** Returns the state of a run; undefined if no client of MLflow created it. */
export async function findRunState(
  { kysely }: Database,
  runId: string,
): Promise<StoredState | undefined> {
  return kysely
    .selectFrom('events')
    .select(['id', 'payload_json as payload'])
    .where('run_id', '=', runId)
    .where('event_type', '=', runStateType)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}

/** Returns up to `size` states of existing runs, highest ids first; with `beforeId`, only states with lower ids. */
export async function listMlflowRunStates(
  { kysely }: Database,
  beforeId: number | null,
  size: number,
): Promise<(StoredState & { runId: string })[]> {
  return kysely
    .selectFrom('events as s')
    .innerJoin('runs as r', 'r.run_id', 's.run_id')
    .select(['s.id', 's.payload_json as payload', 'r.run_id as runId'])
    .where('s.event_type', '=', runStateType)
    .$if(beforeId !== null, (query) => query.where('s.id', '<', beforeId ?? 0))
    .orderBy('s.id', 'desc')
    .limit(size)
    .execute();
}

/**
 * Returns the states of all experiments of MLflow in the order of their ids. With `isLocked`, no other transaction can
 * add or change a state until this transaction ends.
 */
export async function listExperimentStates(
  { kysely, dialect }: Database,
  { isLocked = false } = {},
): Promise<StoredState[]> {
  if (isLocked) await dialect.lock(kysely, 'mlflowExperiments');
  const query = kysely
    .selectFrom('events')
    .select(['id', 'payload_json as payload'])
    .where('run_id', 'is', null)
    .where('event_type', '=', experimentStateType)
    .orderBy('id');
  return (isLocked ? dialect.lockRows(query) : query).execute();
}

/** Adds a state and returns its id. `runId` is null for an experiment; `createdAt` is a time in UTC (ISO 8601). */
export async function addState(
  { kysely }: Database,
  runId: string | null,
  payload: string,
  createdAt: string,
): Promise<number> {
  const row = await kysely
    .insertInto('events')
    .values({
      run_id: runId,
      event_type: runId === null ? experimentStateType : runStateType,
      payload_json: payload,
      created_at: createdAt,
    })
    .returning('id')
    .executeTakeFirst();
  return Number(row?.id);
}

/** Replaces the payload of a state. */
export async function updateState(
  { kysely }: Database,
  { id, payload }: StoredState,
): Promise<void> {
  await kysely.updateTable('events').set({ payload_json: payload }).where('id', '=', id).execute();
}

/** Returns the statuses, starts and ends of these runs, in any order, without missing runs. */
export async function listRunTimes({ kysely, dialect }: Database, runIds: readonly string[]) {
  return kysely
    .selectFrom('runs as r')
    .select(['r.run_id as runId', 'r.status', 'r.start_time as startTime', 'r.end_time as endTime'])
    .where((eb) => dialect.isAmong(eb.ref('r.run_id'), runIds))
    .execute();
}

/** Returns the stored artifacts of a run, as the text of a JSON object; null if there are none or there is no run. */
export async function findArtifacts({ kysely }: Database, runId: string): Promise<string | null> {
  const row = await kysely
    .selectFrom('runs')
    .select('artifacts_json as artifacts')
    .where('run_id', '=', runId)
    .executeTakeFirst();
  return row?.artifacts ?? null;
}

/**
 * Returns the first `size` iterations of a run after `previousIteration` whose metrics may have a member `metric`, in
 * order.
 */
export async function listMetricRows(
  { kysely, dialect }: Database,
  runId: string,
  { metric, previousIteration, size }: { metric: string; previousIteration: number; size: number },
) {
  return kysely
    .selectFrom('iterations')
    .select(['iteration', 'metrics_json as metrics', 'created_at as createdAt'])
    .where('run_id', '=', runId)
    .where('iteration', '>', previousIteration)
    .where((eb) => dialect.containsText(eb.ref('metrics_json'), `${JSON.stringify(metric)}:`))
    .orderBy('iteration')
    .limit(size)
    .execute();
}

/**
 * Makes an ended run RUNNING again: removes its end time, runtime, results and error message, all rows of its
 * objectives, and the events of these types. Retains `best_summary`.
 */
export async function reopenRun(
  { kysely }: Database,
  runId: string,
  endTypes: readonly string[],
): Promise<void> {
  await kysely
    .deleteFrom('events')
    .where('run_id', '=', runId)
    .where('event_type', 'in', endTypes)
    .execute();
  await kysely.deleteFrom('run_objectives').where('run_id', '=', runId).execute();
  await kysely
    .updateTable('runs')
    .set({
      status: 'RUNNING',
      end_time: null,
      runtime_millis: null,
      iterations: null,
      evaluations: null,
      best_fitness: null,
      error_message: null,
    })
    .where('run_id', '=', runId)
    .execute();
}
