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
  '`shared`: the cells that every selected optimizer with a trial in the dimension has; `all`: all cells of each optimizer';

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
    `Cells (function, dimension, instance) of the summary. ${cellChoicesDescription}; \`unsolved\`: all cells of each optimizer; a function in a dimension ` +
      'without a trial of the optimizer counts as unsolved',
  ),
  campaign: furtherCampaigns,
  ...trialScope,
  targets: targetsFilter.describe(
    'Targets that replace the targets of the trials: numbers, or from..to:count for powers of ten. The results then come from the traces of the runs',
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
    'Displayed name of the optimizer. It comes from the display name that a user gave the optimizer, otherwise from the stored name. The name of the baseline ends with "(baseline)"',
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
        'Smallest ERT of the references that are not doubtful, see `referenceKind`; null if there is no such reference',
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
        'Number of the unsolved pairs with a reference; number of all unsolved pairs if `referenceKind` is `best`',
    }),
    doubtfulReferences: z.int(),
    geometricMeanRatio: nullableNumber.meta({
      description:
        'Geometric mean of the ratios; null without a ratio, and if the optimizer did not solve all pairs with a reference (all pairs if `referenceKind` is `best`)',
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
        '`none`: there are no stored references, and at most one optimizer',
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
      'Evaluations / dimension at which the area ends. The default of a dimension is the smallest budget limit of the trials, or their largest number of used evaluations if no trial limits the budget. The default over all dimensions is the smallest default of a dimension',
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
        'Right-continuous steps. If there are more than 500 steps, the response contains only the last step in each interval of 2 % in x',
    }),
    crossAt: nullableNumber.meta({
      description:
        'Median of the used evaluations / dimension of the trials that missed a target. Omits FAILED trials; null if no trial remains',
    }),
    area: z.number().meta({
      description:
        'Solved share, averaged over the logarithm of x from 1 to the budget; for a budget of at most 1, the solved share at the budget. Each cell counts once',
    }),
  })
  .meta({ id: 'EcdfCurve' });
export type EcdfCurve = z.infer<typeof ecdfCurve>;

/** The runtime ECDFs of one dimension. */
export const ecdfPanel = z
  .object({
    dimension: z.int().meta({
      description:
        'Dimension; 0 if the imported data do not state it. x and budgets are then in evaluations',
    }),
    budget: z.number().meta({ description: 'Evaluations / dimension at which the areas end' }),
    budgetSetBy: z.string().nullable().meta({
      description:
        'The only optimizer whose trials have the smallest budget limit; null if several optimizers have this limit, if no trial limits the budget, and if the request sets the budget',
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
        'Curves over all dimensions; with `cells=shared`, over the dimensions in which every optimizer has trials. The curves omit ' +
        'the unknown dimension (0) if there are others',
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
    'Target of the tests. The default is the target of each trial. The tests then compare two optimizers on the instances on which both have trials with the same target',
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
      description:
        'Number of functions with an instance on which both optimizers have trials with the same target',
    }),
    instances: z.int().meta({
      description:
        'Number of pairs of a function and an instance on which both optimizers have trials with the same target. On each instance, the result of an optimizer is the median over its first trials, equally many of both optimizers',
    }),
    budget: nullableNumber.meta({
      description:
        'Common budget of both optimizers in evaluations; null if it differs between functions, if nothing limits it, and if the optimizers share no instance',
    }),
    pValue: nullableNumber.meta({
      description: 'Two-sided p-value; null if there is nothing to test',
    }),
    adjustedPValue: nullableNumber.meta({
      description:
        'p-value with Holm adjustment over the tested pairs of a table, times 2 for the two tables `functions` and `dimensions`, at most 1; null if there is nothing to test',
    }),
    method: z.enum(['exact', 'asymptotic']).nullable(),
    better: z.string().meta({
      description:
        'The optimizer with the smaller ranks; `none` if neither optimizer has smaller ranks',
    }),
    significant: z.boolean().meta({
      description:
        'Whether the adjusted p-value is at most 0.05, `better` is not `none`, and no campaign is RUNNING',
    }),
  })
  .meta({ id: 'OptimizerPair', description: 'Rank-sum test of the runtimes of two optimizers' });
export type OptimizerPair = z.infer<typeof optimizerPair>;

/** Tests of all pairs of at most 12 optimizers, by function and by dimension; empty for more optimizers. */
export const optimizerTests = z
  .object({
    campaignId: z.string(),
    target: nullableNumber.meta({
      description: 'Target of the tests; null if the tests use the target of each trial',
    }),
    interim: z.boolean().meta({
      description: 'Whether a campaign is RUNNING. The tests then claim no difference',
    }),
    functions: z
      .array(z.object({ dimension: z.int(), functionId: z.int(), pairs: z.array(optimizerPair) }))
      .meta({
        description:
          'Tests of the pairs on each function, over its instances. All pairs form one family',
      }),
    dimensions: z.array(z.object({ dimension: z.int(), pairs: z.array(optimizerPair) })).meta({
      description:
        'Tests of the pairs in each dimension, over its functions. All pairs form one family',
    }),
    notes: z.array(analysisNote),
  })
  .meta({ id: 'OptimizerTests' });
export type OptimizerTests = z.infer<typeof optimizerTests>;
