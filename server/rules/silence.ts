const leastSilenceMillis = 60_000;
const leastSilenceGaps = 20;

/**
 * Whether a RUNNING run is SILENT: its last activity is longer ago than the larger of 60 s and 20 times the median
 * time between its rows (null with fewer than two). Times are milliseconds since 1970; NaN is never silent.
 */
export function isSilent(
  lastActivityMillis: number,
  medianGapMillis: number | null,
  nowMillis: number,
): boolean {
  const patience = Math.max(leastSilenceMillis, leastSilenceGaps * (medianGapMillis ?? 0));
  return nowMillis - lastActivityMillis > patience;
}
