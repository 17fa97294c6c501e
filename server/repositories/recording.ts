import type { Insertable, Updateable } from 'kysely';
import type { Database } from '#server/db/database.ts';
import type {
  CheckpointsTable,
  EventsTable,
  ExperimentParamsTable,
  ExperimentsTable,
  IterationsTable,
  RunObjectivesTable,
  RunsTable,
} from '#server/db/schema.ts';

export type NewExperiment = Insertable<ExperimentsTable>;
export type NewParam = Insertable<ExperimentParamsTable>;
export type NewRun = Insertable<RunsTable>;
export type RunChange = Omit<Updateable<RunsTable>, 'run_id'>;
export type NewIteration = Insertable<IterationsTable>;
export type NewEvent = Insertable<EventsTable>;
export type NewCheckpoint = Insertable<CheckpointsTable>;
export type NewObjective = Insertable<RunObjectivesTable>;

/**
 * Rows as lists that one statement each can take, in their order. All rows of a call must have the same
 * columns; an empty list gives no statement.
 */
function* statementsOf<Row extends object>(rows: readonly Row[], maximumParameters: number) {
  const size = Math.floor(maximumParameters / Object.keys(rows[0] ?? {}).length);
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size);
}

/** Writes an experiment, over one with the same `config_hash` but for its first time. */
export async function writeExperiment(
  { kysely }: Database,
  experiment: NewExperiment,
): Promise<void> {
  const { experiment_id: _id, config_hash: _hash, created_at: _first, ...columns } = experiment;
  await kysely
    .insertInto('experiments')
    .values(experiment)
    .onConflict((conflict) => conflict.column('config_hash').doUpdateSet(columns))
    .execute();
}

/** Writes the parameters of an experiment in place of those it has. */
export async function replaceParams(
  { kysely, dialect }: Database,
  experimentId: string,
  params: readonly NewParam[],
): Promise<void> {
  await kysely.deleteFrom('experiment_params').where('experiment_id', '=', experimentId).execute();
  for (const some of statementsOf(params, dialect.maximumParameters)) {
    await kysely.insertInto('experiment_params').values(some).execute();
  }
}

/** Writes runs; one that is there stays as it is. */
export async function insertRuns(
  { kysely, dialect }: Database,
  runs: readonly NewRun[],
): Promise<void> {
  for (const some of statementsOf(runs, dialect.maximumParameters)) {
    await kysely
      .insertInto('runs')
      .values(some)
      .onConflict((conflict) => conflict.column('run_id').doNothing())
      .execute();
  }
}

/** Changes a run; where `onlyIn` names a status, only while it has that one. */
export async function updateRun(
  { kysely }: Database,
  runId: string,
  change: RunChange,
  onlyIn?: string,
): Promise<void> {
  await kysely
    .updateTable('runs')
    .set(change)
    .where('run_id', '=', runId)
    .$if(onlyIn !== undefined, (query) => query.where('status', '=', onlyIn ?? ''))
    .execute();
}

/** Writes iterations, each over the one of the same run and number. */
export async function writeIterations(
  { kysely, dialect }: Database,
  iterations: readonly NewIteration[],
): Promise<void> {
  for (const some of statementsOf(iterations, dialect.maximumParameters)) {
    await kysely
      .insertInto('iterations')
      .values(some)
      .onConflict((conflict) =>
        conflict.columns(['run_id', 'iteration']).doUpdateSet((row) => ({
          evaluations: row.ref('excluded.evaluations'),
          best_fitness: row.ref('excluded.best_fitness'),
          mean_fitness: row.ref('excluded.mean_fitness'),
          std_fitness: row.ref('excluded.std_fitness'),
          metrics_json: row.ref('excluded.metrics_json'),
          diagnostics_json: row.ref('excluded.diagnostics_json'),
          created_at: row.ref('excluded.created_at'),
        })),
      )
      .execute();
  }
}

/** Appends events. */
export async function insertEvents(
  { kysely, dialect }: Database,
  events: readonly NewEvent[],
): Promise<void> {
  for (const some of statementsOf(events, dialect.maximumParameters)) {
    await kysely.insertInto('events').values(some).execute();
  }
}

/** Appends checkpoints. */
export async function insertCheckpoints(
  { kysely, dialect }: Database,
  checkpoints: readonly NewCheckpoint[],
): Promise<void> {
  for (const some of statementsOf(checkpoints, dialect.maximumParameters)) {
    await kysely.insertInto('checkpoints').values(some).execute();
  }
}

/** Writes objective values, each over the one of the same run and name. */
export async function writeObjectives(
  { kysely, dialect }: Database,
  objectives: readonly NewObjective[],
): Promise<void> {
  for (const some of statementsOf(objectives, dialect.maximumParameters)) {
    await kysely
      .insertInto('run_objectives')
      .values(some)
      .onConflict((conflict) =>
        conflict
          .columns(['run_id', 'objective_name'])
          .doUpdateSet((row) => ({ objective_value: row.ref('excluded.objective_value') })),
      )
      .execute();
  }
}

/** Ids of the runs whose id begins so, in no order; `_` and `%` in it stand for any character and text. */
export async function listRunIds({ kysely }: Database, beginning: string): Promise<string[]> {
  const rows = await kysely
    .selectFrom('runs')
    .select('run_id')
    .where('run_id', 'like', `${beginning}%`)
    .execute();
  return rows.map(({ run_id }) => run_id);
}
