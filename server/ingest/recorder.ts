import type { Database } from '#server/db/database.ts';
import {
  insertCheckpoints,
  insertEvents,
  insertRuns,
  replaceParams,
  updateRun,
  writeExperiment,
  writeIterations,
  writeObjectives,
  type NewCheckpoint,
  type NewIteration,
  type NewObjective,
  type NewRun,
  type RunChange,
} from '#server/repositories/recording.ts';
import { epochSecondsText, type Instant, instantText } from './clock.ts';
import type { ExperimentRecord } from './experiment-record.ts';
import { JavaNumber, type JavaObject, javaJson } from './java-json.ts';

/** Something that happened to a run; its payload begins with the run and the time, then has the members. */
export interface RecordedEvent {
  runId: string;
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
}

/**
 * Runs `work` with a recorder in one transaction: all of its rows appear together, or none when it throws.
 * Other writers wait meanwhile. Rejects as {@link DatabaseDialect.withWriteTransaction} does.
 */
export async function record<Result>(
  database: Database,
  work: (recorder: Recorder) => Promise<Result>,
): Promise<Result> {
  return database.dialect.withWriteTransaction((transaction) =>
    work(recorderOf({ ...database, kysely: transaction })),
  );
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
    runs: (runs) => insertRuns(database, runs),
    changeRun: (runId, change, onlyIn) => updateRun(database, runId, change, onlyIn),
    iterations: (iterations) => writeIterations(database, iterations),
    objectives: (objectives) => writeObjectives(database, objectives),
    checkpoints: (checkpoints) => insertCheckpoints(database, checkpoints),
    events: (events) => insertEvents(database, events.map(eventRow)),
  };
}

function eventRow({ runId, type, instant, members }: RecordedEvent) {
  const timestamp = new JavaNumber(epochSecondsText(instant));
  return {
    run_id: runId,
    event_type: type,
    payload_json: javaJson({ runId, timestamp, ...members }),
    created_at: instantText(instant),
  };
}
