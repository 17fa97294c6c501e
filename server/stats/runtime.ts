import type { Interval, RuntimeInterval } from '#shared/schemas/analysis-measures.ts';
import {
  toFiniteOrNull,
  computeMean,
  computeQuantileOfSorted,
  computeStandardDeviation,
  sum,
} from './descriptive.ts';
import {
  computeBetaQuantile,
  computeNormalQuantile,
  computeStudentTQuantile,
} from './distributions.ts';
import { createSeededRandom } from './seeded-random.ts';

/** Outcome of one run, as input of an expected runtime. */
export interface RunOutcome {
  isSolved: boolean;
  /** Evaluations to the target; null if unsolved, and if unknown. */
  evaluationsToTarget: number | null;
  /**
   * Used evaluations, which may be 0 if the data state none; null if unknown. The expected runtime and SP1 omit an
   * unsolved run with null.
   */
  usedEvaluations: number | null;
}

/** Returns the share of solved runs among all runs, including runs with an unknown budget. 0 without runs. */
export function computeSuccessRate(outcomes: readonly RunOutcome[]): number {
  if (outcomes.length === 0) return 0;
  return outcomes.filter((outcome) => outcome.isSolved).length / outcomes.length;
}

/**
 * Returns the expected runtime: the sum of the evaluations of all runs, divided by the number of solved runs. The
 * evaluations of a solved run count only up to its hit. Omits runs with unknown effort from both numbers. Null if no
 * run is solved (infinite), and if the efforts of all solved runs are unknown. Auger & Hansen 2005; Hansen et al. 2016.
 */
export function computeExpectedRuntime(outcomes: readonly RunOutcome[]): number | null {
  const knownOutcomes = outcomes.filter(hasKnownEffort);
  const solvedCount = knownOutcomes.filter((outcome) => outcome.isSolved).length;
  return solvedCount === 0 ? null : sum(knownOutcomes.map(getEffort)) / solvedCount;
}

/**
 * Returns SP1: the mean evaluations to the target of the solved runs, divided by the success rate. Omits runs with
 * unknown effort. Null if no run is solved (infinite), and if the efforts of all solved runs are unknown. Auger &
 * Hansen 2005.
 */
export function computeSuccessPerformance(outcomes: readonly RunOutcome[]): number | null {
  const knownOutcomes = outcomes.filter(hasKnownEffort);
  const solvedOutcomes = knownOutcomes.filter((outcome) => outcome.isSolved);
  const meanEffort = computeMean(solvedOutcomes.map(getEffort));
  return meanEffort === null ? null : meanEffort / (solvedOutcomes.length / knownOutcomes.length);
}

/** Returns the evaluations that each run adds to an expected runtime; omits runs with unknown effort. */
function listRunEfforts(outcomes: readonly RunOutcome[]): { effort: number; isSolved: boolean }[] {
  return outcomes
    .filter(hasKnownEffort)
    .map((outcome) => ({ effort: getEffort(outcome), isSolved: outcome.isSolved }));
}

function hasKnownEffort(outcome: RunOutcome): boolean {
  return outcome.isSolved ? outcome.evaluationsToTarget !== null : outcome.usedEvaluations !== null;
}

function getEffort(outcome: RunOutcome): number {
  return (outcome.isSolved ? outcome.evaluationsToTarget : outcome.usedEvaluations) ?? 0;
}

/**
 * Returns the Wilson score interval for the probability of success, by default at 95 %. The lower end is exactly 0 if
 * no trial succeeded, and the upper end exactly 1 if all did. Null without trials. Wilson 1927.
 */
export function computeWilsonInterval(
  successes: number,
  trials: number,
  confidence = 0.95,
): Interval | null {
  if (trials === 0) return null;
  const z = -computeNormalQuantile((1 - confidence) / 2);
  const share = successes / trials;
  const scale = 1 + z ** 2 / trials;
  const center = (share + z ** 2 / (2 * trials)) / scale;
  const spread = Math.sqrt((share * (1 - share)) / trials + (z / (2 * trials)) ** 2);
  const margin = (z * spread) / scale;
  return {
    lower: successes === 0 ? 0 : Math.max(0, center - margin),
    upper: successes === trials ? 1 : Math.min(1, center + margin),
  };
}

const resampleCount = 2_000;

/**
 * Number of bits of a random number that select runs. The other 12 bits reduce the bias. More than 2^20 runs need more
 * bits.
 */
