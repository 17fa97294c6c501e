import type { Trial } from '#server/stats/coco-runtime.ts';

/** Returns a solved trial of cma-es on function 1 in dimension 2, with these fields replaced. */
export function makeTrial(fields: Partial<Trial> = {}): Trial {
  return Object.freeze({
    optimizerId: 'cma-es',
    functionId: 1,
    dimension: 2,
    instanceId: 1,
    grantedEvaluations: null,
    targetValue: 1e-8,
    status: 'COMPLETED',
    reachedTarget: true,
    budgetEvaluations: 1000,
    evaluations: 1010,
    evaluationsToTarget: 300,
    ...fields,
  });
}

/** Fields of a trial that missed its target. */
export const unsolvedFields = { reachedTarget: false, evaluationsToTarget: null };
