import {
  type ComparedPairs,
  compareGroups,
  maximumPairedGroups,
} from '#server/domain/claims/compare-groups.ts';
import {
  type GroupSample,
  type GuardTerms,
  hasKnownEvaluations,
} from '#server/domain/claims/guard.ts';
import {
  getDataProfile,
  getDataProfileUnit,
  getErtMoverInterval,
  getLevels,
  getOutcomes,
  getOutcomesAtLevels,
  summariseSuccess,
} from '#server/domain/outcome.ts';
import { computeBox, computeFiniteMedian } from '#server/stats/descriptive.ts';
import { computeEcdfOfAllRuns, computeEcdfOfSuccessfulRuns } from '#server/stats/ecdf.ts';
import { testKruskalWallis } from '#server/stats/rank-tests.ts';
import { type FamilyPair, makeRankSumPairs } from '#server/stats/pairwise-tests.ts';
import { isClearlyBest } from '#shared/claim-marks.ts';
import type { Pairwise } from '#shared/schemas/analysis-measures.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import type { GuardChoice, ProblemComparisonQuery } from '#shared/schemas/analysis-query.ts';
import type {
  CurvePoint,
  FriedmanResult,
  GroupSummary,
  Grouping,
  PairwiseTest,
  ProblemComparison,
  ProblemInstance,
  Series,
  SeveralTargets,
} from '#shared/schemas/analysis.ts';
import { measures } from '#shared/words.ts';
import { ensureConvergence, ensureTargetEcdfs, computeGroupConvergence } from './curves.ts';
import {
  getRunGroupName,
  getGroupName,
  makeGroupProfiles,
  groupRuns,
  type InstanceDirections,
  type GroupWithOutcomes,
  getParamPath,
  listSharedInstances,
  rankGroups,
  requireFewGroups,
  getVaryingParams,
  resolveGrouping,
  addGroupLabels,
} from './groups.ts';
import {
  guardComparison,
  getKnownBudgets,
  getStartedRuns,
  hasEndedUnsolved,
  summariseWithinBudget,
} from './guard-comparison.ts';
import { getKeyOfRuns, type Memo } from './memo.ts';
import type { AnalysedExperiment, Objective } from './model.ts';
import {
  makeBudgetRangeNotes,
  makeCopyNotes,
  makeNoteIf,
  makeObjectiveNotes,
  makeRunNotes,
  makeStatedTargetGetter,
  getSuggestedTargets,
  makeTargetNotes,
} from './notes.ts';
import { listDistinguishingConditions, type TracedScope } from './scope.ts';
import type { AnalysisInput } from './load.ts';
import { getVerdict } from './verdict.ts';

/** Parameters of a comparison, without its input. */
type ComparisonChoice = GuardChoice & Pick<ProblemComparisonQuery, 'groupBy' | 'targets'>;

/** Maximum number of groups of a comparison. The curves of a group need about 17 kB of the response. */
const maximumGroups = 1_000;

/**
 * Returns the comparison of an input. Without runs, the comparison has no groups. The memo stores the comparison once
 * for equal requests, its convergence once for all targets, and its ECDFs over several targets once per set of targets.
 * Throws VALIDATION_FAILED for a grouping by an unknown or ambiguous parameter, and ANSWER_TOO_LARGE for more than
 * {@link maximumGroups} groups.
 */
export async function compareRuns(
  memo: Memo,
  { scope, objective, directions, silentIds, loadRuns }: AnalysisInput,
  { targets, failed, stopped, silent, effect, ...query }: ComparisonChoice,
): Promise<ProblemComparison> {
  const choice = { failed, stopped, silent, effect };
  const groupBy = resolveGrouping(query.groupBy, scope);
  const { experiments, runs, allRuns, ...scopeFacts } = scope;
  requireFewGroups(
    runs.map((run) => getRunGroupName(run, experiments, groupBy)),
    maximumGroups,
  );
  const scopeKey = [
    groupBy,
    [...experiments.values()].map(describeExperiment),
    getParamPath(groupBy) &&
      [...experiments.values()].map((experiment) => getGroupName(experiment, groupBy)),
    scopeFacts,
    getKeyOfRuns(allRuns),
  ];
  const comparison = memo.ensure(
    ['comparison', objective, [...directions], choice, [...silentIds], scopeKey],
    async () => {
      const tracedScope = { ...scope, runs: await loadRuns() };
      return compareProblem({
        scope: tracedScope,
        groupBy,
        objective,
        directions,
        choice,
        silentIds,
      });
    },
  );
  const pendingConvergence = getScopeConvergence(
    memo,
    { scope, objective, loadRuns },
    groupBy,
    scopeKey,
  );
  const pendingEcdfs = ensureTargetEcdfs(memo, scopeKey, { objective, targets }, async () =>
    groupRuns({ experiments, runs: await loadRuns() }, groupBy),
  );
  const [comparisonParts, targetEcdfs, convergence] = await Promise.all([
    comparison,
    pendingEcdfs,
    pendingConvergence,
  ]);
  return { ...comparisonParts, ...targetEcdfs, convergence };
}

