import type { Interval } from '#shared/schemas/analysis-measures.ts';
import { normalQuantile } from './distributions.ts';

/**
 * Wilson's score interval for the probability behind `successes` out of `trials`, by default at 95 %.
 * Exactly 0 and 1 at the ends when none or all succeeded; null without trials. Wilson 1927.
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