const usedBits = 20;

type RunEffort = ReturnType<typeof listRunEfforts>[number];

/**
 * Returns the percentile bootstrap interval (95 %) of the expected runtime over the runs, from 2,000 resamples. A
 * resample without a solved run is infinite. A percentile next to an infinite value is infinite too. The seed of the
 * generator is the sorted list of efforts and successes, because neither another call nor another order of the runs may
 * change the interval. Each random number draws as many runs as 20 bits contain digits in the base of the number of
 * runs, but at least one. Omits runs with unknown effort. An infinite end is null; without a solved run, both ends are
 * null. The result is null without runs of known effort, and if the efforts of all solved runs are unknown. Efron &
 * Tibshirani 1993.
 */
export function computeErtBootstrapInterval(
  outcomes: readonly RunOutcome[],
): RuntimeInterval | null {
  const runs = listRunEfforts(outcomes).sort(
    (a, b) => a.effort - b.effort || Number(a.isSolved) - Number(b.isSolved),
  );
  if (runs.length === 0) return null;
  if (!runs.some(({ isSolved }) => isSolved))
    return outcomes.some(({ isSolved }) => isSolved) ? null : { lower: null, upper: null };
  // Other names in the seed would change every interval that users have published.
  const seed = JSON.stringify(runs.map(({ effort, isSolved }) => ({ effort, solved: isSolved })));
  const cachedInterval = cachedIntervals.get(seed) ?? bootstrapInterval(runs, seed);
  cachedIntervals.set(seed, cachedInterval);
  const [oldestSeed] = cachedIntervals.keys();
  if (cachedIntervals.size > maximumCachedIntervals && oldestSeed !== undefined)
    cachedIntervals.delete(oldestSeed);
  return cachedInterval;
}

/**
 * Cache of the intervals by seed. Pages often request the same runs twice, as an experiment and as a group of its
 * problem instance.
 */
const cachedIntervals = new Map<string, RuntimeInterval>();
const maximumCachedIntervals = 16;

function bootstrapInterval(runs: readonly RunEffort[], seed: string): RuntimeInterval {
  const runtimes = resampleRuntimes(runs, seed).sort();
  const getQuantile = (probability: number) =>
    toFiniteOrNull(computeQuantileOfSorted(runtimes, probability));
  return { lower: getQuantile(0.025), upper: getQuantile(0.975) };
}

function resampleRuntimes(runs: readonly RunEffort[], seed: string): Float64Array {
  const random = createSeededRandom(seed);
  const count = runs.length;
  const efforts = Float64Array.from(runs, ({ effort }) => effort);
  const successes = Uint8Array.from(runs, ({ isSolved }) => Number(isSolved));
  const drawsPerNumber = Math.max(1, Math.floor(usedBits / Math.log2(count)));
  const runtimes = new Float64Array(resampleCount);
  for (let resample = 0; resample < resampleCount; resample += 1) {
    let [total, solvedCount] = [0, 0];
    for (let draws = 0; draws < count;) {
      let remainder = random();
      for (const end = Math.min(count, draws + drawsPerNumber); draws < end; draws += 1) {
        remainder *= count;
        const index = Math.floor(remainder);
        remainder -= index;
        total += efforts[index] ?? 0;
        solvedCount += successes[index] ?? 0;
      }
    }
    runtimes[resample] = solvedCount === 0 ? Infinity : total / solvedCount;
  }
  return runtimes;
}

/**
 * Returns the 95 % interval of the expected runtime: the mean runtime of the solved runs plus the cost of the failures
 * before a success. `budget` is the granted budget of the runs in evaluations; null if unknown. Combines the intervals
 * of both terms by the method of variance estimates recovery (MOVER; Zou & Donner 2008). The interval of the mean
 * runtime is the hull of the mean, of mean·exp(±t·s/(mean·√k)) for k solved runs with the standard deviation s, and of
 * Cox's interval for a log-normal mean (omitted if a runtime is 0). Its upper end is at most the budget, because no
 * solved run took longer. The interval of the failures per success comes from Jeffreys' interval of the success rate.
 * For few runs with bimodal or heavy-tailed runtimes, fewer than 95 % of the intervals may contain the true value.
 *
 * Omits runs with unknown effort. Null without a solved run of known effort; `upper` is null if it is not finite. With
 * one solved run, or if all solved runs took 0 evaluations, the interval of the mean runtime is from 0 to the budget.
 * If every run is solved, the interval assumes that a failure costs the budget. Without a known budget, the mean
 * runtime has no maximum. If in addition no failure cost evaluations, it assumes that failures cost nothing, and the
 * result is null for fewer than 15 solved runs.
 */
