import {
  compareGroups,
  mostPairedGroups,
  type ComparedPairs,
} from '#server/domain/claims/compare-groups.ts';
import type { GroupSample, GuardTerms } from '#server/domain/claims/guard.ts';
import { boxSummary } from '#server/stats/box.ts';
import { ecdfOfAllRuns, ecdfOfSuccessfulRuns } from '#server/stats/ecdf.ts';
import { kruskalWallis } from '#server/stats/kruskal-wallis.ts';
import { rankSumPairs, type FamilyPair } from '#server/stats/pairwise-tests.ts';
import { finiteMedian } from '#server/stats/quantile.ts';
import { isClearlyBest } from '#shared/claim-marks.ts';
import type { GuardChoice } from '#shared/schemas/analysis-query.ts';
import type {
  CurvePoint,
  GroupSummary,
  Grouping,
  PairwiseTest,
  ProblemComparison,
  ProblemInstance,
  Series,
  SeveralTargets,
} from '#shared/schemas/analysis.ts';
import { rankGroups, type InstanceDirections } from './blocks.ts';
import { comparisonNotes } from './comparison-notes.ts';
import { groupProfiles, groupRuns, type JudgedGroup } from './groups.ts';
import { guardAnswer, summariseWithin } from './guard-answer.ts';
import type { Objective } from './model.ts';
import {
  dataProfileOf,
  dataProfileUnitFor,
  levelsOf,
  outcomesOf,
  outcomesOfLevels,
  summariseSuccess,
} from '#server/domain/outcome.ts';
import { conditionsAmong } from './parameter-conditions.ts';
import type { TracedScope } from './scope.ts';
import { startedRuns } from './started-runs.ts';
import { suggestedTargets } from './target-notes.ts';
import { verdictOf } from './verdict.ts';
import { measures } from '#shared/words.ts';

/** All that a comparison is computed from. */
export interface ProblemComparisonInput {
  scope: TracedScope;
  groupBy: Grouping;
  objective: Objective;
  /** Those of the instances in scope. */
  directions: InstanceDirections;
  /** Which runs enter the tests. */
  choice: GuardChoice;
  /** Ids of the silent runs. */
  silent: ReadonlySet<string>;
}

/**
 * Comparison of the groups of runs on one problem instance: success, best fitness, pairwise and omnibus
 * tests, profiles, and the notes that belong to them, without convergence. Groups are in order of their names.
 */
export function compareProblem(
  input: ProblemComparisonInput,
): Omit<ProblemComparison, 'convergence' | keyof SeveralTargets> {
  const { scope, groupBy, objective, directions, choice } = input;
  const levels = levelsOf(scope.runs, objective);
  const groups = groupRuns(scope, groupBy).map((group): JudgedGroup => ({
    ...group,
    outcomes: outcomesOf(group.runs, objective),
    levels: outcomesOfLevels(group.runs, levels, objective),
  }));
  const { notes: _notes, direction, ...sources } = objective;
  const terms: GuardTerms = { ...choice, direction, target: objective.targetFitness };
  const facts = { experiments: scope.experiments, silent: input.silent, objective };
  const compared = compareGroups(
    groups.map(({ name, runs }) => ({ name, started: startedRuns(runs, facts) })),
    terms,
  );
  const labels = new Map(groups.map(({ name, label }) => [name, label]));
  const isSuggestedTarget =
    objective.targetSource === 'query' &&
    suggestedTargets(scope.runs, direction).some((target) => target === objective.targetFitness);
  const guard = guardAnswer(
    compared,
    terms,
    { ...choice, isSuggestedTarget },
    (name) => labels.get(name) ?? name,
  );
  const paired = groups.length > mostPairedGroups ? [] : groups;
  const tests = {
    pairwiseWilcoxon: rankSumPairs(paired, direction).map(asWilcoxon),
    pairwise: compared.pairwise,
    friedman: rankGroups({
      groups: groups.filter(({ sample }) => sample.length > 0),
      scope,
      groupBy,
      directions,
    }),
    kruskalWallis: kruskalWallis(groups.map(({ sample }) => sample)),
  };
  const tested = new Set(guard.pairs.flatMap(({ isTested, a, b }) => (isTested ? [a, b] : [])));
  const algorithms = groups.map((group, index) =>
    summariseGroup(
      group,
      compared,
      tested.has(group.name) ? compared.samples[index] : undefined,
      terms,
    ),
  );
  const notes = comparisonNotes({ ...input, groups, samples: compared.samples, ...tests });
  const { targetFitness } = objective;
  return {
    problemType: scope.problemType,
    objectiveDirection: direction,
    ...sources,
    groupBy,
    verdict: verdictOf({ algorithms, pairwise: tests.pairwise, guard, notes, targetFitness }),
    guard,
    algorithms,
    ...tests,
    ...groupCurves(groups, scope.selected),
    instances: scope.instances,
    conditions: conditionsAmong(scope.selected.id, [...scope.experiments.values()]),
    notes,
  };
}

/** The test on stored final fitness in the words of `pairwiseWilcoxon`. */
function asWilcoxon({ a, b, nA, nB, better, significant, ...pair }: FamilyPair): PairwiseTest {
  const { pValue, holmAdjustedPValue, attainablePValue, method, effectSize } = pair;
  return {
    algorithmA: a,
    algorithmB: b,
    sampleSizeA: nA,
    sampleSizeB: nB,
    pValue,
    holmAdjustedPValue,
    attainablePValue,
    betterAlgorithm: better,
    significantAt05: significant,
    method,
    effectSize,
  };
}

function summariseGroup(
  group: JudgedGroup,
  compared: ComparedPairs,
  tested: GroupSample | undefined,
  terms: GuardTerms,
): GroupSummary {
  const { name, label, runs, sample, outcomes, configurations, experimentIds } = group;
  const { commonBudget } = compared;
  const box = boxSummary(sample);
  return {
    algorithm: name,
    label,
    ...summariseSuccess(runs, outcomes),
    sampleSize: sample.length,
    meanBest: box.mean,
    medianBest: finiteMedian(sample),
    stdBest: box.stdDev,
    box,
    configurations,
    bestOn: measures.filter((measure) => isClearlyBest(name, compared.pairwise[measure] ?? [])),
    atCommonBudget:
      tested && commonBudget !== null ? summariseWithin(tested, commonBudget, terms) : null,
    experimentIds,
  };
}

function groupCurves(groups: readonly JudgedGroup[], { dimension }: ProblemInstance) {
  return {
    ecdfTotalRuns: ofTimes(groups, ecdfOfAllRuns),
    ecdfSuccessfulRuns: ofTimes(groups, ecdfOfSuccessfulRuns),
    dataProfiles: groups.map(({ name, levels }) => ({
      name,
      points: dataProfileOf(levels, dimension),
    })),
    dataProfileUnit: dataProfileUnitFor(dimension),
    performanceProfiles: groupProfiles(groups),
  };
}

function ofTimes(
  groups: readonly JudgedGroup[],
  curveOf: (evaluationsToTarget: (number | null)[]) => CurvePoint[],
): Series[] {
  return groups.map(({ name, outcomes }) => ({
    name,
    points: curveOf(outcomes.map(({ evaluationsToTarget }) => evaluationsToTarget)),
  }));
}
