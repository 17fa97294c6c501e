import * as z from 'zod';
import { storedTime } from './common.ts';

export const settleAnswer = z
  .object({
    runId: z.string(),
    settled: z.boolean(),
    lastActivityAt: storedTime.meta({ description: 'Now the end of the run' }),
  })
  .meta({ id: 'SettleAnswer' });
export type SettleAnswer = z.infer<typeof settleAnswer>;
