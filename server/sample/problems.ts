import { formatDouble } from '#server/recording/recorder.ts';
import type { Random } from './random.ts';
import { getAt, listIndices, sum } from './statistics.ts';

/** Kind of genotypes. */
export type RepresentationFamily = 'binary' | 'real' | 'permutation';

/** Bits, coordinates, or a permutation of 0, …, n − 1, depending on the family. */
export type Genotype = readonly number[];

/** Problem with its search space. */
export interface Problem {
  type: string;
  family: RepresentationFamily;
  isMinimised: boolean;
  evaluate(genotype: Genotype): number;
  drawGenotype(random: Random): Genotype;
}

/** Returns OneMax: maximise the number of ones. The optimum is `length`. */
export function createOneMax(length: number): Problem {
  return {
    type: 'onemax',
    family: 'binary',
    isMinimised: false,
    evaluate: sum,
    drawGenotype: (random) => listIndices(length).map(() => random.drawBelow(2)),
  };
}

/** Returns the sphere: minimise the sum of squares. The optimum is 0; initial points are uniform within the bounds. */
export function createSphere(length: number, lowerBound: number, upperBound: number): Problem {
  return {
    type: 'sphere',
    family: 'real',
    isMinimised: true,
    evaluate: (genotype) => sum(genotype.map((value) => value * value)),
    drawGenotype: (random) =>
      listIndices(length).map(() => lowerBound + (upperBound - lowerBound) * random.drawUniform()),
  };
}

/** Point in the plane. */
export type Point = readonly [x: number, y: number];

/** Returns evenly spaced points on the unit circle. The shortest tour visits them in order. */
export function placeCitiesOnCircle(count: number): Point[] {
  return listIndices(count).map((index) => {
    const angle = (2 * Math.PI * index) / count;
    return [Math.cos(angle), Math.sin(angle)];
  });
}

/** Returns the travelling salesman problem: minimise the length of the closed tour through the cities. */
export function createTravellingSalesman(cities: readonly Point[]): Problem {
  return {
    type: 'small-tsp',
    family: 'permutation',
    isMinimised: true,
    evaluate: (tour) => measureTour(tour, cities),
    drawGenotype: (random) => random.shuffle(listIndices(cities.length)),
  };
}

function measureTour(tour: Genotype, cities: readonly Point[]): number {
  return sum(
    tour.map((city, index) => {
      const [x, y] = getAt(cities, city);
      const [nextX, nextY] = getAt(cities, getAt(tour, (index + 1) % tour.length));
      return Math.hypot(nextX - x, nextY - y);
    }),
  );
}

/** Returns the full text of a genotype: `0101` for bits, `[0.5, 1.0]` for coordinates, `[2, 0, 1]` for permutations. */
export function formatGenotype(genotype: Genotype, family: RepresentationFamily): string {
  if (family === 'binary') return genotype.join('');
  const texts = family === 'real' ? genotype.map(formatDouble) : genotype.map(String);
  return `[${texts.join(', ')}]`;
}

/** Returns the text of a genotype. Truncates strings of more than 64 bits to 61 bits and `...`. */
export function summariseGenotype(genotype: Genotype, family: RepresentationFamily): string {
  const text = formatGenotype(genotype, family);
  return family === 'binary' && text.length > 64 ? `${text.slice(0, 61)}...` : text;
}
