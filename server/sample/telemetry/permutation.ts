import { double, doubleRecord, doubles } from '#server/recording/java-json.ts';
import type { Genotype } from '#server/sample/problems.ts';
import { at, countBy, entropyBits, mean, pairDistances, range } from '#server/sample/statistics.ts';
import { type Observation, type PopulationView, type TelemetryLimits, topIndices } from './view.ts';

const pairSampleLimit = 900;

export interface PermutationState {
  consensus: number[];
  /** Share of tours in which b follows a, by `a->b`, in order of first appearance. */
  adjacency: Record<string, number>;
}

/** Telemetry of permutations; the drift is 0, and trends start at 0, where there is no generation before. */
export function observePermutation(
  { population, elite }: PopulationView,
  previous: PermutationState | undefined,
  { topK }: TelemetryLimits,
): Observation<PermutationState> {
  const positions = positionDistribution(elite);
  const entropies = positions.map(entropyBits);
  const state = {
    consensus: consensusPermutation(elite),
    adjacency: adjacencyFrequencies(elite),
  };
  return {
    state,
    telemetry: {
      representationFamily: 'permutation',
      metrics: {
        perm_size: positions.length,
        perm_position_entropy_mean: mean(entropies),
        perm_position_entropy_min: Math.min(...entropies),
        perm_position_entropy_max: Math.max(...entropies),
        perm_top_edge_frequency: Math.max(...Object.values(state.adjacency)),
      },
      insights: {
        positionDistribution: positions.map(doubles),
        positionEntropyPerItem: doubles(entropies),
        consensusPermutation: state.consensus,
        topAdjacencyEdges: topEdges(state.adjacency, previous?.adjacency ?? {}, topK),
        adjacencyFrequencies: doubleRecord(state.adjacency),
      },
      drift: {
        consensus_kendall: kendallDistance(state.consensus, (previous ?? state).consensus),
      },
      diversity: {
        kendall_population: mean(pairDistances(population, kendallDistance, pairSampleLimit)),
        kendall_elite: mean(pairDistances(elite, kendallDistance, pairSampleLimit)),
      },
    },
  };
}

/** Share of the pairs of items that two permutations put in opposite order: 0 for the same, 1 for the reverse. */
export function kendallDistance(a: Genotype, b: Genotype): number {
  const rank = new Int32Array(b.length);
  b.forEach((item, position) => (rank[item] = position));
  const ranks = new Int32Array(a.length);
  a.forEach((item, position) => (ranks[position] = rank[item] ?? NaN));
  let opposite = 0;
  for (let i = 0; i < ranks.length; i++) {
    const before = ranks[i] ?? NaN;
    // The sign of the difference: a branch would be guessed wrong half of the time.
    for (let j = i + 1; j < ranks.length; j++) opposite += ((ranks[j] ?? NaN) - before) >>> 31;
  }
  return opposite / ((a.length * (a.length - 1)) / 2);
}

/** Share of the permutations that have this item (row) at this position (column). */
export function positionDistribution(permutations: readonly Genotype[]): number[][] {
  const size = at(permutations, 0).length;
  const counts = range(size).map(() => range(size).map(() => 0));
  for (const permutation of permutations) {
    permutation.forEach((item, position) => {
      const row = at(counts, item);
      row[position] = at(row, position) + 1;
    });
  }
  return counts.map((row) => row.map((count) => count / permutations.length));
}

/** The items by mean position; of equal ones the lower item first. */
export function consensusPermutation(permutations: readonly Genotype[]): number[] {
  const items = range(at(permutations, 0).length);
  const meanPosition = items.map((item) => mean(permutations.map((order) => order.indexOf(item))));
  return items.sort((a, b) => at(meanPosition, a) - at(meanPosition, b));
}

function adjacencyFrequencies(tours: readonly Genotype[]): Record<string, number> {
  const edges = tours.flatMap((tour) =>
    tour.map((item, index) => `${item}->${at(tour, (index + 1) % tour.length)}`),
  );
  return Object.fromEntries(
    [...countBy(edges)].map(([edge, count]) => [edge, count / tours.length]),
  );
}

function topEdges(current: Record<string, number>, previous: Record<string, number>, topK: number) {
  const edges = Object.entries(current);
  return topIndices(Object.values(current), topK).map((index) => {
    const [edge, frequency] = at(edges, index);
    const [from = 0, to = 0] = edge.split('->').map(Number);
    return {
      from,
      to,
      frequency: double(frequency),
      trend: double(frequency - (previous[edge] ?? 0)),
    };
  });
}
