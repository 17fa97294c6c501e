import { compareWithControl } from '#server/stats/control-comparison.ts';
import { fisherExact, type SuccessCount } from '#server/stats/fisher-exact.ts';
import { friedman } from '#server/stats/friedman.ts';
import { mannWhitney } from '#server/stats/mann-whitney.ts';
import { holmAdjust } from '#server/stats/multiple-tests.ts';
import { rank } from '#server/stats/rank.ts';
import { signedRank } from '#server/stats/signed-rank.ts';
import type { Across, AcrossCell, AcrossQuery } from '#shared/schemas/analysis-across.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import { friedmanResult } from './blocks.ts';

/** What the runs of a group achieved on an instance. */
export interface GroupResult {
  /** Runs behind the value. */
  n: number;
  /** May be infinite; null = the group lacks the instance. */
  value: number | null;
  /** What the group is tested by, one value a run; of a success rate the counts. */
  tested: readonly number[] | SuccessCount;
}

/** A problem instance: the results of all groups, in their order. */
export interface InstanceResults {
  instance: string;
  /** In which direction the values get better. */
  direction: ObjectiveDirection;
  /** A value that nobody is best with: an infinite ERT, a success rate of 0. */
  worst: number | null;
  results: readonly GroupResult[];
}

/** The part of the answer that is computed from the results. */
export type AcrossTable = Pick<
  Across,
  'cells' | 'averageRanks' | 'winsTiesLosses' | 'friedman' | 'signedRank' | 'versusControl'
>;

/** Whether two groups or more have a result, so that they can be compared. */
export function isComparable({ results }: Pick<InstanceResults, 'results'>): boolean {
  return results.filter(({ value }) => value !== null).length >= 2;
}

/** Whether all groups have a result. */
export function isShared({ results }: Pick<InstanceResults, 'results'>): boolean {
  return results.every(({ value }) => value !== null);
}

/**
 * Groups × problem instances: the rank of each group inside each instance and whether it is the best or not
 * distinguishable from it; and over the instances that all groups share average ranks, Friedman's test, wins,
 * ties and losses, for two groups the signed-rank test, and the comparison with a control (its place among the groups).
 * With missing results as `worst` they are over all instances, a group without a result being worst; `pairwise` leaves only
 * wins, ties and losses, each pair over the instances that both have. Each instance must be comparable. Demšar 2006;
 * García & Herrera 2008.
 */
export function acrossTable(
  groups: readonly string[],
  instances: readonly InstanceResults[],
  control: number | null,
  missing: AcrossQuery['missing'] = 'shared',
): AcrossTable {
  const rowOf = (one: InstanceResults) => one.results.map((result) => costOf(one, result));
  const withWorst = (costs: readonly number[]) =>
    costs.map((cost) => (Number.isNaN(cost) ? Infinity : cost));
  const shared = instances.filter(isShared).map(rowOf);
  const rows = { shared, worst: instances.map(rowOf).map(withWorst), pairwise: [] }[missing];
  const test = friedman(rows);
  const averages = test?.averageRanks ?? [];
  return {
    cells: instances.flatMap((one) => cellsOf(groups, one)),
    averageRanks: averages.map((averageRank, index) => ({
      group: groups[index] ?? '',
      averageRank,
    })),
    winsTiesLosses: winsTiesLosses(groups, missing === 'pairwise' ? instances.map(rowOf) : rows),
    friedman: friedmanResult(
      groups,
      averages,
      test && rows.length >= 2 ? { test, blocks: rows.length, blockBy: 'instance' } : null,
    ),
    signedRank: groups.length === 2 ? signedRank(rows.map(advantageOfFirst)) : null,
    versusControl:
      control === null || rows.length < 2
        ? null
        : compareWithControl(averages, control, rows.length).flatMap((comparison, index) =>
            comparison ? [{ group: groups[index] ?? '', ...comparison }] : [],
          ),
  };
}

/** The value, turned so that smaller is better; NaN where there is none. */
function costOf({ direction }: InstanceResults, { value }: GroupResult): number {
  return direction === 'min' ? (value ?? NaN) : -(value ?? NaN);
}

function cellsOf(groups: readonly string[], one: InstanceResults): AcrossCell[] {
  const costs = one.results.map((result) => costOf(one, result));
  const present = costs.filter((cost) => !Number.isNaN(cost));
  const ranks = rank(present).ranks;
  const least = Math.min(...present);
  const isBest = costs.map(
    (cost, index) => cost === least && one.results[index]?.value !== one.worst,
  );
  const pValues = versusBest(one.results, isBest);
  return groups.map((group, index) => {
    const { n = 0, value = null } = one.results[index] ?? {};
    const pVersusBest = pValues[index] ?? null;
    return {
      instance: one.instance,
      group,
      n,
      value: value !== null && Number.isFinite(value) ? value : null,
      infinity: value === Infinity ? 1 : value === -Infinity ? -1 : null,
      rank: value === null ? null : (ranks.shift() ?? null),
      best: isBest[index] === true,
      indistinguishable: pVersusBest === null ? null : pVersusBest >= 0.05,
      pVersusBest,
    };
  });
}

/** Holm-adjusted p-value of each other group against the best; null where nothing was tested. */
function versusBest(
  results: readonly GroupResult[],
  isBest: readonly boolean[],
): (number | null)[] {
  const best = results[isBest.indexOf(true)];
  const isAlone = isBest.filter(Boolean).length === 1;
  return holmAdjust(
    results.map((result, index) => {
      const isTested = isAlone && best && isBest[index] === false && result.value !== null;
      return isTested ? pValueOf(result.tested, best.tested) : null;
    }),
  );
}

function pValueOf(a: GroupResult['tested'], b: GroupResult['tested']): number | null {
  if ('solved' in a) return 'solved' in b ? fisherExact(a, b) : null;
  return 'solved' in b ? null : mannWhitney(a, b).pValue;
}

function winsTiesLosses(
  groups: readonly string[],
  rows: readonly (readonly number[])[],
): Across['winsTiesLosses'] {
  return groups.flatMap((a, first) =>
    groups.slice(first + 1).map((b, offset) => {
      const second = first + 1 + offset;
      const pairs = rows.map((row) => [row[first] ?? NaN, row[second] ?? NaN] as const);
      return {
        a,
        b,
        wins: pairs.filter(([own, other]) => own < other).length,
        ties: pairs.filter(([own, other]) => own === other).length,
        losses: pairs.filter(([own, other]) => own > other).length,
      };
    }),
  );
}

/** By how much the first group is better; equal infinities differ by 0. */
function advantageOfFirst([first = NaN, second = NaN]: readonly number[]): number {
  return first === second ? 0 : second - first;
}
