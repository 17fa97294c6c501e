import { getCompletedBestFitness } from '#server/domain/outcome.ts';
import { getParameters } from '#server/domain/problem-instance.ts';
import { maskText } from '#server/domain/secrets/mask-text.ts';
import { truncate, makeValidationError, ProblemError } from '#server/errors.ts';
import { formatCount } from '#shared/number-format.ts';
import type { Annotations } from '#server/records/annotations.ts';
import type { RunRecord } from '#server/repositories/analysis.ts';
import { computeMean, computeMedian } from '#server/stats/descriptive.ts';
import { computePerformanceProfiles } from '#server/stats/ecdf.ts';
import {
  testFriedman,
  type FriedmanTest,
  computeNemenyiCriticalDifference,
  rankValues,
} from '#server/stats/rank-tests.ts';
import { computeExpectedRuntime, type RunOutcome } from '#server/stats/runtime.ts';
import type { Pairwise } from '#shared/schemas/analysis-measures.ts';
import type {
  FriedmanResult,
  Grouping,
  ProblemComparison,
  Series,
} from '#shared/schemas/analysis.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import { parseDecimal } from '#shared/syntax.ts';
import { getShortId, groupings, measures } from '#shared/words.ts';
import { compareNaturally } from '#shared/natural-order.ts';
import type { AnalysedExperiment, AnalysedRun, GroupLabel } from './model.ts';
import { type ComparisonScope, getInstanceId, type Parameters, type TracedScope } from './scope.ts';

const paramPrefix = 'param:';

/**
 * Returns the path of the parameter of a grouping by parameter; null for any other grouping. Before {@link
 * resolveGrouping}, the path may be only the last key.
 */
export function getParamPath(groupBy: Grouping): string | null {
  return groupBy.startsWith(paramPrefix) ? groupBy.slice(paramPrefix.length) : null;
}

/** Cache of parameters by experiment object, because parsing a configuration is the most expensive step of grouping. */
const parameterCache = new WeakMap<AnalysedExperiment, Parameters>();

/** Returns the result of {@link getParameters} for an experiment, with secrets masked. */
export function getParametersIn(experiment: AnalysedExperiment): Parameters {
  const parameters =
    parameterCache.get(experiment) ?? getParameters(maskText(experiment.configJson));
  parameterCache.set(experiment, parameters);
  return parameters;
}

/** Returns the value of a parameter, with secrets masked; null if the value is missing or null. */
function getParamValue(experiment: AnalysedExperiment, path: string): string | null {
  return getParametersIn(experiment).get(path) ?? null;
}

/** Returns the name of the group of an experiment in a grouping by parameter: the algorithm and the value. */
function getParamGroupName(experiment: AnalysedExperiment, path: string): string {
  return `${experiment.algorithmType}, ${describeValue(path, getParamValue(experiment, path))}`;
}

/** Returns the value as text: "populationSize = 50"; "populationSize not set" for null. */
function describeValue(name: string, value: string | null): string {
  return value === null ? `${name} not set` : `${name} = ${value}`;
}

/** Returns the last key of a path. */
function getLeaf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

/**
 * Returns the grouping with the full path of a parameter instead of its last key. Returns any other grouping unchanged.
 * Also returns the grouping unchanged if no experiment is on the selected instance. Throws VALIDATION_FAILED if no
 * experiment on the selected instance has the parameter, or if several parameters have the key.
 */
export function resolveGrouping(
  groupBy: Grouping,
  { experiments, selectedInstance }: Pick<ComparisonScope, 'experiments' | 'selectedInstance'>,
): Grouping {
  const path = getParamPath(groupBy);
  if (path === null) return groupBy;
  const instanceExperiments = [...experiments.values()].filter(
    ({ instance }) => instance.id === selectedInstance.id,
  );
  if (instanceExperiments.length === 0) return groupBy;
  const paths = new Set(
    instanceExperiments.flatMap((experiment) => [...getParametersIn(experiment).keys()]),
  );
  if (paths.has(path)) return groupBy;
  const matches = [...paths].filter((match) => getLeaf(match) === path).sort();
  const [onlyMatch, ...otherMatches] = matches;
  if (onlyMatch === undefined) {
    const message = `names the unknown parameter "${truncate(path)}": give a parameter of an experiment on this instance`;
    throw makeValidationError([{ path: 'groupBy', message }]);
  }
  if (otherMatches.length > 0) {
    const message = `names several parameters by "${truncate(path)}": give one of ${matches.join(', ')}`;
    throw makeValidationError([{ path: 'groupBy', message }]);
  }
  return `${paramPrefix}${onlyMatch}`;
}

