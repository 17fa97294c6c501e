import { formatShareDifference } from '#shared/number-format.ts';

/** Formats the change of a share: "+5.0 %", "−5.0 %" or "0.0 %"; "–" for null. */
export function formatTrend(trend: number | null | undefined): string {
  if (trend === null || trend === undefined || trend === 0) return formatShareDifference(trend);
  return `${trend > 0 ? '+' : '−'}${formatShareDifference(Math.abs(trend))}`;
}
