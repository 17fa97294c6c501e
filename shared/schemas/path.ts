import * as z from 'zod';
import { pathId } from './common.ts';

const runId = pathId.describe('Id of a run, URL-encoded');
/** Path parameter of the endpoints of a run. */
export const runParams = z.object({ runId });
/** Path parameter of the endpoints of an experiment. */
export const experimentParams = z.object({
  experimentId: pathId.describe('Id of an experiment, URL-encoded'),
});
/** Path parameter of the endpoints of a campaign. */
export const campaignParams = z.object({
  campaignId: pathId.describe('Id of a COCO campaign, URL-encoded'),
});

/** Path parameters of an event. */
export const eventParams = z.object({
  runId,
  id: z
    .string()
    .regex(/^\d{1,19}$/, 'must be a whole number, at least 0, with at most 19 digits')
    .describe('Number of an event'),
});

/** Path parameters of an iteration. */
export const iterationParams = z.object({
  runId,
  iteration: z
    .string()
    .regex(/^-?\d{1,19}$/, 'must be a whole number with at most 19 digits')
    .describe('Number of an iteration'),
});
