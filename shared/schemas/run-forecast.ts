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
          'The other ended runs of the same experiment, with their evaluations to target (null if a run missed the target, or if they are unknown) and used evaluations; empty without a target',
      }),
    hit: z.object({ siblings: z.int(), reached: z.int(), evaluations: quartiles }).nullable().meta({
      description:
        'Quartiles of the siblings’ evaluations to target T, given that T is greater than the evaluations of the run. For a sibling that missed the target after more evaluations, T is infinite (a null quartile). `hit` is null for a run that is not RUNNING, is silent, has no target or has reached it, and for fewer than 5 siblings with such a T',
    }),
    seconds: quartiles.nullable().meta({
      description:
        'Time in seconds from the newest row to the evaluations of `hit` at the current speed; null without `hit`, and if the speed is unknown or 0',
    }),
    band: z
      .object({ runs: z.int(), points: z.array(convergencePoint) })
      .nullable()
      .meta({
        description:
          'Convergence of the other COMPLETED runs of the same experiment; null for fewer than 2 runs',
      }),
  })
  .meta({ id: 'RunForecast' });
export type RunForecast = z.infer<typeof runForecast>;
