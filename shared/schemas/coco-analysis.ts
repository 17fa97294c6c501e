import * as z from 'zod';
import { cellChoices, maximumComparedCampaigns } from '#shared/words.ts';
import { curvePoint } from './analysis.ts';
import { runtimeInterval } from './analysis-measures.ts';
import { analysisNote } from './analysis-note.ts';
import { targetsFilter } from './analysis-query.ts';
import { trialScope } from './coco.ts';
import {
  makeWordFilterWithDefault,
  makeFlagFilter,
  nullableNumber,
  infinityMark,
  numberFilter,
  repeatedText,
} from './common.ts';
import { makeMaskedText } from './masked.ts';
import { objectiveDirection } from './run.ts';

/** Further campaigns to analyse together with the one in the path. */
const furtherCampaigns = repeatedText
  .refine((ids) => ids.length < maximumComparedCampaigns, {
    error: `must have at most ${maximumComparedCampaigns - 1} values`,
  })
  .meta({ override: { type: 'array', items: { type: 'string' } } })
  .describe(
    'Id of another campaign of the same suite; repeatable. The response compares the optimizers of all ' +
      'campaigns. The name or id of their campaign distinguishes optimizers of the same name',
  );

/** The choice of the cells (function, dimension, instance) for a comparison of optimizers. */
export const cellChoice = z.enum(cellChoices);
export type CellChoice = z.infer<typeof cellChoice>;

const cellChoicesDescription =
  '`shared`: those of all selected optimizers that have a trial in the dimension; `all`: all cells of each optimizer';

const failedFilter = makeWordFilterWithDefault(['include', 'exclude']).describe(
  'FAILED trials: `include` counts them as unsolved, `exclude` excludes them from the results',
);

/** The cells of one function in one dimension that the same optimizers lack. */
export const droppedCells = z
  .object({
    dimension: z.int(),
    functionId: z.int(),
    instances: z.int().meta({ description: 'Number of instances that these optimizers lack' }),
    missingFor: z
      .array(z.string())
      .meta({ description: 'Optimizers without trials on these cells' }),
  })
  .meta({ id: 'DroppedCells', description: 'Cells that not every optimizer has' });
export type DroppedCells = z.infer<typeof droppedCells>;

const allDroppedCells = z.array(droppedCells).meta({ description: 'Cells that `shared` excludes' });

/** Query of `GET /api/coco/campaigns/{campaignId}/erts`. */
export const ertsQuery = z.object({
  cells: makeWordFilterWithDefault(cellChoices).describe(
    `Cells (function, dimension, instance) of the summary. ${cellChoicesDescription}; \`unsolved\`: also, a function in a dimension ` +
      'without a trial of the optimizer counts as unsolved',
  ),
  campaign: furtherCampaigns,
  ...trialScope,
  targets: targetsFilter.describe(
    'Targets that replace those of the trials; results come from the traces of the runs. Numbers, or from..to:count for powers of ten',
  ),
});
export type ErtsQuery = z.infer<typeof ertsQuery>;

const allValuesDescription =
  'All values of the trials, including those that the request does not select';
const choices = {
  optimizers: z.array(z.string()).meta({ description: allValuesDescription }),
  functions: z.array(z.int()).meta({ description: allValuesDescription }),
  dimensions: z.array(z.int()).meta({ description: allValuesDescription }),
};

const runtime = nullableNumber.meta({
  description: 'Evaluations; null if no trial succeeded (infinite), and without trials',
  ...infinityMark,
  'x-null-where': 'trials',
});

const optimizerLabel = makeMaskedText('source').optional().meta({
  description:
    'Displayed name: from its display name if a user gave it one, otherwise the stored name, followed by "(baseline)" for the baseline',
});
const referenceKind = z.enum(['stored', 'best', 'none']);
const rowReferenceKind = referenceKind
  .optional()
  .meta({ description: '`referenceKind` of the response, for tables of rows' });

/** Expected runtime of an optimizer on a function in a dimension, with its reference. */
export const ertRow = z
  .object({
    optimizerId: z.string(),
    label: optimizerLabel,
    functionId: z.int(),
    dimension: z.int(),
    targetValue: nullableNumber,
    trials: z.int().meta({ description: 'Number of trials without FAILED ones' }),
    failedTrials: z.int(),
    solvedTrials: z.int(),
    successRate: z.number(),
    ert: runtime,
    ertInterval: runtimeInterval.nullable().meta({
      description:
        'Percentile bootstrap interval; null if `trials` is 0. Only for existing scripts: pages show `ertMoverInterval`',
    }),
    ertMoverInterval: runtimeInterval.nullable().meta({
      description:
        'Interval by the method of variance estimates recovery (MOVER), within the granted budget if it is known and equal for all trials. Without such a budget, it is null if all of fewer than 15 trials succeeded, and assumes that every trial succeeds if all of 15 or more did. It is also null if `ert` is null',
    }),
    sp1: runtime,
    referenceErt: nullableNumber.meta({
      description:
        'Smallest reference ERT that is not doubtful, or the best one, see `referenceKind`; null if there is none',
    }),
    hasDoubtfulReference: z.boolean().meta({
      description:
        'Whether `referenceErt` omits a reference that states an ERT without any success',
    }),
    ratio: nullableNumber.meta({
      description: 'ERT / reference ERT; null if either is missing or the ERT is infinite',
      ...infinityMark,
      'x-null-where': ['trials', 'referenceErt'],
    }),
    referenceKind: rowReferenceKind,
  })
  .meta({ id: 'ErtRow' });
