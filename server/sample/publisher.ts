import type { Database } from '#server/db/database.ts';
import { type Instant, instantText } from '#server/recording/clock.ts';
import type { ExperimentRecord } from '#server/recording/experiment-record.ts';
import type { JavaObject } from '#server/recording/java-json.ts';
import { record, type Recorder } from '#server/recording/recorder.ts';

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
  effect?: (recorder: Recorder) => Promise<void>,
) => Promise<void>;

/**
 * A publisher for one run. The first event also writes the experiment and its parameters; every event
 * makes sure of the run, stores itself and then applies its effect. What fails leaves nothing behind.
 */
export function createPublisher(database: Database, run: RunIdentity): Publish {
  const { runId, seed, experiment } = run;
  let isFirst = true;
  return async (type, instant, members, effect) => {
    await record(database, async (recorder) => {
      if (isFirst) await recorder.experiment(experiment, instant);
      await recorder.runs([
        {
          run_id: runId,
          experiment_id: experiment.experimentId,
          seed: String(seed),
          status: 'RUNNING',
          start_time: instantText(instant),
        },
      ]);
      await recorder.events([{ runId, type, instant, members }]);
      await effect?.(recorder);
    });
    isFirst = false;
  };
}
