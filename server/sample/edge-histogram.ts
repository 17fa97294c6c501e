import type { Model } from './model.ts';
import type { Genotype } from './problems.ts';
import type { Random } from './random.ts';
import { at, entropyBits, range, sum } from './statistics.ts';

/**
 * An edge histogram of tours (EHBSA without template, Tsutsui 2002): counts how often city b follows a,
 * cyclically, adds `epsilon` to every count, and draws tours city by city in proportion to the counts.
 */
export function createEdgeHistogram(epsilon: number): Model {
  let weights: number[][] = [];
  return {
    fit(elite) {
      weights = successorCounts(elite).map((row, from) =>
        row.map((count, to) => (from === to ? 0 : count + epsilon)),
      );
    },
    sample: (random) => sampleTour(weights, random),
    diagnostics: (): Record<string, number> =>
      weights.length === 0
        ? {}
        : { ehm_entropy: sum(weights.map(rowEntropy)), ehm_size: weights.length },
  };
}

function successorCounts(tours: readonly Genotype[]): number[][] {
  const size = at(tours, 0).length;
  const counts = range(size).map(() => range(size).map(() => 0));
  for (const tour of tours) {
    tour.forEach((city, index) => {
      const row = at(counts, city);
      const next = at(tour, (index + 1) % size);
      row[next] = at(row, next) + 1;
    });
  }
  return counts;
}

function rowEntropy(row: readonly number[]): number {
  const total = sum(row);
  return entropyBits(row.map((weight) => weight / total));
}

function sampleTour(weights: readonly number[][], random: Random): Genotype {
  const tour = [random.below(weights.length)];
  const left = new Set(range(weights.length).filter((city) => city !== tour[0]));
  while (left.size > 0) {
    const next = drawNext(at(weights, at(tour, tour.length - 1)), [...left], random);
    tour.push(next);
    left.delete(next);
  }
  return tour;
}

function drawNext(row: readonly number[], candidates: readonly number[], random: Random): number {
  let point = random.uniform() * sum(candidates.map((city) => at(row, city)));
  for (const city of candidates) {
    point -= at(row, city);
    if (point < 0) return city;
  }
  return at(candidates, candidates.length - 1);
}
