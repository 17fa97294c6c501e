import type { Interval } from '#shared/schemas/analysis-measures.ts';
import { mean, standardDeviation } from './descriptive.ts';
import { studentTQuantile } from './distributions.ts';

/** A mean with Student's confidence interval. */
export interface MeanInterval {
  mean: number | null;
  interval: Interval | null;
}

const criticalValues = new Map<string, number>();

/**
 * Mean of the values with the interval mean ± t(n − 1)·s/√n, by default at 95 %. No values: both null;
 * one value, or an end beyond the largest double: no interval; all values equal: an interval of width 0.
 */
export function meanInterval(values: ArrayLike<number>, confidence = 0.95): MeanInterval {
  const center = mean(values);
  const deviation = standardDeviation(values, center);
  if (center === null || deviation === null) return { mean: center, interval: null };
  const margin =
    (criticalValue(confidence, values.length - 1) * deviation) / Math.sqrt(values.length);
  const interval = { lower: center - margin, upper: center + margin };
  const isFinite = Number.isFinite(interval.lower) && Number.isFinite(interval.upper);
  return { mean: center, interval: isFinite ? interval : null };
}

// A convergence curve asks for the same few quantiles at each of its points.
function criticalValue(confidence: number, degrees: number): number {
  const key = `${confidence}/${degrees}`;
  const known = criticalValues.get(key) ?? studentTQuantile((1 + confidence) / 2, degrees);
  criticalValues.set(key, known);
  return known;
}