export type ErtRow = z.infer<typeof ertRow>;

/** Summary of the ratios of an optimizer to the references in a dimension. */
export const ratioSummary = z
  .object({
    optimizerId: z.string(),
    label: optimizerLabel,
    dimension: z.int(),
    functions: z.int().meta({ description: 'Number of pairs of a function and a target' }),
    solvedFunctions: z.int(),
    unsolvedFunctions: z.int(),
    comparedFunctions: z.int().meta({ description: 'Number of these pairs with a ratio' }),
    infiniteRatios: z.int().meta({
      description:
        'Number of the unsolved pairs with a reference; of all unsolved pairs if the references are the best of the compared optimizers',
    }),
    doubtfulReferences: z.int(),
    geometricMeanRatio: nullableNumber.meta({
      description:
        'Geometric mean of the ratios; null without a ratio, and unless the optimizer solved every function of the dimension with a reference, or every function at all if the references are the best of the compared optimizers',
    }),
    referenceKind: rowReferenceKind,
  })
  .meta({ id: 'RatioSummary' });
export type RatioSummary = z.infer<typeof ratioSummary>;

/** Expected runtimes of the optimizers of a campaign, with a summary. */
export const campaignErts = z
  .object({
    campaignId: z.string(),
    name: makeMaskedText(),
    suite: z.string(),
    ...choices,
    references: z.array(z.string()).meta({ description: 'Optimizers of the reference results' }),
    referenceKind: referenceKind.meta({
      description:
        'Kind of the references. `stored`: stored reference results; `best`: the smallest ERT of the compared optimizers, if there are no stored references; ' +
        '`none`: at most one optimizer, without references',
    }),
    dropped: allDroppedCells.meta({ description: 'Cells that `summary` excludes' }),
    rows: z.array(ertRow),
    summary: z.array(ratioSummary).meta({ description: 'Summary over the selected cells' }),
    notes: z.array(analysisNote),
  })
  .meta({ id: 'CampaignErts' });
export type CampaignErts = z.infer<typeof campaignErts>;

/** Query of `GET /api/coco/campaigns/{campaignId}/ecdf`. */
export const ecdfQuery = z.object({
  cells: makeWordFilterWithDefault(cellChoices).describe(
    `Cells (function, dimension, instance) of the comparison. ${cellChoicesDescription}; \`unsolved\`: missing cells count as unsolved`,
  ),
  failed: failedFilter,
  campaign: furtherCampaigns,
  ...trialScope,
  targets: targetsFilter.describe(
    'Targets of the ECDF: numbers, or from..to:count for powers of ten. Default: 2..-8:51, or the targets of the trials if the suite is maximised',
  ),
  budget: numberFilter
    .refine((budget) => budget === undefined || budget > 0, { error: 'must be above 0' })
    .describe(
      'Evaluations / dimension at which the area ends. Default: in each dimension, the smallest budget limit of the trials, or without one their largest number of used evaluations; over all dimensions, the smallest of these',
    ),
  restarts: makeFlagFilter(false).describe(
    'Whether the response simulates restarts for trials that missed a target',
  ),
});
export type EcdfQuery = z.infer<typeof ecdfQuery>;

/** Runtime ECDF of an optimizer. */
export const ecdfCurve = z
  .object({
    optimizer: z.string(),
    label: optimizerLabel,
    trials: z.int(),
    cells: z.int().meta({ description: 'Number of cells (function, dimension, instance)' }),
    pairs: z.int().meta({ description: 'Number of pairs of a trial and a target' }),
    solvedPairs: z.int(),
    points: z.array(curvePoint).meta({
      description:
        'Right-continuous steps. If there are more than 500, the response contains only the last one in each interval of 2 % in x',
    }),
    crossAt: nullableNumber.meta({
      description:
        'Median of the used evaluations / dimension of the trials, except FAILED ones, that missed a target; null if there are none',
    }),
    area: z.number().meta({
      description:
        'Solved share, in which each cell counts once, averaged over the logarithm of x from 1 to the budget; for a budget of at most 1, the share at the budget',
    }),
  })
  .meta({ id: 'EcdfCurve' });
export type EcdfCurve = z.infer<typeof ecdfCurve>;

