import type { Diagnosis } from './schemas/insights.ts';

const minimumSilenceMillis = 60_000;
const medianGapFactor = 20;

/**
 * Returns the time in milliseconds without new rows after which a RUNNING run is silent: the larger of 60 s and 20
 * times the median time between its rows; 60 s if that is null.
 */
export function getSilenceMillis(medianGapMillis: number | null): number {
  return Math.max(minimumSilenceMillis, medianGapFactor * (medianGapMillis ?? 0));
}

/**
 * Returns whether a RUNNING run is silent: its last activity is longer ago than {@link getSilenceMillis} for the median
 * time between its rows (null if unknown). The other times are milliseconds since 1970; false for NaN.
 */
export function isSilent(
  lastActivityMillis: number,
  medianGapMillis: number | null,
  nowMillis: number,
): boolean {
  return nowMillis - lastActivityMillis > getSilenceMillis(medianGapMillis);
}

/**
 * Returns the diagnosis of a silent run. `lastActivityAt` is the stored time of its last activity; `lastIteration` is
 * null without rows.
 */
export function makeSilentDiagnosis(
  lastActivityAt: string,
  lastIteration: number | null,
): Diagnosis {
  return {
    code: 'SILENT',
    severity: 'warning',
    fromIteration: lastIteration,
    toIteration: lastIteration,
    message:
      `The run has written nothing since ${lastActivityAt}, for more than ${minimumSilenceMillis / 1_000} s and more than ` +
      `${medianGapFactor} times the median time between its iterations. The runner may have crashed.`,
    evidence: { tab: 'iterations', series: [], value: null, threshold: null },
  };
}
