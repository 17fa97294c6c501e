import * as z from 'zod';
import { cellChoices, maximumComparedCampaigns } from '#shared/words.ts';
import { curvePoint } from './analysis.ts';
import { runtimeInterval } from './analysis-measures.ts';
import { analysisNote } from './analysis-note.ts';
import { targetsFilter } from './analysis-query.ts';
import { trialScope } from './coco.ts';
import {
  firstOrWord,
  flagFilter,
  nullableNumber,
  nullIsInfinite,
  numberFilter,
  repeatedText,
} from './common.ts';
import { maskedText } from './masked.ts';
import { objectiveDirection } from './run.ts';

/** Further campaigns that are analysed together with the one in the path. */
const furtherCampaigns = repeatedText
  .refine((ids) => ids.length < maximumComparedCampaigns, {
    error: `must be given at most ${maximumComparedCampaigns - 1} times`,
  })
  .meta({ override: { type: 'array', items: { type: 'string' } } })
  .describe(
    'Another campaign of the same suite; may be repeated: their optimizers are compared with each other, those of the same ' +
      'name with that of their campaign',
  );

/** The cells (function, dimension, instance) on which optimizers are compared. */
export const cellChoice = z.enum(cellChoices);
export type CellChoice = z.infer<typeof cellChoice>;

const cells = firstOrWord(cellChoices).describe(
  'Cells (function, dimension, instance) to compare on: `shared` = those that every chosen optimizer with a trial in the ' +
    'dimension has; `all` = those that each has; `unsolved` = a missing cell counts as unsolved',
);

const failed = firstOrWord(['include', 'exclude']).describe(
  'Whether a FAILED trial counts as unsolved (`include`) or not at all',
);

export const droppedCells = z
  .object({
    dimension: z.int(),
    functionId: z.int(),
    instances: z.int().meta({ description: 'How many instances of the function are dropped' }),
    missingFor: z.array(z.string()).meta({ description: 'Optimizers that lack them' }),
  })
  .meta({ id: 'DroppedCells', description: 'Cells that not every optimizer has' });
export type DroppedCells = z.infer<typeof droppedCells>;

const dropped = z.array(droppedCells).meta({ description: 'Cells that `shared` leaves out' });

export const ertsQuery = z.object({
  cells,
  campaign: furtherCampaigns,
  ...trialScope,
  targets: targetsFilter.describe(
    'Targets in place of those of the trials, from the traces of their runs: numbers or from..to:count of powers of ten',
  ),
});
export type ErtsQuery = z.infer<typeof ertsQuery>;

const inAll = 'All values of the trials, requested or not';
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
      description:
        'Smallest of the references that are not doubtful, or see `referenceKind`; null where there is none',
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
    geometricMeanRatio: nullableNumber.meta({
      description: 'Null unless every function of the dimension with a reference is solved',
    }),
  })
  .meta({ id: 'RatioSummary' });
export type RatioSummary = z.infer<typeof ratioSummary>;

export const campaignErts = z
  .object({
    campaignId: z.string(),
    name: maskedText(),
    suite: z.string(),
    ...choices,
    references: z.array(z.string()).meta({ description: 'Optimizers of the reference results' }),
    referenceKind: z.enum(['stored', 'best', 'none']).meta({
      description:
        '`stored` reference results; `best` = the smallest ERT of the compared optimizers where none are stored; ' +
        '`none` = a single optimizer without references',
    }),
    dropped: dropped.meta({ description: 'Cells that `summary` leaves out' }),
    rows: z.array(ertRow),
    summary: z.array(ratioSummary).meta({ description: 'Over the cells that were chosen' }),
    notes: z.array(analysisNote),
  })
  .meta({ id: 'CampaignErts' });
export type CampaignErts = z.infer<typeof campaignErts>;

