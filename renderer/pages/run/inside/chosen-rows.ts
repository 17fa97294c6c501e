import type { HeatMap } from '#shared/schemas/insights.ts';

/** Maximum number of rows drawn as lines: the number of line styles. */
export const mostRows = 8;

/** Returns the rows of a map that a text such as "3, 17" names; unknown ones and those after the eighth are ignored. */
export function makeChosenRows({ rows }: Pick<HeatMap, 'rows'>, text: string): number[] {
  const named = text.split(/[\s,;]+/).map((name) => rows.indexOf(name));
  return [...new Set(named)].filter((row) => row >= 0).slice(0, mostRows);
}
