import type { Direction } from '#server/domain/objective.ts';
import {
  getConvergenceLevels,
  getEvaluationsToTarget,
  hasFinallyReached,
} from '#server/domain/outcome.ts';
import {
  getBestBy,
  getBest,
  getFirstHit,
  hasReached,
  type RunTrace,
} from '#server/domain/trace.ts';
import {
  getFiniteValues,
  getMaximum,
  computeMedian,
  getMinimum,
  toFiniteOrNull,
} from '#server/stats/descriptive.ts';
import { computeAnytimePerformance } from '#server/stats/ecdf.ts';
import { compareStoredTimes } from '#shared/syntax.ts';
import type { omissionCodes } from '#shared/words.ts';
import { getBudgetLimits, type BudgetSource } from './budget-limits.ts';

/** A started run, as input of the guard. */
export interface StartedRun {
  runId: string;
  /** Status in upper case: RUNNING, COMPLETED, FAILED or STOPPED; any other text counts as STOPPED. */
  status: string;
  /** Stored start time; null if missing. */
  startTime: string | null;
  /** Key that is equal for runs of one configuration; independent of seeds, names and budgets. */
  configuration: string;
  /** Evaluations that the configuration or the trial grants; null without such a limit. */
  grantedEvaluations: number | null;
  /** Used evaluations; 0 if unknown or none. */
  usedEvaluations: number;
  /** Whether `usedEvaluations` is complete; false if the data of the experiment contain only improvements. */
  hasFinalEvaluations: boolean;
  /** Stored final fitness, which may be infinite; null if there is none. */
  bestFitness: number | null;
  trace: RunTrace;
  /** Whether the run is RUNNING without new rows for a long time. */
  isSilent: boolean;
}

/** Named group of runs, in any order. */
export interface StartedGroup {
  name: string;
  runs: readonly StartedRun[];
}

/** Conditions of a comparison, and the runs that the user excludes. */
export interface GuardTerms {
  direction: Direction;
  /** Fitness to reach; null without a target. The comparison then has neither runtime nor success. */
  target: number | null;
  /** Treatment of FAILED runs: `include` counts them as failures of the algorithm; `exclude` omits them. */
  failed: 'include' | 'exclude';
  /** Treatment of STOPPED runs: `exclude` omits them from the sample, and a comparison is then exploratory. */
  stopped: 'include' | 'exclude';
  /** Status of silent runs in the comparison: RUNNING until the user settles them, or FAILED. */
  silent: 'running' | 'failed';
}

/** Reason for runs of a group that are in no test. */
export type OmissionCode = (typeof omissionCodes)[number];

/** Number of runs of a group that are in no test. */
export interface Omission {
  group: string;
  code: OmissionCode;
  runs: number;
}

/** Run in the sample of its group. */
export interface SampledRun extends StartedRun {
  isRunning: boolean;
  isFailed: boolean;
  /**
   * Evaluations to the target, independent of the budget. Infinity if the run missed the target or failed, and without
   * a target. Null if the run reached the target after an unknown number of evaluations.
   */
  time: number | null;
}

/** Runs of a group that its tests can use. A pair may omit some of them, see {@link guardPair}. */
export interface GroupSample {
  name: string;
  /** Runs by start time, then id. Runs without a start time are first. */
  runs: readonly SampledRun[];
  omissions: readonly Omission[];
  /**
   * RUNNING runs of the group, including those outside the sample; silent runs only if the terms count them as
   * RUNNING.
   */
  runningRuns: number;
  silentRunIds: readonly string[];
  /** FAILED runs in the sample, including silent runs if the terms count them as FAILED. */
  failedRuns: number;
  /** STOPPED runs of the group, including those outside the sample. */
  stoppedRuns: number;
  /** Runs in the sample without a start time. */
  runsWithoutStartTime: number;
  /** Runs in the sample that reached the target after an unknown number of evaluations. */
  runsWithUnknownTime: number;
  /** Runs in the sample with only a final value, without iterations. FAILED runs do not count. */
  runsWithoutTrace: number;
}

/** Evaluations within which a pair compares its runs. */
export interface CommonBudget {
  evaluations: number;
  source: BudgetSource;
  /** Group of the runs that limit the budget; null if they belong to several groups, and without such runs. */
  group: string | null;
  /**
   * Whether the budget of a run is unknown: the run ended without failing, missed the target or has none, and has
   * neither granted nor known used evaluations. The comparison then assumes equal budgets.
   */
  isAssumed: boolean;
  /** Smallest granted budget; null if no run has one. */
  grantedEvaluations: number | null;
}

