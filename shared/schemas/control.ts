import * as z from 'zod';
import { maximumReasonLength } from '#shared/words.ts';

/** Body of a stop request, which may be absent. A blank reason counts as absent. */
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

export const stopAnswer = z
  .object({
    scope: z.enum(['run', 'experiment']),
    targetId: z.string(),
    accepted: z.boolean(),
    affectedRuns: z.int(),
    message: z.string(),
  })
  .meta({ id: 'StopAnswer' });
export type StopAnswer = z.infer<typeof stopAnswer>;
