import {
  type ComparedPair,
  type ComparedPairs,
  claimLevel,
} from '#server/domain/claims/compare-groups.ts';
import {
  type CommonBudget,
  type GroupSample,
  type GuardTerms,
  type GuardedPair,
  type Omission,
  type RunValues,
  type SampledRun,
  type StartedRun,
  type UntestedReason,
  minimumConfigurations,
  getValuesWithin,
  hasKnownEvaluations,
} from '#server/domain/claims/guard.ts';
import { getValueAt, parseConfig } from '#server/domain/config.ts';
import { getGrantedBudget, getUsedEvaluations, isImportedRun } from '#server/domain/outcome.ts';
import {
  computeMean,
  computeStandardDeviation,
  computeFiniteMedian,
  sum,
} from '#server/stats/descriptive.ts';
import {
  computeExpectedRuntime,
  computeErtMoverInterval,
  computeSuccessPerformance,
  computeWilsonInterval,
} from '#server/stats/runtime.ts';
import { computeFisherRuns, computeRankSumRuns } from '#server/stats/runs-needed.ts';
import { describeBudget, describeCount, formatCount } from '#shared/number-format.ts';
import type {
  Guard,
  GuardedPairDetail,
  GuardedSamples,
  RunsNeeded,
} from '#shared/schemas/analysis-guard.ts';
import type { GuardChoice } from '#shared/schemas/analysis-query.ts';
import type { AtCommonBudget } from '#shared/schemas/analysis.ts';
import { measures } from '#shared/words.ts';
import type { AnalysedExperiment, AnalysedRun, Objective } from './model.ts';
import { getOutcomesWithinBudget } from './outcomes-within.ts';
import { formatNounCount, formatNames } from './notes.ts';

/** Returns the conditions of the tests as they appear in the response, for all groups and for each pair. */
export function guardComparison(
  comparison: ComparedPairs,
  terms: GuardTerms,
  choice: GuardChoice & { isSuggestedTarget: boolean },
  getLabel: GetGroupLabel,
): Guard {
  const { samples, pairs, isInterim, commonBudget } = comparison;
  const testedPairCount = pairs.filter(({ test }) => test !== null).length;
  const requiredRuns =
    testedPairCount > 0 ? computeRequiredRuns(Number(choice.effect), testedPairCount, terms) : null;
  const instances = [pairs.map(({ guard }) => guard)];
  return {
    ...getGuardedSamples({ ...choice, samples, isInterim, instances }, terms, getLabel),
    effect: Number(choice.effect),
    commonBudget,
    text: formatBudgets(comparison, terms, getLabel),
    pairs: pairs.map((pair, index) => ({
      ...describePair(pair, terms, getLabel),
      runsNeeded:
        requiredRuns && isUndecided(comparison, index) ? addFurtherRuns(requiredRuns, pair) : null,
    })),
  };
}

/** Sample with the number of its runs instead of the runs. */
export type CountedSample = Omit<GroupSample, 'runs'> & { runs: { readonly length: number } };

interface GuardInput {
  samples: readonly CountedSample[];
  isInterim: boolean;
  /** Whether the target is a suggestion from the data. */
  isSuggestedTarget: boolean;
  /** Pairs of each problem instance. */
  instances: readonly (readonly GuardedPair[])[];
}

/** Returns the conditions of the claims, the notes on the runs, and the silent runs of all groups. */
export function getGuardedSamples(
  input: GuardInput,
  terms: Pick<GuardTerms, 'failed' | 'stopped' | 'silent'>,
  getLabel: GetGroupLabel,
): GuardedSamples {
  const { samples, isInterim } = input;
  return {
    isInterim,
    isExploratory: terms.stopped === 'exclude' || input.isSuggestedTarget,
    failed: terms.failed,
    stopped: terms.stopped,
    silent: terms.silent,
    heading: formatHeading(input, terms),
    notes: makeGuardNotes(input, terms, getLabel),
    hasFailed: samples.some(
      ({ failedRuns, omissions }) =>
        failedRuns > 0 || omissions.some(({ code }) => code === 'FAILED_EXCLUDED'),
    ),
    hasStopped: samples.some(({ stoppedRuns }) => stoppedRuns > 0),
    silentRuns: samples.flatMap(({ name, silentRunIds }) =>
      silentRunIds.map((runId) => ({ group: name, runId })),
    ),
  };
}

