import * as z from 'zod';
import { pathId } from './common.ts';

const runId = pathId.describe('Id of a run, URL-encoded');
export const runParams = z.object({ runId });
export const experimentParams = z.object({
  experimentId: pathId.describe('Id of an experiment, URL-encoded'),
});
export const campaignParams = z.object({
  campaignId: pathId.describe('Id of a COCO campaign, URL-encoded'),
});
export const eventParams = z.object({
  runId,
  id: z
    .string()
    .regex(/^\d{1,19}$/, 'must be a whole number')
    .describe('Number of an event'),
});

export const iterationParams = z.object({
  runId,
  iteration: z
    .string()
    .regex(/^-?\d{1,19}$/, 'must be a whole number')
    .describe('Number of an iteration'),
});
