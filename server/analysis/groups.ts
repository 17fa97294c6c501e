import { completedBestFitness } from '#server/domain/outcome.ts';
import type { RunRecord } from '#server/repositories/analysis.ts';
import { mean, median } from '#server/stats/descriptive.ts';
import { type FriedmanTest, friedman, nemenyiCriticalDifference } from '#server/stats/friedman.ts';
import { performanceProfiles } from '#server/stats/profiles.ts';
import { rank } from '#server/stats/rank.ts';
import { type RunOutcome, expectedRuntime } from '#server/stats/runtime.ts';
import type { FriedmanResult, Grouping, Series } from '#shared/schemas/analysis.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import type { AnalysedExperiment, AnalysedRun } from './model.ts';
import {
  byNumberThenText,
  leafOf,
  paramGroupName,
  paramPathOf,
  paramValueOf,
  valueWords,
} from './param-groups.ts';
import { type ComparisonScope, type TracedScope, instanceIdOf } from './scope.ts';

/** Runs on one problem instance that are compared as one. */
export interface RunGroup {
  name: string;
  label: string;
  /** Whether a user marked it as the one that others are compared with. */
  isBaseline: boolean;
  runs: readonly AnalysedRun[];
  /** Best fitness of its completed runs, infinite ones included. */
  sample: number[];
  /** Number of distinct configurations that it pools. */
  configurations: number;
  /** Groups are tested against those of the same stratum only: values of a parameter inside an algorithm. */
  stratum: string;
  /** Experiments that its runs are of, in code point order. */
  experimentIds: string[];
}

/** A group with the outcomes of its runs, in their order. */
export interface JudgedGroup extends RunGroup {
  outcomes: RunOutcome[];
  /** At each level of the profiles. */
  levels: RunOutcome[][];
}

/** Name of the group that a run belongs to; its experiment's id when that is not among these. */
export function groupName(
  { experimentId }: RunRecord,
  experiments: ReadonlyMap<string, AnalysedExperiment>,
  groupBy: Grouping,
): string {
  const experiment = experiments.get(experimentId);
  return experiment ? groupNameOf(experiment, groupBy) : experimentId;
}

/** Name of the group that the runs of an experiment belong to. */
export function groupNameOf(experiment: AnalysedExperiment, groupBy: Grouping): string {
  const path = paramPathOf(groupBy);
  if (path !== null) return paramGroupName(experiment, path);
  if (groupBy === 'experiment') return experiment.experimentId;
  if (groupBy === 'configuration') return experiment.configurationId;
  return groupBy === 'model' ? experiment.modelType : experiment.algorithmType;
}

/**
 * The groups of the selected instance, by name in code point order; those of a parameter by algorithm, then by value. An
 * experiment without runs makes no separate group.
 */
export function groupRuns(
  { runs, experiments }: Pick<TracedScope, 'runs' | 'experiments'>,
  groupBy: Grouping,
): RunGroup[] {
  const byName = Map.groupBy(runs, (run) => groupName(run, experiments, groupBy));
  const path = paramPathOf(groupBy);
  const groups = Array.from(byName, ([name, inside]) => {
    const ids = [...new Set(inside.map((run) => run.experimentId))].sort();
    const pooled = ids.flatMap((id) => experiments.get(id) ?? []);
    const [first] = pooled;
    const shown = first?.shown?.[groupBy];
    return {
      name,
      label: shown?.label ?? labelOf(name, first, groupBy),
      isBaseline: shown?.isBaseline ?? false,
      runs: inside,
      sample: completedBestFitness(inside),
      configurations: new Set(pooled.map(({ configurationId }) => configurationId)).size,
      stratum: path === null ? '' : (first?.algorithmType ?? ''),
      algorithm: first?.shown?.algorithm?.label ?? first?.algorithmType,
      value: path === null || !first ? null : paramValueOf(first, path),
      experimentIds: ids,
    };
  });
  if (path === null) return groups.sort((a, b) => (a.name < b.name ? -1 : 1));
  const strata = new Set(groups.map(({ stratum }) => stratum));
  return groups
    .sort((a, b) => byText(a.stratum, b.stratum) || byNumberThenText(a.value, b.value))
    .map((group) => {
      const words = valueWords(leafOf(path), group.value);
      return { ...group, label: strata.size > 1 ? `${group.algorithm}, ${words}` : words };
    });
}

function byText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** The label of a group by what is stored; `algorithm` is the name of its algorithm. */
export function labelOf(
  name: string,
  experiment: AnalysedExperiment | undefined,
  groupBy: Grouping,
  algorithm = experiment?.algorithmType,
): string {
  if (groupBy === 'experiment') return experimentLabel(experiment, name);
  if (groupBy === 'configuration' && experiment) {
    return `${algorithm} (${name.slice(0, 6)})`;
  }
  return name;
}

function experimentLabel(experiment: AnalysedExperiment | undefined, name: string): string {
  const short = name.length > 12 ? name.slice(0, 8) : name;
  return experiment?.runName ? `${experiment.runName} (${short})` : short;
}