/** Numbers of runs that each group needs to detect an effect, with the effect and the power of the tests. */
type RequiredRuns = Omit<RunsNeeded, 'further'>;

const power = 0.8;

/**
 * Returns the number of runs that each group needs to detect an effect with a power of 0.8. The level of each test is
 * {@link claimLevel} divided by the number of pairs. `perGroupForSuccess` is null without a target.
 */
function computeRequiredRuns(
  effect: number,
  pairCount: number,
  { target }: GuardTerms,
): RequiredRuns {
  const design = { power, alpha: claimLevel, pairs: pairCount };
  return {
    effect,
    power,
    perGroup: computeRankSumRuns({ effect, ...design }).a,
    perGroupForSuccess:
      target === null
        ? null
        : computeFisherRuns({ p1: effect, p2: 1 - effect, ...design }).perGroup,
  };
}

/** Returns whether a pair whose test compares single runs has no claim on any measure; false for any other pair. */
function isUndecided({ pairs, pairwise }: ComparedPairs, index: number): boolean {
  const pair = pairs[index];
  if (!pair?.test || pair.guard.unit !== 'run') return false;
  return measures.every((measure) => pairwise[measure]?.[index]?.significant !== true);
}

function addFurtherRuns(requiredRuns: RequiredRuns, { guard: { runs } }: ComparedPair): RunsNeeded {
  const minimum = Math.min(runs[0].length, runs[1].length);
  return { ...requiredRuns, further: Math.max(0, requiredRuns.perGroup - minimum) };
}

function describePair(
  pair: ComparedPair,
  terms: GuardTerms,
  getLabel: GetGroupLabel,
): Omit<GuardedPairDetail, 'runsNeeded'> {
  const { guard, test, adjustedPValue } = pair;
  const { a, b, budget, reason, unit, configurations, runs, omissions } = guard;
  return {
    a,
    b,
    isTested: test !== null,
    reason: reason && { code: reason.code, message: formatReason(reason, getLabel) },
    commonBudget: budget?.evaluations ?? null,
    budgetSource: budget?.source ?? null,
    assumesEqualBudgets: budget?.isAssumed ?? false,
    unit,
    runsA: runs[0].length,
    runsB: runs[1].length,
    solvedA: terms.target === null ? null : countSolvedRuns(runs[0]),
    solvedB: terms.target === null ? null : countSolvedRuns(runs[1]),
    configurationsA: configurations[0],
    configurationsB: configurations[1],
    pValue: test?.pValue ?? null,
    adjustedPValue,
    omitted: [...omissions],
    text: formatPair(pair, terms, getLabel),
  };
}

function countSolvedRuns(runs: readonly RunValues[]): number {
  return runs.filter(({ isSolved }) => isSolved === true).length;
}

/**
 * Returns success, runtime and fitness of the runs of a sample within a budget in evaluations. Without a target,
 * `solved` is 0, and success rate, ERT, SP1 and the intervals are null. They are also null if the success of a run is
 * unknown, and `solved` omits such runs. With a target, ERT, its interval and SP1 are null if no run reached the
 * target, or if the evaluations of all runs that reached it are unknown. Median, mean and standard deviation are null
 * if the fitness of a run is unknown. Mean and standard deviation are also null if a fitness is infinite. The median is
 * also null if it is infinite. Without runs, `runs` and `solved` are 0, and all other fields are null. For one run, the
 * standard deviation is null.
 */
export function summariseWithinBudget(
  { runs }: GroupSample,
  budget: number,
  terms: GuardTerms,
): AtCommonBudget {
  const values = runs.map((run) => getValuesWithin(run, budget, terms));
  const knownFitness = values.flatMap((run) => run.fitness ?? []);
  const fitness = knownFitness.length < values.length ? [] : knownFitness;
  const outcomes = getOutcomesWithinBudget(runs, values, budget);
  const solvedCount = countSolvedRuns(values);
  const hasOnlyFiniteValues = fitness.every(Number.isFinite);
  const success =
    terms.target === null || outcomes === null
      ? { successRate: null, successRateCi: null, ert: null, ertInterval: null, sp1: null }
      : {
          successRate: runs.length === 0 ? null : solvedCount / runs.length,
          successRateCi: computeWilsonInterval(solvedCount, runs.length),
          ert: computeExpectedRuntime(outcomes),
          ertInterval: computeErtMoverInterval(outcomes, budget),
          sp1: computeSuccessPerformance(outcomes),
        };
  return {
    runs: runs.length,
    solved: solvedCount,
    ...success,
    medianBest: computeFiniteMedian(fitness),
    meanBest: hasOnlyFiniteValues ? computeMean(fitness) : null,
    stdBest: hasOnlyFiniteValues ? computeStandardDeviation(fitness) : null,
  };
}

