import type { Interval } from '#shared/schemas/analysis-measures.ts';
import type { ConvergencePoint } from '#shared/schemas/analysis.ts';
import { computeMean, computeQuantileOfSorted, computeStandardDeviation } from './descriptive.ts';
import { computeStudentTQuantile } from './distributions.ts';
import { makeLinearBudgets, makeLogarithmicBudgets } from './ecdf.ts';

/**
 * Returns the budgets of a convergence curve: up to 64 of {@link makeLinearBudgets} and up to 64 of {@link
 * makeLogarithmicBudgets} from `firstBudget` to `lastBudget`, ascending, without duplicates. Empty if last < first.
 */
export function makeConvergenceBudgets(firstBudget: number, lastBudget: number): number[] {
  const budgets = [
    ...makeLinearBudgets(firstBudget, lastBudget, 64),
    ...makeLogarithmicBudgets(firstBudget, lastBudget, 64),
  ];
  return [...new Set(budgets)].sort((a, b) => a - b);
}

/**
 * Returns a summary of the best so far at each budget: the mean with its 95 % t interval, the median with the interval
 * of {@link getMedianRank}, the quartiles (type 7), and the number of values. `bestByRun` contains the best so far of
 * each run per budget. Omits NaN and missing values, and budgets without values. The interval of the mean is null for
 * one value, and if an end is not finite. The interval of the median is null for fewer than 5 values.
 */
export function computeConvergence(
  budgets: readonly number[],
  bestByRun: readonly Float64Array[],
): ConvergencePoint[] {
  let previousValues = new Float64Array();
  let summary: Omit<ConvergencePoint, 'x'> | null = null;
  return budgets.flatMap((x, index) => {
    const values = getValuesAt(bestByRun, index);
    // If the values are those at the previous budget, the summary is the same.
    if (!hasSameValues(previousValues, values)) summary = summariseValues(values);
    previousValues = values;
    return summary ? [{ x, ...summary }] : [];
  });
}

function getValuesAt(bestByRun: readonly Float64Array[], index: number): Float64Array<ArrayBuffer> {
  const values = new Float64Array(bestByRun.length);
  let count = 0;
  for (const bestValues of bestByRun) {
    const value = bestValues[index] ?? NaN;
    if (!Number.isNaN(value)) values[count++] = value;
  }
  return values.subarray(0, count);
}

function hasSameValues(a: Float64Array, b: Float64Array): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}

function summariseValues(values: Float64Array): Omit<ConvergencePoint, 'x'> | null {
  const { mean: center, interval } = computeMeanInterval(values);
  if (center === null) return null;
  const sortedValues = values.toSorted();
  const rank = getMedianRank(values.length);
  return {
    mean: center,
    ciLower: interval?.lower ?? null,
    ciUpper: interval?.upper ?? null,
    median: computeQuantileOfSorted(sortedValues, 0.5),
    medianCiLower: rank === null ? null : (sortedValues[rank - 1] ?? null),
    medianCiUpper: rank === null ? null : (sortedValues[values.length - rank] ?? null),
    q1: computeQuantileOfSorted(sortedValues, 0.25),
    q3: computeQuantileOfSorted(sortedValues, 0.75),
    samples: values.length,
  };
}

const medianRanks = new Map<number, number | null>();

/**
 * Returns the largest rank r for which the interval from the rth smallest to the rth largest of n values misses the
 * median with a probability of at most 5 %: 2 P(Bin(n, 1/2) < r) ≤ 0.05. For 5 values, returns 1, although that
 * interval contains the median in only 93.8 % of the cases. Null for fewer than 5 values. David & Nagaraja 2003, 7.1.
 */
export function getMedianRank(n: number): number | null {
  const cachedRank = medianRanks.get(n);
  if (cachedRank !== undefined) return cachedRank;
  const rank = n < 5 ? null : Math.max(1, findLargestRank(n));
  medianRanks.set(n, rank);
  return rank;
}

function findLargestRank(n: number): number {
  let rank = 0;
  // The logarithm of the probability does not underflow for many values.
  let logProbability = -n * Math.LN2;
  for (let tail = Math.exp(logProbability); 2 * tail <= 0.05; tail += Math.exp(logProbability)) {
    logProbability += Math.log((n - rank) / (rank + 1));
    rank += 1;
  }
  return rank;
}

/** A mean with Student's confidence interval. */
export interface MeanInterval {
  /** Null without values. */
  mean: number | null;
  /** Null for fewer than 2 values, and if an end is not finite. */
  interval: Interval | null;
}

const criticalValues = new Map<string, number>();

/**
 * Returns the mean of the values with the interval mean ± t(n − 1)·s/√n, by default at 95 %. Both are null without
 * values. The interval is null for one value, and if an end is not finite; its width is 0 for equal finite values. With
 * NaN, the mean is NaN.
 */
export function computeMeanInterval(values: ArrayLike<number>, confidence = 0.95): MeanInterval {
  const center = computeMean(values);
  const deviation = computeStandardDeviation(values, center);
  if (center === null || deviation === null) return { mean: center, interval: null };
  const margin =
    (getCriticalValue(confidence, values.length - 1) * deviation) / Math.sqrt(values.length);
  const interval = { lower: center - margin, upper: center + margin };
  const isFinite = Number.isFinite(interval.lower) && Number.isFinite(interval.upper);
  return { mean: center, interval: isFinite ? interval : null };
}

// Caches the quantiles, because a convergence curve needs the same few at each point.
function getCriticalValue(confidence: number, degrees: number): number {
  const key = `${confidence}/${degrees}`;
  const value = criticalValues.get(key) ?? computeStudentTQuantile((1 + confidence) / 2, degrees);
  criticalValues.set(key, value);
  return value;
}
