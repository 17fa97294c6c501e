import type { MeasuredPair } from '#shared/schemas/analysis-measures.ts';
import type { GroupSummary, Grouping } from '#shared/schemas/analysis.ts';

/** How a group is shown wherever it appears: its label, and its place in the palette. */
export interface GroupLook {
  name: string;
  paletteIndex: number;
}

/**
 * The look of each group by its name. Algorithms keep the place they have among `known`, so that choosing fewer
 * of them changes no colour; other groups are counted as they come. A name that is no group is shown as it is.
 */
export function groupLooks(
  groups: readonly Pick<GroupSummary, 'algorithm' | 'label'>[],
  groupBy: Grouping,
  known: readonly string[],
): (algorithm: string) => GroupLook {
  const places = groupBy === 'algorithm' ? [...known] : [];
  for (const { algorithm } of groups) if (!places.includes(algorithm)) places.push(algorithm);
  const labels = new Map(groups.map(({ algorithm, label }) => [algorithm, label]));
  return (algorithm) => ({
    name: labels.get(algorithm) ?? algorithm,
    paletteIndex: Math.max(0, places.indexOf(algorithm)),
  });
}

/**
 * The figure as the screen shows it: infinite when runs were there and none succeeded, null when there is
 * nothing to say.
 */
export function runtimeOf(
  { totalRuns, successfulRuns }: Pick<GroupSummary, 'totalRuns' | 'successfulRuns'>,
  value: number | null,
): number | null {
  return value === null && totalRuns > 0 && successfulRuns === 0 ? Infinity : value;
}

/**
 * The names of the groups with the best value of a column, where the tests of its measure support that each is
 * better than every group with another value; none otherwise, and none without tests, as there are without a
 * target in columns that need one. A value that is missing is worse than all.
 */
export function supportedBest(
  groups: readonly GroupSummary[],
  value: (group: GroupSummary) => number | null,
  best: 'min' | 'max',
  pairs: readonly MeasuredPair[] | null,
): ReadonlySet<string> {
  const sign = best === 'min' ? 1 : -1;
  const costs = groups.map((group) => ({
    name: group.algorithm,
    cost: sign * (value(group) ?? sign * Infinity),
  }));
  const least = Math.min(...costs.map(({ cost }) => cost));
  const winners = costs.filter(({ cost }) => cost === least).map(({ name }) => name);
  const others = costs.filter(({ cost }) => cost > least).map(({ name }) => name);
  const supported = new Set(
    pairs?.flatMap(({ a, b, better, significant }) =>
      significant ? [JSON.stringify([better, better === a ? b : a])] : [],
    ),
  );
  const isSupported = (name: string): boolean =>
    others.every((other) => supported.has(JSON.stringify([name, other])));
  const isBest = Number.isFinite(least) && others.length > 0 && winners.every(isSupported);
  return new Set(isBest ? winners : []);
}
