import type { Interval, RuntimeInterval } from '#shared/schemas/analysis-measures.ts';
import { finiteOrNull, mean, quantileOfSorted, standardDeviation, sum } from './descriptive.ts';
import { betaQuantile, normalQuantile, studentTQuantile } from './distributions.ts';
import { seededRandom } from './seeded-random.ts';

/** Outcome of one run, as input of an expected runtime. */
export interface RunOutcome {
  solved: boolean;
  /** Evaluations to the target; null if unsolved, and if unknown. */
  evaluationsToTarget: number | null;
  /** Used evaluations, 0 if none; null if unknown, and then sums omit the run. */
  budget: number | null;
}

/** Returns the share of solved runs, including runs of unknown budget. 0 without runs. */
export function successRate(outcomes: readonly RunOutcome[]): number {
  if (outcomes.length === 0) return 0;
  return outcomes.filter((outcome) => outcome.solved).length / outcomes.length;
}

/**
 * Returns the expected runtime: the evaluations of all runs, those of a solved run only up to its hit, divided by the
 * number of solved runs. Runs with unknown evaluations are omitted from both. Null if no run solved (infinite). Auger &
 * Hansen 2005; Hansen et al. 2016.
 */
export function expectedRuntime(outcomes: readonly RunOutcome[]): number | null {
  const efforts = outcomes.filter(hasKnownEffort);
  const solved = efforts.filter((outcome) => outcome.solved).length;
  return solved === 0 ? null : sum(efforts.map(getEffort)) / solved;
}

/**
 * Returns SP1: mean evaluations to target of the solved runs, divided by the success rate. Runs with unknown
 * evaluations are omitted. Null if no run solved (infinite). Auger & Hansen 2005.
 */
export function successPerformance(outcomes: readonly RunOutcome[]): number | null {
  const efforts = outcomes.filter(hasKnownEffort);
  const solved = efforts.filter((outcome) => outcome.solved);
  const meanOfSolved = mean(solved.map(getEffort));
  return meanOfSolved === null ? null : meanOfSolved / (solved.length / efforts.length);
}

/** Returns the evaluations that each run adds to an expected runtime; runs with unknown evaluations are omitted. */
function knownEfforts(outcomes: readonly RunOutcome[]): { effort: number; solved: boolean }[] {
  return outcomes
    .filter(hasKnownEffort)
    .map((outcome) => ({ effort: getEffort(outcome), solved: outcome.solved }));
}

function hasKnownEffort(outcome: RunOutcome): boolean {
  return outcome.solved ? outcome.evaluationsToTarget !== null : outcome.budget !== null;
}

function getEffort(outcome: RunOutcome): number {
  return (outcome.solved ? outcome.evaluationsToTarget : outcome.budget) ?? 0;
}

/**
 * Returns Wilson's score interval for the probability of success, by default at 95 %. Its ends are exactly 0 and 1 if
 * no or all trials succeeded; null without trials. Wilson 1927.
 */