/**
 * Returns the paths of the parameters that differ between experiments of the same algorithm, or that only some of them
 * have, in the order of UTF-16 code units. Omits paths for which {@link isListedByDefault} is false.
 */
export function getVaryingParams(experiments: readonly AnalysedExperiment[]): string[] {
  const experimentsByAlgorithm = Map.groupBy(experiments, ({ algorithmType }) => algorithmType);
  const varyingPaths = new Set<string>();
  for (const algorithmExperiments of experimentsByAlgorithm.values()) {
    const parameters = algorithmExperiments.map(getParametersIn);
    const [firstParameters, ...otherParameters] = parameters;
    if (!firstParameters || otherParameters.length === 0) continue;
    for (const path of new Set(parameters.flatMap((map) => [...map.keys()]))) {
      if (otherParameters.some((map) => map.get(path) !== firstParameters.get(path)))
        varyingPaths.add(path);
    }
  }
  return [...varyingPaths].filter(isListedByDefault).sort();
}

/**
 * Returns whether lists of parameters contain a path by default: false for paths in `stopping` and for
 * `algorithm.type`, because these are not parameters of an algorithm.
 */
export function isListedByDefault(path: string): boolean {
  return !/^(stopping\.|algorithm\.type$)/.test(path);
}

/** Compares two values for sorting: numbers by size, then texts by UTF-16 code unit, null last. */
export function compareNumbersThenTexts(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const [isNumberA, isNumberB] = [isNumeric(a), isNumeric(b)];
  if (isNumberA && isNumberB) return Number(a) - Number(b);
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1;
  return a < b ? -1 : Number(a > b);
}

/** Returns whether a text is a finite decimal number, ignoring whitespace around it; false for null. */
export function isNumeric(value: string | null): boolean {
  return value !== null && parseDecimal(value) !== undefined;
}

/** Runs on one problem instance that form one group of a comparison. */
export interface RunGroup {
  name: string;
  label: string;
  /** Whether a user marked the group as the baseline for comparisons with the other groups. */
  isBaseline: boolean;
  runs: readonly AnalysedRun[];
  /** Best fitness of the completed runs, including infinite values and without missing ones. */
  sample: number[];
  /** Number of different configurations in the group. */
  configurations: number;
  /**
   * Type of the algorithm in a grouping by parameter, else empty. The claims on one instance compare only groups of the
   * same stratum.
   */
  stratum: string;
  /** Ids of the experiments of the runs, in the order of UTF-16 code units. */
  experimentIds: string[];
}

/** A group with the outcomes of its runs, in the order of the runs. */
export interface GroupWithOutcomes extends RunGroup {
  outcomes: RunOutcome[];
  /** Outcomes at each level of the performance profiles. */
  levels: RunOutcome[][];
}

/** Returns the name of the group of a run; the id of its experiment if the experiment is unknown. */
export function getRunGroupName(
  { experimentId }: Pick<RunRecord, 'experimentId'>,
  experiments: ReadonlyMap<string, AnalysedExperiment>,
  groupBy: Grouping,
): string {
  const experiment = experiments.get(experimentId);
  return experiment ? getGroupName(experiment, groupBy) : experimentId;
}

/** Returns the name of the group of an experiment. */
export function getGroupName(experiment: AnalysedExperiment, groupBy: Grouping): string {
  const path = getParamPath(groupBy);
  if (path !== null) return getParamGroupName(experiment, path);
  if (groupBy === 'experiment') return experiment.experimentId;
  if (groupBy === 'configuration') return experiment.configurationId;
  return groupBy === 'model' ? experiment.modelType : experiment.algorithmType;
}

/**
 * Throws ANSWER_TOO_LARGE for more than `maximum` distinct names of groups. Callers check the names before they read
 * traces: a grouping by configuration or experiment can have as many groups as there are runs, and each group needs
 * curves and pairs.
 */
export function requireFewGroups(names: Iterable<string>, maximum: number): void {
  const { size } = new Set(names);
  if (size <= maximum) return;
  throw new ProblemError(
    'ANSWER_TOO_LARGE',
    `The runs form ${formatCount(size)} groups, and a comparison has at most ${formatCount(maximum)}. Select another grouping or fewer algorithms`,
  );
}

/**
 * Returns the groups of these runs, in the natural order of their names. In a grouping by parameter, the order is by
 * algorithm, then by value. An experiment without runs is in no group.
 */
