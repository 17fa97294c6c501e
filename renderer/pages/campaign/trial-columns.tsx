import type { CocoTrial } from '#shared/schemas/coco.ts';
import { Icon } from '#renderer/ui/Icon.tsx';
import {
  makeCountColumn,
  makeDurationColumn,
  makeFitnessColumn,
  makeLinkColumn,
  makeTextColumn,
  makeTimeColumn,
} from '#renderer/ui/table/column-kinds.tsx';
import { makeStatusColumn } from '#renderer/features/runs/status-column.tsx';
import type { TableColumn } from '#renderer/ui/table/types.ts';
import { getRunPath } from '#renderer/paths.ts';

const small = { descendingFirst: false } as const;
const rare = { isHiddenByDefault: true } as const;

/** The columns of the trials of a campaign. */
export const trialColumns: readonly TableColumn<CocoTrial>[] = [
  makeLinkColumn('run', 'Run', (trial) => trial.runId, {
    href: (trial) => getRunPath(trial.runId),
    fixed: true,
    maxWidthChars: 26,
  }),
  makeTextColumn('optimizer', 'Optimizer', (trial) => trial.label ?? trial.optimizerId, {
    maxWidthChars: 18,
  }),
  makeCountColumn('function', 'Function', (trial) => trial.functionId, {
    sortBy: 'function_id',
    ...small,
    cell: (trial) => <>f{trial().functionId}</>,
  }),
  makeCountColumn('dimension', 'Dimension', (trial) => trial.dimension, {
    sortBy: 'dimension',
    ...small,
  }),
  makeCountColumn('instance', 'Instance', (trial) => trial.instanceId, {
    fromPixels: 900,
  }),
  makeCountColumn('repetition', 'Repetition', (trial) => trial.repetition, rare),
  makeStatusColumn((trial) => trial.status),
  {
    id: 'reached',
    header: 'Reached',
    explanation: 'Whether the trial reached its target',
    value: (trial) => trial.reachedTarget,
    cell: (trial) =>
      trial().reachedTarget ? (
        <span class="trial-reached">
          <Icon name="check" size={13} /> yes
        </span>
      ) : (
        <span class="muted">no</span>
      ),
  },
  makeCountColumn('toTarget', 'To target', (trial) => trial.evaluationsToTarget, {
    explanation: 'Evaluations to target',
    sortBy: 'evals_to_target',
    ...small,
  }),
  makeCountColumn('evaluations', 'Evaluations', (trial) => trial.evaluations, {
    sortBy: 'evaluations',
    fromPixels: 900,
  }),
  makeCountColumn('budget', 'Budget', (trial) => trial.budgetEvaluations, {
    explanation: 'Evaluations granted to the trial',
    fromPixels: 1400,
  }),
  makeFitnessColumn('best', 'Best', (trial) => trial.bestFitness, {
    sortBy: 'best_fitness',
    ...small,
    fromPixels: 1080,
  }),
  makeFitnessColumn('target', 'Target', (trial) => trial.targetValue, {
    fromPixels: 1080,
  }),
  makeDurationColumn('runtime', 'Runtime', (trial) => trial.runtimeMillis, {
    fromPixels: 1280,
  }),
  makeCountColumn('trial', 'Trial', (trial) => trial.id, {
    explanation: 'The stored id of the trial',
    sortBy: 'id',
    ...small,
    isHiddenByDefault: true,
  }),
  makeTimeColumn('created', 'Written', (trial) => trial.createdAt, rare),
];
