import type { GroupSummary } from '#shared/schemas/analysis.ts';
import type { AnalysedRun } from './analysis-input.ts';
import { isCompleted } from './run-outcome.ts';
import {
  expectedRuntime,
  type RunOutcome,
  successPerformance,
  successRate,
} from '#server/stats/runtime.ts';
import { wilsonInterval } from '#server/stats/wilson-interval.ts';

/** The part of an answer that says how often and how fast runs succeeded. */
export type SuccessSummary = Pick<
  GroupSummary,
  'totalRuns' | 'completedRuns' | 'successfulRuns' | 'successRate' | 'successRateCi' | 'ert' | 'sp1'
>;

/**
 * Counts of runs, success rate with its Wilson interval, ERT and SP1. `outcomes` are those of the runs, in
 * order. No runs: rate 0, interval, ERT and SP1 null.
 */
export function summariseSuccess(
  runs: readonly AnalysedRun[],
  outcomes: readonly RunOutcome[],
): SuccessSummary {
  const successfulRuns = outcomes.filter((outcome) => outcome.solved).length;
  return {
    totalRuns: runs.length,
    completedRuns: runs.filter(isCompleted).length,
    successfulRuns,
    successRate: successRate(outcomes),
    successRateCi: wilsonInterval(successfulRuns, runs.length),
    ert: expectedRuntime(outcomes),
    sp1: successPerformance(outcomes),
  };
}