/** Reason why a pair has no test. */
export type UntestedReason =
  /** The sample of the group is empty: NO_ENDED_RUNS if the group has a RUNNING run, else NO_RUNS. */
  | { code: 'NO_RUNS'; group: string }
  | { code: 'NO_ENDED_RUNS'; group: string }
  /** The common budget is smaller than the first generation of a configuration, or than 1. */
  | { code: 'OBSERVED_TOO_SHORT'; group: string | null; evaluations: number }
  | { code: 'ONE_AGAINST_SEVERAL'; group: string; otherGroup: string; configurations: number }
  | { code: 'TOO_FEW_CONFIGURATIONS'; group: string; configurations: number };

/** Values of a run within the common budget. */
export interface RunValues {
  runId: string;
  configuration: string;
  /**
   * Best so far at the budget, or the target if the best so far is better; the infinite worst value for a failure and
   * without a value; null if the run ended later and the data state only its final value.
   */
  fitness: number | null;
  /** Whether the run reached the target within the budget; null if the time is unknown and the run ended later. */
  isSolved: boolean | null;
  /** Evaluations to the target; Infinity if the run missed it within the budget; null if the time is unknown. */
  time: number | null;
  /**
   * Anytime performance in [0, 1]; null without levels and for a budget below 1. Otherwise 0 for a failure, and null
   * for another ended run without a trace.
   */
  anytime: number | null;
}

/** Two groups with the conditions of their comparison. */
export interface GuardedPair {
  a: string;
  b: string;
  /** Common budget of the pair; null if the sample of a group is empty. */
  budget: CommonBudget | null;
  /** Reason why the pair has no test; null if it can have one. */
  reason: UntestedReason | null;
  /** Unit of the permutation: single runs, or configurations with their mean ranks. */
  unit: 'run' | 'configuration';
  /** Number of configurations of each group in the test; without meaning if a group has no runs. */
  configurations: readonly [a: number, b: number];
  /** Runs in the test; empty if the pair has no test. */
  runs: readonly [a: readonly RunValues[], b: readonly RunValues[]];
  /** Omissions of the samples; in a pair with a test, also omissions by configuration. */
  omissions: readonly Omission[];
  /** Groups whose median of the evaluations to the target is finite and larger than the common budget. */
  slowGroups: readonly string[];
}

/** Minimum number of configurations per group in a test whose units are configurations. */
export const minimumConfigurations = 4;

/**
 * Returns the sample of a group: its started runs by start time. Runs without a start time are first. Omits RUNNING
 * runs that started after the last ended run, and the runs that the terms exclude. Also omits completed and stopped
 * runs without any fitness. Without an ended run, the sample is empty.
 */
export function sampleGroup({ name, runs }: StartedGroup, terms: GuardTerms): GroupSample {
  const orderedRuns = clearUnknownTimes(runs.map((run) => makeSampledRun(run, terms))).sort(
    compareByStart,
  );
  const lastEndedIndex = orderedRuns.findLastIndex(({ isRunning }) => !isRunning);
  const omissionCounts = new Map<OmissionCode, number>();
  const sampledRuns = orderedRuns.filter((run, index) => {
    const code = index > lastEndedIndex ? 'RUNNING_AFTER_LAST_ENDED' : getOmission(run, terms);
    if (code) omissionCounts.set(code, (omissionCounts.get(code) ?? 0) + 1);
    return code === null;
  });
  return {
    name,
    runs: sampledRuns,
    omissions: [...omissionCounts].map(([code, count]) => ({ group: name, code, runs: count })),
    runningRuns: orderedRuns.filter(({ isRunning }) => isRunning).length,
    silentRunIds: runs.filter(({ isSilent }) => isSilent).map(({ runId }) => runId),
    failedRuns: sampledRuns.filter(({ isFailed }) => isFailed).length,
    stoppedRuns: orderedRuns.filter(isStopped).length,
    runsWithoutStartTime: sampledRuns.filter(({ startTime }) => !startTime).length,
    runsWithUnknownTime: sampledRuns.filter(({ time }) => time === null).length,
    runsWithoutTrace: sampledRuns.filter((run) => !run.isFailed && isWithoutTrace(run)).length,
  };
}