export function groupRuns(
  { runs, experiments }: Pick<TracedScope, 'runs' | 'experiments'>,
  groupBy: Grouping,
): RunGroup[] {
  const runsByName = Map.groupBy(runs, (run) => getRunGroupName(run, experiments, groupBy));
  const path = getParamPath(groupBy);
  const groups = Array.from(runsByName, ([name, runsInGroup]) => {
    const ids = [...new Set(runsInGroup.map((run) => run.experimentId))].sort();
    const pooledExperiments = ids.flatMap((id) => experiments.get(id) ?? []);
    const [firstExperiment] = pooledExperiments;
    const groupLabel = firstExperiment?.groupLabels?.[groupBy];
    return {
      name,
      label: groupLabel?.label ?? getLabel(name, firstExperiment, groupBy),
      isBaseline: groupLabel?.isBaseline ?? false,
      runs: runsInGroup,
      sample: getCompletedBestFitness(runsInGroup),
      configurations: new Set(pooledExperiments.map(({ configurationId }) => configurationId)).size,
      stratum: path === null ? '' : (firstExperiment?.algorithmType ?? ''),
      algorithm: firstExperiment?.groupLabels?.algorithm?.label ?? firstExperiment?.algorithmType,
      value: path === null || !firstExperiment ? null : getParamValue(firstExperiment, path),
      experimentIds: ids,
    };
  });
  if (path === null) return groups.sort((a, b) => compareNaturally(a.name, b.name));
  const strata = new Set(groups.map(({ stratum }) => stratum));
  return groups
    .sort(
      (a, b) => compareNaturally(a.stratum, b.stratum) || compareNumbersThenTexts(a.value, b.value),
    )
    .map((group) => {
      const valueText = describeValue(getLeaf(path), group.value);
      return { ...group, label: strata.size > 1 ? `${group.algorithm}, ${valueText}` : valueText };
    });
}

/**
 * Returns the default label of a group. The label of a configuration contains `algorithm`, by default the type of the
 * algorithm.
 */
export function getLabel(
  name: string,
  experiment: AnalysedExperiment | undefined,
  groupBy: Grouping,
  algorithm = experiment?.algorithmType,
): string {
  if (groupBy === 'experiment') return getExperimentLabel(experiment, name);
  if (groupBy === 'configuration' && experiment) {
    return `${algorithm} (${name.slice(0, 6)})`;
  }
  return name;
}

function getExperimentLabel(experiment: AnalysedExperiment | undefined, name: string): string {
  const shortId = getShortId(name);
  return experiment?.runName ? `${experiment.runName} (${shortId})` : shortId;
}

/** Returns performance profiles of groups from their outcomes at each level; the cost of a level is the ERT. */
export function makeGroupProfiles(
  groups: readonly { name: string; levels: readonly (readonly RunOutcome[])[] }[],
): Series[] {
  return computePerformanceProfiles(
    groups.map(({ name, levels }) => ({ name, costs: levels.map(computeExpectedRuntime) })),
  );
}

/** Direction of each problem instance, by its id. */
export type InstanceDirections = ReadonlyMap<string, ObjectiveDirection>;

/** Values under the same conditions, one per group that has a value. */
interface Block {
  values: number[];
  direction: ObjectiveDirection;
}

interface Blocks {
  blockBy: 'instance' | 'seed';
  blocks: Block[];
}

/** Input of the ranking: the groups with values in their samples, and the scope that may contain blocks. */
export interface RankingInput {
  groups: readonly RunGroup[];
  scope: ComparisonScope;
  groupBy: Grouping;
  directions: InstanceDirections;
}

/**
 * Returns Friedman's test of the groups. Blocks are the problem instances on which the completed runs of every group
 * have a median best fitness, each instance with its own direction. If there are fewer than two such instances, blocks
 * are the seeds with such medians on the selected instance. With fewer than 2 blocks or groups there is no test:
 * statistic and p-value are null, and the ranks are mean ranks in the pooled sample. Rank 1 is best.
 */
export function rankGroups(input: RankingInput): FriedmanResult {
  const { groups, scope, directions } = input;
  const direction = directions.get(scope.selectedInstance.id) ?? 'min';
  const blocks =
    groups.length < 2 ? null : (getBlocksByInstance(input) ?? getBlocksBySeed(groups, direction));
  const rows = blocks?.blocks.map(getCosts) ?? [];
  const test = testFriedman(rows);
  return getFriedmanResult(
    groups.map(({ name }) => name),
    test?.averageRanks ?? getPooledRanks(groups, direction),
    test && blocks && { test, blockCount: rows.length, blockBy: blocks.blockBy },
  );
}

