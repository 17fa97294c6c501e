import { formatCount } from '#shared/number-format.ts';
import type { CheckpointRow, IterationRow } from '#shared/schemas/run.ts';
import {
  makeCountColumn,
  makeFitnessColumn,
  makeTimeColumn,
} from '#renderer/ui/table/column-kinds.tsx';
import type { TableColumn } from '#renderer/ui/table/types.ts';
import { CopyablePath } from './CopyablePath.tsx';

const populationColumns: readonly TableColumn<IterationRow>[] = [
  makeFitnessColumn('mean', 'Mean', (row) => row.meanFitness),
  makeFitnessColumn('std', 'Std', (row) => row.stdFitness, {
    explanation: 'Standard deviation of the population',
  }),
];

/** Columns of the table of iterations; the first opens one. `hasMean` adds the mean of each population. */
export function makeIterationColumns(
  open: (iteration: number | string) => void,
  { hasMean }: { hasMean: boolean },
): readonly TableColumn<IterationRow>[] {
  return [
    makeCountColumn('iteration', 'Iteration', (row) => row.iteration, {
      descendingFirst: false,
      fixed: true,
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
    }),
    makeCountColumn('evaluations', 'Evaluations', (row) => row.evaluations),
    makeCountColumn('population', 'Population', (row) => row.populationSize),
    makeCountColumn('elite', 'Elite', (row) => row.eliteSize),
    makeFitnessColumn('best', 'Best', (row) => row.bestFitness, {
      explanation: 'Best of this population, not best so far',
    }),
    ...(hasMean ? populationColumns : []),
    makeCountColumn('actions', 'Adaptive actions', (row) => row.adaptiveActions),
    makeTimeColumn('created', 'Written', (row) => row.createdAt),
  ];
}

/** Columns of the table of checkpoints. */
export const checkpointColumns: readonly TableColumn<CheckpointRow>[] = [
  makeCountColumn('iteration', 'Iteration', (row) => row.iteration, { descendingFirst: false }),
  {
    id: 'path',
    header: 'Path',
    value: (row) => row.checkpointPath,
    cell: (row) => <CopyablePath name="path" path={row().checkpointPath} />,
  },
  makeTimeColumn('created', 'Written', (row) => row.createdAt),
];
