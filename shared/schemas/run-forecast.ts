import * as z from 'zod';
import { convergencePoint } from './analysis.ts';
import { nullableNumber } from './common.ts';

const quartiles = z.object({
  lower: nullableNumber,
  median: nullableNumber,
  upper: nullableNumber,
});

/** The other ended runs of the experiment of a run, and a forecast of when the run reaches its target. */
export const runForecast = z
  .object({
    runId: z.string(),
    targetFitness: nullableNumber,
    siblings: z
      .array(z.object({ evaluationsToTarget: nullableNumber, evaluations: nullableNumber }))
      .meta({
        description:
          'The other ended runs of the same experiment, with evaluations to target (null if missed or unknown) and evaluations used; empty without a target',
      }),
    hit: z.object({ siblings: z.int(), reached: z.int(), evaluations: quartiles }).nullable().meta({
      description:
        'Quartiles of the siblings’ evaluations to target T, given that T is greater than the evaluations of the run. Siblings that missed the target after more evaluations count as infinite (null). Null for a run that is not RUNNING, is silent or has reached its target, without a target, and with fewer than 5 such siblings',
    }),
    seconds: quartiles.nullable().meta({
      description:
        'Time from the newest row to these evaluations at the current speed; null without `hit`, and if the speed is unknown or 0',
    }),
    band: z
      .object({ runs: z.int(), points: z.array(convergencePoint) })
      .nullable()
      .meta({
        description: 'Convergence of the COMPLETED siblings; null for fewer than 2',
      }),
  })
  .meta({ id: 'RunForecast' });
export type RunForecast = z.infer<typeof runForecast>;