/**
 * Returns the average ranks of groups, the best first, with the test of the blocks. Without a test, the fields of the
 * test are null, and `blocks` is 0.
 */
export function getFriedmanResult(
  groups: readonly string[],
  averageRanks: readonly number[],
  testResult: {
    test: FriedmanTest;
    blockCount: number;
    blockBy: NonNullable<FriedmanResult['blockBy']>;
  } | null,
): FriedmanResult {
  return {
    blocks: testResult?.blockCount ?? 0,
    algorithms: groups.length,
    statistic: testResult?.test.statistic ?? null,
    df: testResult && groups.length - 1,
    pValue: testResult?.test.pValue ?? null,
    ranks: averageRanks
      .map((averageRank, index) => ({ algorithm: groups[index] ?? '', averageRank }))
      .sort((a, b) => a.averageRank - b.averageRank),
    blockBy: testResult?.blockBy ?? null,
    exactPValue: testResult?.test.exactPValue ?? null,
    imanDavenport: testResult?.test.imanDavenport ?? null,
    criticalDifference:
      testResult && computeNemenyiCriticalDifference(groups.length, testResult.blockCount),
  };
}

function getCosts({ values, direction }: Block): number[] {
  return direction === 'min' ? values : values.map((value) => -value);
}

function getBlocksByInstance(input: RankingInput): Blocks | null {
  return getCompleteBlocks('instance', makeInstanceBlocks(input), input.groups.length);
}

/** Returns the ids of the instances on which the completed runs of every group have a median best fitness. */
export function listSharedInstances(input: RankingInput): string[] {
  return makeInstanceBlocks(input).flatMap(({ instance, values }) =>
    values.length === input.groups.length ? instance : [],
  );
}

function makeInstanceBlocks({
  groups,
  scope,
  groupBy,
  directions,
}: RankingInput): (Block & { instance: string })[] {
  const runsByInstance = Map.groupBy(
    scope.allRuns,
    (run) => getInstanceId(run, scope.experiments) ?? '',
  );
  return Array.from(runsByInstance, ([instance, runs]) => {
    const runsByGroup = Map.groupBy(runs, (run) =>
      getRunGroupName(run, scope.experiments, groupBy),
    );
    return {
      instance,
      values: groups.flatMap(({ name }) => getMedianBest(runsByGroup.get(name))),
      direction: directions.get(instance) ?? 'min',
    };
  });
}

function getBlocksBySeed(
  groups: readonly RunGroup[],
  direction: ObjectiveDirection,
): Blocks | null {
  const runsBySeed = groups.map((group) => Map.groupBy(group.runs, (run) => String(run.seed)));
  const seeds = [...(runsBySeed[0]?.keys() ?? [])].filter((seed) => seed !== 'null');
  const blocks = seeds.map((seed) => ({
    values: runsBySeed.flatMap((runs) => getMedianBest(runs.get(seed))),
    direction,
  }));
  return getCompleteBlocks('seed', blocks, groups.length);
}

/** Returns the median best fitness of the completed runs as a list of one value; an empty list if there is none. */
function getMedianBest(runs: readonly RunRecord[] = []): number[] {
  const median = computeMedian(getCompletedBestFitness(runs));
  return median === null ? [] : [median];
}

/** Returns the blocks with a value of every group; null if there are fewer than two. */
function getCompleteBlocks(
  blockBy: Blocks['blockBy'],
  blocks: readonly Block[],
  groupCount: number,
): Blocks | null {
  const completeBlocks = blocks.filter(({ values }) => values.length === groupCount);
  return completeBlocks.length >= 2 ? { blockBy, blocks: completeBlocks } : null;
}

function getPooledRanks(groups: readonly RunGroup[], direction: ObjectiveDirection): number[] {
  const { ranks } = rankValues(
    getCosts({ values: groups.flatMap(({ sample }) => sample), direction }),
  );
  let start = 0;
  return groups.map(({ sample }) => {
    const groupRanks = ranks.slice(start, start + sample.length);
    start += sample.length;
    return computeMean(groupRanks) ?? NaN;
  });
}

/**
 * Returns the experiments with the names and marks that users gave to their groups. If several groups of a grouping
 * would have the same label, the groups with a display name also show their default label.
 */
