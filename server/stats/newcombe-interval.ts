import type { Interval } from '#shared/schemas/analysis-measures.ts';
import type { SuccessCount } from './fisher-exact.ts';
import { wilsonInterval } from './wilson-interval.ts';

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
