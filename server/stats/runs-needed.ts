import { computeBinomial, computeNormalQuantile } from './distributions.ts';

/** Smallest number of runs for which {@link computeRankSumRuns} does not inspect the smallest possible p-value. */
const sufficientRuns = 1000;

/** Effect that a rank-sum test should detect, with power and level. */
export interface RankSumDesign {
  /** Smallest A12 to detect, other than 1/2. Users declare it; it is never the observed A12 (Hoenig & Heisey 2001). */
  effect: number;
  /** Probability of detecting the effect; larger than the level. */
  power: number;
  /** Level over all pairs. */
  alpha: number;
  /** Number of pairs. The level of each test is alpha / pairs, the strictest level of Holm's procedure. */
  pairs: number;
  /** Share of all runs in group a; half by default. */
  shareA?: number;
  /** Expected ties among the runs, as 1 − Σ(t³ − t) / (N³ − N); by default 1, which means no ties. */
  untiedShare?: number;
}

/**
 * Returns the numbers of runs that groups a and b need for a two-sided rank-sum test, by Noether's formula (1987): N =
 * (z(1 − alpha / 2 pairs) + z(power))² / (12 c (1 − c) (A12 − 1/2)² u), where c is the share of a, and u is the untied
 * share. Rounds up in each group. If N is below 1,000, adds runs until groups of these sizes can have a p-value of at
 * most alpha / pairs without ties, or until N is at least 1,000. The numbers are infinite for an A12 of 1/2, and if all
 * values are tied.
 */
export function computeRankSumRuns(design: RankSumDesign): { a: number; b: number } {
  const { effect, power, alpha, pairs, shareA = 0.5, untiedShare = 1 } = design;
  const z = -computeNormalQuantile(alpha / pairs / 2) + computeNormalQuantile(power);
  const total = z ** 2 / (12 * shareA * (1 - shareA) * (effect - 0.5) ** 2 * untiedShare);
  const getSizes = (runCount: number) => ({
    a: Math.ceil(shareA * runCount),
    b: Math.ceil((1 - shareA) * runCount),
  });
  const canBeSignificant = ({ a, b }: { a: number; b: number }) =>
    2 / computeBinomial(a + b, Math.min(a, b)) <= alpha / pairs;
  let runCount = total;
  while (runCount < sufficientRuns && !canBeSignificant(getSizes(runCount))) runCount += 1;
  return getSizes(runCount);
}

/** Difference that Fisher's exact test should detect, with power and level. */
export interface FisherDesign {
  /** Success rates of the two groups, which must differ. */
  p1: number;
  p2: number;
  /** Probability of detecting the difference. */
  power: number;
  /** Level over all pairs. */
  alpha: number;
  /** Number of pairs. The level of each test is alpha / pairs. */
  pairs: number;
}

/** Largest result of the arcsine formula for which {@link computeFisherRuns} computes exact powers. */
const maximumExactRuns = 500;

/**
 * Returns the number of runs per group with which Fisher's exact two-sided test detects the difference of the success
 * rates of two groups. Searches upward from below the result of the arcsine formula for the first number with the
 * required exact power. If the formula gives more than 500 runs per group, or the search finds no number up to 1,000,
 * returns the normal approximation with continuity correction (Casagrande, Pike & Smith 1978).
 */
export function computeFisherRuns(design: FisherDesign): {
  perGroup: number;
  method: 'exact' | 'approximate';
} {
  const { p1, p2, power, alpha, pairs } = design;
  const level = alpha / pairs;
  const z = -computeNormalQuantile(level / 2) + computeNormalQuantile(power);
  const distance = 2 * (Math.asin(Math.sqrt(p1)) - Math.asin(Math.sqrt(p2)));
  const start = (2 * z ** 2) / distance ** 2;
  if (start <= maximumExactRuns) {
    // Fisher's test needs more runs than the formula, except for very few runs.
    for (
      let size = Math.max(1, Math.floor(0.8 * start) - 3);
      size <= 2 * maximumExactRuns;
      size += 1
    ) {
      if (computeFisherPower(size, design) >= power) return { perGroup: size, method: 'exact' };
    }
  }
  return { perGroup: computeCorrectedRuns(design), method: 'approximate' };
}

function computeCorrectedRuns({ p1, p2, power, alpha, pairs }: FisherDesign): number {
  const difference = Math.abs(p1 - p2);
  const mean = (p1 + p2) / 2;
  const pooledTerm = -computeNormalQuantile(alpha / pairs / 2) * Math.sqrt(2 * mean * (1 - mean));
  const powerTerm = computeNormalQuantile(power) * Math.sqrt(p1 * (1 - p1) + p2 * (1 - p2));
  const uncorrectedSize = (pooledTerm + powerTerm) ** 2 / difference ** 2;
  return Math.ceil(
    (uncorrectedSize / 4) * (1 + Math.sqrt(1 + 4 / (uncorrectedSize * difference))) ** 2,
  );
}

/**
 * Returns the probability that Fisher's exact two-sided test of two groups of `size` has a p-value of at most alpha /
 * pairs.
 */
export function computeFisherPower(
  size: number,
  { p1, p2, alpha, pairs }: Omit<FisherDesign, 'power'>,
): number {
  const level = (alpha / pairs) * (1 + 1e-9);
  const [weightsA, weightsB] = [computeBinomialWeights(size, p1), computeBinomialWeights(size, p2)];
  const logFactorials = computeLogFactorials(2 * size);
  const getLogChoices = (n: number, k: number) =>
    (logFactorials[n] ?? 0) - (logFactorials[k] ?? 0) - (logFactorials[n - k] ?? 0);
  let power = 0;
  for (let successes = 0; successes <= 2 * size; successes += 1) {
    // In groups of equal sizes a table is as probable as its mirror image, so p is twice the lower tail.
    let tail = 0;
    for (let a = Math.max(0, successes - size); 2 * a < successes; a += 1) {
      const b = successes - a;
      const logChoices = getLogChoices(size, a) + getLogChoices(size, b);
      tail += Math.exp(logChoices - getLogChoices(2 * size, successes));
      if (2 * tail > level) break;
      power += (weightsA[a] ?? 0) * (weightsB[b] ?? 0) + (weightsA[b] ?? 0) * (weightsB[a] ?? 0);
    }
  }
  return power;
}

/** Returns ln k! for each k from 0 to the maximum. */
function computeLogFactorials(maximum: number): Float64Array {
  const logs = new Float64Array(maximum + 1);
  for (let k = 2; k <= maximum; k += 1) logs[k] = (logs[k - 1] ?? 0) + Math.log(k);
  return logs;
}

/** Returns the binomial probability of each number of successes among `size` trials. */
function computeBinomialWeights(size: number, rate: number): number[] {
  if (rate === 0 || rate === 1) {
    return Array.from({ length: size + 1 }, (_, count) => Number(count === rate * size));
  }
  let logWeight = size * Math.log1p(-rate);
  return Array.from({ length: size + 1 }, (_, count) => {
    const weight = Math.exp(logWeight);
    logWeight += Math.log(((size - count) / (count + 1)) * (rate / (1 - rate)));
    return weight;
  });
}
