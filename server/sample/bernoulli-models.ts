import type { Model } from './model.ts';
import type { Genotype } from './problems.ts';
import type { Random } from './random.ts';
import { at, binaryEntropy, mean, range, sum } from './statistics.ts';

/** Share of ones per bit. */
export function bitFrequencies(genotypes: readonly Genotype[]): number[] {
  const length = at(genotypes, 0).length;
  return range(length).map((bit) => mean(genotypes.map((genotype) => at(genotype, bit))));
}

function sampleBits(probabilities: readonly number[], random: Random): Genotype {
  return probabilities.map((p) => (random.uniform() < p ? 1 : 0));
}

/** Univariate marginals, kept `smoothing` away from 0 and 1 (Mühlenbein and Paaß 1996). */
export function createUmda(smoothing: number): Model {
  let probabilities: number[] = [];
  return {
    fit(elite) {
      probabilities = bitFrequencies(elite).map((p) => p * (1 - 2 * smoothing) + smoothing);
    },
    sample: (random) => sampleBits(probabilities, random),
    diagnostics: (): Record<string, number> =>
      probabilities.length === 0
        ? {}
        : {
            model_entropy: sum(probabilities.map(binaryEntropy)),
            model_mean_probability: mean(probabilities),
          },
  };
}

/** Marginals that move towards the elite's by `learningRate` in every generation (Baluja 1994). */
export function createPbil(learningRate: number): Model {
  let probabilities: number[] = [];
  return {
    fit(elite) {
      probabilities = bitFrequencies(elite).map((frequency, bit) => {
        const before = probabilities[bit] ?? 0.5;
        return before * (1 - learningRate) + frequency * learningRate;
      });
    },
    sample: (random) => sampleBits(probabilities, random),
    diagnostics: (): Record<string, number> =>
      probabilities.length === 0
        ? {}
        : { pbil_learning_rate: learningRate, pbil_mean_probability: mean(probabilities) },
  };
}