/**
 * Returns the convergence of the groups at common budgets; for a single group, the result of {@link ensureConvergence}.
 */
async function getScopeConvergence(
  memo: Memo,
  { scope, objective, loadRuns }: Pick<AnalysisInput, 'scope' | 'objective' | 'loadRuns'>,
  groupBy: Grouping,
  scopeKey: unknown,
): Promise<ProblemComparison['convergence']> {
  const { experiments, runs } = scope;
  const [name, ...otherNames] = new Set(
    runs.map((run) => getRunGroupName(run, experiments, groupBy)),
  );
  if (name !== undefined && otherNames.length === 0) {
    return [{ name, points: await ensureConvergence(memo, objective.direction, runs, loadRuns) }];
  }
  return memo.ensure(['convergence of groups', objective.direction, scopeKey], async () =>
    computeGroupConvergence(groupRuns({ experiments, runs: await loadRuns() }, groupBy)),
  );
}

/** Returns the facts of an experiment that a comparison uses, except its parameters, as part of a cache key. */
export function describeExperiment(experiment: AnalysedExperiment): (string | number | null)[] {
  const { experimentId, runName, algorithmType, modelType, statedTarget, budget } = experiment;
  return [
    experimentId,
    runName,
    algorithmType,
    modelType,
    experiment.configurationId,
    statedTarget,
    budget.evaluations,
    budget.iterations,
    experiment.groupLabels ? JSON.stringify(experiment.groupLabels) : null,
  ];
}

/** Input of a comparison. */
export interface ProblemComparisonInput {
  scope: TracedScope;
  groupBy: Grouping;
  objective: Objective;
  /** Directions of the instances in scope. */
  directions: InstanceDirections;
  /** Options that select the runs in the tests, and the effect for the number of required runs. */
  choice: GuardChoice;
  /** Ids of the silent runs. */
  silentIds: ReadonlySet<string>;
}

/**
 * Returns the comparison of the groups of runs on one problem instance, without convergence and the ECDFs over several
 * targets: verdict, success, best fitness, pairwise and omnibus tests, profiles and notes. The groups are in the order
 * of {@link groupRuns}. There are no pairwise tests of more than {@link maximumPairedGroups} groups, and no omnibus
 * tests of groups of several strata. A note reports each of these cases.
 */
export function compareProblem(
  input: ProblemComparisonInput,
): Omit<ProblemComparison, 'convergence' | keyof SeveralTargets> {
  const { scope, groupBy, objective, directions, choice } = input;
  const levels = getLevels(scope.runs, objective);
  const groups = groupRuns(scope, groupBy).map((group): GroupWithOutcomes => ({
    ...group,
    outcomes: getOutcomes(group.runs, objective),
    levels: getOutcomesAtLevels(group.runs, levels, objective),
  }));
  const { notes: _notes, direction, ...sources } = objective;
  const terms: GuardTerms = { ...choice, direction, target: objective.targetFitness };
  const facts = { experiments: scope.experiments, silentIds: input.silentIds, objective };
  const comparedPairs = compareGroups(
    groups.map(({ name, runs, stratum }) => ({
      name,
      stratum,
      runs: getStartedRuns(runs, facts),
    })),
    terms,
  );
  const labels = new Map(groups.map(({ name, label }) => [name, label]));
  const isSuggestedTarget = isChosenFromData(objective, scope);
  const guard = guardComparison(
    comparedPairs,
    terms,
    { ...choice, isSuggestedTarget },
    (name) => labels.get(name) ?? name,
  );
  const hasStrata = new Set(groups.map(({ stratum }) => stratum)).size > 1;
  const pairableGroups = groups.length > maximumPairedGroups ? [] : groups;
  const tests = {
    pairwiseWilcoxon: makeRankSumPairs(pairableGroups, direction).map(makeWilcoxonTest),
    pairwise: comparedPairs.pairwise,
    friedman: rankGroups({
      groups: hasStrata ? [] : groups.filter(({ sample }) => sample.length > 0),
      scope,
      groupBy,
      directions,
    }),
    kruskalWallis: hasStrata ? null : testKruskalWallis(groups.map(({ sample }) => sample)),
  };
  const testedNames = new Set(
    guard.pairs.flatMap(({ isTested, a, b }) => (isTested ? [a, b] : [])),
  );
  const algorithms = groups.map((group, index) =>
    summariseGroup(
      group,
      comparedPairs,
      testedNames.has(group.name) ? comparedPairs.samples[index] : undefined,
      { terms, experiments: scope.experiments },
    ),
  );
  const notes = makeComparisonNotes({ ...input, groups, samples: comparedPairs.samples, ...tests });
  const { targetFitness } = objective;
  return addGroupLabels({
    problemType: scope.problemType,
    objectiveDirection: direction,
    ...sources,
    groupBy,
    verdict: getVerdict({ algorithms, pairwise: tests.pairwise, guard, notes, targetFitness }),
    guard,
    algorithms,
    ...tests,
    ...makeGroupCurves(groups, scope.selectedInstance),
    instances: scope.instances,
    conditions: listDistinguishingConditions(scope.selectedInstance.id, [
      ...scope.experiments.values(),
    ]),
    varyingParameters: getVaryingParams(
      [...scope.experiments.values()].filter(
        ({ instance }) => instance.id === scope.selectedInstance.id,
      ),
    ),
    notes,
  });
}

