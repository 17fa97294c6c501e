import { A } from '@solidjs/router';
import { formatCount, formatDuration, formatFitness } from '#shared/number-format.ts';
import type { RunItem } from '#shared/schemas/run.ts';
import { maximumParamColumns } from '#shared/words.ts';
import { shortId } from '#renderer/components/short-id.ts';
import { StatusBadge } from '#renderer/components/StatusBadge.tsx';
import type { TableColumn } from '#renderer/components/table/types.ts';
import { formatFullTime, formatTime } from '#renderer/components/time.ts';
import { experimentPath, runPath } from '#renderer/paths.ts';

type RunColumn = TableColumn<RunItem>;

/** Begins the id of a column that shows a parameter. */
const paramPrefix = 'p.';

const baseColumns: readonly RunColumn[] = [
  {
    id: 'run',
    header: 'Run',
    fixed: true,
    sortable: false,
    maxWidthChars: 30,
    value: (run) => run.runId,
    cell: (run, context) => (
      <A href={runPath(run().runId)} tabIndex={context.tabIndex()}>
        {shortId(run().runId)}
      </A>
    ),
  },
  {
    ...textColumn('name', 'Name', (run) => run.runName),
    explanation: 'Name in the configuration, shared by the runs of an experiment',
    hiddenAtFirst: true,
    maxWidthChars: 34,
  },
  textColumn('algorithm', 'Algorithm', (run) => run.algorithmType),
  textColumn('model', 'Model', (run) => run.modelType, true),
  { ...textColumn('problem', 'Problem', (run) => run.problemType), maxWidthChars: 15 },
  {
    id: 'status',
    header: 'Status',
    value: (run) => run.status,
    cell: (run) => <StatusBadge status={run().status} />,
  },
  {
    id: 'best',
    header: 'Best',
    explanation: 'Best fitness; known when the run has ended',
    align: 'end',
    value: (run) => run.bestFitness,
    cell: (run) => <Value text={formatFitness(run().bestFitness)} />,
  },
  countColumn('iterations', 'Iterations', (run) => run.iterations),
  countColumn('evaluations', 'Evaluations', (run) => run.evaluations),
  {
    id: 'runtime',
    header: 'Runtime',
    explanation: 'Wall time; known when the run has ended',
    align: 'end',
    value: (run) => run.runtimeMillis,
    cell: (run) => <Value text={formatDuration(run().runtimeMillis)} />,
  },
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
    id: 'seed',
    header: 'Seed',
    align: 'end',
    sortable: false,
    hiddenAtFirst: true,
    value: (run) => run.seed,
  },
  {
    id: 'experiment',
    header: 'Experiment',
    sortable: false,
    value: (run) => run.experimentId,
    cell: (run, context) => (
      <A
        href={experimentPath(run().experimentId)}
        class="mono cell-id"
        title={run().experimentId}
        tabIndex={context.tabIndex()}
      >
        {shortId(run().experimentId)}
      </A>
    ),
  },
];

/** The columns of the explorer: those that every run has, then one per chosen parameter path. */
export function runColumns(params: readonly string[]): RunColumn[] {
  return [...baseColumns, ...params.map(paramColumn)];
}

/** The parameter paths among chosen column ids, at most as many as the service takes. */
export function paramsOf(chosen: readonly string[]): string[] {
  return chosen
    .filter((id) => id.startsWith(paramPrefix))
    .map((id) => id.slice(paramPrefix.length))
    .slice(0, maximumParamColumns);
}

/** The id of the column that shows this parameter. */
export function paramColumnId(path: string): string {
  return paramPrefix + path;
}

const paramColumns = new Map<string, RunColumn>();

/** The same object for the same path, so that cells already drawn stay. */
function paramColumn(path: string): RunColumn {
  const known = paramColumns.get(path);
  if (known) return known;
  const made: RunColumn = {
    id: paramColumnId(path),
    header: path,
    sortable: false,
    maxWidthChars: 28,
    value: (run) => run.params?.[path],
  };
  paramColumns.set(path, made);
  return made;
}

function textColumn(
  id: string,
  header: string,
  value: (run: RunItem) => string | null,
  isMuted = false,
): RunColumn {
  const cell: RunColumn['cell'] = (run) => <span class="muted">{value(run())}</span>;
  return { id, header, sortable: false, maxWidthChars: 20, value, ...(isMuted && { cell }) };
}

function countColumn(
  id: string,
  header: string,
  value: (run: RunItem) => number | string | null,
): RunColumn {
  return {
    id,
    header,
    align: 'end',
    sortable: false,
    value,
    cell: (run) => <Value text={formatCount(value(run()))} />,
  };
}

function Value(props: { text: string }) {
  return <span classList={{ muted: props.text === '–' }}>{props.text}</span>;
}
