import type { HeatMapFigure } from '#renderer/charts/figure.ts';
import type { AdaptiveAction } from '#renderer/charts/figures/adaptive-timeline.ts';

// Generated data of the gallery and of the tests of figures: always the same numbers.

/** Returns a function that returns numbers in [0, 1), for each seed always in the same order (mulberry32). */
export function getRandomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * Rows of a minimising run of `count` iterations, 100 evaluations each: the mean falls from 1000 towards
 * 0, the best of a population is sometimes worse than the one before.
 */
export function sampleIterations(count: number) {
  const random = getRandomNumbers(7);
  return Array.from({ length: count }, (_, iteration) => {
    const progress = 1000 * 10 ** ((-5 * iteration) / count);
    const stdFitness = progress * (0.2 + 0.2 * random());
    const meanFitness = progress * (0.9 + 0.2 * random());
    return {
      iteration,
      evaluations: 100 * (iteration + 1),
      bestFitness: meanFitness * (0.3 + 0.3 * random()),
      meanFitness,
      stdFitness,
    };
  });
}

/** Metrics of `count` iterations; the third is missing for the first two, the last never changes. */
export function sampleMetrics(count: number) {
  const random = getRandomNumbers(11);
  const iterations = Array.from({ length: count }, (_, iteration) => iteration);
  const rows = iterations.map((iteration) => ({
    iteration,
    entropy: 6 * (1 - iteration / count) + random() / 2,
    diversity: Math.exp(-iteration / 10) + random() / 20,
    drift_l2: iteration > 1 ? random() * 0.01 : null,
    objective_count: 1,
  }));
  const names = ['iteration', 'entropy', 'diversity', 'drift_l2', 'objective_count'] as const;
  return {
    iterations,
    series: Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name])])),
  };
}

/** Adaptive actions of two triggers and kinds. */
export function sampleActions(): AdaptiveAction[] {
  const early = [2, 3, 4, 6, 9, 10].map((iteration) => ({
    iteration,
    trigger: 'entropy_collapse',
    actionType: 'exploration_boost',
    reason: 'Entropy/fixation signal indicates premature convergence.',
  }));
  const late = [24, 35].map((iteration) => ({
    iteration,
    trigger: 'stagnation_low_diversity',
    actionType: 'partial_restart',
    reason: 'No gain in 10 generations and little diversity left.',
  }));
  return [...early, ...late];
}

/** The entropy of bits that are fixed one after the other. */
export function sampleBits(bits: number, iterations: number): HeatMapFigure {
  const random = getRandomNumbers(5);
  const labels = Array.from({ length: bits }, (_, bit) => String(bit));
  return {
    kind: 'heatmap',
    x: { title: 'iteration', values: Array.from({ length: iterations }, (_, at) => at) },
    y: { title: 'bit', labels },
    color: { title: 'entropy (bit)', range: [0, 1] },
    cells: labels.map(() => {
      const fixed = iterations * (0.3 + random());
      return Array.from({ length: iterations }, (_, at) =>
        Math.max(0, 1 - at / fixed - random() / 10),
      );
    }),
    empty: 'No bits.',
  };
}
