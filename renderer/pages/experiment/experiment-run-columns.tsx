import type { ExperimentRunItem } from '#shared/schemas/experiment.ts';
import { RunState } from '#renderer/components/stop/RunState.tsx';
import {
  countColumn,
  durationColumn,
  fitnessColumn,
  linkColumn,
  statusColumn,
  textColumn,
  timeColumn,
} from '#renderer/components/table/column-kinds.tsx';
import type { TableColumn } from '#renderer/components/table/types.ts';
import { runPath } from '#renderer/paths.ts';

/** The columns of the runs of one experiment. */
export const experimentRunColumns: readonly TableColumn<ExperimentRunItem>[] = [
  linkColumn('run', 'Run', (run) => run.runId, {
    href: (run) => runPath(run.runId),
    fixed: true,
    maxWidthChars: 34,
  }),
  countColumn('seed', 'Seed', (run) => run.seed, {
    sortBy: 'seed',
    descendingFirst: false,
    cell: (run) => <>{run().seed}</>,
  }),
  statusColumn((run) => run.status, {
    sortBy: 'status',
    after: (run) => <RunState run={run()} />,
  }),
  fitnessColumn('best', 'Best', (run) => run.bestFitness, { sortBy: 'best_fitness' }),
  countColumn('iterations', 'Iterations', (run) => run.iterations),
  countColumn('evaluations', 'Evaluations', (run) => run.evaluations),
  durationColumn('runtime', 'Runtime', (run) => run.runtimeMillis, { sortBy: 'runtime_millis' }),
  timeColumn('started', 'Started', (run) => run.startTime, { sortBy: 'start_time' }),
  timeColumn('ended', 'Ended', (run) => run.endTime, { hiddenAtFirst: true }),
  textColumn('resumed', 'Resumed from', (run) => run.resumedFrom, {
    hiddenAtFirst: true,
    maxWidthChars: 30,
  }),
  textColumn('message', 'Message', (run) => run.errorMessage, {
    explanation: 'Why the run failed or stopped',
    hiddenAtFirst: true,
    maxWidthChars: 44,
  }),
];
