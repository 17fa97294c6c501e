import type { directions } from './words.ts';

/** Whether one fitness is better than another; false for NaN. */
export function isBetter(
  fitness: number,
  than: number,
  direction: (typeof directions)[number],
): boolean {
  return direction === 'min' ? fitness < than : fitness > than;
}
