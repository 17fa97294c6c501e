import type { Database } from '#server/db/database.ts';
import type { ExperimentRecord } from './experiment-record.ts';
import { JavaNumber, type JavaObject, javaJson } from './java-json.ts';
import {
  replaceParams,
  replaceReferences,
  updateRun,
  writeCampaign,
  writeExperiment,
  writeRows,
  type NewCampaign,
  type NewCheckpoint,
  type NewIteration,
  type NewObjective,
  type NewOptimizer,
  type NewReference,
  type NewRun,
  type NewTrial,
  type RunChange,
} from '#server/repositories/recording.ts';

/** Something that happened; its payload begins with the run and the time, then has the members. */
export interface RecordedEvent {
  /** Null where it concerns no single run. */
  runId: string | null;
  type: string;
  instant: Instant;
  members: JavaObject;
}

/**
 * Writes rows as the runner does, any number of them at a time: lists are cut into statements as large as the
 * database takes. The rows of one call must name the same columns. An experiment comes before its runs, a run
 * before what belongs to it.
 */
export interface Recorder {
  /** The experiment with its parameters, over one with the same id but for its first time. */
  experiment(record: ExperimentRecord, createdAt: Instant): Promise<void>;
  /** Runs that are there already stay as they are. */
  runs(runs: readonly NewRun[]): Promise<void>;
  /** Changes a run; where `onlyIn` names a status, only while it has that one. */
  changeRun(runId: string, change: RunChange, onlyIn?: string): Promise<void>;
  /** Each over the one of the same run and number. */
  iterations(iterations: readonly NewIteration[]): Promise<void>;
  /** Each over the one of the same run and name. */
  objectives(objectives: readonly NewObjective[]): Promise<void>;
  checkpoints(checkpoints: readonly NewCheckpoint[]): Promise<void>;
  events(events: readonly RecordedEvent[]): Promise<void>;
  /** Over the one with the same id but for its first times; it comes before what belongs to it. */
  campaign(campaign: NewCampaign): Promise<void>;
  /** Optimizers that are there already stay as they are. */
  optimizers(optimizers: readonly NewOptimizer[]): Promise<void>;
  /** Each over the one of the same place in its campaign. */
  trials(trials: readonly NewTrial[]): Promise<void>;
  /** In place of all that imports have written of the optimizer in the suite. */
  references(suite: string, optimizer: string, rows: readonly NewReference[]): Promise<void>;
}

/**
 * Runs `work` with a recorder in one transaction: all of its rows appear together, or none when it throws.
 * Other writers wait meanwhile. `transaction` is the database inside of it, for what must be deleted. Rejects as {@link DatabaseDialect.withWriteTransaction} does.
 */
export async function record<Result>(
  database: Database,
  work: (recorder: Recorder, transaction: Database) => Promise<Result>,
): Promise<Result> {
  return database.dialect.withWriteTransaction((transaction) => {
    const inside = { ...database, kysely: transaction };
    return work(recorderOf(inside), inside);
  });
}

function recorderOf(database: Database): Recorder {
  return {
    async experiment({ experimentId, columns, params }, createdAt) {
      await writeExperiment(database, {
        experiment_id: experimentId,
        config_hash: experimentId,
        created_at: instantText(createdAt),
        ...columns,
      });
      const rows = params.map((param) => ({ experiment_id: experimentId, ...param }));
      await replaceParams(database, experimentId, rows);
    },
    runs: (runs) => writeRows(database, 'runs', runs),
    changeRun: (runId, change, onlyIn) => updateRun(database, runId, change, onlyIn),
    iterations: (iterations) => writeRows(database, 'iterations', iterations),
    objectives: (objectives) => writeRows(database, 'run_objectives', objectives),
    checkpoints: (checkpoints) => writeRows(database, 'checkpoints', checkpoints),
    events: (events) => writeRows(database, 'events', events.map(eventRow)),
    campaign: (campaign) => writeCampaign(database, campaign),
    optimizers: (optimizers) => writeRows(database, 'coco_optimizer_configs', optimizers),
    trials: (trials) => writeRows(database, 'coco_trials', trials),
    references: (suite, optimizer, rows) => replaceReferences(database, suite, optimizer, rows),
  };
}

function eventRow({ runId, type, instant, members }: RecordedEvent) {
  const timestamp = new JavaNumber(epochSecondsText(instant));
  return {
    run_id: runId,
    event_type: type,
    payload_json: javaJson({ ...(runId !== null && { runId }), timestamp, ...members }),
    created_at: instantText(instant),
  };
}

/** Nanoseconds since the epoch. */
export type Instant = bigint;

/** A clock of nanosecond resolution that never runs backwards. */
export function createClock(): () => Instant {
  const offset = BigInt(Date.now()) * 1_000_000n - process.hrtime.bigint();
  return () => process.hrtime.bigint() + offset;
}

/** UTC, ISO 8601, with 0, 3, 6 or 9 fractional digits: as many as it takes, like Java's `Instant.toString`. */
export function instantText(instant: Instant): string {
  const seconds = new Date(Number(instant / 1_000_000_000n) * 1000).toISOString().slice(0, 19);
  const fraction = fractionDigits(instant)
    .replace(/^(\d{6})000$/, '$1')
    .replace(/^(\d{3})000$/, '$1');
  return fraction === '000' ? `${seconds}Z` : `${seconds}.${fraction}Z`;
}

/** Seconds since the epoch with nine fractional digits, the way instants stand in event payloads. */
export function epochSecondsText(instant: Instant): string {
  return `${instant / 1_000_000_000n}.${fractionDigits(instant)}`;
}

function fractionDigits(instant: Instant): string {
  return String(instant % 1_000_000_000n).padStart(9, '0');
}
