import type { Database } from '#server/db/database.ts';
import type { ExperimentRecord } from './experiment-record.ts';
import { JavaNumber, type JavaObject, formatJavaJson } from './java-json.ts';
import {
  deleteIterationsFrom,
  replaceParams,
  replaceReferences,
  setUnreachedTarget,
  updateEventPayload,
  updateRun,
  writeCampaign,
  writeExperiment,
  writeRows,
  type NewCampaign,
  type NewCheckpoint,
  type NewIteration,
  type NewObjective,
  type NewOptimizer,
  type OptimizerReferences,
  type NewRun,
  type NewTrial,
  type RunChange,
} from '#server/repositories/recording.ts';

/** An event to record. Its payload contains the run and the time, then the members. */
export interface NewEvent {
  /** The run of the event; null if the event does not belong to a single run. */
  runId: string | null;
  type: string;
  instant: Instant;
  members: JavaObject;
}

/**
 * Writes rows like the runner. Lists may have any length: the recorder splits them into statements that the database
 * accepts. The rows of one call must have the same columns. Write an experiment before its runs, and a run before its
 * other rows.
 */
export interface Recorder {
  /** Writes an experiment with its parameters. Overwrites an experiment with the same id, except its time. */
  writeExperiment(record: ExperimentRecord, createdAt: Instant): Promise<void>;
  /** Writes runs. Leaves existing runs unchanged. */
  writeRuns(runs: readonly NewRun[]): Promise<void>;
  /** Changes a run. With `requiredStatus`, changes it only if it has this status. */
  changeRun(runId: string, change: RunChange, requiredStatus?: string): Promise<void>;
  /** Writes iterations. Overwrites iterations of the same run with the same number. */
  writeIterations(iterations: readonly NewIteration[]): Promise<void>;
  /** Writes objectives. Overwrites objectives of the same run with the same name. */
  writeObjectives(objectives: readonly NewObjective[]): Promise<void>;
  /** Appends checkpoints. */
  writeCheckpoints(checkpoints: readonly NewCheckpoint[]): Promise<void>;
  /** Appends events. */
  writeEvents(events: readonly NewEvent[]): Promise<void>;
  /** Replaces the payload of an event. */
  changeEvent(eventId: number, event: NewEvent): Promise<void>;
  /** Deletes the iterations of a run with this number or a higher one. */
  deleteIterations(runId: string, iteration: number): Promise<void>;
  /**
   * Writes a campaign, which must exist before its other rows. Overwrites a campaign with the same id, except the times
   * of its creation and start.
   */
  writeCampaign(campaign: NewCampaign): Promise<void>;
  /** Writes optimizers. Leaves existing optimizers unchanged. */
  writeOptimizers(optimizers: readonly NewOptimizer[]): Promise<void>;
  /** Writes trials. Overwrites trials with the same position in their campaign. */
  writeTrials(trials: readonly NewTrial[]): Promise<void>;
  /** Sets the target of the trials of these runs in a campaign. None of these runs has reached it. */
  setUnreachedTarget(campaignId: string, runIds: readonly string[], target: number): Promise<void>;
  /** Writes reference results. Replaces the imported ones of the optimizer for the same functions and dimensions. */
  writeReferences(references: OptimizerReferences): Promise<void>;
}

/**
 * Runs `work` with a recorder in one transaction: writes all of its rows, or none if it throws. Other writers wait
 * until the transaction ends. `transaction` is the database inside the transaction, for deletions. Rejects like {@link
 * DatabaseDialect.withWriteTransaction}.
 */
export async function record<Result>(
  database: Database,
  work: (recorder: Recorder, transaction: Database) => Promise<Result>,
): Promise<Result> {
  return database.dialect.withWriteTransaction((transaction) => {
    const databaseInTransaction = { ...database, kysely: transaction };
    return work(createRecorder(databaseInTransaction), databaseInTransaction);
  });
}

/** Maximum number of attempts at a transaction that conflicts with those of another client. */
const maximumAttempts = 3;

/**
 * Runs `work` as {@link record} does, and retries it if another client meanwhile used an experiment that `work`
 * deletes, or deleted one that `work` uses; at most {@link maximumAttempts} attempts. `work` must not change anything
 * outside the transaction.
 */