function makeSampledRun(run: StartedRun, terms: GuardTerms): SampledRun {
  const isCountedAsFailed = run.isSilent && terms.silent === 'failed';
  const isRunning = run.status === 'RUNNING' && !isCountedAsFailed;
  const isFailed = run.status === 'FAILED' || isCountedAsFailed;
  return { ...run, isRunning, isFailed, time: isFailed ? Infinity : getTime(run, terms) };
}

function getTime(run: StartedRun, { target, direction }: GuardTerms): number | null {
  return target === null ? Infinity : getEvaluationsToTarget(run, target, direction, getEnd(run));
}

/**
 * Returns the runs, and changes the time of some successful runs without a trace to null (unknown). Such a run used its
 * whole granted budget. Without a granted budget, its configuration has unsuccessful runs without a trace, and the run
 * used at least as many evaluations as each of them.
 */
function clearUnknownTimes(runs: readonly SampledRun[]): SampledRun[] {
  const runsWithoutTrace = runs.filter(isWithoutTrace);
  const unsuccessfulRunsByConfiguration = Map.groupBy(
    runsWithoutTrace.filter(({ isFailed, time }) => !isFailed && time === Infinity),
    ({ configuration }) => configuration,
  );
  return runs.map((run) => {
    if (run.time === null || run.time === Infinity || !isWithoutTrace(run)) return run;
    const unsuccessfulRuns = unsuccessfulRunsByConfiguration.get(run.configuration) ?? [];
    const budget =
      run.grantedEvaluations ??
      getMaximum(unsuccessfulRuns.map(({ usedEvaluations }) => usedEvaluations)) ??
      Infinity;
    return run.usedEvaluations < budget ? run : { ...run, time: null };
  });
}

/** Returns whether a run has ended without iterations. At most its final value is then known. */
function isWithoutTrace({ trace, isRunning }: SampledRun): boolean {
  return !isRunning && trace.best.length === 0 && trace.usedEvaluations === 0;
}

function compareByStart(a: SampledRun, b: SampledRun): number {
  const startOrder = compareStoredTimes(a.startTime, b.startTime);
  return startOrder || (a.runId < b.runId ? -1 : Number(a.runId > b.runId));
}

function isStopped({ isRunning, isFailed, status }: SampledRun): boolean {
  return !isRunning && !isFailed && status !== 'COMPLETED';
}

function getOmission(run: SampledRun, terms: GuardTerms): OmissionCode | null {
  if (run.isFailed) return terms.failed === 'exclude' ? 'FAILED_EXCLUDED' : null;
  if (terms.stopped === 'exclude' && isStopped(run)) return 'STOPPED_EXCLUDED';
  const hasValue = run.trace.best.length > 0 || run.bestFitness !== null;
  return hasValue || run.isRunning ? null : 'WITHOUT_FITNESS';
}

/**
 * Returns the conditions of the comparison of two groups: budget, runs with their values, and unit; or the reason why
 * the pair has no test. Budget and levels depend on the runs of both groups together. Like the target, they never
 * depend on the group of a run. A permutation test of the values is therefore exact.
 */
export function guardPair(a: GroupSample, b: GroupSample, terms: GuardTerms): GuardedPair {
  const plan = planConfigurations(a, b);
  const [runsA, runsB] = plan.runs;
  const pair = {
    a: a.name,
    b: b.name,
    unit: plan.unit,
    configurations: plan.configurations,
    omissions: [...a.omissions, ...b.omissions],
    runs: [[], []] as [RunValues[], RunValues[]],
    slowGroups: [],
  };
  const emptyGroup = [a, b].find(({ runs }) => runs.length === 0);
  if (emptyGroup) {
    const hasRunningRuns = emptyGroup.runningRuns > 0;
    const code = hasRunningRuns ? 'NO_ENDED_RUNS' : 'NO_RUNS';
    return { ...pair, budget: null, reason: { code, group: emptyGroup.name } };
  }
  const groupedRuns = [
    ...runsA.map((run) => ({ run, group: a.name })),
    ...runsB.map((run) => ({ run, group: b.name })),
  ];
  const budget = getCommonBudget(groupedRuns);
  const reason = plan.reason ?? getUntestedReason(budget, groupedRuns);
  const slowGroups = [
    { name: a.name, runs: runsA },
    { name: b.name, runs: runsB },
  ].flatMap(({ name, runs }) => (isSlower(runs, budget.evaluations) ? [name] : []));
  if (reason) return { ...pair, budget, reason, slowGroups };
  const sampledRuns = [...runsA, ...runsB];
  const levels = getLevelsWithin(sampledRuns, budget.evaluations, terms);
  const getValues = (run: SampledRun) => getValuesWithin(run, budget.evaluations, terms, levels);
  return {
    ...pair,
    budget,
    reason,
    omissions: [...pair.omissions, ...plan.omissions],
    slowGroups,
    runs: [runsA.map(getValues), runsB.map(getValues)],
  };
}