/** Returns whether the target of the query is a suggestion from the data that no configuration of the runs states. */
function isChosenFromData(
  { targetSource, targetFitness, direction }: Objective,
  { runs, experiments }: TracedScope,
): boolean {
  if (targetSource !== 'query' || targetFitness === null) return false;
  const statedTargets = runs.map(makeStatedTargetGetter({ experiments }));
  return (
    !statedTargets.includes(targetFitness) &&
    getSuggestedTargets(runs, direction).includes(targetFitness)
  );
}

/** Returns the test on stored final fitness in the format of `pairwiseWilcoxon`. */
function makeWilcoxonTest({
  a,
  b,
  nA,
  nB,
  better,
  significant,
  ...pair
}: FamilyPair): PairwiseTest {
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
  group: GroupWithOutcomes,
  comparison: ComparedPairs,
  testedSample: GroupSample | undefined,
  { terms, experiments }: { terms: GuardTerms } & Pick<TracedScope, 'experiments'>,
): GroupSummary {
  const { name, label, isBaseline, runs, sample, outcomes, configurations, experimentIds } = group;
  const { commonBudget } = comparison;
  const box = computeBox(sample);
  return {
    algorithm: name,
    label,
    isBaseline,
    ...summariseSuccess(runs, outcomes),
    ertMoverInterval: getErtMoverInterval(
      runs,
      outcomes,
      ({ experimentId }) => experiments.get(experimentId),
      { direction: terms.direction, targetFitness: terms.target },
    ),
    sampleSize: sample.length,
    meanBest: box.mean,
    medianBest: computeFiniteMedian(sample),
    stdBest: box.stdDev,
    box,
    configurations,
    bestOn: measures.filter((measure) => isClearlyBest(name, comparison.pairwise[measure] ?? [])),
    atCommonBudget:
      testedSample && commonBudget !== null
        ? summariseWithinBudget(testedSample, commonBudget, terms)
        : null,
    experimentIds,
  };
}

function makeGroupCurves(groups: readonly GroupWithOutcomes[], { dimension }: ProblemInstance) {
  return {
    ecdfTotalRuns: computeTimeCurves(groups, computeEcdfOfAllRuns),
    ecdfSuccessfulRuns: computeTimeCurves(groups, computeEcdfOfSuccessfulRuns),
    dataProfiles: groups.map(({ name, levels }) => ({
      name,
      points: getDataProfile(levels, dimension),
    })),
    dataProfileUnit: getDataProfileUnit(dimension),
    performanceProfiles: makeGroupProfiles(groups),
  };
}

function computeTimeCurves(
  groups: readonly GroupWithOutcomes[],
  getCurve: (evaluationsToTarget: (number | null)[]) => CurvePoint[],
): Series[] {
  return groups.map(({ name, outcomes }) => ({
    name,
    points: getCurve(outcomes.map(({ evaluationsToTarget }) => evaluationsToTarget)),
  }));
}

/** Facts for the notes of a comparison. */
export interface ComparedGroups {
  scope: TracedScope;
  groupBy: Grouping;
  objective: Objective;
  directions: InstanceDirections;
  groups: readonly GroupWithOutcomes[];
  pairwise: Pairwise;
  friedman: FriedmanResult;
  samples: readonly GroupSample[];
}