/**
 * Returns the budgets of the runs, in order; omits runs with an unknown budget. The budget of a run is its granted
 * budget. Without a granted budget, it is the used evaluations, if {@link hasEndedUnsolved} is true and the data state
 * them.
 */
export function getKnownBudgets(runs: readonly SampledRun[]): number[] {
  return runs.flatMap(
    (run) =>
      run.grantedEvaluations ??
      (hasEndedUnsolved(run) && hasKnownEvaluations(run) ? run.usedEvaluations : []),
  );
}

/**
 * Returns whether a run ended without reaching the target; false for a run that counts as RUNNING or FAILED. Without a
 * target, returns true for every other run.
 */
export function hasEndedUnsolved({ isRunning, isFailed, time }: SampledRun): boolean {
  return !isRunning && !isFailed && time === Infinity;
}

/** Function that returns the displayed name of a group. */
export type GetGroupLabel = (group: string) => string;

/** Returns the reason why there is no test of a pair, as one or two sentences. */
export function formatReason(reason: UntestedReason, getLabel: GetGroupLabel): string {
  const group = reason.group === null ? 'one group' : getLabel(reason.group);
  switch (reason.code) {
    case 'NO_RUNS':
      return `Not comparable: ${group} has no runs to test.`;
    case 'NO_ENDED_RUNS':
      return `Not comparable yet: ${group} has no ended runs to test.`;
    case 'OBSERVED_TOO_SHORT':
      return reason.group === null
        ? `Not comparable: the common budget of ${describeCount(reason.evaluations, 'evaluation')} ends before the first generation of a group.`
        : `Not comparable: the common budget of ${describeCount(reason.evaluations, 'evaluation')}, from ${group}, ends before the first generation of a group.`;
    case 'ONE_AGAINST_SEVERAL':
      return (
        `Not tested: ${group} has one configuration and ${getLabel(reason.otherGroup)} has ${reason.configurations}. ` +
        'Group by configuration to compare them.'
      );
    case 'TOO_FEW_CONFIGURATIONS':
      break;
  }
  return (
    `Not tested: ${group} has ${formatNounCount(reason.configurations, 'configuration')} with enough runs, and a test ` +
    `needs at least ${minimumConfigurations}. Group by configuration to compare them.`
  );
}

/** Returns the sentence with the budget of a pair and the source of the budget. */
function formatBudget(budget: CommonBudget, hasTarget: boolean, getLabel: GetGroupLabel): string {
  const budgetText = `Compared ${describeBudget(budget.evaluations)}`;
  if (budget.evaluations === 0) return `${budgetText}.`;
  const groupText = budget.group === null ? '' : ` of ${getLabel(budget.group)}`;
  switch (budget.source) {
    case 'granted':
      return `${budgetText}, the smallest granted budget.`;
    case 'observed':
      return `${budgetText}: a run${groupText} ended there${hasTarget ? ' without reaching the target' : ''}.`;
    case 'running':
      return `${budgetText}, as far as all running runs have come.`;
    case 'stopped':
      return `${budgetText}: a run${groupText} stopped there.`;
    case 'target':
      return hasTarget
        ? `${budgetText}, by which every run had reached the target or failed.`
        : `${budgetText}, the last in the data.`;
    case 'assumed':
      break;
  }
  return `${budgetText}, the last in the data.`;
}

/**
 * Returns the sentences about the comparison of a pair: its budget, its limitations, and the unit of its test unless
 * the unit is the run. If the pair has a reason against its test, returns only the reason.
 */
function formatPair(
  { guard }: Pick<ComparedPair, 'guard'>,
  terms: Pick<GuardTerms, 'target'>,
  getLabel: GetGroupLabel,
): string {
  const { budget, reason } = guard;
  if (reason) return formatReason(reason, getLabel);
  if (!budget) return '';
  return [
    ...(budget.isAssumed ? ['Assumes equal budgets: the data do not state them.'] : []),
    formatBudget(budget, terms.target !== null, getLabel),
    ...formatStoppedLimit(budget),
    ...guard.slowGroups.map(
      (group) =>
        `At least half of the runs of ${getLabel(group)} had not reached the target by then; no comparison beyond this budget is possible.`,
    ),
    ...formatUnit(guard, getLabel),
  ].join(' ');
}

