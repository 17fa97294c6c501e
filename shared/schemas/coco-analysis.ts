import { z } from 'zod';
import { maximumComparedCampaigns } from '#shared/words.ts';
import { curvePoint } from './analysis.ts';
import { runtimeInterval } from './analysis-measures.ts';
import { analysisNote } from './analysis-note.ts';
import { targetsFilter } from './analysis-query.ts';
import { trialScope } from './coco.ts';
import {
  flagFilter,
  nullableNumber,
  nullIsInfinite,
  numberFilter,
  repeatedText,
} from './common.ts';
import { objectiveDirection } from './run.ts';

/** Other campaigns that are analysed with the one of the path. */
const beside = repeatedText
  .refine((ids) => ids.length < maximumComparedCampaigns, {
    error: `must be given at most ${maximumComparedCampaigns - 1} times`,
  })
  .meta({ override: { type: 'array', items: { type: 'string' } } })
  .describe(
    'Another campaign of the same suite; may be repeated: their optimizers stand beside each other, those of the same ' +
      'name with that of their campaign',
  );

export const ertsQuery = z.object({
  campaign: beside,
  ...trialScope,
  targets: targetsFilter.describe(
    'Targets in place of those of the trials, from the traces of their runs: numbers or from..to:count of powers of ten',
  ),
});
export type ErtsQuery = z.infer<typeof ertsQuery>;

const inAll = 'All that trials have, in or out of what was asked for';
const choices = {
  optimizers: z.array(z.string()).meta({ description: inAll }),
  functions: z.array(z.int()).meta({ description: inAll }),
  dimensions: z.array(z.int()).meta({ description: inAll }),
};

const runtime = nullableNumber.meta({
  description: 'Evaluations; null = infinite: none solved',
  ...nullIsInfinite,
});

export const ertRow = z
  .object({
    optimizerId: z.string(),
    functionId: z.int(),
    dimension: z.int(),
    targetValue: nullableNumber,
    trials: z.int().meta({ description: 'Trials that ran; those that failed are not among them' }),
    failedTrials: z.int(),
    solvedTrials: z.int(),
    successRate: z.number(),
    ert: runtime,
    ertInterval: runtimeInterval.nullable().meta({ description: 'Null where no trial ran' }),
    sp1: runtime,
    referenceErt: nullableNumber.meta({
      description: 'Smallest of the references that are not doubtful; null where there is none',
    }),
    hasDoubtfulReference: z.boolean().meta({
      description: 'Whether a reference was left out that claims an ERT without any success',
    }),
    ratio: nullableNumber.meta({
      description: 'ERT / reference ERT; null where either is missing, or the ERT infinite',
      ...nullIsInfinite,
      'x-null-where': 'referenceErt',
    }),
  })
  .meta({ id: 'ErtRow' });
export type ErtRow = z.infer<typeof ertRow>;

export const ratioSummary = z
  .object({
    optimizerId: z.string(),
    dimension: z.int(),
    functions: z.int().meta({ description: 'Pairs of a function and a target' }),
    solvedFunctions: z.int(),
    unsolvedFunctions: z.int(),
    comparedFunctions: z.int().meta({ description: 'Those with a ratio' }),
    doubtfulReferences: z.int(),
    geometricMeanRatio: nullableNumber,
  })
  .meta({ id: 'RatioSummary' });
export type RatioSummary = z.infer<typeof ratioSummary>;

export const campaignErts = z
  .object({
    campaignId: z.string(),
    name: z.string(),
    suite: z.string(),
    ...choices,
    references: z.array(z.string()).meta({ description: 'Optimizers of the reference results' }),
    rows: z.array(ertRow),
    summary: z.array(ratioSummary),
    notes: z.array(analysisNote),
  })
  .meta({ id: 'CampaignErts' });
export type CampaignErts = z.infer<typeof campaignErts>;

export const ecdfQuery = z.object({
  campaign: beside,
  ...trialScope,
  targets: targetsFilter.describe(
    'Numbers, or from..to:count for powers of ten; 2..-8:51 unless given',
  ),
  budget: numberFilter
    .refine((budget) => budget === undefined || budget > 0, { error: 'must be above 0' })
    .describe(
      'Evaluations / dimension up to which the area is taken; the largest of the trials unless given',
    ),
  restarts: flagFilter(false).describe('Whether trials that missed a target go on as restarts'),
});
export type EcdfQuery = z.infer<typeof ecdfQuery>;

export const ecdfCurve = z
  .object({
    optimizer: z.string(),
    trials: z.int(),
    pairs: z.int().meta({ description: 'Pairs of a trial and a target' }),
    solvedPairs: z.int(),
    points: z.array(curvePoint).meta({
      description: 'Right-continuous steps; of many, those are sent that are a percent apart in x',
    }),
    crossAt: nullableNumber.meta({
      description: 'Median budget of the trials that missed a target; null where none did',
    }),
    area: z.number().meta({
      description: 'Share of pairs solved, averaged over the logarithm of x from 1 to the budget',
    }),
  })
  .meta({ id: 'EcdfCurve' });
export type EcdfCurve = z.infer<typeof ecdfCurve>;

export const campaignEcdf = z
  .object({
    campaignId: z.string(),
    ...choices,
    direction: objectiveDirection,
    targets: z.array(z.number()),
    budget: nullableNumber.meta({ description: 'Evaluations / dimension; null without trials' }),
    largestBudget: nullableNumber.meta({
      description: 'Most evaluations / dimension that a trial used; null without trials',
    }),
    restarts: z.boolean(),
    pairs: z.int().meta({ description: 'Of all curves together' }),
    curves: z.array(ecdfCurve),
    notes: z.array(analysisNote),
  })
  .meta({ id: 'CampaignEcdf' });
export type CampaignEcdf = z.infer<typeof campaignEcdf>;
