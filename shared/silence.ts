import type { Diagnosis } from './schemas/insights.ts';

const minimumSilenceMillis = 60_000;
const medianGapFactor = 20;

/**
 * Returns the time without new rows after which a RUNNING run is silent, in milliseconds: 20 times the median time
 * between its rows, but at least 60 s; 60 s if `medianGapMillis` is null.
 */
export function getSilenceMillis(medianGapMillis: number | null): number {
  return Math.max(minimumSilenceMillis, medianGapFactor * (medianGapMillis ?? 0));
}

/**
 * Returns whether a RUNNING run is silent: whether the time since its last activity exceeds {@link getSilenceMillis}.
 * `medianGapMillis` is the median time between its rows; null if unknown. The other times are milliseconds since 1970.
 * Returns false if a time is NaN.
 */
export function isSilent(
  lastActivityMillis: number,
  medianGapMillis: number | null,
  nowMillis: number,
): boolean {
  return nowMillis - lastActivityMillis > getSilenceMillis(medianGapMillis);
}

/**
 * Returns the diagnosis of a silent run. `lastActivityAt` is the stored time of its last activity. `lastIteration` is
 * the iteration of its newest row; null if it has no rows.
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