/** The runtime ECDFs of one dimension. */
export const ecdfPanel = z
  .object({
    dimension: z.int().meta({
      description:
        'Dimension; 0 if an import does not know it; x and budgets are then in evaluations',
    }),
    budget: z.number().meta({ description: 'Evaluations / dimension at which the areas end' }),
    budgetSetBy: z.string().nullable().meta({
      description:
        'Only optimizer whose trials have the smallest budget limit; null if several have it, if no trial limits the budget, and if the request sets it',
    }),
    absent: z
      .array(z.string())
      .meta({ description: 'Optimizers without a trial in the dimension; empty for `unsolved`' }),
    curves: z.array(ecdfCurve),
  })
  .meta({ id: 'EcdfPanel', description: 'Runtime ECDF of one dimension' });
export type EcdfPanel = z.infer<typeof ecdfPanel>;

/** Runtime ECDFs of the optimizers of a campaign, by dimension and pooled. */
export const campaignEcdf = z
  .object({
    campaignId: z.string(),
    ...choices,
    direction: objectiveDirection,
    targets: z.array(z.number()),
    budget: nullableNumber.meta({
      description:
        'Evaluations / dimension at which the pooled areas end; null if each trial has FAILED or has no trace',
    }),
    largestBudget: nullableNumber.meta({
      description:
        'Largest number of evaluations / dimension that a trial used; null if each trial has FAILED or has no trace',
    }),
    restarts: z.boolean(),
    pairs: z.int().meta({ description: 'Number of pairs of all pooled curves' }),
    cells: cellChoice,
    dropped: allDroppedCells,
    panels: z
      .array(ecdfPanel)
      .meta({ description: 'One panel per dimension with a trial in a compared cell' }),
    curves: z.array(ecdfCurve).meta({
      description:
        'Curves pooled over the dimensions; with `cells=shared` over the dimensions of all optimizers. They omit the unknown ' +
        'dimension (0) if there are others',
    }),
    notes: z.array(analysisNote),
  })
  .meta({ id: 'CampaignEcdf' });
export type CampaignEcdf = z.infer<typeof campaignEcdf>;

/** Query of `GET /api/coco/campaigns/{campaignId}/tests`. */
export const optimizerTestsQuery = z.object({
  campaign: furtherCampaigns,
  ...trialScope,
  target: numberFilter.describe(
    'Target of the tests. Default: the target of each trial; the tests then compare optimizers on instances that they have with the same target',
  ),
  failed: failedFilter,
});
export type OptimizerTestsQuery = z.infer<typeof optimizerTestsQuery>;

/** Test of the runtimes of two optimizers. */
export const optimizerPair = z
  .object({
    a: z.string(),
    b: z.string(),
    labelA: optimizerLabel,
    labelB: optimizerLabel,
    functions: z.int().meta({
      description: 'Number of functions with an instance that both have with the same target',
    }),
    instances: z.int().meta({
      description:
        'Number of pairs of a function and an instance that both have with the same target. On each, both count with the median of equally many trials, the first ones',
    }),
    budget: nullableNumber.meta({
      description:
        'Common evaluation budget of both; null if it differs between functions, sets no limit, or the optimizers share no instance',
    }),
    pValue: nullableNumber.meta({
      description: 'Two-sided p-value; null if there is nothing to test',
    }),
    adjustedPValue: nullableNumber.meta({
      description:
        'p-value with Holm adjustment over the tested pairs of the table, times 2 for the tables `functions` and `dimensions`',
    }),
    method: z.enum(['exact', 'asymptotic']).nullable(),
    better: z
      .string()
      .meta({ description: 'The optimizer with the smaller ranks; `none` if neither' }),
    significant: z.boolean().meta({
      description: 'Whether the adjusted p-value is at most 0.05 and no campaign is RUNNING',
    }),
  })
  .meta({ id: 'OptimizerPair', description: 'Rank-sum test of the runtimes of two optimizers' });
export type OptimizerPair = z.infer<typeof optimizerPair>;

/** Tests of all pairs of at most 12 optimizers, by function and by dimension; empty for more optimizers. */
export const optimizerTests = z
  .object({
    campaignId: z.string(),
    target: nullableNumber.meta({
      description: 'Target of the tests; null for the target of each trial',
    }),
    interim: z.boolean().meta({
      description: 'Whether a campaign is still running; the tests then claim no difference',
    }),
    functions: z
      .array(z.object({ dimension: z.int(), functionId: z.int(), pairs: z.array(optimizerPair) }))
      .meta({
        description: 'Tests over the instances of each function. All pairs form one family',
      }),
    dimensions: z.array(z.object({ dimension: z.int(), pairs: z.array(optimizerPair) })).meta({
      description: 'Tests over the functions of each dimension. All pairs form one family',
    }),
    notes: z.array(analysisNote),
  })
  .meta({ id: 'OptimizerTests' });
export type OptimizerTests = z.infer<typeof optimizerTests>;
