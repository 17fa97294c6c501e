import type { FriedmanResult, Grouping } from '#shared/schemas/analysis.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import type { AnalysedRun } from './analysis-input.ts';
import { type ComparisonScope, instanceIdOf } from './comparison-scope.ts';
import { mean } from '#server/stats/descriptive.ts';
import { friedman, nemenyiCriticalDifference } from '#server/stats/friedman.ts';
import { groupName, type RunGroup } from './problem-groups.ts';
import { median } from '#server/stats/quantile.ts';
import { rank } from '#server/stats/rank.ts';
import { sampleOf } from './run-outcome.ts';

/** Rows of one value per group that were obtained under the same conditions. */
interface Blocks {
  blockBy: 'instance' | 'seed';
  rows: number[][];
}

/**
 * Friedman's test of the groups that have completed runs. Blocks are the problem instances that all of
 * them share, when there are two or more (median per group), else the seeds that all of them share (median
 * of duplicates). With fewer than 2 blocks or groups there is no test: statistic and p-value are null and
 * the ranks are mean ranks over the pooled sample. Rank 1 is the best.
 */
export function rankGroups(
  groups: readonly RunGroup[],
  scope: ComparisonScope,
  groupBy: Grouping,
  direction: ObjectiveDirection,
): FriedmanResult {
  const names = groups.map((group) => group.name);
  const blocks = blocksByInstance(names, scope, groupBy) ?? blocksBySeed(groups);
  const rows = blocks?.rows.map((row) => row.map((value) => cost(value, direction))) ?? [];
  const test = blocks ? friedman(rows) : null;
  const ranks = test?.averageRanks ?? pooledRanks(groups, direction);
  return {
    blocks: test ? rows.length : 0,
    algorithms: groups.length,
    statistic: test?.statistic ?? null,
    df: test ? groups.length - 1 : null,
    pValue: test?.pValue ?? null,
    ranks: sortRanks(names, ranks),
    blockBy: test ? (blocks?.blockBy ?? null) : null,
    exactPValue: test?.exactPValue ?? null,
    imanDavenport: test?.imanDavenport ?? null,
    criticalDifference: test ? nemenyiCriticalDifference(groups.length, rows.length) : null,
  };
}

function cost(value: number, direction: ObjectiveDirection): number {
  return direction === 'min' ? value : -value;
}

function sortRanks(names: readonly string[], ranks: readonly number[]) {
  return names
    .map((algorithm, index) => ({ algorithm, averageRank: ranks[index] ?? NaN }))
    .sort((a, b) => a.averageRank - b.averageRank);
}

function blocksByInstance(
  names: readonly string[],
  scope: ComparisonScope,
  groupBy: Grouping,
): Blocks | null {
  const byInstance = Map.groupBy(scope.allRuns, (run) => instanceIdOf(run, scope.experiments));
  const rows = Array.from(byInstance.values(), (runs) =>
    mediansPerGroup(runs, names, scope, groupBy),
  );
  return atLeastTwo('instance', rows, names.length);
}

function mediansPerGroup(
  runs: readonly AnalysedRun[],
  names: readonly string[],
  scope: ComparisonScope,
  groupBy: Grouping,
): number[] {
  const byGroup = Map.groupBy(runs, (run) => {
    const experiment = scope.experiments.get(run.experimentId);
    return experiment && groupName(experiment, groupBy);
  });
  return names.flatMap((name) => median(sampleOf(byGroup.get(name) ?? [])) ?? []);
}

function blocksBySeed(groups: readonly RunGroup[]): Blocks | null {
  const bySeed = groups.map((group) => Map.groupBy(group.runs, (run) => String(run.seed)));
  const seeds = [...(bySeed[0]?.keys() ?? [])].filter((seed) => seed !== 'null');
  const rows = seeds.map((seed) =>
    bySeed.flatMap((runs) => median(sampleOf(runs.get(seed) ?? [])) ?? []),
  );
  return atLeastTwo('seed', rows, groups.length);
}

// A row that is shorter than the groups are many has no value for some group.
function atLeastTwo(
  blockBy: Blocks['blockBy'],
  rows: readonly number[][],
  groups: number,
): Blocks | null {
  const complete = rows.filter((row) => row.length === groups);
  return complete.length >= 2 && groups >= 2 ? { blockBy, rows: complete } : null;
}

function pooledRanks(groups: readonly RunGroup[], direction: ObjectiveDirection): number[] {
  const pooled = groups.flatMap((group) => group.sample.map((value) => cost(value, direction)));
  const { ranks } = rank(pooled);
  let start = 0;
  return groups.map(({ sample }) => {
    const own = ranks.slice(start, start + sample.length);
    start += sample.length;
    return mean(own) ?? NaN;
  });
}
