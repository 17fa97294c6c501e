import * as z from 'zod';
import {
  integersFilter,
  nullableNumber,
  optionalFlag,
  makePageQuery,
  makePageSchema,
  searchText,
  makeSortQuery,
  storedTime,
  wireInteger,
} from './common.ts';
import { countsKey, deletionCounters } from './experiment.ts';
import { makeMaskedText } from './masked.ts';
import { anyOfFilter } from './param-query.ts';

/** Query parameters that select trials by optimizer, function and dimension. By default, they select all trials. */
export const trialScope = {
  optimizer: anyOfFilter,
  functionId: integersFilter.describe('Number of a function to include; repeatable. Default: all'),
  dimension: integersFilter.describe('Dimension to include; repeatable. Default: all'),
};

/** Query of `GET /api/coco/campaigns`. */
export const campaignsQuery = z.object({
  q: searchText.describe('Part of the id, the name or the notes of a campaign'),
  status: anyOfFilter,
  suite: anyOfFilter,
  ...makePageQuery(),
  ...makeSortQuery(['created_at', 'started_at', 'finished_at', 'status', 'name']),
});
export type CampaignsQuery = z.infer<typeof campaignsQuery>;

/** A campaign in a list. */
export const campaignItem = z
  .object({
    campaignId: z.string(),
    name: makeMaskedText(),
    suite: z.string(),
    status: z
      .string()
      .meta({ description: 'RUNNING, COMPLETED, COMPLETED_WITH_ERRORS or FAILED, as stored' }),
    createdAt: storedTime,
    startedAt: storedTime.nullable(),
    finishedAt: storedTime.nullable(),
    trials: z.int(),
    expectedTrials: z.int().meta({
      description:
        'Number of trials in the plan: optimizers × dimensions × functions × instances × the largest number of repetitions of ' +
        'a trial; 0 if the plan is not readable. For an imported campaign, it is the sum of the expected trials of ' +
        'all optimizers, see CampaignCompleteness.planSource',
    }),
    reachedTargets: z.int().meta({ description: 'Number of trials that reached their target' }),
    optimizerCount: z.int(),
  })
  .meta({ id: 'CampaignItem' });
export type CampaignItem = z.infer<typeof campaignItem>;

/** One page of the list of campaigns. */
export const campaignsPage = makePageSchema(campaignItem).meta({ id: 'CampaignsPage' });

/** Expected and existing trials of one optimizer. */
const trialCounts = {
  expected: z.int().meta({
    description:
      'Number of expected trials: instances × repetitions for each planned function. For an imported campaign, see CampaignCompleteness.planSource',
  }),
  present: z.int().meta({ description: 'Number of stored trials, including failed ones' }),
  failed: z.int().meta({ description: 'Number of trials with the status FAILED' }),
  reachedTargets: z.int(),
};

/** Expected and existing trials of an optimizer in a dimension. */
export const dimensionCompleteness = z
  .object({ optimizerId: z.string(), dimension: z.int(), ...trialCounts })
  .meta({ id: 'DimensionCompleteness' });

/** A campaign with its plan and its completeness by optimizer and dimension. */
export const campaignDetail = z
  .object({
    ...campaignItem.shape,
    dimensionsJson: makeMaskedText(),
    instancesJson: makeMaskedText(),
    functionsJson: makeMaskedText(),
    notes: makeMaskedText().nullable(),
    completeness: z.array(dimensionCompleteness),
  })
  .meta({ id: 'CampaignDetail' });
export type CampaignDetail = z.infer<typeof campaignDetail>;

const optimizerLabel = makeMaskedText('source').optional().meta({
  description:
    'Displayed name of the optimizer. It comes from the display name that a user gave the optimizer, otherwise from the stored name. The name of the baseline ends with "(baseline)"',
});

/** Expected and existing trials of an optimizer on a function in a dimension. */
export const functionCompleteness = z
  .object({
    optimizerId: z.string(),
    label: optimizerLabel,
    dimension: z.int(),
    functionId: z.int(),
    ...trialCounts,
  })
  .meta({ id: 'FunctionCompleteness' });
export type FunctionCompleteness = z.infer<typeof functionCompleteness>;

/** The plan of a campaign, with the expected and existing trials of each optimizer, dimension and function. */
export const campaignCompleteness = z
  .object({
    campaignId: z.string(),
    planSource: z.enum(['campaign', 'data']).meta({
      description:
        'Source of the number of expected trials: the plan of the campaign or, for an imported campaign, the ' +
        'data set of each optimizer. The number for each function in each dimension of a data set is then its largest ' +
        'number of instances × its most frequent number of repetitions, at least the number of existing trials',
    }),
    optimizers: z.array(z.string()),
    dimensions: z.array(z.int()),
    functions: z.array(z.int()),
    instances: z.array(z.int()),
    repetitions: z.int().meta({
      description:
        'Largest number of repetitions in the trials, at least 1. Campaigns do not state the planned number',
    }),
    cells: z.array(functionCompleteness),
  })
  .meta({ id: 'CampaignCompleteness' });
