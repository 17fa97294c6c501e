import { getPlacesOfEmphasised } from '#renderer/charts/emphasis.ts';
import { restIndex } from '#renderer/charts/palette.ts';
import { formatGroupTitle } from '#shared/group-metrics.ts';
import type { GroupSummary, Grouping, ProblemComparison } from '#shared/schemas/analysis.ts';

/** Look of a group wherever it appears: its label and its palette index. */
export interface GroupLook {
  name: string;
  paletteIndex: number;
}

/**
 * Returns the look of each group by its name. Algorithms keep their index among `names`, so that a selection changes no
 * colour; other groups are numbered in order. With an `emphasis`, only groups with these names have a colour. An
 * unknown name is shown as it is.
 */
export function getGroupLooks(
  groups: readonly (Pick<GroupSummary, 'algorithm' | 'label'> &
    Partial<Pick<GroupSummary, 'isBaseline'>>)[],
  groupBy: Grouping,
  names: readonly string[],
  emphasis: readonly string[] | null = null,
): (algorithm: string) => GroupLook {
  const places = groupBy === 'algorithm' ? [...names] : [];
  for (const { algorithm } of groups) if (!places.includes(algorithm)) places.push(algorithm);
  const labels = new Map(groups.map((group) => [group.algorithm, formatGroupTitle(group)]));
  if (emphasis) {
    const colored = getPlacesOfEmphasised(
      places.map((algorithm) => labels.get(algorithm) ?? algorithm),
      emphasis,
    );
    return (algorithm) => {
      const name = labels.get(algorithm) ?? algorithm;
      return { name, paletteIndex: colored.get(name) ?? restIndex };
    };
  }
  return (algorithm) => ({
    name: labels.get(algorithm) ?? algorithm,
    paletteIndex: Math.max(0, places.indexOf(algorithm)),
  });
}

/**
 * Returns the shown names of the groups of a comparison, the best first: by ERT, then by success rate and by median
 * best fitness, all within the common budget. A missing value is the worst; ties stay in their order.
 */
export function getLabelsByResult({
  algorithms,
  objectiveDirection,
}: Pick<ProblemComparison, 'algorithms' | 'objectiveDirection'>): string[] {
  const sign = objectiveDirection === 'min' ? 1 : -1;
  const costs = ({ atCommonBudget: common, medianBest }: GroupSummary): number[] => {
    const middle = common ? common.medianBest : medianBest;
    return [
      common?.ert ?? Infinity,
      1 - (common?.successRate ?? 0),
      middle === null ? Infinity : sign * middle,
    ];
  };
  const compare = (a: readonly number[], b: readonly number[]): number => {
    const index = a.findIndex((cost, place) => cost !== b[place]);
    return index < 0 ? 0 : (a[index] ?? 0) < (b[index] ?? 0) ? -1 : 1;
  };
  return algorithms
    .map((group) => ({ label: formatGroupTitle(group), costs: costs(group) }))
    .sort((one, other) => compare(one.costs, other.costs))
    .map(({ label }) => label);
}
