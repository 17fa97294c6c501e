import { A } from '@solidjs/router';
import { formatCount, formatDuration, formatFitness } from '#shared/number-format.ts';
import type { ExperimentRunItem } from '#shared/schemas/experiment.ts';
import { shortId } from '#renderer/components/short-id.ts';
import { StatusBadge } from '#renderer/components/StatusBadge.tsx';
import type { TableColumn } from '#renderer/components/table/types.ts';
import { formatFullTime, formatTime } from '#renderer/components/time.ts';
import { runPath } from '#renderer/paths.ts';

type RunColumn = TableColumn<ExperimentRunItem>;

/** The columns of the runs of one experiment. */
export const runColumns: readonly RunColumn[] = [
  {
    id: 'run',
    header: 'Run',
    fixed: true,
    sortable: false,
    maxWidthChars: 34,
    value: (run) => run.runId,
    cell: (run, context) => (
      <A href={runPath(run().runId)} tabIndex={context.tabIndex()}>
        {shortId(run().runId)}
      </A>
    ),
  },
  { id: 'seed', header: 'Seed', align: 'end', descendingFirst: false, value: (run) => run.seed },
  {
    id: 'status',
    header: 'Status',
    value: (run) => run.status,
    cell: (run) => <StatusBadge status={run().status} />,
  },
  numberColumn(
    'best',
    'Best',
    (run) => formatFitness(run.bestFitness),
    (run) => run.bestFitness,
  ),
  {
    ...numberColumn(
      'iterations',
      'Iterations',
      (run) => formatCount(run.iterations),
      (run) => run.iterations,
    ),
    sortable: false,
  },
  {
    ...numberColumn(
      'evaluations',
      'Evaluations',
      (run) => formatCount(run.evaluations),
      (run) => run.evaluations,
    ),
    sortable: false,
  },
  numberColumn(
    'runtime',
    'Runtime',
    (run) => formatDuration(run.runtimeMillis),
    (run) => run.runtimeMillis,
  ),
  {
    id: 'started',
    header: 'Started',
    align: 'end',
    value: (run) => run.startTime,
    cell: (run) => (
      <span class="muted" title={formatFullTime(run().startTime)}>
        {formatTime(run().startTime)}
      </span>
    ),
  },
  {
    id: 'ended',
    header: 'Ended',
    align: 'end',
    sortable: false,
    hiddenAtFirst: true,
    value: (run) => run.endTime,
    cell: (run) => (
      <span class="muted" title={formatFullTime(run().endTime)}>
        {formatTime(run().endTime)}
      </span>
    ),
  },
  {
    id: 'resumed',
    header: 'Resumed from',
    sortable: false,
    hiddenAtFirst: true,
    maxWidthChars: 30,
    value: (run) => run.resumedFrom,
  },
  {
    id: 'message',
    header: 'Message',
    explanation: 'Why the run failed or stopped',
    sortable: false,
    maxWidthChars: 44,
    value: (run) => run.errorMessage,
  },
];

function numberColumn(
  id: string,
  header: string,
  text: (run: ExperimentRunItem) => string,
  value: (run: ExperimentRunItem) => number | string | null,
): RunColumn {
  return {
    id,
    header,
    align: 'end',
    value,
    cell: (run) => <span classList={{ muted: value(run()) === null }}>{text(run())}</span>,
  };
}
