import { createExperimentRecord } from '#server/recording/experiment-record.ts';
import * as control from '#server/repositories/control.ts';
import * as mlflow from '#server/repositories/mlflow.ts';
import * as recorded from '#server/repositories/recorded.ts';
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

/** At least one call of every repository method that writes rows like a runner. */
export const recordingExamples: readonly Example[] = [
  {
    method: recording.writeExperiment,
    call: (store) =>
      recording.writeExperiment(store, {
        experiment_id: 'e1',
        config_hash: 'e1',
        ...experiment.columns,
        created_at: time,
      }),
  },
  {
    method: recording.replaceParams,
    call: (store) =>
      recording.replaceParams(
        store,
        'e1',
        experiment.params.map((param) => ({ experiment_id: 'e1', ...param })),
      ),
  },
  {
    method: recording.writeRows,
    note: 'runs',
    call: (store) =>
      recording.writeRows(
        store,
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
    call: (store) =>
      recording.updateRun(store, 'r1', { status: 'STOPPED', end_time: time }, 'RUNNING'),
  },
  {
    method: recording.updateEventPayload,
    call: (store) => recording.updateEventPayload(store, 1, '{}'),
  },
  {
    method: recording.deleteIterationsFrom,
    call: (store) => recording.deleteIterationsFrom(store, 'r1', 3),
  },
  {
    method: recording.writeRows,
    note: 'iterations',
    call: (store) =>
      recording.writeRows(
        store,
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
    call: (store) =>
      recording.writeRows(store, 'events', [
        { run_id: 'r1', event_type: 'run_started', payload_json: '{}', created_at: time },
      ]),
  },
  {
    method: recording.writeRows,
    note: 'checkpoints',
    call: (store) =>
      recording.writeRows(store, 'checkpoints', [
        { run_id: 'r1', iteration: 10, checkpoint_path: './r1.yaml', created_at: time },
      ]),
  },
  {
    method: recording.writeRows,
    note: 'run_objectives',
    call: (store) =>
      recording.writeRows(store, 'run_objectives', [
        { run_id: 'r1', objective_name: 'best_obj_0', objective_value: 1 },
      ]),
  },
  { method: recording.listRunIds, call: (store) => recording.listRunIds(store, 'onemax40-r') },
  {
    method: recorded.listRecordedRuns,
    call: (store) => recorded.listRecordedRuns(store, ['r1', 'r2'], { isLocked: true }),
  },
  { method: mlflow.findRunState, call: (store) => mlflow.findRunState(store, 'r1') },
  { method: mlflow.listRunStates, call: (store) => mlflow.listRunStates(store, 100, 500) },
  {
    method: mlflow.listExperimentStates,
    call: (store) => mlflow.listExperimentStates(store, { isLocked: true }),
  },
  { method: mlflow.addState, call: (store) => mlflow.addState(store, 'r1', '{}', time) },
  {
    method: mlflow.updateState,
    call: (store) => mlflow.updateState(store, { id: 1, payload: '{}' }),
  },
  { method: mlflow.listRunTimes, call: (store) => mlflow.listRunTimes(store, ['r1', 'r2']) },
  { method: mlflow.findArtifacts, call: (store) => mlflow.findArtifacts(store, 'r1') },
  {
    method: mlflow.listMetricRows,
    call: (store) => mlflow.listMetricRows(store, 'r1', { metric: 'best', after: 5, size: 100 }),
  },
  {
    method: mlflow.reopenRun,
    call: (store) => mlflow.reopenRun(store, 'r1', ['run_completed', 'run_failed']),
  },
  { method: recorded.hasExperiment, call: (store) => recorded.hasExperiment(store, 'e1') },
  { method: recorded.findProblem, call: (store) => recorded.findProblem(store, 'e1') },
  {
    method: recorded.listIterationsAt,
    call: (store) => recorded.listIterationsAt(store, 'r1', [0, 1]),
  },
  { method: recorded.findBestBefore, call: (store) => recorded.findBestBefore(store, 'r1', 5) },
  {
    method: recorded.hasIterationAfter,
    call: (store) => recorded.hasIterationAfter(store, 'r1', 5),
  },
  {
    method: recorded.listIterationsWithMetric,
    call: (store) => recorded.listIterationsWithMetric(store, 'r1', 5, 'best_missing'),
  },
  { method: recorded.updateBest, call: (store) => recorded.updateBest(store, 'r1', 5, 1.5) },
  { method: recorded.findExtremes, call: (store) => recorded.findExtremes(store, 'r1') },
  {
    method: recorded.listPayloads,
    call: (store) => recorded.listPayloads(store, 'r1', ['run_completed', 'run_failed']),
  },
  {
    method: recorded.listCheckpointPaths,
    call: (store) => recorded.listCheckpointPaths(store, 'r1'),
  },
  { method: control.hasPendingStop, call: (store) => control.hasPendingStop(store, targets) },
  {
    method: control.acknowledgeStops,
    call: (store) => control.acknowledgeStops(store, targets, time),
  },
];
