import type { Interval } from '#shared/schemas/analysis-measures.ts';
import { sum } from './descriptive.ts';
import { computeBinomial } from './distributions.ts';
import { computeWilsonInterval } from './runtime.ts';

/** Number of successes among the trials of a group. */
export interface SuccessCount {
  successes: number;
  trials: number;
}

/** Relative tolerance for equally probable tables, which rounding must not separate. */
const tolerance = 1e-9;

/**
 * Returns the two-sided p-value of Fisher's exact test of two success rates: the probability of all tables that have
 * the same margins and are at most as probable as the observed one. If no trial or every trial succeeds, p = 1. Null
 * for a group without trials. Fisher 1935.
 */
export function testFisherExact(a: SuccessCount, b: SuccessCount): number | null {
  if (a.trials === 0 || b.trials === 0) return null;
  const successes = a.successes + b.successes;
  const minimum = Math.max(0, successes - b.trials);
  const weights = computeTableWeights(a.trials, b.trials, successes, minimum);
  const limit = (weights[a.successes - minimum] ?? 0) * (1 + tolerance);
  return Math.min(1, sum(weights.filter((weight) => weight <= limit)) / sum(weights));
}

/**
 * Returns the smallest p-value that {@link testFisherExact} can have for groups of these sizes: the probability of the
 * table in which all trials of one group succeed and no trial of the other does. For groups of equal sizes, it is the
 * probability of both such tables. Null for a group without trials.
 */
export function getAttainableFisherPValue(trialsA: number, trialsB: number): number | null {
  if (trialsA === 0 || trialsB === 0) return null;
  return Math.min(1, (trialsA === trialsB ? 2 : 1) / computeBinomial(trialsA + trialsB, trialsA));
}

/**
 * Returns the hypergeometric probability of each number of successes among the nA units of A, given `successes` among
 * all units, divided by the probability of the most probable number. The first number is `minimum`, the smallest
 * possible one: max(0, successes − nB). Multiplies ratios of neighbours from the most probable number outward, to avoid
 * overflow.
 */
export function computeTableWeights(
  nA: number,
  nB: number,
  successes: number,
  minimum: number,
): Float64Array {
  const maximum = Math.min(nA, successes);
  const weights = new Float64Array(maximum - minimum + 1);
  const getRatio = (k: number) =>
    ((nA - k) * (successes - k)) / ((k + 1) * (nB - successes + k + 1));
  const mode = Math.floor(((nA + 1) * (successes + 1)) / (nA + nB + 2));
  weights[mode - minimum] = 1;
  for (let k = mode; k < maximum; k += 1) {
    weights[k + 1 - minimum] = (weights[k - minimum] ?? 0) * getRatio(k);
  }
  for (let k = mode; k > minimum; k -= 1) {
    weights[k - 1 - minimum] = (weights[k - minimum] ?? 0) / getRatio(k - 1);
  }
  return weights;
}

/**
 * Returns the confidence interval of the difference of two success rates, A − B, by default at 95 %. Computes it from
 * the Wilson intervals of both rates, without continuity correction. Null for a group without trials. Newcombe 1998,
 * method 10.
 */
export function computeNewcombeInterval(
  a: SuccessCount,
  b: SuccessCount,
  confidence = 0.95,
): Interval | null {
  const [intervalA, intervalB] = [
    computeWilsonInterval(a.successes, a.trials, confidence),
    computeWilsonInterval(b.successes, b.trials, confidence),
  ];
  if (!intervalA || !intervalB) return null;
  const [rateA, rateB] = [a.successes / a.trials, b.successes / b.trials];
  const difference = rateA - rateB;
  return {
    lower: difference - Math.hypot(rateA - intervalA.lower, intervalB.upper - rateB),
    upper: difference + Math.hypot(intervalA.upper - rateA, rateB - intervalB.lower),
  };
}