export function addDisplayNames(
  experiments: readonly AnalysedExperiment[],
  annotations: Annotations,
): AnalysedExperiment[] {
  const groupsByGrouping = groupings.map((groupBy) =>
    getGroupLabels(experiments, groupBy, annotations),
  );
  return experiments.map((experiment) => {
    const namedGroups = groupings.flatMap((groupBy, index) => {
      const group = groupsByGrouping[index]?.get(getGroupName(experiment, groupBy));
      return group === undefined ? [] : [[groupBy, group] as const];
    });
    return namedGroups.length === 0
      ? experiment
      : { ...experiment, groupLabels: Object.fromEntries(namedGroups) };
  });
}

/**
 * Returns the labels of the groups that a user named or marked, and of configurations whose algorithm a user named, by
 * the names of the groups.
 */
function getGroupLabels(
  experiments: readonly AnalysedExperiment[],
  groupBy: Grouping,
  annotations: Annotations,
): Map<string, GroupLabel> {
  const kind = groupBy === 'experiment' ? 'experiment' : 'algorithm';
  const experimentsByName = new Map(
    experiments.map((experiment) => [getGroupName(experiment, groupBy), experiment]),
  );
  const groups = Array.from(experimentsByName, ([name, experiment]) => {
    const { displayName = null, isBaseline = false } = annotations.get(kind, name) ?? {};
    return {
      name,
      isBaseline,
      defaultLabel: getLabel(name, experiment, groupBy),
      displayedLabel: displayName ?? nameByAlgorithm(experiment, groupBy, annotations),
    };
  });
  const labels = groups.map(({ displayedLabel, defaultLabel }) => displayedLabel ?? defaultLabel);
  const namedGroups = groups.flatMap(({ name, defaultLabel, displayedLabel, isBaseline }) => {
    if (displayedLabel === null && !isBaseline) return [];
    const label = displayedLabel ?? defaultLabel;
    const isUnique = labels.filter((otherLabel) => otherLabel === label).length === 1;
    const uniqueLabel = isUnique || displayedLabel === null ? label : `${label} (${defaultLabel})`;
    return [[name, { label: uniqueLabel, isBaseline }] as const];
  });
  return new Map(namedGroups);
}

/**
 * Returns the label of a configuration with the display name of its algorithm; null for other groupings and without a
 * display name.
 */
function nameByAlgorithm(
  experiment: AnalysedExperiment,
  groupBy: Grouping,
  annotations: Annotations,
): string | null {
  if (groupBy !== 'configuration') return null;
  const displayName = annotations.get('algorithm', experiment.algorithmType)?.displayName ?? null;
  return displayName && getLabel(experiment.configurationId, experiment, groupBy, displayName);
}

type LabelledFields = Pick<ProblemComparison, 'algorithms' | 'pairwise' | 'guard' | 'friedman'>;

/**
 * Returns a comparison with the labels of the groups in the pairs of the measures and in the ranks. The pairs of the
 * first baseline come first, also in the guard.
 */
export function addGroupLabels<Comparison extends LabelledFields>(
  comparison: Comparison,
): Comparison {
  const { algorithms, pairwise, guard, friedman: ranking } = comparison;
  const labels = new Map(algorithms.map(({ algorithm, label }) => [algorithm, label]));
  const baseline = algorithms.find(({ isBaseline }) => isBaseline)?.algorithm;
  const sortBaselineFirst = <Pair extends { a: string; b: string }>(pairs: readonly Pair[]) => {
    const hasBaseline = ({ a, b }: Pair) => a === baseline || b === baseline;
    return [...pairs].sort(
      (pairA, pairB) => Number(hasBaseline(pairB)) - Number(hasBaseline(pairA)),
    );
  };
  const labelledPairs: Partial<Record<keyof Pairwise, unknown>> = {};
  for (const measure of measures) {
    const pairs = pairwise[measure];
    labelledPairs[measure] =
      pairs &&
      sortBaselineFirst(pairs).map((pair) => ({
        ...pair,
        labelA: labels.get(pair.a),
        labelB: labels.get(pair.b),
      }));
  }
  return {
    ...comparison,
    pairwise: labelledPairs as Pairwise,
    guard: { ...guard, pairs: sortBaselineFirst(guard.pairs) },
    friedman: {
      ...ranking,
      ranks: ranking.ranks.map((groupRank) => ({
        ...groupRank,
        label: labels.get(groupRank.algorithm),
      })),
    },
  };
}
