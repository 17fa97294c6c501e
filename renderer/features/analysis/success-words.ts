import type { ExperimentAnalysis } from '#shared/schemas/analysis.ts';

type Targeted = Pick<ExperimentAnalysis, 'targetFitness'>;

/** Whether success means reaching a target; without one it means completion. */
export function hasTarget({ targetFitness }: Targeted): boolean {
  return targetFitness !== null;
}

/** Returns the meaning of success, to complete "runs that …". */
export function describeSuccess(answer: Targeted): string {
  return hasTarget(answer) ? 'reached the target' : 'were completed';
}