/** The runs of each group in a test, the unit of the permutation, and the reason why the pair has no test. */
interface ConfigurationPlan {
  runs: readonly [readonly SampledRun[], readonly SampledRun[]];
  unit: 'run' | 'configuration';
  configurations: readonly [number, number];
  reason: UntestedReason | null;
  omissions: Omission[];
}

/**
 * Returns the plan of a test. The units are runs if each group has at most one configuration. Otherwise omits
 * configurations with fewer runs than half of the median over the configurations of both groups. If each group then has
 * one configuration, the units are runs too. Otherwise the units are configurations, because runs of one configuration
 * are not independent runs of the algorithm. The plan then has equally many runs of each configuration, the first ones
 * by start.
 */
function planConfigurations(a: GroupSample, b: GroupSample): ConfigurationPlan {
  const groups = [a, b].map(({ name, runs }) => ({
    name,
    runsByConfiguration: groupByConfiguration(runs),
  }));
  if (groups.every(({ runsByConfiguration }) => runsByConfiguration.size <= 1)) {
    const configurations = [1, 1] as const;
    return { runs: [a.runs, b.runs], unit: 'run', configurations, reason: null, omissions: [] };
  }
  const counts = groups.flatMap(({ runsByConfiguration }) =>
    Array.from(runsByConfiguration.values(), ({ length }) => length),
  );
  const minimum = (computeMedian(counts) ?? 0) / 2;
  const filteredGroups = groups.map(({ name, runsByConfiguration }) => ({
    name,
    lists: [...runsByConfiguration.values()].filter(({ length }) => length >= minimum),
    smallCount: [...runsByConfiguration.values()].filter(({ length }) => length < minimum).flat()
      .length,
  }));
  const runsPerConfiguration = Math.min(
    ...filteredGroups.flatMap(({ lists }) => lists.map(({ length }) => length)),
  );
  const [sizeA = 0, sizeB = 0] = filteredGroups.map(({ lists }) => lists.length);
  const isSingle = sizeA === 1 && sizeB === 1;
  const samples = filteredGroups.map(({ lists }) =>
    lists.flatMap((list) => list.slice(0, isSingle ? list.length : runsPerConfiguration)),
  );
  const omissions = filteredGroups.flatMap(({ name, lists, smallCount }, index): Omission[] => {
    const surplusCount = lists.flat().length - (samples[index]?.length ?? 0);
    return [
      { group: name, code: 'SMALL_CONFIGURATION' as const, runs: smallCount },
      { group: name, code: 'BEYOND_EQUAL_COUNT' as const, runs: surplusCount },
    ].filter(({ runs }) => runs > 0);
  });
  return {
    runs: [samples[0] ?? [], samples[1] ?? []],
    unit: isSingle ? 'run' : 'configuration',
    configurations: [sizeA, sizeB],
    reason: isSingle ? null : getUntestedReasonOfUnits(a.name, sizeA, b.name, sizeB),
    omissions,
  };
}

function groupByConfiguration(runs: readonly SampledRun[]): Map<string, SampledRun[]> {
  return Map.groupBy(runs, ({ configuration }) => configuration);
}

function getUntestedReasonOfUnits(
  a: string,
  sizeA: number,
  b: string,
  sizeB: number,
): UntestedReason | null {
  if (sizeA === 1) {
    return { code: 'ONE_AGAINST_SEVERAL', group: a, otherGroup: b, configurations: sizeB };
  }
  if (sizeB === 1) {
    return { code: 'ONE_AGAINST_SEVERAL', group: b, otherGroup: a, configurations: sizeA };
  }
  const minimum = Math.min(sizeA, sizeB);
  if (minimum >= minimumConfigurations) return null;
  const group = sizeA <= sizeB ? a : b;
  return { code: 'TOO_FEW_CONFIGURATIONS', group, configurations: minimum };
}

