import { createPbil, createUmda } from './bernoulli-models.ts';
import { createEdgeHistogram } from './edge-histogram.ts';
import { createGaussian } from './gaussian-model.ts';
import type { Model } from './model.ts';

/** Names of the models, as configurations hold them. */
export type ModelType = 'umda-bernoulli' | 'pbil-frequency' | 'gaussian-diag' | 'ehm';

const creators: Record<ModelType, (parameter: number) => Model> = {
  'umda-bernoulli': createUmda,
  'pbil-frequency': createPbil,
  'gaussian-diag': createGaussian,
  ehm: createEdgeHistogram,
};

/** A model that has learnt nothing yet. `parameter` is the one setting that it has. */
export function createModel(type: ModelType, parameter: number): Model {
  return creators[type](parameter);
}
