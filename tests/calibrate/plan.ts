import { differences, situations, type Situation, type Size } from './situations.ts';

/** Problems of one situation and size, by their numbers: what is simulated and stored at once. */
export interface Chunk {
  situation: string;
  size: Size;
  from: number;
  to: number;
}

/** How the problems of a chunk came out. */
export interface ChunkCounts extends Chunk {
  tested: number;
  claimed: number;
  belowLevel: number;
  /** By name of an interval how many of those shown contain the true value. */
  intervals: Record<string, { shown: number; covering: number }>;
}

export const allSituations: readonly Situation[] = [...situations, ...differences];

const sizes: readonly Size[] = [2, 3, 5].flatMap((groups) =>
  [5, 15, 30].map((runs) => ({ groups, runs })),
);

const chunkLength = 25;

/** Everything to simulate: `most` problems for two groups, a quarter for more; those with many looks or large groups begin. */
export function planChunks(most: number): Chunk[] {
  const cells = allSituations.flatMap((situation) =>
    (situation.sizes ?? sizes).map((size) => ({ situation: situation.name, size })),
  );
  return cells
    .flatMap(({ situation, size }) => {
      const problems = size.groups === 2 ? most : Math.ceil(most / 4);
      return Array.from({ length: Math.ceil(problems / chunkLength) }, (_, index) => ({
        situation,
        size,
        from: index * chunkLength,
        to: Math.min(problems, (index + 1) * chunkLength),
      }));
    })
    .sort((a, b) => a.from - b.from);
}

/** Equal for equal chunks. */
export function chunkKey({ situation, size, from, to }: Chunk): string {
  return JSON.stringify([situation, size.groups, size.runs, from, to]);
}