/**
 * Returns the sentences about the budgets of the tested pairs. If the sentences of the pairs differ, returns a summary.
 * Returns an empty text without tested pairs.
 */
function formatBudgets(
  { pairs, commonBudget }: Pick<ComparedPairs, 'pairs' | 'commonBudget'>,
  terms: Pick<GuardTerms, 'target'>,
  getLabel: GetGroupLabel,
): string {
  const testedPairs = pairs.filter(({ test }) => test !== null);
  const texts = new Set(testedPairs.map((pair) => formatPair(pair, terms, getLabel)));
  if (pairs.length === 1 || texts.size === 1) return [...texts].join(' ');
  const budgets = testedPairs.flatMap(({ guard }) => guard.budget?.evaluations ?? []);
  if (commonBudget === null || budgets.length === 0) return '';
  const largestBudget = Math.max(...budgets);
  const budgetText =
    largestBudget === commonBudget
      ? `Each test compares its pair ${describeBudget(commonBudget)}.`
      : `Each test compares its pair within the pair’s own common budget, ${formatCount(commonBudget)} to ${describeCount(largestBudget, 'evaluation')}; ` +
        'the table of groups uses the smallest.';
  const isAssumed = testedPairs.some(({ guard }) => guard.budget?.isAssumed);
  return [
    budgetText,
    ...(isAssumed ? ['Some pairs assume equal budgets: their data do not state them.'] : []),
    ...formatLimits(testedPairs.map(({ guard }) => guard)),
  ].join(' ');
}

/**
 * Returns the sentences with the numbers of tested pairs that a stopped run limits, that have slow groups, and that
 * have configurations as units; omits a sentence whose number is 0.
 */
function formatLimits(pairs: readonly GuardedPair[]): string[] {
  const stoppedCount = pairs.filter(
    ({ budget }) => budget && formatStoppedLimit(budget).length > 0,
  ).length;
  const slowCount = pairs.filter(({ slowGroups }) => slowGroups.length > 0).length;
  const configurationTestCount = pairs.filter(({ unit }) => unit === 'configuration').length;
  const testsText =
    configurationTestCount === pairs.length
      ? 'All tests are'
      : `The ${configurationTestCount === 1 ? 'test' : 'tests'} of ${formatNounCount(configurationTestCount, 'pair')} ${configurationTestCount === 1 ? 'is' : 'are'}`;
  return [
    ...(stoppedCount > 0
      ? [
          `In ${formatNounCount(stoppedCount, 'pair')}, a run stopped before half of the granted budget; you can compare without stopped runs.`,
        ]
      : []),
    ...(slowCount > 0
      ? [
          `In ${formatNounCount(slowCount, 'pair')}, at least half of the runs of a group had not reached the target within the common budget; ` +
            'no comparison beyond this budget is possible.',
        ]
      : []),
    ...(configurationTestCount > 0 ? [`${testsText} over configurations, not over runs.`] : []),
  ];
}

/**
 * Returns a sentence as a list if a STOPPED run limits the pair to less than half of the smallest granted budget; else
 * an empty list.
 */
function formatStoppedLimit({ source, evaluations, grantedEvaluations }: CommonBudget): string[] {
  if (source !== 'stopped' || grantedEvaluations === null || evaluations >= grantedEvaluations / 2)
    return [];
  return [
    `This is less than half of the granted ${formatCount(grantedEvaluations)}; you can compare without stopped runs.`,
  ];
}

function formatUnit(
  { unit, a, b, configurations, runs }: GuardedPair,
  getLabel: GetGroupLabel,
): string[] {
  if (unit === 'run') return [];
  const runsPerConfiguration =
    (runs[0].length + runs[1].length) / (configurations[0] + configurations[1]);
  return [
    `${configurations[0]} configurations of ${getLabel(a)} and ${configurations[1]} of ${getLabel(b)}, ` +
      `${formatNounCount(runsPerConfiguration, 'run')} each: the test is over configurations.`,
  ];
}

