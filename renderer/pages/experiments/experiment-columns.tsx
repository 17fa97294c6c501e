import { A } from '@solidjs/router';
import { formatCount, formatFitness } from '#shared/number-format.ts';
import type { ExperimentItem } from '#shared/schemas/experiment.ts';
import { CopyableId } from '#renderer/components/CopyableId.tsx';
import { RunCounters } from '#renderer/components/RunCounters.tsx';
import { StatusBadge } from '#renderer/components/StatusBadge.tsx';
import type { TableColumn } from '#renderer/components/table/types.ts';
import { formatFullTime, formatTime } from '#renderer/components/time.ts';
import { experimentPath } from '#renderer/paths.ts';
import { experimentName } from '#renderer/components/experiment-name.ts';

type ExperimentColumn = TableColumn<ExperimentItem>;

/** The columns of the list of experiments. */
export const experimentColumns: readonly ExperimentColumn[] = [
  {
    id: 'name',
    header: 'Experiment',
    fixed: true,
    sortable: false,
    maxWidthChars: 24,
    value: experimentName,
    cell: (row, context) => (
      <A href={experimentPath(row().experimentId)} tabIndex={context.tabIndex()}>
        {experimentName(row())}
      </A>
    ),
  },
  {
    id: 'experiment',
    header: 'Id',
    sortable: false,
    hiddenAtFirst: true,
    value: (row) => row.experimentId,
    cell: (row, context) => (
      <CopyableId id={row().experimentId} of="experiment" tabIndex={context.tabIndex()} />
    ),
  },
  textColumn('algorithm', 'Algorithm', (row) => row.algorithmType, 16),
  { ...textColumn('model', 'Model', (row) => row.modelType, 16), hiddenAtFirst: true },
  textColumn('problem', 'Problem', (row) => row.problemType, 16),
  {
    ...textColumn('representation', 'Representation', (row) => row.representationType, 16),
    sortable: false,
    hiddenAtFirst: true,
  },
  {
    id: 'runs',
    header: 'Runs',
    explanation: 'Runs by status: completed, running, failed, stopped',
    descendingFirst: true,
    value: (row) => row.totalRuns,
    cell: (row) => <RunCounters counts={row()} />,
  },
  countColumn('completed', 'Completed', (row) => row.completedRuns),
  countColumn('running', 'Running', (row) => row.runningRuns),
  countColumn('failed', 'Failed', (row) => row.failedRuns),
  countColumn('stopped', 'Stopped', (row) => row.stoppedRuns),
  {
    id: 'status',
    header: 'Status',
    sortable: false,
    value: (row) => row.status,
    cell: (row) => <StatusBadge status={row().status} />,
  },
  {
    id: 'best',
    header: 'Best',
    explanation: 'Best fitness of all runs, by the direction of the experiment',
    align: 'end',
    value: (row) => row.bestFitness,
    cell: (row) => (
      <span
        classList={{ muted: row().bestFitness === null }}
        title={row().direction === 'min' ? 'minimised' : 'maximised'}
      >
        {formatFitness(row().bestFitness)}
      </span>
    ),
  },
  timeColumn('latest', 'Latest run', (row) => row.latestRunTime),
  timeColumn('created', 'Created', (row) => row.createdAt),
  {
    id: 'hash',
    header: 'Configuration hash',
    sortable: false,
    hiddenAtFirst: true,
    value: (row) => row.configHash,
    cell: (row, context) => (
      <CopyableId id={row().configHash} of="configuration" tabIndex={context.tabIndex()} />
    ),
  },
];

function textColumn(
  id: string,
  header: string,
  value: (row: ExperimentItem) => string,
  maxWidthChars: number,
): ExperimentColumn {
  return { id, header, maxWidthChars, value };
}

function countColumn(
  id: string,
  header: string,
  value: (row: ExperimentItem) => number,
): ExperimentColumn {
  return {
    id,
    header,
    align: 'end',
    sortable: false,
    hiddenAtFirst: true,
    value,
    cell: (row) => <span>{formatCount(value(row()))}</span>,
  };
}

function timeColumn(
  id: string,
  header: string,
  value: (row: ExperimentItem) => string,
): ExperimentColumn {
  return {
    id,
    header,
    align: 'end',
    value,
    cell: (row) => (
      <span class="muted" title={formatFullTime(value(row()))}>
        {formatTime(value(row()))}
      </span>
    ),
  };
}