/** Returns the notes that readers of a comparison need. */
function makeComparisonNotes(comparedGroups: ComparedGroups): AnalysisNote[] {
  const { scope, objective, groups } = comparedGroups;
  const otherInstanceCount = scope.instances.length - 1;
  return [
    ...makeObjectiveNotes(objective, scope.runs),
    ...makeTargetNotes(scope.runs, makeStatedTargetGetter(scope), objective),
    ...makeNoteIf(
      otherInstanceCount > 0,
      'OTHER_INSTANCES',
      scope.selectedInstance.label,
      otherInstanceCount,
    ),
    // The guard reports the compared RUNNING runs and their budget, so the note does not mention the target.
    ...makeRunNotes(scope.runs, false),
    ...makeCopyNotes(
      scope.runs,
      ({ experimentId }) => scope.experiments.get(experimentId)?.configurationId ?? experimentId,
    ),
    ...makeGroupNotes(groups),
    ...makeBudgetNotes(comparedGroups.samples),
    ...makePowerNotes(comparedGroups.pairwise),
    ...makeBlockNotes(comparedGroups),
  ];
}

function makeGroupNotes(groups: readonly GroupWithOutcomes[]): AnalysisNote[] {
  const pooledGroups = groups.filter((group) => group.configurations > 1);
  const emptyGroups = groups.filter((group) => group.sample.length === 0).map(({ label }) => label);
  return [
    ...makeNoteIf(
      new Set(groups.map(({ stratum }) => stratum)).size > 1,
      'TESTED_WITHIN_ALGORITHMS',
    ),
    ...makeNoteIf(pooledGroups.length > 0, 'POOLED_CONFIGURATIONS', pooledGroups),
    ...makeNoteIf(emptyGroups.length > 0, 'GROUPS_WITHOUT_COMPLETED_RUNS', emptyGroups.join(', ')),
    ...makeNoteIf(
      groups.length > maximumPairedGroups,
      'PAIRS_LEFT_OUT',
      groups.length,
      maximumPairedGroups,
    ),
  ];
}

/** Returns the notes on different and on unknown budgets. */
function makeBudgetNotes(samples: readonly GroupSample[]): AnalysisNote[] {
  const runs = samples.flatMap((sample) => sample.runs);
  const unknownBudgetCount = runs.filter(
    (run) => hasEndedUnsolved(run) && run.grantedEvaluations === null && !hasKnownEvaluations(run),
  ).length;
  return [
    ...makeBudgetRangeNotes('UNEQUAL_BUDGETS', getKnownBudgets(runs)),
    ...makeNoteIf(unknownBudgetCount > 0, 'BUDGETS_UNKNOWN', unknownBudgetCount),
  ];
}

/**
 * Returns the note that no assignment of the values to the groups could make any pair significant; an empty list if one
 * could, or if there are no tests.
 */
function makePowerNotes(pairwise: Pairwise): AnalysisNote[] {
  const pairs = Object.values(pairwise).flatMap((measuredPairs) => measuredPairs ?? []);
  const attainablePValues = pairs.flatMap(({ attainablePValue }) => attainablePValue ?? []);
  const isUnderpowered =
    attainablePValues.length > 0 && attainablePValues.every((pValue) => pValue > 0.05);
  return makeNoteIf(isUnderpowered, 'SMALL_SAMPLES');
}

function makeBlockNotes({ friedman, groups, ...input }: ComparedGroups): AnalysisNote[] {
  if (friedman.algorithms < 2) return [];
  const { blocks, blockBy } = friedman;
  const rankedGroups = groups.filter(({ sample }) => sample.length > 0);
  const hasTwoDirections = new Set(input.directions.values()).size > 1;
  const rankedInstances = new Set(
    blockBy === 'instance' && hasTwoDirections
      ? listSharedInstances({ ...input, groups: rankedGroups })
      : [],
  );
  const listLabels = (direction: string) =>
    input.scope.instances
      .filter(({ id }) => rankedInstances.has(id) && input.directions.get(id) === direction)
      .map(({ label }) => label);
  const [minimisedLabels, maximisedLabels] = [listLabels('min'), listLabels('max')];
  return [
    ...makeNoteIf(blockBy === 'seed', 'SEEDS_AS_BLOCKS', blocks),
    ...makeNoteIf(blockBy === 'instance', 'INSTANCES_AS_BLOCKS', blocks),
    ...makeNoteIf(
      minimisedLabels.length > 0 && maximisedLabels.length > 0,
      'DIRECTIONS_DIFFER',
      minimisedLabels.join('; '),
      maximisedLabels.join('; '),
    ),
    ...makeNoteIf(blockBy === null, 'NO_BLOCKS'),
  ];
}