/** Returns the common budget of the runs of several groups, in evaluations; null without runs. */
export function getBudgetOfSamples(samples: readonly GroupSample[]): number | null {
  const groupedRuns = samples.flatMap(({ name, runs }) =>
    runs.map((run) => ({ run, group: name })),
  );
  return groupedRuns.length === 0 ? null : getCommonBudget(groupedRuns).evaluations;
}

/** A run with the name of its group, which only messages use. */
interface GroupedRun {
  run: SampledRun;
  group: string;
}

/**
 * Returns the smallest limit of the runs. Without a limit, returns the largest number of evaluations to the target. If
 * a budget is unknown, or no ended run has known evaluations to the target, returns the largest number of used
 * evaluations instead.
 */
function getCommonBudget(groupedRuns: readonly GroupedRun[]): CommonBudget {
  const endedRuns = groupedRuns.filter(({ run }) => !run.isRunning && !run.isFailed);
  const unsuccessfulRuns = endedRuns.filter(({ run }) => run.time === Infinity);
  const isBudgetUnknown = unsuccessfulRuns.some(
    ({ run }) => run.grantedEvaluations === null && !hasKnownEvaluations(run),
  );
  const limits = getBudgetLimits(
    groupedRuns.map(({ run, group }) => ({
      group,
      status: run.isRunning ? 'RUNNING' : run.isFailed ? 'FAILED' : run.status,
      grantedEvaluations: run.grantedEvaluations,
      usedEvaluations: run.usedEvaluations,
      hasMissed: run.time === Infinity && hasKnownEvaluations(run),
    })),
  );
  const grantedEvaluations = getMinimum(
    groupedRuns.flatMap(({ run }) => run.grantedEvaluations ?? []),
  );
  const [smallestLimit] = limits;
  if (smallestLimit) {
    const smallestLimits = limits.filter(
      ({ evaluations }) => evaluations === smallestLimit.evaluations,
    );
    const groups = new Set(smallestLimits.map(({ run }) => run.group));
    return {
      evaluations: smallestLimit.evaluations,
      source: smallestLimit.source,
      group: groups.size === 1 ? smallestLimit.run.group : null,
      isAssumed: isBudgetUnknown,
      grantedEvaluations,
    };
  }
  const times = endedRuns.flatMap(({ run }) => run.time ?? []).filter(Number.isFinite);
  const evaluations = isBudgetUnknown
    ? getMaximum(groupedRuns.map(({ run }) => run.usedEvaluations))
    : (getMaximum(times) ?? getMaximum(groupedRuns.map(({ run }) => run.usedEvaluations)));
  const source = isBudgetUnknown ? 'assumed' : 'target';
  return {
    evaluations: evaluations ?? 0,
    source,
    group: null,
    isAssumed: isBudgetUnknown,
    grantedEvaluations,
  };
}

/** Returns whether the data state the used evaluations of an ended run. */
export function hasKnownEvaluations({
  usedEvaluations,
  hasFinalEvaluations,
}: Pick<SampledRun, 'usedEvaluations' | 'hasFinalEvaluations'>): boolean {
  return usedEvaluations > 0 && hasFinalEvaluations;
}

/**
 * Returns the reason why a pair has no test if the budget is smaller than 1 or than the first generation of a
 * configuration. Such a configuration has no values. Returns null for a larger budget, and if {@link hasNoEvaluations}
 * is true.
 */
function getUntestedReason(
  budget: CommonBudget,
  groupedRuns: readonly GroupedRun[],
): UntestedReason | null {
  const generations = Array.from(
    Map.groupBy(groupedRuns, ({ run }) => run.configuration).values(),
    (runs) => getMinimum(getFiniteValues(runs.map(({ run }) => getFirstEvaluation(run)))) ?? 0,
  );
  const { evaluations, group } = budget;
  if (evaluations >= Math.max(1, ...generations)) return null;
  return hasNoEvaluations(groupedRuns) ? null : { code: 'OBSERVED_TOO_SHORT', group, evaluations };
}

/** Returns the evaluations of the first known value of a run, which may be its final value; null without values. */
function getFirstEvaluation(run: SampledRun): number | null {
  return run.trace.evaluations[0] ?? (run.bestFitness === null ? null : getEnd(run));
}

