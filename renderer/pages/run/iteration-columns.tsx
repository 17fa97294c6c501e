import { formatCount, formatFitness } from '#shared/number-format.ts';
import type { CheckpointRow, IterationRow } from '#shared/schemas/run.ts';
import type { TableColumn } from '#renderer/components/table/types.ts';
import { formatFullTime, formatTime } from '#renderer/components/time.ts';
import { CopyablePath } from './CopyablePath.tsx';

/** Columns of the table of iterations; the first opens one. */
export function iterationColumns(
  open: (iteration: number | string) => void,
): readonly TableColumn<IterationRow>[] {
  return [
    {
      id: 'iteration',
      header: 'Iteration',
      align: 'end',
      descendingFirst: false,
      fixed: true,
      value: (row) => row.iteration,
      cell: (row, context) => (
        <button
          type="button"
          class="cell-link"
          tabIndex={context.tabIndex()}
          aria-label={`Open iteration ${row().iteration}`}
          onClick={() => open(row().iteration)}
        >
          {formatCount(row().iteration)}
        </button>
      ),
    },
    count('evaluations', 'Evaluations', (row) => row.evaluations),
    count('population', 'Population', (row) => row.populationSize),
    count('elite', 'Elite', (row) => row.eliteSize),
    fitness('best', 'Best', (row) => row.bestFitness, 'Best of this population, not best so far'),
    fitness('mean', 'Mean', (row) => row.meanFitness),
    fitness('std', 'Std', (row) => row.stdFitness, 'Standard deviation of the population'),
    count('actions', 'Adaptive actions', (row) => row.adaptiveActions),
    {
      id: 'created',
      header: 'Written',
      align: 'end',
      value: (row) => row.createdAt,
      cell: (row) => (
        <span class="muted" title={formatFullTime(row().createdAt)}>
          {formatTime(row().createdAt)}
        </span>
      ),
    },
  ];
}

function count(
  id: string,
  header: string,
  value: (row: IterationRow) => number | string | null,
): TableColumn<IterationRow> {
  return { id, header, align: 'end', value, cell: (row) => <>{formatCount(value(row()))}</> };
}

function fitness(
  id: string,
  header: string,
  value: (row: IterationRow) => number | null,
  explanation?: string,
): TableColumn<IterationRow> {
  const cell: TableColumn<IterationRow>['cell'] = (row) => <>{formatFitness(value(row()))}</>;
  return {
    id,
    header,
    align: 'end',
    value,
    cell,
    ...(explanation !== undefined && { explanation }),
  };
}

/** Columns of the table of checkpoints. */
export const checkpointColumns: readonly TableColumn<CheckpointRow>[] = [
  {
    id: 'iteration',
    header: 'Iteration',
    align: 'end',
    descendingFirst: false,
    value: (row) => row.iteration,
    cell: (row) => <>{formatCount(row().iteration)}</>,
  },
  {
    id: 'path',
    header: 'Path',
    value: (row) => row.checkpointPath,
    cell: (row) => <CopyablePath name="path" path={row().checkpointPath} />,
  },
  {
    id: 'created',
    header: 'Written',
    align: 'end',
    value: (row) => row.createdAt,
    cell: (row) => (
      <span class="muted" title={formatFullTime(row().createdAt)}>
        {formatTime(row().createdAt)}
      </span>
    ),
  },
];
