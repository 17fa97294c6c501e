import type { Diagnosis } from './schemas/insights.ts';

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

/** The finding that a run is SILENT since a stored time; `lastIteration` is null for a run without rows. */
export function silentDiagnosis(since: string, lastIteration: number | null): Diagnosis {
  return {
    code: 'SILENT',
    severity: 'warning',
    fromIteration: lastIteration,
    toIteration: lastIteration,
    message:
      `The run has written nothing since ${since}, for more than 60 s and more than 20 times the median ` +
      'time between its iterations. Its runner may be gone.',
    evidence: { tab: 'iterations', series: [], value: null, threshold: null },
  };
}