export function computeErtMoverInterval(
  outcomes: readonly RunOutcome[],
  budget: number | null,
): RuntimeInterval | null {
  const runs = listRunEfforts(outcomes);
  const solvedRuntimes = runs.filter(({ isSolved }) => isSolved).map(({ effort }) => effort);
  const failureEfforts = runs.filter(({ isSolved }) => !isSolved).map(({ effort }) => effort);
  const center = computeMean(solvedRuntimes);
  if (center === null) return null;
  const [successes, failures] = [solvedRuntimes.length, failureEfforts.length];
  const failureCost = computeMean(failureEfforts) ?? budget ?? 0;
  if (budget === null && failureCost === 0 && successes < minimumRunsWithoutFailureCost)
    return null;
  const meanRuntimeInterval = computeMeanRuntimeInterval(
    solvedRuntimes,
    center,
    budget ?? Infinity,
  );
  const failuresPerSuccess = failures / successes;
  const { minimum, maximum } = computeFailuresPerSuccessInterval(successes, failures);
  const expectedValue = center + failuresPerSuccess * failureCost;
  return {
    lower:
      expectedValue -
      Math.hypot(center - meanRuntimeInterval.lower, failureCost * (failuresPerSuccess - minimum)),
    upper: toFiniteOrNull(
      expectedValue +
        Math.hypot(
          meanRuntimeInterval.upper - center,
          failureCost * (maximum - failuresPerSuccess),
        ),
    ),
  };
}

const minimumRunsWithoutFailureCost = 15;

/**
 * Returns Jeffreys' 95 % interval of the failures per success; the minimum is 0 without failures. At least one run is
 * solved.
 */
function computeFailuresPerSuccessInterval(
  successes: number,
  failures: number,
): { minimum: number; maximum: number } {
  const key = `${successes} ${failures}`;
  const cachedFailureInterval = cachedFailureIntervals.get(key);
  if (cachedFailureInterval) return cachedFailureInterval;
  const getOdds = (probability: number) => {
    const rate = computeBetaQuantile(probability, successes + 0.5, failures + 0.5);
    return (1 - rate) / rate;
  };
  const range = { minimum: failures === 0 ? 0 : getOdds(0.975), maximum: getOdds(0.025) };
  if (cachedFailureIntervals.size >= maximumCachedFailureIntervals) cachedFailureIntervals.clear();
  cachedFailureIntervals.set(key, range);
  return range;
}

/**
 * Cache of these intervals by the numbers of solved and unsolved runs. The quantiles take most of the time, and
 * thousands of cells have few different numbers.
 */
const cachedFailureIntervals = new Map<string, { minimum: number; maximum: number }>();
const maximumCachedFailureIntervals = 1_000;

/** Returns the 95 % interval of the mean runtime of the solved runs; see {@link computeErtMoverInterval}. */
function computeMeanRuntimeInterval(
  solvedRuntimes: readonly number[],
  center: number,
  budget: number,
): { lower: number; upper: number } {
  const count = solvedRuntimes.length;
  const deviation = computeStandardDeviation(solvedRuntimes, center);
  if (deviation === null || center === 0) return { lower: 0, upper: Math.max(budget, center) };
  const criticalValue = computeStudentTQuantile(0.975, count - 1);
  const spread = (criticalValue * deviation) / (center * Math.sqrt(count));
  const ends = [center, center * Math.exp(-spread), center * Math.exp(spread)];
  if (solvedRuntimes.every((time) => time > 0)) {
    const logs = solvedRuntimes.map(Math.log);
    const logMean = computeMean(logs) ?? 0;
    const variance = (computeStandardDeviation(logs, logMean) ?? 0) ** 2;
    const margin = criticalValue * Math.sqrt(variance / count + variance ** 2 / (2 * (count - 1)));
    for (const sign of [-1, 1]) ends.push(Math.exp(logMean + variance / 2 + sign * margin));
  }
  const upper = Math.max(center, Math.min(budget, Math.max(...ends)));
  return { lower: Math.min(...ends), upper };
}
