import * as analysis from '#server/repositories/analysis.ts';
import type {
  Across,
  AcrossInstance,
  AcrossInstanceTest,
  AcrossQuery,
} from '#shared/schemas/analysis-across.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import type { GuardedPair } from '#server/domain/claims/guard.ts';
import type { MeasuredPair } from '#shared/schemas/analysis-measures.ts';
import { compareNaturally } from '#shared/natural-order.ts';
import { ProblemError, truncate } from '#server/errors.ts';
import {
  getCells,
  getGroupDifferences,
  isComparable,
  isShared,
  getResults,
  getDirectionAndWorstValue,
  testedMeasure,
  type GroupResult,
  type InstanceResults,
} from './across-cells.ts';
import { describeExperiment } from './comparison.ts';
import { getFunctionKey } from '#server/domain/problem-instance.ts';
import { getRunGroupName, groupRuns, requireFewGroups } from './groups.ts';
import {
  guardGroups,
  testFamily,
  type GuardedGroups,
} from '#server/domain/claims/compare-groups.ts';
import { getKeyOfRuns } from './memo.ts';
import { getKnownOptimum } from '#server/domain/objective.ts';
import {
  findSilentIds,
  loadExperiments,
  loadTraces,
  type AnalysisContext,
  noRequestedObjective,
  getObjectiveOnInstance,
} from './load.ts';
import {
  countDecreasingRuns,
  countStepRuns,
  makeEvaluationNotes,
  makeStepNotes,
  makeNote,
  makeNoteIf,
  type DecreasingCounts,
} from './notes.ts';
import { selectAlgorithms } from './scope.ts';
import { parseConfig } from '#server/domain/config.ts';
import {
  getInstancesToCompare,
  readRunsByInstance,
  type ProblemInstance,
  type UnreadInstance,
} from './across-instances.ts';
import { rankAcross, testPairs } from './across-tests.ts';
import { sum } from '#server/stats/descriptive.ts';
import {
  type CountedSample,
  type GetGroupLabel,
  getGuardedSamples,
  formatReason,
  getStartedRuns,
} from './guard-comparison.ts';

/** Maximum number of groups of a table. The response contains every pair of groups. */
const maximumGroups = 500;

/**
 * Returns the table groups × problem instances with Demšar's (2006) tests over the instances. Each instance has its own
 * direction and target, and the budget of {@link getResults}. The marks of cells follow the claim rule of the page of
 * one instance, over the pairs of all instances. With more than {@link maximumTestedPairs} pairs, cells have no tests.
 * Omits instances on which fewer than two groups have a result and, for ERT and success rate, instances without a
 * target. Throws NOT_FOUND for an instance without an experiment of the selected algorithms, and for a control that is
 * not a group of the table. Throws ANSWER_TOO_LARGE if the runs on the instances form more than {@link
 * maximumGroups} groups.
 */
export async function compareAcross(context: AnalysisContext, query: AcrossQuery): Promise<Across> {
  const { database, memo } = context;
  const selectedExperiments = selectAlgorithms(await loadExperiments(database), query.algorithm);
  // The labels of instances depend on all selected experiments. Everything else depends only on the requested
  // instances.
  const requestedInstances = new Set(query.instance);
  const ids = selectedExperiments
    .filter(({ instance }) => requestedInstances.size === 0 || requestedInstances.has(instance.id))
    .map(({ experimentId }) => experimentId);
  const results = await analysis.listResults(database, ids);
  const comparedInstances = getInstancesToCompare(selectedExperiments, results, query);
  requireFewGroups(
    comparedInstances.flatMap(({ experiments, runs }) =>
      runs.map((run) => getRunGroupName(run, experiments, query.groupBy)),
    ),
    maximumGroups,
  );
  const problemInstances: (ProblemInstance & UnreadInstance)[] = [];
  const silentIds = new Set<string>();
  const facts: unknown[] = [];
  const unreadInstances = comparedInstances.map(({ runs, ...instance }) => ({
    ...instance,
    runCount: runs.length,
  }));
  for await (const { instance, runs } of readRunsByInstance(database, unreadInstances)) {
    const objective = await getObjectiveOnInstance(database, noRequestedObjective, {
      ...instance,
      runs,
    });
    for (const runId of await findSilentIds(context, runs)) silentIds.add(runId);
    const { id, label, experiments } = instance;
    const descriptions = [...experiments.values()].map(describeExperiment);
    facts.push([id, label, objective, descriptions, getKeyOfRuns(runs)]);
    problemInstances.push({ ...instance, objective });
  }
  return memo.ensure(['across', query, [...silentIds], facts], () =>
    tabulate(context, problemInstances, query, silentIds),
  );
}

