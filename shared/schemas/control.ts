import * as z from 'zod';
import { maximumReasonLength } from '#shared/words.ts';
import { storedTime } from './common.ts';

/** Optional body of a request to stop or settle. A blank reason counts as absent. */
export const stopBody = z
  .object({
    reason: z
      .string()
      .trim()
      .max(maximumReasonLength)
      .nullish()
      .transform((reason) => (reason ? reason : undefined)),
  })
  .optional();

/** Response to a stop request. */
export const stopResponse = z
  .object({
    scope: z.enum(['run', 'experiment']),
    targetId: z.string(),
    accepted: z.boolean(),
    affectedRuns: z.int(),
    message: z.string(),
  })
  .meta({ id: 'StopResponse' });
export type StopResponse = z.infer<typeof stopResponse>;

/** Response to settling a run. */
export const settleResponse = z
  .object({
    runId: z.string(),
    settled: z.boolean(),
    lastActivityAt: storedTime.meta({
      description: 'Time of the last activity of the run. It is now the end of the run',
    }),
  })
  .meta({ id: 'SettleResponse' });
export type SettleResponse = z.infer<typeof settleResponse>;
