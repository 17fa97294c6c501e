import type { RunItem } from '#shared/schemas/run.ts';
import { RunState } from '#renderer/components/stop/RunState.tsx';
import {
  countColumn,
  durationColumn,
  fitnessColumn,
  linkColumn,
  mutedColumn,
  paramColumn,
  statusColumn,
  textColumn,
  timeColumn,
} from '#renderer/components/table/column-kinds.tsx';
import type { TableColumn } from '#renderer/components/table/types.ts';
import { experimentPath, runPath } from '#renderer/paths.ts';

const columns: readonly TableColumn<RunItem>[] = [
  textColumn('name', 'Name', (run) => run.runName, {
    explanation: 'Name in the configuration, shared by the runs of an experiment',
    hiddenAtFirst: true,
    maxWidthChars: 34,
  }),
  textColumn('algorithm', 'Algorithm', (run) => run.algorithmType),
  mutedColumn('model', 'Model', (run) => run.modelType, { fromPixels: 1400 }),
  textColumn('problem', 'Problem', (run) => run.problemType, {
    maxWidthChars: 15,
    fromPixels: 980,
  }),
  statusColumn((run) => run.status, {
    sortBy: 'status',
    after: (run) => <RunState run={run()} />,
  }),
  fitnessColumn('best', 'Best', (run) => run.bestFitness, {
    explanation: 'Best fitness; of a RUNNING run the best so far',
    sortBy: 'best_fitness',
  }),
  countColumn('iterations', 'Iterations', (run) => run.iterations, { fromPixels: 1200 }),
  countColumn('evaluations', 'Evaluations', (run) => run.evaluations, { fromPixels: 1150 }),
  durationColumn('runtime', 'Runtime', (run) => run.runtimeMillis, {
    explanation: 'Wall time; known when the run has ended',
    sortBy: 'runtime_millis',
    fromPixels: 1200,
  }),
  timeColumn('started', 'Started', (run) => run.startTime, {
    sortBy: 'start_time',
    fromPixels: 1080,
  }),
  timeColumn('ended', 'Ended', (run) => run.endTime, { hiddenAtFirst: true }),
  countColumn('seed', 'Seed', (run) => run.seed, {
    cell: (run) => <>{run().seed}</>,
    descendingFirst: false,
    hiddenAtFirst: true,
  }),
  linkColumn('experiment', 'Experiment', (run) => run.experimentId, {
    href: (run) => experimentPath(run.experimentId),
    aside: true,
    fromPixels: 1250,
  }),
];

const runColumn = linkColumn<RunItem>('run', 'Run', (run) => run.runId, {
  href: (run) => runPath(run.runId),
  fixed: true,
});

/** The columns of the run explorer, with one for each of these parameters behind the run. */
export function explorerRunColumns(params: readonly string[]): TableColumn<RunItem>[] {
  return [runColumn, ...params.map(paramColumn), ...columns];
}
