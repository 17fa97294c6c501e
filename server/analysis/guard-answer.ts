import type { ComparedPair, ComparedPairs } from '#server/domain/claims/compare-groups.ts';
import {
  valuesWithin,
  type GroupSample,
  type GuardTerms,
  type RunValues,
} from '#server/domain/claims/guard.ts';
import { mean, standardDeviation } from '#server/stats/descriptive.ts';
import { ertInterval } from '#server/stats/ert-interval.ts';
import { finiteMedian } from '#server/stats/quantile.ts';
import { expectedRuntime, successPerformance, type RunOutcome } from '#server/stats/runtime.ts';
import { wilsonInterval } from '#server/stats/wilson-interval.ts';
import type { Guard, GuardedPairAnswer } from '#shared/schemas/analysis-guard.ts';
import type { AtCommonBudget } from '#shared/schemas/analysis.ts';
import type { GuardChoice } from '#shared/schemas/analysis-query.ts';
import {
  budgetsText,
  guardNotes,
  headingText,
  pairText,
  reasonText,
  type LabelOf,
} from './guard-words.ts';

/** The guard of a comparison as it is answered: what the tests rest on, for all groups and for each pair. */
export function guardAnswer(
  compared: ComparedPairs,
  terms: GuardTerms,
  choice: GuardChoice,
  label: LabelOf,
): Guard {
  const { samples, pairs, isInterim, commonBudget } = compared;
  return {
    isInterim,
    isExploratory: terms.stopped === 'exclude',
    failed: choice.failed,
    stopped: choice.stopped,
    silent: choice.silent,
    effect: Number(choice.effect),
    commonBudget,
    heading: headingText(compared, terms),
    text: budgetsText(compared, terms, label),
    notes: guardNotes(compared, terms, label),
    hasFailed: samples.some(
      ({ failedRuns, omitted }) =>
        failedRuns > 0 || omitted.some(({ code }) => code === 'FAILED_EXCLUDED'),
    ),
    hasStopped: samples.some(({ stoppedRuns }) => stoppedRuns > 0),
    silentRuns: samples.flatMap(({ name, silentRunIds }) =>
      silentRunIds.map((runId) => ({ group: name, runId })),
    ),
    pairs: pairs.map((pair) => pairAnswer(pair, terms, label)),
  };
}

function pairAnswer(pair: ComparedPair, terms: GuardTerms, label: LabelOf): GuardedPairAnswer {
  const { guarded, test, adjustedPValue } = pair;
  const { a, b, budget, reason, unit, configurations, runs, omitted } = guarded;
  return {
    a,
    b,
    isTested: test !== null,
    reason: reason && { code: reason.code, message: reasonText(reason, label) },
    commonBudget: budget?.evaluations ?? null,
    budgetSource: budget?.source ?? null,
    assumesEqualBudgets: budget?.isAssumed ?? false,
    unit,
    runsA: runs[0].length,
    runsB: runs[1].length,
    solvedA: terms.target === null ? null : solvedIn(runs[0]),
    solvedB: terms.target === null ? null : solvedIn(runs[1]),
    configurationsA: configurations[0],
    configurationsB: configurations[1],
    pValue: test?.pValue ?? null,
    adjustedPValue,
    omitted: [...omitted],
    runsNeeded: null,
    text: pairText(pair, terms, label),
  };
}

function solvedIn(runs: readonly RunValues[]): number {
  return runs.filter(({ time }) => time < Infinity).length;
}

/** How the runs of a sample did within a budget. */
export function summariseWithin(
  { runs }: GroupSample,
  budget: number,
  terms: GuardTerms,
): AtCommonBudget {
  const values = runs.map((run) => valuesWithin(run, budget, terms));
  const fitness = values.map((run) => run.fitness);
  const outcomes = runs.map((run, index): RunOutcome => {
    const time = values[index]?.time ?? Infinity;
    const isSolved = time < Infinity;
    const isUnknown = run.spent === 0 && !run.isFailed;
    const spent = isUnknown ? null : Math.min(run.spent, budget);
    return { solved: isSolved, evaluationsToTarget: isSolved ? time : null, budget: spent };
  });
  const solved = outcomes.filter((outcome) => outcome.solved).length;
  const isFinite = fitness.every(Number.isFinite);
  const success =
    terms.target === null
      ? { successRate: null, successRateCi: null, ert: null, ertInterval: null, sp1: null }
      : {
          successRate: runs.length === 0 ? null : solved / runs.length,
          successRateCi: wilsonInterval(solved, runs.length),
          ert: expectedRuntime(outcomes),
          ertInterval: ertInterval(outcomes),
          sp1: successPerformance(outcomes),
        };
  return {
    runs: runs.length,
    solved,
    ...success,
    medianBest: finiteMedian(fitness),
    meanBest: isFinite ? mean(fitness) : null,
    stdBest: isFinite ? standardDeviation(fitness) : null,
  };
}