/** Returns the conditions of the claims of a comparison; may be empty. */
function formatHeading(
  { samples, isInterim, isSuggestedTarget, instances }: GuardInput,
  terms: Pick<GuardTerms, 'failed' | 'stopped'>,
): string {
  const choices = [
    ...(terms.stopped === 'exclude'
      ? ['Exploratory, without stopped runs: stopping may depend on the result.']
      : []),
    ...(isSuggestedTarget ? ['Exploratory: the target comes from these data.'] : []),
    ...(terms.failed === 'exclude' ? ['Without failed runs.'] : []),
  ];
  if (isInterim) {
    const runningCount = sum(samples.map(({ runningRuns }) => runningRuns));
    return [
      `Interim: ${formatNounCount(runningCount, 'run')} still running, so the tests claim no difference yet.`,
      ...choices,
    ].join(' ');
  }
  const sizes = instances
    .flat()
    .flatMap(({ reason, runs }) => (reason === null ? runs.map(({ length }) => length) : []));
  if (sizes.length === 0) return choices.join(' ');
  const [smallestSize, largestSize] = [Math.min(...sizes), Math.max(...sizes)];
  const n =
    smallestSize === largestSize ? `n = ${smallestSize}` : `n = ${smallestSize} to ${largestSize}`;
  return [`For one look at ${n} runs per group.`, ...choices].join(' ');
}

/**
 * Returns a list of one text: the sentence with the labels of the groups that have runs in `counts`, and the numbers of
 * these runs. Returns an empty list if no group has such runs.
 */
function makeUnknownNote(
  sentence: string,
  counts: readonly (readonly [label: string, runs: number])[],
): string[] {
  const names = counts.flatMap(([label, runs]) => (runs > 0 ? `${label} ${runs}` : []));
  return names.length === 0 ? [] : [`${sentence}: ${formatNames(names, 6)}.`];
}

const omissionWords: Record<Omission['code'], (runs: string) => string> = {
  RUNNING_AFTER_LAST_ENDED: (runs) => `${runs} still running that started after all ended runs`,
  FAILED_EXCLUDED: (runs) => `${runs} that failed`,
  STOPPED_EXCLUDED: (runs) => `${runs} stopped before the end`,
  WITHOUT_FITNESS: (runs) => `${runs} without any fitness`,
  SMALL_CONFIGURATION: (runs) => `${runs} of configurations with few runs`,
  BEYOND_EQUAL_COUNT: (runs) => `${runs} beyond the number that every configuration has`,
};

/**
 * Returns the sentences on failed runs, omitted runs, runs that reached the target after an unknown number of
 * evaluations, runs without a trace, runs without a start time, and silent runs that count as failed. Returns an empty
 * list without such runs.
 */
function makeGuardNotes(
  { samples, instances }: GuardInput,
  terms: Pick<GuardTerms, 'silent'>,
  getLabel: GetGroupLabel,
): string[] {
  const samplesWithFailures = samples.filter(({ failedRuns }) => failedRuns > 0);
  const unknownStartCount = sum(samples.map(({ runsWithoutStartTime }) => runsWithoutStartTime));
  const omissions = sumOmissions(instances).map(
    ({ group, code, runs, isUpTo }) =>
      `${getLabel(group)}: ${isUpTo ? 'up to ' : ''}${omissionWords[code](formatNounCount(runs, 'run'))}`,
  );
  return [
    ...(samplesWithFailures.length > 0
      ? [
          `Failed runs count as failures of the algorithm: ${formatNames(
            samplesWithFailures.map(
              (sample) => `${getLabel(sample.name)} ${sample.failedRuns} of ${sample.runs.length}`,
            ),
          )}.`,
        ]
      : []),
    ...(omissions.length > 0 ? [`Not in the tests: ${formatNames(omissions, 6)}.`] : []),
    ...makeUnknownNote(
      'There is no test of runtime with runs that reached the target after an unknown number of evaluations',
      samples.map(({ name, runsWithUnknownTime }) => [getLabel(name), runsWithUnknownTime]),
    ),
    ...makeUnknownNote(
      'There is no test of anytime performance with runs without a trace',
      samples.map(({ name, runsWithoutTrace }) => [getLabel(name), runsWithoutTrace]),
    ),
    ...(unknownStartCount > 0
      ? [
          `${formatNounCount(unknownStartCount, 'run')} without a start time ${unknownStartCount === 1 ? 'counts' : 'count'} as the first to start.`,
        ]
      : []),
    ...(terms.silent === 'failed' && samples.some(({ silentRunIds }) => silentRunIds.length > 0)
      ? ['Silent runs count as failed.']
      : []),
  ];
}

