import { Show, type JSX } from 'solid-js';
import { formatCount } from '#shared/number-format.ts';
import type { ExperimentRunItem } from '#shared/schemas/experiment.ts';
import { getEndTime, getRuntimeSoFar, getShownResults } from '#shared/words.ts';
import { RunState } from '#renderer/features/stop-and-delete/RunState.tsx';
import {
  makeCountColumn,
  makeDurationColumn,
  makeFitnessColumn,
  makeTimeColumn,
} from '#renderer/ui/table/column-kinds.tsx';
import { makeStatusColumn } from './status-column.tsx';
import type { TableColumn } from '#renderer/ui/table/types.ts';

/** Fields of a run that every list has. */
type ListedRun = Omit<ExperimentRunItem, 'resumedFrom'>;

const soFar =
  'of a RUNNING run up to its latest iteration, but sorted and filtered by the stored value';

/** The columns of results, or of progress while a run is RUNNING. */
export const runResultColumns: readonly TableColumn<ListedRun>[] = [
  makeStatusColumn((run) => run.status, {
    sortBy: 'status',
    after: (run) => <RunState run={run()} />,
    progress: (run) => run.progress,
    fields: [{ header: 'Message', value: (run) => run.errorMessage }],
  }),
  makeFitnessColumn('best', 'Best', (run) => getShownResults(run).best, {
    explanation: `Best fitness; ${soFar}`,
    sortBy: 'best_fitness',
  }),
  makeCountColumn('iterations', 'Iterations', (run) => getShownResults(run).iterations, {
    explanation: `Iterations, of at most; ${soFar}`,
    sortBy: 'iterations',
    fromPixels: 1200,
    cell: (run) => <Iterations run={run()} />,
  }),
  makeCountColumn('evaluations', 'Evaluations', (run) => getShownResults(run).evaluations, {
    explanation: `Evaluations; ${soFar}`,
    sortBy: 'evaluations',
    fromPixels: 1150,
  }),
  makeDurationColumn('runtime', 'Runtime', getRuntimeSoFar, {
    explanation: `Wall time; ${soFar}`,
    sortBy: 'runtime_millis',
    fromPixels: 1200,
  }),
  makeTimeColumn('started', 'Started', (run) => run.startTime, {
    sortBy: 'start_time',
    fromPixels: 1080,
  }),
  makeTimeColumn('ended', 'Ended', getEndTime, {
    explanation:
      'End; none of a RUNNING run, which is sorted by the stored value of its earlier segment',
    sortBy: 'end_time',
    isHiddenByDefault: true,
  }),
];

/** Column of seeds, in full: a seed is a name, not an amount. */
export const seedColumn: TableColumn<{ seed: number | string | null }> = makeCountColumn(
  'seed',
  'Seed',
  (run) => run.seed,
  { sortBy: 'seed', descendingFirst: false, cell: (run) => <>{run().seed}</> },
);

function Iterations(props: { run: ListedRun }): JSX.Element {
  const iterations = () => getShownResults(props.run).iterations;
  return (
    <span classList={{ muted: !iterations() }}>
      {formatCount(iterations())}
      <Show when={props.run.progress?.maxIterations}>
        {(most) => <small class="muted"> of {formatCount(most())}</small>}
      </Show>
    </span>
  );
}
