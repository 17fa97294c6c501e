import { formatRuntime, formatShare, formatStatistic } from '#shared/number-format.ts';
import type { CocoAggregate, CocoOptimizer } from '#shared/schemas/coco.ts';
import {
  makeCountColumn,
  makeFitnessColumn,
  makeNumberColumn,
  makeTextColumn,
} from '#renderer/ui/table/column-kinds.tsx';
import { NotesButton } from '#renderer/features/notes/NotesButton.tsx';
import type { TableColumn } from '#renderer/ui/table/types.ts';

/** The columns of the optimizers of a campaign. */
export const optimizerColumns: readonly TableColumn<CocoOptimizer>[] = [
  makeTextColumn('optimizer', 'Optimizer', (row) => row.label ?? row.optimizerId, {
    fixed: true,
    maxWidthChars: 34,
    cell: (row, context) => (
      <span class="optimizer-name">
        <span class="clip" title={row().optimizerId}>
          {row().label ?? row().optimizerId}
        </span>
        <NotesButton
          subject={{ kind: 'algorithm', id: row().optimizerId, name: row().optimizerId }}
          tabIndex={context.tabIndex()}
        />
      </span>
    ),
  }),
  makeTextColumn('algorithm', 'Algorithm', (row) => row.algorithmType),
  makeTextColumn('model', 'Model', (row) => row.modelType),
  makeTextColumn('representation', 'Representation', (row) => row.representationType),
  makeTextColumn('path', 'Configuration file', (row) => row.configPath, {
    maxWidthChars: 40,
    fromPixels: 1080,
  }),
];

/** The columns of the runner's aggregates. */
export const aggregateColumns: readonly TableColumn<CocoAggregate>[] = [
  makeTextColumn('optimizer', 'Optimizer', (row) => row.label ?? row.optimizerId, { fixed: true }),
  makeCountColumn('dimension', 'Dimension', (row) => row.dimension, { descendingFirst: false }),
  makeFitnessColumn('target', 'Target', (row) => row.targetValue),
  makeNumberColumn('success', 'Success', (row) => row.successRate, formatShare),
  makeNumberColumn('mean', 'Mean to target', (row) => row.meanEvaluationsToTarget, formatRuntime, {
    explanation: 'Mean evaluations to the target of the trials that reached it',
  }),
  makeFitnessColumn('median', 'Median best', (row) => row.medianBestFitness, { fromPixels: 1080 }),
  makeNumberColumn('ert', 'ERT', (row) => row.svcErt, formatRuntime),
  makeTextColumn('reference', 'Reference', (row) => row.comparedReferenceOptimizer),
  makeNumberColumn('referenceErt', 'Reference ERT', (row) => row.referenceErt, formatRuntime),
  makeNumberColumn('ratio', 'ERT ratio', (row) => row.ertRatio, formatStatistic, {
    explanation: 'ERT / reference ERT; below 1 the optimizer was faster',
  }),
];
