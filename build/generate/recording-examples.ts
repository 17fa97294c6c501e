import { createExperimentRecord } from '#server/recording/recorder.ts';
import * as control from '#server/repositories/control.ts';
import * as mlflow from '#server/repositories/mlflow.ts';
import * as recordedRuns from '#server/repositories/recorded-runs.ts';
import * as recording from '#server/repositories/recording.ts';
import type { Example } from './repository-examples.ts';

const time = '2026-11-21T10:00:00Z';
const experiment = createExperimentRecord({
  schema: '3.0',
  run: { name: 'one' },
  algorithm: { type: 'umda' },
  model: { type: 'umda-bernoulli' },
  problem: { type: 'onemax' },
  representation: { type: 'bitstring' },
  selection: { type: 'truncation' },
  replacement: { type: 'elitist' },
  stopping: { type: 'max-iterations' },
});
const targets = { runId: 'r1', experimentId: 'e1' };

/** At least one call of every repository method that records runs or stores the runs of MLflow clients. */
export const recordingExamples: readonly Example[] = [
  {
    method: recording.writeExperiment,
    call: (database) =>
      recording.writeExperiment(database, {
        experiment_id: 'e1',
        config_hash: 'e1',
        ...experiment.columns,
        created_at: time,
      }),
  },
  {
    method: recording.replaceParams,
    call: (database) =>
      recording.replaceParams(
        database,
        'e1',
        experiment.params.map((param) => ({ experiment_id: 'e1', ...param })),
      ),
  },
  {
    method: recording.writeRows,
    note: 'runs',
    call: (database) =>
      recording.writeRows(
        database,
        'runs',
        ['r1', 'r2'].map((run_id) => ({
          run_id,
          experiment_id: 'e1',
          seed: 1,
          status: 'RUNNING',
          start_time: time,
        })),
      ),
  },
  {
    method: recording.updateRun,
    call: (database) =>
      recording.updateRun(database, 'r1', { status: 'STOPPED', end_time: time }, 'RUNNING'),
  },
  {
    method: recording.updateEventPayload,
    call: (database) => recording.updateEventPayload(database, 1, '{}'),
  },
  {
    method: recording.deleteIterationsFrom,
    call: (database) => recording.deleteIterationsFrom(database, 'r1', 3),
  },
  {
    method: recording.writeRows,
    note: 'iterations',
    call: (database) =>
      recording.writeRows(
        database,
        'iterations',
        [0, 1].map((iteration) => ({
          run_id: 'r1',
          iteration,
          evaluations: iteration * 10,
          best_fitness: 1,
          mean_fitness: 0.5,
          std_fitness: 0.1,
          metrics_json: null,
          diagnostics_json: null,
          created_at: time,
        })),
      ),
  },
  {
    method: recording.writeRows,
    note: 'events',
    call: (database) =>
      recording.writeRows(database, 'events', [
        { run_id: 'r1', event_type: 'run_started', payload_json: '{}', created_at: time },
      ]),
  },
  {
    method: recording.writeRows,
    note: 'checkpoints',
    call: (database) =>
      recording.writeRows(database, 'checkpoints', [
        { run_id: 'r1', iteration: 10, checkpoint_path: './r1.yaml', created_at: time },
      ]),
  },
  {
    method: recording.writeRows,
    note: 'run_objectives',
    call: (database) =>
      recording.writeRows(database, 'run_objectives', [
        { run_id: 'r1', objective_name: 'best_obj_0', objective_value: 1 },
      ]),
  },
  {
    method: recording.listRunIdsWithPrefix,
    call: (database) => recording.listRunIdsWithPrefix(database, 'onemax40-r'),
  },
  {
    method: recordedRuns.listRecordedRuns,
    call: (database) => recordedRuns.listRecordedRuns(database, ['r1', 'r2'], { isLocked: true }),
  },
  { method: mlflow.findRunState, call: (database) => mlflow.findRunState(database, 'r1') },
  {
    method: mlflow.listMlflowRunStates,
    call: (database) => mlflow.listMlflowRunStates(database, 100, 500),
  },
  {
    method: mlflow.listExperimentStates,
    call: (database) => mlflow.listExperimentStates(database, { isLocked: true }),
  },
  { method: mlflow.addState, call: (database) => mlflow.addState(database, 'r1', '{}', time) },
  {
    method: mlflow.updateState,
    call: (database) => mlflow.updateState(database, { id: 1, payload: '{}' }),
  },
  { method: mlflow.listRunTimes, call: (database) => mlflow.listRunTimes(database, ['r1', 'r2']) },
  { method: mlflow.findArtifacts, call: (database) => mlflow.findArtifacts(database, 'r1') },
  {
    method: mlflow.listMetricRows,
    call: (database) =>
      mlflow.listMetricRows(database, 'r1', { metric: 'best', previousIteration: 5, size: 100 }),
  },
  {
    method: mlflow.reopenRun,
    call: (database) => mlflow.reopenRun(database, 'r1', ['run_completed', 'run_failed']),
  },
  {
    method: recordedRuns.listRunningRecordings,
    call: (database) => recordedRuns.listRunningRecordings(database, 10),
  },
  {
    method: recordedRuns.findProblem,
    call: (database) => recordedRuns.findProblem(database, 'e1'),
  },
  {
    method: recordedRuns.listIterationsAt,
    call: (database) => recordedRuns.listIterationsAt(database, 'r1', [0, 1]),
  },
  {
    method: recordedRuns.findBestBefore,
    call: (database) => recordedRuns.findBestBefore(database, 'r1', 5),
  },
  {
    method: recordedRuns.hasIterationAfter,
    call: (database) => recordedRuns.hasIterationAfter(database, 'r1', 5),
  },
  {
    method: recordedRuns.listIterationsWithMetric,
    call: (database) => recordedRuns.listIterationsWithMetric(database, 'r1', 5, 'best_missing'),
  },
  {
    method: recordedRuns.updateBest,
    call: (database) => recordedRuns.updateBest(database, 'r1', 5, 1.5),
  },
  {
    method: recordedRuns.findExtremes,
    call: (database) => recordedRuns.findExtremes(database, 'r1'),
  },
  {
    method: recordedRuns.listPayloadsOfTypes,
    call: (database) =>
      recordedRuns.listPayloadsOfTypes(database, 'r1', ['run_completed', 'run_failed']),
  },
  {
    method: recordedRuns.listCheckpointPaths,
    call: (database) => recordedRuns.listCheckpointPaths(database, 'r1'),
  },
  { method: control.hasPendingStop, call: (database) => control.hasPendingStop(database, targets) },
  {
    method: control.acknowledgeStops,
    call: (database) => control.acknowledgeStops(database, targets, time),
  },
];
