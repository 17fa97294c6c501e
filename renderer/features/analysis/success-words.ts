import type { ExperimentAnalysis } from '#shared/schemas/analysis.ts';

type WithTarget = Pick<ExperimentAnalysis, 'targetFitness'>;

/** Whether success means reaching a target; without one it means completion. */
export function hasTarget({ targetFitness }: WithTarget): boolean {
  return targetFitness !== null;
}

/** Returns the meaning of success, to complete "runs that …". */
export function describeSuccess(response: WithTarget): string {
  return hasTarget(response) ? 'reached the target' : 'were completed';
}
