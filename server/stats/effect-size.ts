import type { ObjectiveDirection } from '#shared/schemas/run.ts';

/**
 * Vargha and Delaney's A12, oriented by the direction: the probability that a run of A is better than a
 * run of B, ties counted half, so above 0.5 A is better. Takes the U of the rank-sum test, the pairs in
 * which A has the larger value, and the sizes of the samples. Vargha & Delaney 2000.
 */
export function varghaDelaney(
  u: number,
  sampleSizeA: number,
  sampleSizeB: number,
  direction: ObjectiveDirection,
): number {
  const pairs = sampleSizeA * sampleSizeB;
  return (direction === 'max' ? u : pairs - u) / pairs;
}