/**
 * Computes the response. Loads one instance after the other, because the traces of all instances together need much
 * memory.
 */
async function tabulate(
  context: AnalysisContext,
  problemInstances: readonly (ProblemInstance & UnreadInstance)[],
  query: AcrossQuery,
  silentIds: ReadonlySet<string>,
): Promise<Across> {
  const { measure, groupBy } = query;
  const isTargetRequired = measure === 'ert' || measure === 'success';
  const instancesWithTarget = problemInstances.filter(
    ({ objective }) => !isTargetRequired || objective.targetFitness !== null,
  );
  const instancesWithResults: ResultsOnInstance[] = [];
  const runsByInstance = readRunsByInstance(context.database, instancesWithTarget);
  for await (const { instance, runs } of runsByInstance)
    instancesWithResults.push(await computeResults(context, instance, runs, query, silentIds));
  const comparableInstances = instancesWithResults.filter((instanceResults) =>
    isComparable({ results: [...instanceResults.groupResults.values()] }),
  );
  const labelsByGroup = new Map(comparableInstances.flatMap(({ labels }) => [...labels]));
  const baselines = new Set(
    comparableInstances.flatMap((instanceResults) => [...instanceResults.baselines]),
  );
  const groups = [...labelsByGroup.keys()].sort(compareNaturally);
  const getGroupLabel = (group: string) => labelsByGroup.get(group) ?? group;
  const results = comparableInstances.map((instanceResults): ComparedInstance => ({
    ...instanceResults,
    instance: instanceResults.problemInstance.id,
    block: getBlock(instanceResults.problemInstance),
    ...getDirectionAndWorstValue(measure, instanceResults.problemInstance.objective.direction),
    results: groups.map((group) => instanceResults.groupResults.get(group) ?? emptyResult),
  }));
  const controlIndex = findControl(groups, query.control);
  // Counts the pairs of the samples, because the guard of an instance with too many groups has no pairs.
  const pairCount = sum(results.map(({ samples: { length } }) => (length * (length - 1)) / 2));
  const isTested = pairCount <= maximumTestedPairs;
  const tests = testFamily(
    results.map(({ guard }) => (isTested ? guard : { ...guard, pairs: [] })),
  ).map(({ pairwise }) => pairwise[testedMeasure[measure]] ?? []);
  const isInterim = results.some(({ guard }) => guard.isInterim);
  const instanceValues = results.map((instanceResults) => ({
    label: instanceResults.problemInstance.label,
    block: instanceResults.block,
    optimum: getOptimum(instanceResults.problemInstance),
    results: instanceResults.results,
    pooledGroups: instanceResults.pooledGroups,
  }));
  return {
    measure,
    groupBy,
    missing: query.missing,
    blocks: query.blocks,
    control: controlIndex === null ? null : (groups[controlIndex] ?? null),
    groups: groups.map((group) => ({
      group,
      label: getGroupLabel(group),
      isBaseline: baselines.has(group),
    })),
    // Omits the experiments, because the memo would cache their configurations without counting their bytes.
    instances: results.map(
      ({ problemInstance: { id, label, problemType, objective }, ...result }) => ({
        id,
        label,
        problemType,
        ...objective,
        commonBudget: result.budget,
        isShared: isShared(result),
        lacking: groups.filter((_group, index) => result.results[index]?.value === null),
        block: result.block,
        differences: result.differences,
      }),
    ),
    guard: getGuardedSamples(
      {
        samples: groups.map((group) => getTotal(group, results)),
        isInterim,
        isSuggestedTarget: false,
        instances: results.map(({ guard }) => guard.pairs),
      },
      query,
      getGroupLabel,
    ),
    cells: results.flatMap((instanceResults, index) =>
      getCells(groups, instanceResults, tests[index] ?? []),
    ),
    instanceTests: results.flatMap(({ instance, guard }, index) =>
      (tests[index] ?? []).map((pair, pairIndex) =>
        getInstanceTest(instance, pair, guard.pairs[pairIndex], getGroupLabel),
      ),
    ),
    ...rankAcross(groups, results, controlIndex, query),
    pairTests: testPairs(groups, instanceValues, query, isInterim),
    notes: [
      ...makeAcrossNotes({
        problemInstances,
        instancesWithTarget,
        results,
        groups,
        labelsByGroup,
        missing: query.missing,
        blocks: query.blocks,
      }),
      ...makeEvaluationNotes({
        restartedRuns: sum(results.map(({ decreasingCounts }) => decreasingCounts.restartedRuns)),
        decreasingRuns: sum(results.map(({ decreasingCounts }) => decreasingCounts.decreasingRuns)),
      }),
      ...makeStepNotes(sum(results.map(({ stepRunCount }) => stepRunCount))),
      ...makeNoteIf(!isTested, 'INSTANCE_PAIRS_LEFT_OUT', pairCount, maximumTestedPairs),
    ],
  };
}

