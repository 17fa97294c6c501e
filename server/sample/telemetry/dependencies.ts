import type { Genotype } from '#server/sample/problems.ts';
import { at, range, sum } from '#server/sample/statistics.ts';

/** How strongly two bits go together. */
export interface Dependency {
  i: number;
  j: number;
  /** Mutual information in bits. */
  weight: number;
  /** Phi coefficient. */
  correlation: number;
}

/** Only this many first bits take part in the search for pairs. */
const pairwiseMaximumDimensions = 64;

/**
 * Mutual information in bits and phi of two bits over the genotypes, every one of the four cells counted
 * once more than it occurs (add-one smoothing), so that both stay finite.
 */
export function dependency(genotypes: readonly Genotype[], i: number, j: number): Dependency {
  const cells = [1, 1, 1, 1];
  for (const genotype of genotypes) {
    const cell = 2 * at(genotype, i) + at(genotype, j);
    cells[cell] = at(cells, cell) + 1;
  }
  const [n00 = 0, n01 = 0, n10 = 0, n11 = 0] = cells;
  const total = sum(cells);
  const rows = [n00 + n01, n10 + n11] as const;
  const columns = [n00 + n10, n01 + n11] as const;
  const terms = cells.map((count, cell) => {
    const expected = at(rows, cell >> 1) * at(columns, cell & 1);
    return (count / total) * Math.log2((count * total) / expected);
  });
  const spread = Math.sqrt(rows[0] * rows[1] * columns[0] * columns[1]);
  return { i, j, weight: sum(terms), correlation: (n11 * n00 - n10 * n01) / spread };
}

/** The `count` strongest dependencies by weight; of equal ones the pair of lower indices first. */
export function strongestDependencies(genotypes: readonly Genotype[], count: number): Dependency[] {
  const size = Math.min(at(genotypes, 0).length, pairwiseMaximumDimensions);
  const pairs = range(size).flatMap((i) =>
    range(size - i - 1).map((offset) => dependency(genotypes, i, i + 1 + offset)),
  );
  return pairs.sort((a, b) => b.weight - a.weight).slice(0, count);
}

/** Groups of bits that the dependencies of positive weight connect, each sorted, by their lowest bit. */
export function dependencyClusters(dependencies: readonly Dependency[]): number[][] {
  const clusters: Set<number>[] = [];
  for (const { i, j, weight } of dependencies) {
    if (weight <= 0) continue;
    const touched = clusters.filter((cluster) => cluster.has(i) || cluster.has(j));
    const merged = new Set([i, j, ...touched.flatMap((cluster) => [...cluster])]);
    for (const cluster of touched) clusters.splice(clusters.indexOf(cluster), 1);
    clusters.push(merged);
  }
  return clusters
    .map((cluster) => [...cluster].sort((a, b) => a - b))
    .sort((a, b) => at(a, 0) - at(b, 0));
}
