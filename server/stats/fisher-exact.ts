import type { Interval } from '#shared/schemas/analysis-measures.ts';
import { sum } from './descriptive.ts';
import { binomial } from './distributions.ts';
import { wilsonInterval } from './runtime.ts';

/** How many of a group's trials succeeded. */
export interface SuccessCount {
  solved: number;
  trials: number;
}

/** Tables whose probabilities differ by less are equally probable: rounding must not tell them apart. */
const tolerance = 1e-9;

/**
 * Fisher's exact test of two success rates, two-sided: the probability, given both margins, of the tables
 * that are at most as probable as this one. No run or every run solved: p = 1. Null where a group has no
 * trials. Fisher 1935.
 */
export function fisherExact(a: SuccessCount, b: SuccessCount): number | null {
  if (a.trials === 0 || b.trials === 0) return null;
  const solved = a.solved + b.solved;
  const least = Math.max(0, solved - b.trials);
  const weights = tableWeights(a.trials, b.trials, solved, least);
  const limit = (weights[a.solved - least] ?? 0) * (1 + tolerance);
  return Math.min(1, sum(weights.filter((weight) => weight <= limit)) / sum(weights));
}

/**
 * Smallest p-value that {@link fisherExact} could give for groups of these sizes: one of them all solved and
 * the other not at all, or, where they are of one size, either way round. Null where a group has no trials.
 */
export function attainableFisher(trialsA: number, trialsB: number): number | null {
  if (trialsA === 0 || trialsB === 0) return null;
  return Math.min(1, (trialsA === trialsB ? 2 : 1) / binomial(trialsA + trialsB, trialsA));
}

/**
 * Probability of each number of solved trials of A, from the least possible on, relative to the most probable
 * one: from there outward by ratios of neighbours, so that nothing overflows.
 */
export function tableWeights(nA: number, nB: number, solved: number, least: number): Float64Array {
  const most = Math.min(nA, solved);
  const weights = new Float64Array(most - least + 1);
  const ratio = (k: number) => ((nA - k) * (solved - k)) / ((k + 1) * (nB - solved + k + 1));
  const mode = Math.floor(((nA + 1) * (solved + 1)) / (nA + nB + 2));
  weights[mode - least] = 1;
  for (let k = mode; k < most; k += 1) {
    weights[k + 1 - least] = (weights[k - least] ?? 0) * ratio(k);
  }
  for (let k = mode; k > least; k -= 1) {
    weights[k - 1 - least] = (weights[k - least] ?? 0) / ratio(k - 1);
  }
  return weights;
}

/**
 * Interval (95 %) of the difference of two success rates, A − B, out of the Wilson intervals of both, without
 * continuity correction. Null where a group has no trials. Newcombe 1998, method 10.
 */
export function newcombeInterval(a: SuccessCount, b: SuccessCount): Interval | null {
  const [ofA, ofB] = [wilsonInterval(a.solved, a.trials), wilsonInterval(b.solved, b.trials)];
  if (!ofA || !ofB) return null;
  const [rateA, rateB] = [a.solved / a.trials, b.solved / b.trials];
  const difference = rateA - rateB;
  return {
    lower: difference - Math.hypot(rateA - ofA.lower, ofB.upper - rateB),
    upper: difference + Math.hypot(ofA.upper - rateA, rateB - ofB.lower),
  };
}