export function wilsonInterval(
  successes: number,
  trials: number,
  confidence = 0.95,
): Interval | null {
  if (trials === 0) return null;
  const z = -normalQuantile((1 - confidence) / 2);
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

const resamples = 2_000;

/** Bits of a random number that select runs; 12 further bits make all selections equally likely to one in 4,096. */
const bitsUsed = 20;

type Run = ReturnType<typeof knownEfforts>[number];

/**
 * Percentile bootstrap interval (95 %) of the expected runtime over the runs: 2,000 resamples, of which those without a
 * success are infinite, as is a percentile next to an infinity. The generator is started from the sorted list of efforts, so
 * that neither another call nor another order of the runs changes it; each of its numbers draws as many runs as it has
 * digits in the base of their count. Runs of unknown effort are omitted; null without any other. Efron & Tibshirani 1993.
 */
export function ertInterval(outcomes: readonly RunOutcome[]): RuntimeInterval | null {
  const runs = knownEfforts(outcomes).sort(
    (a, b) => a.effort - b.effort || Number(a.solved) - Number(b.solved),
  );
  if (runs.length === 0) return null;
  if (!runs.some(({ solved }) => solved)) return { lower: null, upper: null };
  const seed = JSON.stringify(runs);
  const cachedInterval = recent.get(seed) ?? bootstrap(runs, seed);
  recent.set(seed, cachedInterval);
  const [oldest] = recent.keys();
  if (recent.size > mostRecent && oldest !== undefined) recent.delete(oldest);
  return cachedInterval;
}

/** Cache by seed. Pages often request the same runs twice, as an experiment and as a group of its problem. */
const recent = new Map<string, RuntimeInterval>();
const mostRecent = 16;

function bootstrap(runs: readonly Run[], seed: string): RuntimeInterval {
  const sorted = resampledRuntimes(runs, seed).sort();
  const at = (probability: number) => finiteOrNull(quantileOfSorted(sorted, probability));
  return { lower: at(0.025), upper: at(0.975) };
}

function resampledRuntimes(runs: readonly Run[], seed: string): Float64Array {
  const random = seededRandom(seed);
  const count = runs.length;
  const efforts = Float64Array.from(runs, ({ effort }) => effort);
  const successes = Uint8Array.from(runs, ({ solved }) => Number(solved));
  const drawsPerNumber = Math.max(1, Math.floor(bitsUsed / Math.log2(count)));
  const runtimes = new Float64Array(resamples);
  for (let resample = 0; resample < resamples; resample += 1) {
    let [total, solved] = [0, 0];
    for (let draws = 0; draws < count;) {
      let rest = random();
      for (const end = Math.min(count, draws + drawsPerNumber); draws < end; draws += 1) {
        rest *= count;
        const index = Math.floor(rest);
        rest -= index;
        total += efforts[index] ?? 0;
        solved += successes[index] ?? 0;
      }
    }
    runtimes[resample] = solved === 0 ? Infinity : total / solved;
  }
  return runtimes;
}

/**
 * 95 % interval of the expected runtime within a budget in evaluations: the mean runtime of the solved runs plus the cost of
 * the failures before a success, combined by the method of variance estimates recovery (MOVER; Zou & Donner 2008). The
 * interval of the mean runtime is the hull of the mean, of mean · exp(±t·s/(mean·√k)), and of Cox's interval for a log-normal
 * mean; its upper end is at most the budget, as no solved run took longer. The interval of the failures per success comes from
 * Jeffreys' interval of the success rate. Contains the true value in at least 93 % of samples of 5 and of 15 runs from
 * log-normal, gamma, Pareto and bimodal runtimes at success rates of 0.3 to 1, where the percentile bootstrap has 71 to 97 %.
 *
 * Runs of unknown effort are omitted. Null without a solved run. With one solved run, the mean runtime lies anywhere between 0
 * and the budget. Where every run solved, a failure would have cost the budget.
 */
export function expectedRuntimeInterval(
  outcomes: readonly RunOutcome[],
  budget: number,
): RuntimeInterval | null {
  const runs = knownEfforts(outcomes);
  const times = runs.filter(({ solved }) => solved).map(({ effort }) => effort);
  const wasted = runs.filter(({ solved }) => !solved).map(({ effort }) => effort);
  const center = mean(times);
  if (center === null) return null;
  const [solved, unsolved] = [times.length, wasted.length];
  const runtime = meanRuntimeInterval(times, center, budget);
  const failureCost = mean(wasted) ?? budget;
  const failures = unsolved / solved;
  const oddsAt = (probability: number) => {
    const rate = betaQuantile(probability, solved + 0.5, unsolved + 0.5);
    return (1 - rate) / rate;
  };
  const fewest = unsolved === 0 ? 0 : oddsAt(0.975);
  const most = oddsAt(0.025);
  const expected = center + failures * failureCost;
  return {
    lower: expected - Math.hypot(center - runtime.lower, failureCost * (failures - fewest)),
    upper: finiteOrNull(
      expected + Math.hypot(runtime.upper - center, failureCost * (most - failures)),
    ),
  };
}

/** Returns the 95 % interval of the mean runtime of the solved runs; see {@link expectedRuntimeInterval}. */
function meanRuntimeInterval(
  times: readonly number[],
  center: number,
  budget: number,
): { lower: number; upper: number } {
  const count = times.length;
  const deviation = standardDeviation(times, center);
  if (deviation === null || center === 0) return { lower: 0, upper: Math.max(budget, center) };
  const critical = studentTQuantile(0.975, count - 1);
  const spread = (critical * deviation) / (center * Math.sqrt(count));
  const ends = [center, center * Math.exp(-spread), center * Math.exp(spread)];
  if (times.every((time) => time > 0)) {
    const logs = times.map(Math.log);
    const logMean = mean(logs) ?? 0;
    const variance = (standardDeviation(logs, logMean) ?? 0) ** 2;
    const margin = critical * Math.sqrt(variance / count + variance ** 2 / (2 * (count - 1)));
    for (const sign of [-1, 1]) ends.push(Math.exp(logMean + variance / 2 + sign * margin));
  }
  const upper = Math.max(center, Math.min(budget, Math.max(...ends)));
  return { lower: Math.min(...ends), upper };
}
