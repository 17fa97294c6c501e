import type { GroupSummary, Grouping } from '#shared/schemas/analysis.ts';

/** Look of a group wherever it appears: its label and its palette index. */
export interface GroupLook {
  name: string;
  paletteIndex: number;
}

/**
 * Returns the look of each group by its name. Algorithms keep their index among `known`, so that a selection changes no
 * colour; other groups are numbered in order. An unknown name is shown as it is.
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

/** Returns the displayed runtime: infinite when there are runs and none succeeded, null without runs. */
export function runtimeOf(
  { totalRuns, successfulRuns }: Pick<GroupSummary, 'totalRuns' | 'successfulRuns'>,
  value: number | null,
): number | null {
  return value === null && totalRuns > 0 && successfulRuns === 0 ? Infinity : value;
}