export async function recordWithRetries<Result>(
  database: Database,
  work: (recorder: Recorder, transaction: Database) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await record(database, work);
    } catch (error) {
      if (!database.dialect.isReferenceError(error) || attempt === maximumAttempts) throw error;
    }
  }
}

/** Returns whether {@link recordWithRetries} failed because of other writers, so that a later attempt may succeed. */
export function isBlocked({ dialect }: Database, error: unknown): boolean {
  return dialect.isReferenceError(error) || dialect.classifyFailure(error) === 'busy';
}

function createRecorder(database: Database): Recorder {
  return {
    async writeExperiment({ experimentId, columns, params }, createdAt) {
      await writeExperiment(database, {
        experiment_id: experimentId,
        config_hash: experimentId,
        created_at: formatInstant(createdAt),
        ...columns,
      });
      const rows = params.map((param) => ({ experiment_id: experimentId, ...param }));
      await replaceParams(database, experimentId, rows);
    },
    writeRuns: (runs) => writeRows(database, 'runs', runs),
    changeRun: (runId, change, requiredStatus) =>
      updateRun(database, runId, change, requiredStatus),
    writeIterations: (iterations) => writeRows(database, 'iterations', iterations),
    writeObjectives: (objectives) => writeRows(database, 'run_objectives', objectives),
    writeCheckpoints: (checkpoints) => writeRows(database, 'checkpoints', checkpoints),
    writeEvents: (events) => writeRows(database, 'events', events.map(makeEventRow)),
    changeEvent: (eventId, event) =>
      updateEventPayload(database, eventId, makeEventRow(event).payload_json),
    deleteIterations: (runId, iteration) => deleteIterationsFrom(database, runId, iteration),
    writeCampaign: (campaign) => writeCampaign(database, campaign),
    writeOptimizers: (optimizers) => writeRows(database, 'coco_optimizer_configs', optimizers),
    writeTrials: (trials) => writeRows(database, 'coco_trials', trials),
    setUnreachedTarget: (campaignId, runIds, target) =>
      setUnreachedTarget(database, campaignId, runIds, target),
    writeReferences: (references) => replaceReferences(database, references),
  };
}

function makeEventRow({ runId, type, instant, members }: NewEvent) {
  const timestamp = new JavaNumber(formatEpochSeconds(instant));
  return {
    run_id: runId,
    event_type: type,
    payload_json: formatJavaJson({ ...(runId !== null && { runId }), timestamp, ...members }),
    created_at: formatInstant(instant),
  };
}

/** Nanoseconds since the epoch. */
export type Instant = bigint;

/** Maximum difference between a clock and the system clock, in nanoseconds. */
const maximumDrift = 1_000_000_000n;

/**
 * Returns a clock with nanosecond resolution. It is monotonic, unless the system clock is set back by more than {@link
 * maximumDrift}.
 */
export function createClock(): () => Instant {
  const readSystemClock = () => BigInt(Date.now()) * 1_000_000n;
  let offset = readSystemClock() - process.hrtime.bigint();
  return () => {
    const instant = process.hrtime.bigint() + offset;
    const drift = readSystemClock() - instant;
    if (drift <= maximumDrift && drift >= -maximumDrift) return instant;
    // On some systems, the high-resolution time stops while the computer sleeps.
    offset += drift;
    return instant + drift;
  };
}

/**
 * Returns an instant in ISO 8601 (UTC) with 0, 3, 6 or 9 fractional digits as needed, like Java's `Instant.toString`.
 */
export function formatInstant(instant: Instant): string {
  const seconds = new Date(Number(instant / 1_000_000_000n) * 1000).toISOString().slice(0, 19);
  const fraction = formatFraction(instant)
    .replace(/^(\d{6})000$/, '$1')
    .replace(/^(\d{3})000$/, '$1');
  return fraction === '000' ? `${seconds}Z` : `${seconds}.${fraction}Z`;
}

/** Returns an instant as seconds since the epoch with nine fractional digits, the format of event payloads. */
export function formatEpochSeconds(instant: Instant): string {
  return `${instant / 1_000_000_000n}.${formatFraction(instant)}`;
}

function formatFraction(instant: Instant): string {
  return String(instant % 1_000_000_000n).padStart(9, '0');
}
