import {
  claimLevel,
  type ComparedPair,
  type ComparedPairs,
} from '#server/domain/claims/compare-groups.ts';
import {
  valuesWithin,
  type GroupSample,
  type GuardTerms,
  type RunValues,
} from '#server/domain/claims/guard.ts';
import { mean, standardDeviation } from '#server/stats/descriptive.ts';
import { ertInterval } from '#server/stats/ert-interval.ts';
import { fisherRuns } from '#server/stats/fisher-power.ts';
import { rankSumRuns } from '#server/stats/noether.ts';
import { finiteMedian } from '#server/stats/quantile.ts';
import { expectedRuntime, successPerformance, type RunOutcome } from '#server/stats/runtime.ts';
import { wilsonInterval } from '#server/stats/wilson-interval.ts';
import { measures } from '#shared/words.ts';
import type { Guard, GuardedPairAnswer, RunsNeeded } from '#shared/schemas/analysis-guard.ts';
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
  const tested = pairs.filter(({ test }) => test !== null).length;
  const needed = tested > 0 ? runsNeeded(Number(choice.effect), tested, terms) : null;
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
    pairs: pairs.map((pair, index) => ({
      ...pairAnswer(pair, terms, label),
      runsNeeded: needed && isUndecided(compared, index) ? further(needed, pair) : null,
    })),
  };
}

type Needed = Omit<RunsNeeded, 'further'>;

const power = 0.8;

/** Runs per group that find an effect among so many pairs; the same for every pair. */
function runsNeeded(effect: number, pairs: number, { target }: GuardTerms): Needed {
  const design = { power, alpha: claimLevel, pairs };
  return {
    effect,
    power,
    perGroup: rankSumRuns({ effect, ...design }).a,
    perGroupForSuccess:
      target === null ? null : fisherRuns({ p1: effect, p2: 1 - effect, ...design }).perGroup,
  };
}

/** A tested pair of runs without a claim on any measure. */
function isUndecided({ pairs, pairwise }: ComparedPairs, index: number): boolean {
  const pair = pairs[index];
  if (!pair?.test || pair.guarded.unit !== 'run') return false;
  return measures.every((measure) => pairwise[measure]?.[index]?.significant !== true);
}

function further(needed: Needed, { guarded: { runs } }: ComparedPair): RunsNeeded {
  const fewest = Math.min(runs[0].length, runs[1].length);
  return { ...needed, further: Math.max(0, needed.perGroup - fewest) };
}

function pairAnswer(
  pair: ComparedPair,
  terms: GuardTerms,
  label: LabelOf,
): Omit<GuardedPairAnswer, 'runsNeeded'> {
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