export type CampaignCompleteness = z.infer<typeof campaignCompleteness>;

/** An optimizer of a campaign with its configuration. */
export const cocoOptimizer = z
  .object({
    id: wireInteger,
    campaignId: z.string(),
    optimizerId: z.string(),
    label: optimizerLabel,
    configPath: makeMaskedText(),
    algorithmType: z.string(),
    modelType: z.string(),
    representationType: z.string(),
    configYaml: makeMaskedText('yaml'),
    createdAt: storedTime,
  })
  .meta({ id: 'CocoOptimizer' });
export type CocoOptimizer = z.infer<typeof cocoOptimizer>;

const runnerErt = nullableNumber.meta({ description: 'The ERT that the runner stored' });

/** Results of an optimizer in a dimension, as the runner stored them. */
export const cocoAggregate = z
  .object({
    id: wireInteger,
    campaignId: z.string(),
    optimizerId: z.string(),
    label: optimizerLabel,
    dimension: z.int(),
    targetValue: nullableNumber,
    meanEvaluationsToTarget: nullableNumber,
    successRate: nullableNumber,
    medianBestFitness: nullableNumber,
    comparedReferenceOptimizer: z.string().nullable(),
    referenceErt: nullableNumber,
    svcErt: runnerErt,
    edafErt: runnerErt,
    ertRatio: nullableNumber,
    createdAt: storedTime,
  })
  .meta({ id: 'CocoAggregate' });
export type CocoAggregate = z.infer<typeof cocoAggregate>;

/** Query of `GET /api/coco/campaigns/{campaignId}/trials`. */
export const trialsQuery = z.object({
  ...trialScope,
  reachedTarget: optionalFlag.describe(
    'Whether the trials of the response reached their target (`true`) or missed it (`false`)',
  ),
  ...makePageQuery(),
  ...makeSortQuery([
    'id',
    'function_id',
    'dimension',
    'evaluations',
    'best_fitness',
    'evals_to_target',
  ]),
});
export type TrialsQuery = z.infer<typeof trialsQuery>;

/** A trial: one run of an optimizer on an instance of a function. */
export const cocoTrial = z
  .object({
    id: wireInteger,
    campaignId: z.string(),
    optimizerId: z.string(),
    label: optimizerLabel,
    runId: z.string(),
    functionId: wireInteger,
    instanceId: wireInteger,
    dimension: wireInteger,
    repetition: wireInteger,
    budgetEvaluations: wireInteger.nullable(),
    evaluations: wireInteger.nullable(),
    bestFitness: nullableNumber,
    runtimeMillis: wireInteger.nullable(),
    status: z.string(),
    reachedTarget: z.boolean(),
    evaluationsToTarget: wireInteger.nullable(),
    targetValue: nullableNumber,
    createdAt: storedTime,
  })
  .meta({ id: 'CocoTrial' });
export type CocoTrial = z.infer<typeof cocoTrial>;

/** One page of the trials of a campaign. */
export const trialsPage = makePageSchema(cocoTrial).meta({ id: 'TrialsPage' });

/** Numbers of rows, directories and annotations that the deletion of a campaign or data set deletes or would delete. */
export const campaignDeletionCounters = {
  campaignsDeleted: z.int(),
  trialsDeleted: z.int(),
  optimizersDeleted: z.int(),
  aggregatesDeleted: z.int(),
  experimentsDeleted: z
    .int()
    .meta({ description: 'Number of experiments that belong only to this campaign or data set' }),
  ...deletionCounters,
};

/** Response to the deletion of a campaign, with {@link campaignDeletionCounters}. */
export const campaignDeletion = z
  .object({ campaignId: z.string(), deleted: z.boolean(), ...campaignDeletionCounters })
  .meta({ id: 'CampaignDeletion' });
export type CampaignDeletion = z.infer<typeof campaignDeletion>;

/** The {@link campaignDeletionCounters} of a possible deletion of a campaign, and whether it is possible now. */
export const campaignDeletionPreview = z
  .object({
    campaignId: z.string(),
    deletable: z.boolean().meta({
      description:
        'Whether the service can delete the campaign now. It cannot while a run is RUNNING, or for 10 minutes after the start or a new trial of a RUNNING campaign',
    }),
    runningRuns: z.int(),
    lockSeconds: z.number(),
    needsForce: z.boolean(),
    countsKey,
    ...campaignDeletionCounters,
  })
  .meta({ id: 'CampaignDeletionPreview' });
export type CampaignDeletionPreview = z.infer<typeof campaignDeletionPreview>;

/** A reference result of the suite of a campaign. */
export const cocoReference = z
  .object({
    optimizerName: makeMaskedText(),
    functionId: z.int(),
    dimension: z.int(),
    targetValue: nullableNumber,
    ert: nullableNumber,
    successRate: nullableNumber,
  })
  .meta({ id: 'CocoReference' });
export type CocoReference = z.infer<typeof cocoReference>;
