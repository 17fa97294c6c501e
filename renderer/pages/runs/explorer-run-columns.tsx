import type { RunItem } from '#shared/schemas/run.ts';
import { runResultColumns, seedColumn } from '#renderer/features/runs/run-columns.tsx';
import { annotationColumns } from '#renderer/features/notes/annotation-columns.tsx';
import {
  makeLinkColumn,
  makeMutedColumn,
  makeTextColumn,
} from '#renderer/ui/table/column-kinds.tsx';
import { makeParamColumn } from '#renderer/features/explorer/param-columns.ts';
import type { TableColumn } from '#renderer/ui/table/types.ts';
import { getExperimentPath, getRunPath } from '#renderer/paths.ts';

const columns: readonly TableColumn<RunItem>[] = [
  makeTextColumn('name', 'Name', (run) => run.runName, {
    explanation: 'Name in the configuration, shared by the runs of an experiment',
    sortBy: 'run_name',
    isHiddenByDefault: true,
    maxWidthChars: 34,
  }),
  ...annotationColumns,
  makeTextColumn('algorithm', 'Algorithm', (run) => run.algorithmType, {
    sortBy: 'algorithm_type',
    fromPixels: 720,
  }),
  makeMutedColumn('model', 'Model', (run) => run.modelType, {
    sortBy: 'model_type',
    fromPixels: 1480,
  }),
  makeTextColumn('problem', 'Problem', (run) => run.problemType, {
    sortBy: 'problem_type',
    maxWidthChars: 15,
    fromPixels: 980,
  }),
  ...runResultColumns,
  { ...seedColumn, isHiddenByDefault: true },
  makeLinkColumn('experiment', 'Experiment', (run) => run.experimentId, {
    href: (run) => getExperimentPath(run.experimentId),
    aside: true,
    fromPixels: 1360,
  }),
];

const runColumn = makeLinkColumn<RunItem>('run', 'Run', (run) => run.runId, {
  href: (run) => getRunPath(run.runId),
  shownName: (run) => run.displayName,
  fixed: true,
});

/** Returns the columns of the list of runs, with one for each of these parameters after the run. */
export function makeExplorerRunColumns(params: readonly string[]): TableColumn<RunItem>[] {
  return [runColumn, ...params.map(makeParamColumn), ...columns];
}
