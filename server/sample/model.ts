import type { Genotype } from './problems.ts';
import type { Random } from './random.ts';

/** A probabilistic model of good solutions. */
export interface Model {
  /** Learns from the selected individuals, best first. Throws when there are too few of them. */
  fit(elite: readonly Genotype[]): void;
  /** Draws a new solution; only after `fit`. */
  sample(random: Random): Genotype;
  /** What the runner reports of the model; empty before the first `fit`. */
  diagnostics(): Record<string, number>;
  /** Mean and deviation per coordinate of a model that has them; undefined before the first `fit`. */
  moments?(): { means: readonly number[]; sigmas: readonly number[] } | undefined;
}
