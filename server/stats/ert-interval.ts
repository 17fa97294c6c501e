import { quantileOfSorted } from './quantile.ts';
import { type RunOutcome, knownEfforts } from './runtime.ts';
import { seededRandom } from './seeded-random.ts';

/** Ends of an interval of an expected runtime; null = infinite. */
export interface RuntimeInterval {
  lower: number | null;
  upper: number | null;
}

const resamples = 2_000;

type Run = ReturnType<typeof knownEfforts>[number];

/**
 * Percentile bootstrap interval (95 %) of the expected runtime over the runs: 2,000 resamples, of which those without a
 * success are infinite, as is a percentile beside an infinity. The generator is started from the sorted list of efforts, so
 * that neither another call nor another order of the runs changes it. Runs of unknown effort are left out; null without
 * any other. Efron & Tibshirani 1993.
 */
export function ertInterval(outcomes: readonly RunOutcome[]): RuntimeInterval | null {
  const runs = knownEfforts(outcomes).sort(
    (a, b) => a.effort - b.effort || Number(a.solved) - Number(b.solved),
  );
  if (runs.length === 0) return null;
  if (!runs.some(({ solved }) => solved)) return { lower: null, upper: null };
  const seed = JSON.stringify(runs);
  const known = recent.get(seed) ?? bootstrap(runs, seed);
  recent.set(seed, known);
  const [oldest] = recent.keys();
  if (recent.size > mostRecent && oldest !== undefined) recent.delete(oldest);
  return known;
}

/** By seed: a page often asks twice for the same runs, as an experiment and as a group of its problem. */
const recent = new Map<string, RuntimeInterval>();
const mostRecent = 16;

function bootstrap(runs: readonly Run[], seed: string): RuntimeInterval {
  const sorted = resampledRuntimes(runs, seed).sort();
  const at = (probability: number) => finiteOrNull(quantileOfSorted(sorted, probability));
  return { lower: at(0.025), upper: at(0.975) };
}

function resampledRuntimes(runs: readonly Run[], seed: string): Float64Array {
  const random = seededRandom(seed);
  const efforts = Float64Array.from(runs, ({ effort }) => effort);
  const successes = Uint8Array.from(runs, ({ solved }) => Number(solved));
  return new Float64Array(resamples).map(() => {
    let [total, solved] = [0, 0];
    for (let drawn = 0; drawn < efforts.length; drawn += 1) {
      const index = Math.floor(random() * efforts.length);
      total += efforts[index] ?? 0;
      solved += successes[index] ?? 0;
    }
    return solved === 0 ? Infinity : total / solved;
  });
}

function finiteOrNull(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null;
}