/**
 * Runs of a group that its tests omit for one reason. `runs` is the largest number of one test, or the sum of these
 * numbers over the instances. `isUpTo` is whether another test on the same instance omits fewer runs.
 */
interface TotalOmission extends Omission {
  isUpTo: boolean;
}

/** Returns the numbers of omitted runs by group and reason, summed over the instances. */
function sumOmissions(instances: readonly (readonly GuardedPair[])[]): TotalOmission[] {
  const omissions = instances.flatMap((pairs) => getLargestOmissions(pairs));
  const omissionsByKind = Map.groupBy(omissions, ({ group, code }) =>
    JSON.stringify([group, code]),
  );
  return [...omissionsByKind.values()].flatMap((omissionsOfKind) =>
    omissionsOfKind.slice(0, 1).map((omission) => ({
      ...omission,
      runs: sum(omissionsOfKind.map(({ runs }) => runs)),
      isUpTo: omissionsOfKind.some(({ isUpTo }) => isUpTo),
    })),
  );
}

/**
 * Returns the largest number of omitted runs for each group and reason, because the number may differ between pairs.
 */
function getLargestOmissions(pairs: readonly GuardedPair[]): TotalOmission[] {
  const omissionsByKind = Map.groupBy(
    pairs.flatMap((pair) => pair.omissions),
    ({ group, code }) => JSON.stringify([group, code]),
  );
  return [...omissionsByKind.values()].flatMap((omissions) => {
    const largestOmission = omissions.reduce((a, b) => (b.runs > a.runs ? b : a));
    const testedPairs = pairs.filter(
      ({ reason, a, b }) => reason === null && [a, b].includes(largestOmission.group),
    );
    const isUpTo = testedPairs.some(
      ({ omissions: omissionsOfPair }) =>
        !omissionsOfPair.some(
          ({ group, code, runs }) =>
            group === largestOmission.group &&
            code === largestOmission.code &&
            runs === largestOmission.runs,
        ),
    );
    return { ...largestOmission, isUpTo };
  });
}

/** Data about the runs that their rows do not contain. */
interface RunFacts {
  experiments: ReadonlyMap<string, AnalysedExperiment>;
  /** Ids of the silent runs. */
  silentIds: ReadonlySet<string>;
  objective: Pick<Objective, 'direction' | 'targetFitness'>;
}

/** Returns the runs as input of the guard, in their order. */
export function getStartedRuns(runs: readonly AnalysedRun[], facts: RunFacts): StartedRun[] {
  const reportingExperiments = new Set(
    [...Map.groupBy(runs, ({ experimentId }) => experimentId)].flatMap(([id, runsOfExperiment]) =>
      hasReportedEvaluations(runsOfExperiment, facts.experiments.get(id)) ? id : [],
    ),
  );
  return runs.map((run) => {
    const experiment = facts.experiments.get(run.experimentId);
    return {
      runId: run.runId,
      status: run.status,
      startTime: run.startTime,
      configuration: experiment?.configurationId ?? run.experimentId,
      grantedEvaluations: getGrantedBudget(run, experiment, facts.objective),
      usedEvaluations: getUsedEvaluations(run),
      hasFinalEvaluations: reportingExperiments.has(run.experimentId),
      bestFitness: run.bestFitness,
      trace: run.trace,
      isSilent: facts.silentIds.has(run.runId),
    };
  });
}

/**
 * Returns whether an experiment reports the used evaluations of its runs. This is true if one of the runs does not come
 * from an import or has evaluations after its last improvement. It is also true for the formats of COCO, because their
 * index states the used evaluations. Loggers of other programs may write only improvements.
 */
function hasReportedEvaluations(
  runs: readonly AnalysedRun[],
  experiment: AnalysedExperiment | undefined,
): boolean {
  const isShownByRun = runs.some(
    (run) => !isImportedRun(run) || getUsedEvaluations(run) > (run.trace.evaluations.at(-1) ?? 0),
  );
  if (isShownByRun) return true;
  const format = getValueAt(parseConfig(experiment?.configJson ?? ''), ['import', 'format']);
  return typeof format === 'string' && format.startsWith('coco-');
}
