import type { ErtRow } from '#shared/schemas/coco-analysis.ts';
import { compareNaturally } from '#shared/natural-order.ts';
import { getCommonValue } from './descriptive.ts';
import {
  computeErtBootstrapInterval,
  computeErtMoverInterval,
  computeExpectedRuntime,
  type RunOutcome,
  computeSuccessPerformance,
  computeSuccessRate,
} from './runtime.ts';

/** A trial of a COCO campaign, as input of the runtimes. */
export interface Trial {
  optimizerId: string;
  functionId: number;
  /** Number of variables; 0 if imported data do not state it. */
  dimension: number;
  /** Number of the instance; 0 if imported data do not state it. */
  instanceId: number;
  /** NaN if it is missing. */
  targetValue: number;
  /** Status in upper case. */
  status: string;
  reachedTarget: boolean;
  /** Stored budget; 0 if it is missing. */
  budgetEvaluations: number;
  /** Evaluations that the campaign grants; null if it does not state them, as in imported data. */
  grantedEvaluations: number | null;
  /** Used evaluations; null if unknown. */
  evaluations: number | null;
  /** Evaluations to the target of the trial; null if the trial missed the target, and if they are unknown. */
  evaluationsToTarget: number | null;
}

/** Expected runtime of one optimizer on one function in one dimension, to one target, without a reference. */
export type FunctionRuntime = Omit<
  ErtRow,
  'targetValue' | 'referenceErt' | 'hasDoubtfulReference' | 'ratio'
> & {
  targetValue: number;
  /** Reason why the trials have no common granted budget for the MOVER interval; null if they have one. */
  missingBudget: 'unknown' | 'different' | null;
};

/**
 * Returns the outcome of a trial. Unknown used evaluations count as the stored budget. If a solved trial has unknown
 * evaluations to its target, uses its used evaluations instead. Returns null for a FAILED trial, because its
 * infrastructure failed.
 */
export function getTrialOutcome(trial: Trial): RunOutcome | null {
  if (trial.status === 'FAILED') return null;
  const usedEvaluations = trial.evaluations ?? trial.budgetEvaluations;
  const evaluationsToTarget = trial.reachedTarget
    ? (trial.evaluationsToTarget ?? usedEvaluations)
    : null;
  return { isSolved: trial.reachedTarget, evaluationsToTarget, usedEvaluations };
}

/**
 * Returns whether a trial reached its own target with fewer evaluations than its granted budget. Its result for harder
 * targets is then unknown. False for a FAILED trial, for an unknown budget, and for 0 evaluations.
 */
export function hasStoppedAtTarget(
  trial: Pick<Trial, 'status' | 'reachedTarget' | 'grantedEvaluations'>,
  usedEvaluations: number,
): boolean {
  const { status, reachedTarget, grantedEvaluations } = trial;
  const hasEndedEarly = usedEvaluations > 0 && usedEvaluations < (grantedEvaluations ?? 0);
  return reachedTarget && status !== 'FAILED' && hasEndedEarly;
}

/**
 * Returns the success rate, the ERT with its intervals, and SP1 per optimizer, dimension, function and target.
 * Optimizers are in natural order, then dimensions and functions ascending, then targets descending. Never pools
 * functions. A function with only failed trials has 0 trials. Hansen et al. 2016.
 */
export function computeRuntimePerFunction(trials: readonly Trial[]): FunctionRuntime[] {
  const cells = Map.groupBy(trials, ({ optimizerId, functionId, dimension, targetValue }) =>
    JSON.stringify([optimizerId, dimension, functionId, targetValue]),
  );
  return [...cells.values()].flatMap(summariseTrials).sort(compareRuntimes);
}

function summariseTrials(trials: readonly Trial[]): FunctionRuntime[] {
  const [firstTrial] = trials;
  if (!firstTrial) return [];
  const { optimizerId, functionId, dimension, targetValue } = firstTrial;
  const outcomes = trials.map(getTrialOutcome).filter((outcome) => outcome !== null);
  const budgets = trials.map(({ grantedEvaluations }) => grantedEvaluations);
  const budget = getCommonValue(budgets);
  const reason = budgets.includes(null) ? 'unknown' : 'different';
  return [
    {
      optimizerId,
      functionId,
      dimension,
      targetValue,
      trials: outcomes.length,
      failedTrials: trials.length - outcomes.length,
      solvedTrials: outcomes.filter((outcome) => outcome.isSolved).length,
      successRate: computeSuccessRate(outcomes),
      ert: computeExpectedRuntime(outcomes),
      ertInterval: computeErtBootstrapInterval(outcomes),
      ertMoverInterval: computeErtMoverInterval(outcomes, budget),
      sp1: computeSuccessPerformance(outcomes),
      missingBudget: budget === null ? reason : null,
    },
  ];
}

/** Compares runtimes for the order of {@link computeRuntimePerFunction}. */
export function compareRuntimes(a: FunctionRuntime, b: FunctionRuntime): number {
  const nameOrder = compareNaturally(a.optimizerId, b.optimizerId);
  if (nameOrder !== 0) return nameOrder;
  return a.dimension - b.dimension || a.functionId - b.functionId || b.targetValue - a.targetValue;
}
