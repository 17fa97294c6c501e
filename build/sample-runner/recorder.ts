import type { DatabaseDialect } from '#server/db/dialect.ts';
import type { Database } from '#server/db/database.ts';
import { epochSecondsText, type Instant, instantText } from './clock.ts';
import type { ExperimentRecord } from './experiment-record.ts';
import { JavaNumber, type JavaObject, javaJson } from './java-json.ts';

/** A write transaction of either database. */
export type Transaction = Parameters<Parameters<DatabaseDialect['withWriteTransaction']>[0]>[0];

/** Which run the events are about. */
export interface RunIdentity {
  runId: string;
  seed: bigint;
  experiment: ExperimentRecord;
}

/** Writes the events of one run, each with all its effects in one transaction. */
export type Publish = (
  type: string,
  instant: Instant,
  members: JavaObject,
  effect?: (transaction: Transaction) => Promise<void>,
) => Promise<void>;

/**
 * A publisher for one run. The first event also writes the experiment and its parameters; every event
 * makes sure of the run, stores itself and then applies its effect. What fails leaves nothing behind.
 */
export function createPublisher(database: Database, run: RunIdentity): Publish {
  let isFirst = true;
  return async (type, instant, members, effect) => {
    await database.dialect.withWriteTransaction(async (transaction) => {
      if (isFirst) await writeExperiment(transaction, run.experiment, instantText(instant));
      await insertRun(transaction, run, instantText(instant));
      await insertEvent(transaction, run, { type, instant, members });
      await effect?.(transaction);
    });
    isFirst = false;
  };
}

async function writeExperiment(
  transaction: Transaction,
  { experimentId, columns, params }: ExperimentRecord,
  createdAt: string,
): Promise<void> {
  await transaction
    .insertInto('experiments')
    .values({
      experiment_id: experimentId,
      config_hash: experimentId,
      created_at: createdAt,
      ...columns,
    })
    .onConflict((conflict) => conflict.column('config_hash').doUpdateSet(columns))
    .execute();
  await transaction
    .deleteFrom('experiment_params')
    .where('experiment_id', '=', experimentId)
    .execute();
  await transaction
    .insertInto('experiment_params')
    .values(params.map((param) => ({ experiment_id: experimentId, ...param })))
    .execute();
}

async function insertRun(
  transaction: Transaction,
  { runId, seed, experiment }: RunIdentity,
  startTime: string,
): Promise<void> {
  await transaction
    .insertInto('runs')
    .values({
      run_id: runId,
      experiment_id: experiment.experimentId,
      seed: String(seed),
      status: 'RUNNING',
      start_time: startTime,
    })
    .onConflict((conflict) => conflict.column('run_id').doNothing())
    .execute();
}

async function insertEvent(
  transaction: Transaction,
  { runId }: RunIdentity,
  { type, instant, members }: { type: string; instant: Instant; members: JavaObject },
): Promise<void> {
  const timestamp = new JavaNumber(epochSecondsText(instant));
  await transaction
    .insertInto('events')
    .values({
      run_id: runId,
      event_type: type,
      payload_json: javaJson({ runId, timestamp, ...members }),
      created_at: instantText(instant),
    })
    .execute();
}