export const ecdfQuery = z.object({
  cells,
  failed,
  campaign: furtherCampaigns,
  ...trialScope,
  targets: targetsFilter.describe(
    'Numbers, or from..to:count for powers of ten; 2..-8:51 unless given',
  ),
  budget: numberFilter
    .refine((budget) => budget === undefined || budget > 0, { error: 'must be above 0' })
    .describe(
      'Evaluations / dimension up to which the area is taken; unless given, the smallest granted budget of the optimizers',
    ),
  restarts: flagFilter(false).describe('Whether trials that missed a target go on as restarts'),
});
export type EcdfQuery = z.infer<typeof ecdfQuery>;

export const ecdfCurve = z
  .object({
    optimizer: z.string(),
    trials: z.int(),
    cells: z
      .int()
      .meta({ description: 'Cells (function, dimension, instance), each counted once' }),
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

export const ecdfPanel = z
  .object({
    dimension: z.int(),
    budget: z.number().meta({ description: 'Evaluations / dimension up to which areas are taken' }),
    budgetSetBy: z.string().nullable().meta({
      description:
        'Optimizer with the smallest granted budget; null if there is no known one, or one was requested',
    }),
    absent: z.array(z.string()).meta({ description: 'Optimizers without a trial in it' }),
    curves: z.array(ecdfCurve),
  })
  .meta({ id: 'EcdfPanel', description: 'Runtime ECDF of one dimension' });
export type EcdfPanel = z.infer<typeof ecdfPanel>;

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
    cells: cellChoice,
    dropped,
    panels: z.array(ecdfPanel).meta({ description: 'One per dimension' }),
    curves: z.array(ecdfCurve).meta({
      description:
        'Pooled over the dimensions; with `shared` cells over those that all optimizers have',
    }),
    notes: z.array(analysisNote),
  })
  .meta({ id: 'CampaignEcdf' });
export type CampaignEcdf = z.infer<typeof campaignEcdf>;

export const optimizerTestsQuery = z.object({
  campaign: furtherCampaigns,
  ...trialScope,
  target: numberFilter.describe('Target to test at; that of the trials unless given'),
  failed,
});
export type OptimizerTestsQuery = z.infer<typeof optimizerTestsQuery>;

export const optimizerPair = z
  .object({
    a: z.string(),
    b: z.string(),
    functions: z.int().meta({ description: 'Functions on which both have an instance' }),
    instances: z.int().meta({ description: 'Pairs of a function and an instance that both have' }),
    budget: nullableNumber.meta({
      description:
        'Evaluations that both were granted; null where it differs by function or sets no limit',
    }),
    pValue: nullableNumber.meta({ description: 'Two-sided; null = nothing to test' }),
    adjustedPValue: nullableNumber.meta({ description: 'Holm, over all pairs of its table' }),
    method: z.enum(['exact', 'asymptotic']).nullable(),
    better: z.string().meta({ description: 'The optimizer with the smaller ranks, or `none`' }),
    significant: z
      .boolean()
      .meta({ description: 'Adjusted p at most 0.05, and no trial is pending' }),
  })
  .meta({ id: 'OptimizerPair', description: 'Rank-sum test of the runtimes of two optimizers' });
export type OptimizerPair = z.infer<typeof optimizerPair>;

export const optimizerTests = z
  .object({
    campaignId: z.string(),
    target: nullableNumber.meta({ description: 'Null = that of each trial' }),
    interim: z.boolean().meta({ description: 'Whether a campaign still runs: nothing is claimed' }),
    functions: z
      .array(z.object({ dimension: z.int(), functionId: z.int(), pairs: z.array(optimizerPair) }))
      .meta({ description: 'Over the instances of each function; one family' }),
    dimensions: z
      .array(z.object({ dimension: z.int(), pairs: z.array(optimizerPair) }))
      .meta({ description: 'Over the functions of each dimension; one family' }),
    notes: z.array(analysisNote),
  })
  .meta({ id: 'OptimizerTests' });
export type OptimizerTests = z.infer<typeof optimizerTests>;
