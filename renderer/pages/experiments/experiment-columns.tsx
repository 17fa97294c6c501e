import { formatFitness, formatRuntime, formatShare } from '#shared/number-format.ts';
import type { ExperimentItem } from '#shared/schemas/experiment.ts';
import { annotationColumns } from '#renderer/features/notes/annotation-columns.tsx';
import { areAllSilent } from '#renderer/features/runs/run-counters.ts';
import { RunCounters } from '#renderer/features/runs/RunCounters.tsx';
import { StopState } from '#renderer/features/stop-and-delete/StopState.tsx';
import {
  makeCountColumn,
  makeFitnessColumn,
  makeIdColumn,
  makeLinkColumn,
  makeNumberColumn,
  makeTextColumn,
  makeTimeColumn,
} from '#renderer/ui/table/column-kinds.tsx';
import { makeParamColumn } from '#renderer/features/explorer/param-columns.ts';
import { makeStatusColumn } from '#renderer/features/runs/status-column.tsx';
import type { TableColumn } from '#renderer/ui/table/types.ts';
import { getExperimentName } from '#renderer/names.ts';
import { getExperimentTarget } from '#renderer/features/stop-and-delete/targets.ts';
import { getExperimentPath } from '#renderer/paths.ts';
import { getErt, getSuccess } from './experiment-rows.ts';

const rare = { isHiddenByDefault: true } as const;

const columns: readonly TableColumn<ExperimentItem>[] = [
  makeIdColumn('experiment', 'Id', (row) => row.experimentId, 'experiment', rare),
  ...annotationColumns,
  makeTextColumn('algorithm', 'Algorithm', (row) => row.algorithmType, {
    sortBy: 'algorithm_type',
    fromPixels: 1400,
  }),
  makeTextColumn('model', 'Model', (row) => row.modelType, {
    sortBy: 'model_type',
    isHiddenByDefault: true,
  }),
  makeTextColumn('problem', 'Problem', (row) => row.problemType, {
    sortBy: 'problem_type',
    maxWidthChars: 15,
    fromPixels: 1080,
  }),
  makeTextColumn('representation', 'Representation', (row) => row.representationType, rare),
  {
    id: 'runs',
    header: 'Runs',
    explanation: 'Runs by status: completed, running, failed, stopped',
    fromPixels: 860,
    sortBy: 'total_runs',
    descendingFirst: true,
    value: (row) => row.totalRuns,
    cell: (row) => <RunCounters counts={row()} />,
  },
  makeCountColumn('completed', 'Completed', (row) => row.completedRuns, rare),
  makeCountColumn('running', 'Running', (row) => row.runningRuns, rare),
  makeCountColumn('failed', 'Failed', (row) => row.failedRuns, rare),
  makeCountColumn('stopped', 'Stopped', (row) => row.stoppedRuns, rare),
  makeStatusColumn((row) => row.status, {
    isSilent: (row) => areAllSilent(row),
    after: (row) => <StopState target={getExperimentTarget(row())} status={row().status} />,
  }),
  makeFitnessColumn('best', 'Best', (row) => row.bestFitness, {
    explanation: 'Best fitness of all runs, by the direction of the experiment',
    sortBy: 'best_fitness',
    print: (row) => formatFitness(row.bestFitness),
    cell: (row) => (
      <span
        classList={{ muted: row().bestFitness === null }}
        title={row().direction === 'min' ? 'minimised' : 'maximised'}
      >
        {formatFitness(row().bestFitness)}
      </span>
    ),
  }),
  makeFitnessColumn('median', 'Median', (row) => row.medianBest, {
    explanation: 'Median best fitness of the completed runs',
    fromPixels: 1320,
  }),
  makeCountColumn('n', 'n', (row) => row.n, {
    explanation: 'Completed runs with a best fitness (sample size of the median)',
    ...rare,
  }),
  makeNumberColumn<ExperimentItem, number>('success', 'Success', getSuccess, formatShare, {
    explanation: 'Share of all runs that reached the target; only with a target',
    cell: (row) => <>{formatComputed(row(), formatShare(getSuccess(row())))}</>,
    fromPixels: 1180,
  }),
  makeNumberColumn<ExperimentItem, number>('ert', 'ERT', getErt, formatRuntime, {
    explanation:
      'Expected evaluations to the target, ∞ where no run reached it; only with a target',
    cell: (row) => <>{formatComputed(row(), formatRuntime(getErt(row())))}</>,
    fromPixels: 1180,
  }),
  makeTimeColumn('latest', 'Latest run', getLatestRunTime, {
    sortBy: 'latest_run_time',
    fromPixels: 980,
  }),
  makeTimeColumn('created', 'Created', (row) => row.createdAt, {
    sortBy: 'created_at',
    fromPixels: 1600,
  }),
  makeIdColumn('hash', 'Configuration hash', (row) => row.configHash, 'configuration', rare),
];

/** The time of the latest run; null without runs, where the service states the time of the experiment for the order. */
function getLatestRunTime({ totalRuns, latestRunTime }: ExperimentItem): string | null {
  return totalRuns === 0 ? null : latestRunTime;
}

/** The text of a computed value; an ellipsis while it is not known yet. */
function formatComputed({ successRate }: ExperimentItem, text: string): string {
  return successRate === undefined ? '…' : text;
}

const nameColumn = makeLinkColumn<ExperimentItem>('name', 'Experiment', getExperimentName, {
  href: (row) => getExperimentPath(row.experimentId),
  sortBy: 'run_name',
  fixed: true,
  maxWidthChars: 24,
});

/** Returns the columns of the list of experiments, with one for each of these parameters after the name. */
export function makeExperimentColumns(params: readonly string[]): TableColumn<ExperimentItem>[] {
  return [nameColumn, ...params.map(makeParamColumn), ...columns];
}
