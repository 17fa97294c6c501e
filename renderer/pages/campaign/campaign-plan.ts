import type { CampaignDetail } from '#shared/schemas/coco.ts';
import { noValue } from '#shared/number-format.ts';

/** Returns the number of failed trials of a campaign. */
export function getFailedTrials({ completeness }: Pick<CampaignDetail, 'completeness'>): number {
  return completeness.reduce((sum, { failed }) => sum + failed, 0);
}

/**
 * Formats the numbers of a plan, a JSON array: "2, 3, 5", "1–24", "1–5, 71–80"; more than six parts as their count. "–"
 * for anything else.
 */
export function formatPlan(json: string): string {
  const parts = getStretches(getNumbersIn(json));
  if (parts.length === 0) return noValue;
  if (parts.length > 6) return `${getNumbersIn(json).length}`;
  return parts.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(', ');
}

/** Returns ranges of at least three consecutive numbers, and single ones. */
function getStretches(numbers: readonly number[]): [from: number, to: number][] {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.flatMap(([from, to]): [number, number][] =>
    to === from + 1
      ? [
          [from, from],
          [to, to],
        ]
      : [[from, to]],
  );
}

function getNumbersIn(json: string): number[] {
  try {
    const values: unknown = JSON.parse(json);
    if (!Array.isArray(values)) return [];
    return [...new Set(values.filter(Number.isSafeInteger) as number[])].sort((a, b) => a - b);
  } catch {
    return [];
  }
}