/**
 * Returns the evaluations at which the final value of a run counts. A run ends with a complete generation, so it may
 * use more than its budget. If it has no trace, its final value counts at the granted budget at the latest.
 */
function getEnd({ trace, usedEvaluations, grantedEvaluations }: StartedRun): number {
  return trace.best.length > 0
    ? usedEvaluations
    : Math.min(usedEvaluations, grantedEvaluations ?? Infinity);
}

/**
 * Returns whether all runs have ended and the data state the used evaluations of no run. A comparison then uses only
 * final values, and assumes equal budgets.
 */
function hasNoEvaluations(groupedRuns: readonly GroupedRun[]): boolean {
  return groupedRuns.every(({ run }) => run.usedEvaluations === 0 && !run.isRunning);
}

function isSlower(runs: readonly SampledRun[], budget: number): boolean {
  const median = computeMedian(runs.map(({ time }) => time ?? Infinity));
  return median !== null && Number.isFinite(median) && median > budget;
}

/**
 * Returns the accuracy levels of the compared runs: from the median of the finite first values of their traces to the
 * target. Without a target, the last level is the best finite value of the runs. Uses only values within the budget.
 * Returns an empty list if no trace has a finite first value within the budget, and if there is neither a target nor a
 * finite best value.
 */
export function getLevelsWithin(
  runs: readonly SampledRun[],
  budget: number,
  { direction, target }: GuardTerms,
): number[] {
  const start = computeMedian(
    getFiniteValues(
      runs.map(({ trace }) =>
        (trace.evaluations[0] ?? Infinity) <= budget ? trace.best[0] : null,
      ),
    ),
  );
  const bestValue =
    target ??
    getBest(getFiniteValues(runs.map((run) => getBestWithin(run, budget, direction))), direction);
  return start === null || bestValue === null
    ? []
    : getConvergenceLevels(start, bestValue, direction);
}

/**
 * Returns the best so far at the budget, including the finite final value of a run that ended within the budget; null
 * without a value.
 */
function getBestWithin(run: SampledRun, budget: number, direction: Direction): number | null {
  const tracedBest = getBestBy(run.trace, budget);
  const hasEndedWithinBudget = !run.isRunning && getEnd(run) <= budget;
  const finalFitness = hasEndedWithinBudget ? toFiniteOrNull(run.bestFitness) : null;
  if (finalFitness === null) return tracedBest;
  return tracedBest === null ? finalFitness : getBest([tracedBest, finalFitness], direction);
}

/**
 * Returns the values of a run within a budget. For an ended run without iterations, the data state only the final
 * value. Unless the run failed, its anytime performance is then null, and its fitness is null too if it ended after the
 * budget.
 */
export function getValuesWithin(
  run: SampledRun,
  budget: number,
  { direction, target }: GuardTerms,
  levels: readonly number[] = [],
): RunValues {
  const { runId, configuration, isFailed } = run;
  const worstValue = direction === 'min' ? Infinity : -Infinity;
  const hasLevels = levels.length > 0 && budget >= 1;
  if (isFailed) {
    const anytime = hasLevels ? 0 : null;
    return {
      runId,
      configuration,
      fitness: worstValue,
      isSolved: false,
      time: Infinity,
      anytime,
    };
  }
  const hasTrace = !isWithoutTrace(run);
  const isUnobserved = !hasTrace && getEnd(run) > budget;
  const bestValue = getBestWithin(run, budget, direction) ?? worstValue;
  const hasPassedTarget = target !== null && hasReached(bestValue, target, direction);
  const isSolved = run.time === null ? (isUnobserved ? null : true) : run.time <= budget;
  const times = levels.map(
    (level) => getFirstHit(run.trace, level) ?? getEndHit(run, level, direction),
  );
  return {
    runId,
    configuration,
    fitness: isUnobserved ? null : hasPassedTarget ? target : bestValue,
    isSolved,
    time: isSolved === false ? Infinity : run.time,
    anytime: hasLevels && hasTrace ? computeAnytimePerformance(times, budget) : null,
  };
}

/**
 * Returns the used evaluations of an ended run with a finite stored final fitness that reaches a level; null for other
 * runs. Applies to levels that the trace does not reach.
 */
function getEndHit(run: SampledRun, level: number, direction: Direction): number | null {
  return !run.isRunning && hasFinallyReached(run, level, direction) ? run.usedEvaluations : null;
}
