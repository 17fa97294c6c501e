import { z } from 'zod';

/** Longest reason that a stop request may carry, in characters. */
export const maximumReasonLength = 1000;

/** Body of a stop call; the body itself may be absent. Blank reasons are absent. */
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
export type StopBody = z.infer<typeof stopBody>;

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