/**
 * Maximum number of pairs on all instances together. With more pairs, there are no tests on single instances. Tests of
 * so many pairs take half a minute.
 */
const maximumTestedPairs = 10_000;

const emptyResult: GroupResult = { n: 0, value: null };

/** Results on an instance. They do not contain the traces of the runs, which need much memory. */
interface ResultsOnInstance {
  problemInstance: ProblemInstance;
  /** Labels by the names of the groups. */
  labels: ReadonlyMap<string, string>;
  /** Names of the groups that a user marked as the baseline. */
  baselines: ReadonlySet<string>;
  /** Names of the groups with several configurations. */
  pooledGroups: ReadonlySet<string>;
  /** Results by the names of the groups, within `budget`; see {@link getResults}. */
  groupResults: ReadonlyMap<string, GroupResult>;
  budget: number | null;
  differences: AcrossInstance['differences'];
  samples: readonly CountedSample[];
  guard: Pick<GuardedGroups, 'pairs' | 'terms' | 'isInterim'>;
  decreasingCounts: DecreasingCounts;
  /** Number of runs whose evaluations are steps of MLflow. */
  stepRunCount: number;
}

type ComparedInstance = ResultsOnInstance & InstanceResults;

async function computeResults(
  context: AnalysisContext,
  problemInstance: ProblemInstance,
  runs: readonly analysis.RunRecord[],
  { measure, groupBy, failed, stopped, silent: silentRuns }: AcrossQuery,
  silentIds: ReadonlySet<string>,
): Promise<ResultsOnInstance> {
  const { experiments, objective } = problemInstance;
  const { direction, targetFitness: target } = objective;
  const analysedRuns = await loadTraces(context, runs, direction);
  const groups = groupRuns({ runs: analysedRuns, experiments }, groupBy);
  const { samples, ...guard } = guardGroups(
    groups.map(({ name, runs: runsOfGroup }) => ({
      name,
      runs: getStartedRuns(runsOfGroup, { experiments, silentIds, objective }),
    })),
    { failed, stopped, silent: silentRuns, direction, target },
  );
  const { budget, results } = getResults(measure, { ...guard, samples });
  return {
    problemInstance,
    labels: new Map(groups.map(({ name, label }) => [name, label])),
    baselines: new Set(groups.filter(({ isBaseline }) => isBaseline).map(({ name }) => name)),
    pooledGroups: new Set(
      groups.filter((group) => group.configurations > 1).map(({ name }) => name),
    ),
    groupResults: results,
    decreasingCounts: countDecreasingRuns(analysedRuns),
    stepRunCount: countStepRuns(analysedRuns),
    budget,
    differences: getGroupDifferences(
      samples.map((sample, index) => ({ runs: groups[index]?.runs ?? [], sample })),
    ),
    samples: samples.map((sample) => ({ ...sample, runs: { length: sample.runs.length } })),
    guard,
  };
}

/**
 * Returns the samples of a group on all instances as one sample: the sums of the counts, all omissions and all silent
 * runs.
 */
function getTotal(group: string, results: readonly ResultsOnInstance[]): CountedSample {
  const groupSamples = results.flatMap(({ samples }) =>
    samples.filter(({ name }) => name === group),
  );
  const sumCounts = (count: (sample: CountedSample) => number) => sum(groupSamples.map(count));
  return {
    name: group,
    runs: { length: sumCounts(({ runs }) => runs.length) },
    omissions: groupSamples.flatMap(({ omissions }) => omissions),
    runningRuns: sumCounts(({ runningRuns }) => runningRuns),
    silentRunIds: groupSamples.flatMap(({ silentRunIds }) => silentRunIds),
    failedRuns: sumCounts(({ failedRuns }) => failedRuns),
    stoppedRuns: sumCounts(({ stoppedRuns }) => stoppedRuns),
    runsWithoutStartTime: sumCounts(({ runsWithoutStartTime }) => runsWithoutStartTime),
    runsWithUnknownTime: sumCounts(({ runsWithUnknownTime }) => runsWithUnknownTime),
    runsWithoutTrace: sumCounts(({ runsWithoutTrace }) => runsWithoutTrace),
  };
}

function getInstanceTest(
  instance: string,
  { a, b, effectSize, pValue, adjustedPValue, better, significant }: MeasuredPair,
  guardedPair: GuardedPair | undefined,
  getGroupLabel: GetGroupLabel,
): AcrossInstanceTest {
  const { budget = null, reason = null } = guardedPair ?? {};
  const commonBudget = budget?.evaluations ?? null;
  const reasonText = reason && formatReason(reason, getGroupLabel);
  const test = { effectSize, pValue, adjustedPValue, better, significant };
  return { instance, a, b, commonBudget, reason: reasonText, ...test };
}