/** Performance profiles of groups with their outcomes at each level: what each pays for it is its ERT there. */
export function groupProfiles(
  groups: readonly { name: string; levels: readonly (readonly RunOutcome[])[] }[],
): Series[] {
  return performanceProfiles(
    groups.map(({ name, levels }) => ({ name, costs: levels.map(expectedRuntime) })),
  );
}

/** Direction of each problem instance, by its id. */
export type InstanceDirections = ReadonlyMap<string, ObjectiveDirection>;

/** A row of one value per group that were obtained under the same conditions. */
interface Block {
  values: number[];
  direction: ObjectiveDirection;
}

interface Blocks {
  blockBy: 'instance' | 'seed';
  blocks: Block[];
}

/** What is ranked: the groups that have completed runs, and where blocks can be found. */
export interface RankedGroups {
  groups: readonly RunGroup[];
  scope: ComparisonScope;
  groupBy: Grouping;
  directions: InstanceDirections;
}

/**
 * Friedman's test of the groups. Blocks are the problem instances that all of them share, when there are two
 * or more (median per group, each instance in its own direction), else the seeds that all of them share
 * (median of duplicates). With fewer than 2 blocks or groups there is no test: statistic and p-value are null
 * and the ranks are mean ranks over the pooled sample. Rank 1 is the best.
 */
export function rankGroups(ranked: RankedGroups): FriedmanResult {
  const { groups, scope, directions } = ranked;
  const direction = directions.get(scope.selected.id) ?? 'min';
  const found =
    groups.length < 2 ? null : (blocksByInstance(ranked) ?? blocksBySeed(groups, direction));
  const rows = found?.blocks.map(costsOf) ?? [];
  const test = friedman(rows);
  return friedmanResult(
    groups.map(({ name }) => name),
    test?.averageRanks ?? pooledRanks(groups, direction),
    test && found && { test, blocks: rows.length, blockBy: found.blockBy },
  );
}

/** The average ranks of groups, the best first, with the test over blocks that they are of; null where nothing was tested. */
export function friedmanResult(
  groups: readonly string[],
  averageRanks: readonly number[],
  tested: {
    test: FriedmanTest;
    blocks: number;
    blockBy: NonNullable<FriedmanResult['blockBy']>;
  } | null,
): FriedmanResult {
  return {
    blocks: tested?.blocks ?? 0,
    algorithms: groups.length,
    statistic: tested?.test.statistic ?? null,
    df: tested && groups.length - 1,
    pValue: tested?.test.pValue ?? null,
    ranks: averageRanks
      .map((averageRank, index) => ({ algorithm: groups[index] ?? '', averageRank }))
      .sort((a, b) => a.averageRank - b.averageRank),
    blockBy: tested?.blockBy ?? null,
    exactPValue: tested?.test.exactPValue ?? null,
    imanDavenport: tested?.test.imanDavenport ?? null,
    criticalDifference: tested && nemenyiCriticalDifference(groups.length, tested.blocks),
  };
}

function costsOf({ values, direction }: Block): number[] {
  return direction === 'min' ? values : values.map((value) => -value);
}

function blocksByInstance({ groups, scope, groupBy, directions }: RankedGroups): Blocks | null {
  const byInstance = Map.groupBy(scope.allRuns, (run) => instanceIdOf(run, scope.experiments));
  const blocks = Array.from(byInstance, ([instance, runs]) => {
    const byGroup = Map.groupBy(runs, (run) => groupName(run, scope.experiments, groupBy));
    return {
      values: groups.flatMap(({ name }) => medianBest(byGroup.get(name))),
      direction: directions.get(instance ?? '') ?? 'min',
    };
  });
  return atLeastTwo('instance', blocks, groups.length);
}

function blocksBySeed(groups: readonly RunGroup[], direction: ObjectiveDirection): Blocks | null {
  const bySeed = groups.map((group) => Map.groupBy(group.runs, (run) => String(run.seed)));
  const seeds = [...(bySeed[0]?.keys() ?? [])].filter((seed) => seed !== 'null');
  const blocks = seeds.map((seed) => ({
    values: bySeed.flatMap((runs) => medianBest(runs.get(seed))),
    direction,
  }));
  return atLeastTwo('seed', blocks, groups.length);
}

/** The median as a list of one; empty where there is none. */
function medianBest(runs: readonly RunRecord[] = []): number[] {
  const middle = median(completedBestFitness(runs));
  return middle === null ? [] : [middle];
}

// A block that is shorter than the groups are many has no value for some group.
function atLeastTwo(
  blockBy: Blocks['blockBy'],
  blocks: readonly Block[],
  groups: number,
): Blocks | null {
  const complete = blocks.filter(({ values }) => values.length === groups);
  return complete.length >= 2 ? { blockBy, blocks: complete } : null;
}

function pooledRanks(groups: readonly RunGroup[], direction: ObjectiveDirection): number[] {
  const { ranks } = rank(costsOf({ values: groups.flatMap(({ sample }) => sample), direction }));
  let start = 0;
  return groups.map(({ sample }) => {
    const own = ranks.slice(start, start + sample.length);
    start += sample.length;
    return mean(own) ?? NaN;
  });
}
