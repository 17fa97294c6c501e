import { z } from 'zod';
import { curvePoint } from './analysis.ts';
import { runtimeInterval } from './analysis-measures.ts';
import { analysisNote } from './analysis-note.ts';
import { trialScope } from './coco.ts';
import { flagFilter, nullableNumber, numberFilter, repeatedText } from './common.ts';
import { objectiveDirection } from './run.ts';

/** Most targets that one question has. */
const maximumTargets = 500;

const targetsMessage =
  'must be numbers (10,1,1e-8) or powers of ten as from..to:count (2..-8:51), ' +
  `at most ${maximumTargets}`;

/** Targets as numbers, or as `from..to:count` for powers of ten that are evenly spaced; each once, largest first. */
const targetsFilter = repeatedText
  .transform((texts, context) => {
    const targets = texts.flatMap((text) => text.split(',')).flatMap(targetsIn);
    const isSound = targets.every(Number.isFinite) && targets.length <= maximumTargets;
    if (!isSound) context.addIssue({ code: 'custom', message: targetsMessage });
    return [...new Set(targets)].sort((a, b) => b - a);
  })
  .meta({ override: { type: 'array', items: { type: 'string' } } });

/** The targets that a text stands for; NaN where it is none. */
function targetsIn(text: string): number[] {
  const range = /^([+-]?\d+(?:\.\d+)?)\.\.([+-]?\d+(?:\.\d+)?):(\d{1,3})$/.exec(text.trim());
  if (range) return powersOfTen(Number(range[1]), Number(range[2]), Number(range[3]));
  const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim());
  return [isNumber ? Number(text) : NaN];
}

/** `count` powers of ten, their exponents evenly spaced from one to the other, both among them; `from` alone for 1. */
export function powersOfTen(from: number, to: number, count: number): number[] {
  if (count === 0) return [NaN];
  return Array.from({ length: count }, (_, index) =>
    count === 1 ? 10 ** from : 10 ** (from + ((to - from) * index) / (count - 1)),
  );
}

export const ertsQuery = z.object({
  ...trialScope,
  targets: targetsFilter.describe(
    'Targets in place of those of the trials, from the traces of their runs: numbers or from..to:count of powers of ten',
  ),
});
export type ErtsQuery = z.infer<typeof ertsQuery>;

const runtime = nullableNumber.meta({ description: 'Evaluations; null = infinite: none solved' });

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
      description: 'ERT / reference ERT; null where either is missing',
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
    references: z.array(z.string()).meta({ description: 'Optimizers of the reference results' }),
    rows: z.array(ertRow),
    summary: z.array(ratioSummary),
    notes: z.array(analysisNote),
  })
  .meta({ id: 'CampaignErts' });
export type CampaignErts = z.infer<typeof campaignErts>;

export const ecdfQuery = z.object({
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
    direction: objectiveDirection,
    targets: z.array(z.number()),
    budget: nullableNumber.meta({ description: 'Evaluations / dimension; null without trials' }),
    restarts: z.boolean(),
    pairs: z.int().meta({ description: 'Of all curves together' }),
    curves: z.array(ecdfCurve),
    notes: z.array(analysisNote),
  })
  .meta({ id: 'CampaignEcdf' });
export type CampaignEcdf = z.infer<typeof campaignEcdf>;
