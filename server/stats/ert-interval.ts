import type { RuntimeInterval } from '#shared/schemas/analysis-measures.ts';
import { finiteOrNull } from './descriptive.ts';
import { quantileOfSorted } from './quantile.ts';
import { type RunOutcome, knownEfforts } from './runtime.ts';
import { seededRandom } from './seeded-random.ts';

const resamples = 2_000;

/** Bits of a random number that decide what is drawn; it has 12 more, so that all draws are as likely to one in 4,096. */
const bitsUsed = 20;

type Run = ReturnType<typeof knownEfforts>[number];

/**
 * Percentile bootstrap interval (95 %) of the expected runtime over the runs: 2,000 resamples, of which those without a
 * success are infinite, as is a percentile beside an infinity. The generator is started from the sorted list of efforts, so
 * that neither another call nor another order of the runs changes it; each of its numbers draws as many runs as it has
 * digits in the base of their count. Runs of unknown effort are left out; null without any other. Efron & Tibshirani 1993.
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
  const count = runs.length;
  const efforts = Float64Array.from(runs, ({ effort }) => effort);
  const successes = Uint8Array.from(runs, ({ solved }) => Number(solved));
  const drawsPerNumber = Math.max(1, Math.floor(bitsUsed / Math.log2(count)));
  const runtimes = new Float64Array(resamples);
  for (let resample = 0; resample < resamples; resample += 1) {
    let [total, solved] = [0, 0];
    for (let drawn = 0; drawn < count;) {
      let rest = random();
      for (const end = Math.min(count, drawn + drawsPerNumber); drawn < end; drawn += 1) {
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
