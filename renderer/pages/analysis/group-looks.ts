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