/**
 * Returns the key of the block of an instance: the problem type and the function, or the id of an instance without
 * parameters.
 */
function getBlock({ id, problemType, experiments }: ProblemInstance): string {
  const [experiment] = experiments.values();
  const { parameters } = experiment?.instance ?? {};
  return parameters?.size ? `${problemType} ${getFunctionKey({ parameters })}` : id;
}

function getOptimum({ problemType, experiments, objective }: ProblemInstance): number | null {
  const [experiment] = experiments.values();
  const config = parseConfig(experiment?.configJson ?? '');
  return getKnownOptimum(problemType, config, objective.direction);
}

/**
 * Returns the index of the group with the name of the control. If there is none, returns the index of the first group
 * whose name differs only in case. Returns null if the query has no control. Throws NOT_FOUND for an unknown group.
 */
function findControl(groups: readonly string[], control: string | undefined): number | null {
  if (control === undefined) return null;
  const exactIndex = groups.indexOf(control);
  if (exactIndex >= 0) return exactIndex;
  const controlIndex = groups.findIndex((group) => group.toLowerCase() === control.toLowerCase());
  if (controlIndex >= 0) return controlIndex;
  throw new ProblemError(
    'NOT_FOUND',
    `There is no group "${truncate(control)}" to compare with. Set control to a group of the table`,
  );
}

/** Facts for the notes of a table across instances. */
export interface AcrossFacts {
  /** The instances of {@link getInstancesToCompare}. */
  problemInstances: readonly ProblemInstance[];
  /** The same instances; only instances with a target if the measure needs one. */
  instancesWithTarget: readonly ProblemInstance[];
  /** Results of the comparable instances. */
  results: readonly (InstanceResults & {
    problemInstance: ProblemInstance;
    pooledGroups: ReadonlySet<string>;
  })[];
  groups: readonly string[];
  /** Labels by the names of the groups. */
  labelsByGroup: ReadonlyMap<string, string>;
  missing: AcrossQuery['missing'];
  blocks: AcrossQuery['blocks'];
}

/** Returns the notes on omitted instances, missing results, too few shared blocks, and pooled configurations. */
function makeAcrossNotes(facts: AcrossFacts): AnalysisNote[] {
  const { problemInstances, instancesWithTarget, results, missing, blocks } = facts;
  const instancesWithoutTarget = problemInstances.filter(
    (problemInstance) => !instancesWithTarget.includes(problemInstance),
  );
  const comparedInstances = new Set(results.map(({ problemInstance }) => problemInstance));
  const sharedBlocks = new Set(
    results
      .filter(isShared)
      .map(({ block, instance }) => (blocks === 'function' ? block : instance)),
  );
  const uncomparedInstances = instancesWithTarget.filter(
    (problemInstance) => !comparedInstances.has(problemInstance),
  );
  return [
    ...makeNoteIf(
      instancesWithoutTarget.length > 0,
      'INSTANCES_WITHOUT_TARGET',
      instancesWithoutTarget.map(getLabel),
    ),
    ...makeNoteIf(
      uncomparedInstances.length > 0,
      'INSTANCES_NOT_COMPARED',
      uncomparedInstances.map(getLabel),
    ),
    ...makeLackNotes(facts),
    ...makeNoteIf(missing === 'shared' && sharedBlocks.size < 2, 'FEW_SHARED_INSTANCES', blocks),
    ...makePooledNotes(facts),
  ];
}

function getLabel({ label }: ProblemInstance): string {
  return label;
}

function makeLackNotes({ results, groups, labelsByGroup, missing }: AcrossFacts): AnalysisNote[] {
  return groups.flatMap((group, index) => {
    const resultsWithoutGroup = results.filter(
      (instanceResults) => instanceResults.results[index]?.value === null,
    );
    if (resultsWithoutGroup.length === 0) return [];
    const labels = resultsWithoutGroup.map(({ problemInstance }) => problemInstance.label);
    const groupLabel = labelsByGroup.get(group) ?? group;
    return [makeNote('GROUP_LACKS_INSTANCES', groupLabel, labels, results.length, missing)];
  });
}

function makePooledNotes({ results, groups, labelsByGroup }: AcrossFacts): AnalysisNote[] {
  return groups.flatMap((group) => {
    const pooledResults = results.filter((instanceResults) =>
      instanceResults.pooledGroups.has(group),
    );
    return makeNoteIf(
      pooledResults.length > 0,
      'POOLED_ON_INSTANCES',
      labelsByGroup.get(group) ?? group,
      pooledResults.length,
    );
  });
}
