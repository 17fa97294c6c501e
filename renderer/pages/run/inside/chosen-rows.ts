import type { HeatMap } from '#shared/schemas/insights.ts';

/** Most rows that are drawn as curves: as many as there are looks. */
export const mostRows = 8;

/** The rows of a map that a text such as "3, 17" names; others and those beyond the eighth are left out. */
export function chosenRows({ rows }: Pick<HeatMap, 'rows'>, text: string): number[] {
  const named = text.split(/[\s,;]+/).map((name) => rows.indexOf(name));
  return [...new Set(named)].filter((row) => row >= 0).slice(0, mostRows);
}
