import * as z from 'zod';
import { experimentStatuses } from '#shared/words.ts';
import {
  makeFlagFilter,
  makeInstantFilter,
  maximumIdLength,
  nullableNumber,
  makePageSchema,
  makePageQuery,
  repeatedText,
  searchText,
  makeSortQuery,
  storedTime,
  trialsFilter,
  wireInteger,
} from './common.ts';
import { runtimeOfRuns, successfulRuns } from './analysis-measures.ts';
import { annotationDetails, annotationFields } from './annotation.ts';
import { makeMaskedText } from './masked.ts';
import { anyOfFilter, paramColumns, paramFilters, makeParamSortQuery } from './param-query.ts';
import {
  objectiveDirection,
  ownObjective,
  paramValues,
  runProgress,
  shortMessageLength,
  stopRequest,
} from './run.ts';

/**
 * Status of an experiment, derived from its runs: RUNNING if any run is RUNNING; otherwise COMPLETED or FAILED if all
 * runs have this status; otherwise PARTIAL. An experiment without runs is PARTIAL.
 */
export const experimentStatus = z.enum(experimentStatuses);
export type ExperimentStatus = z.infer<typeof experimentStatus>;

/** Any number of values of {@link experimentStatus}, in any case. */
const statusFilter = repeatedText
  .transform((texts, context) =>
    texts.flatMap((text): ExperimentStatus[] => {
      const status = experimentStatuses.find((candidate) => candidate === text.toUpperCase());
      if (status !== undefined) return [status];
      const message = `must be one of ${experimentStatuses.join(', ')}`;
      context.addIssue({ code: 'custom', message });
      return [];
    }),
  )
  .meta({
    description:
      'Status of an experiment, derived from its runs; repeatable: any of the values matches',
    override: { type: 'array', items: { type: 'string', enum: [...experimentStatuses] } },
  });

/** Query of `GET /api/experiments`. */
export const experimentsQuery = z.object({
  q: searchText,
  tag: anyOfFilter,
  algorithm: anyOfFilter,
  model: anyOfFilter,
  problem: anyOfFilter,
  status: statusFilter,
  from: makeInstantFilter('start'),
  to: makeInstantFilter('end'),
  trials: trialsFilter.default('include'),
  param: paramFilters,
  params: paramColumns,
  figures: makeFlagFilter(false).describe(
    'Whether the response includes the success rate and ERT of each experiment',
  ),
  ...makePageQuery(),
  ...makeParamSortQuery([
    'latest_run_time',
    'created_at',
    'total_runs',
    'best_fitness',
    'algorithm_type',
    'model_type',
    'problem_type',
    'run_name',
  ]),
});
export type ExperimentsQuery = z.infer<typeof experimentsQuery>;

/** Numbers of runs of an experiment by status. Runs with an unknown status count only in the total. */
const runCounters = {
  totalRuns: z.int(),
  completedRuns: z.int(),
  failedRuns: z.int(),
  stoppedRuns: z.int(),
  runningRuns: z.int(),
  silentRuns: z.int().meta({
    description:
      'Number of RUNNING runs that have written nothing for a long time; `runningRuns` includes them',
  }),
};

/** Fields that `figures=true` adds to an experiment, with the same definitions as in its analysis. */
export const experimentMetrics = z.object({
  targetFitness: nullableNumber,
  successfulRuns,
  successRate: z.number(),
  ert: runtimeOfRuns,
});

/** An experiment in a list. */
export const experimentItem = z
  .object({
    experimentId: z.string(),
    runName: makeMaskedText().nullable(),
    algorithmType: z.string(),
    modelType: z.string(),
    problemType: z.string(),
    representationType: z.string(),
    configHash: z.string(),
    createdAt: storedTime,
    latestRunTime: storedTime,
    ...runCounters,
    status: experimentStatus,
    bestFitness: nullableNumber.meta({
      description: 'Best fitness by the direction of the experiment, including RUNNING runs',
    }),
    medianBest: nullableNumber.meta({
      description:
        'Median best fitness of the COMPLETED runs; null if no such run has a best fitness, and if the median is not finite',
    }),
    n: z.int().meta({
      description:
        'Number of COMPLETED runs with a best fitness, which is the sample size of `medianBest`',
    }),
    direction: objectiveDirection,
    ...annotationFields,
    params: paramValues.optional(),
    ...experimentMetrics.partial().shape,
  })
  .meta({ id: 'ExperimentItem' });
export type ExperimentItem = z.infer<typeof experimentItem>;

/** One page of the list of experiments. */
export const experimentsPage = makePageSchema(experimentItem).meta({ id: 'ExperimentsPage' });

/** An experiment with its configuration, its objective and its annotations. */
export const experimentDetail = z
  .object({
    experimentId: z.string(),
    configHash: z.string(),
    schemaVersion: z.string(),
    runName: makeMaskedText().nullable(),
    algorithmType: z.string(),
    modelType: z.string(),
    problemType: z.string(),
    representationType: z.string(),
    selectionType: z.string(),
    replacementType: z.string(),
    stoppingType: z.string(),
    maxIterations: wireInteger.nullable(),
    configYaml: makeMaskedText('yaml'),
    configJson: makeMaskedText(),
    createdAt: storedTime,
    ...runCounters,
    status: experimentStatus,
    ...ownObjective,
    stopRequest: stopRequest.nullable(),
    ...annotationDetails,
  })
  .meta({ id: 'ExperimentDetail' });
export type ExperimentDetail = z.infer<typeof experimentDetail>;

/** Query of `GET /api/experiments/{experimentId}/runs`. */
export const experimentRunsQuery = z.object({
  ...makePageQuery(50),
  ...makeSortQuery([
    'start_time',
    'best_fitness',
    'runtime_millis',
    'status',
    'seed',
    'iterations',
    'evaluations',
    'end_time',
  ]),
});
export type ExperimentRunsQuery = z.infer<typeof experimentRunsQuery>;

/** A run in the list of its experiment. */
export const experimentRunItem = z
  .object({
    runId: z.string(),
    seed: wireInteger.nullable(),
    status: z.string(),
    startTime: storedTime,
    endTime: storedTime.nullable(),
    iterations: wireInteger.nullable(),
    evaluations: wireInteger.nullable(),
    bestFitness: nullableNumber,
    runtimeMillis: wireInteger.nullable(),
    resumedFrom: makeMaskedText().nullable(),
    errorMessage: makeMaskedText('text', shortMessageLength).nullable(),
    progress: runProgress
      .nullable()
      .meta({ description: 'Progress of a RUNNING run; null for other runs' }),
    ...annotationFields,
  })
  .meta({ id: 'ExperimentRunItem' });
export type ExperimentRunItem = z.infer<typeof experimentRunItem>;

/** One page of the runs of an experiment. */
export const experimentRunsPage = makePageSchema(experimentRunItem).meta({
  id: 'ExperimentRunsPage',
});

/** Numbers of rows, artifact directories and annotations that a deletion deletes or would delete. */
export const deletionCounters = {
  runsDeleted: z.int(),
  runObjectivesDeleted: z.int(),
  iterationsDeleted: z.int(),
  checkpointsDeleted: z.int(),
  eventsDeleted: z.int(),
  controlRequestsDeleted: z.int(),
  paramsDeleted: z.int(),
  artifactDirectoriesDeleted: z.int(),
  annotationsDeleted: z
    .int()
    .meta({ description: 'Number of annotations of the experiments and runs' }),
};

/** Response to the deletion of an experiment, with {@link deletionCounters}. */
export const deletionResponse = z
  .object({ experimentId: z.string(), deleted: z.boolean(), ...deletionCounters })
  .meta({ id: 'DeletionResponse' });
export type DeletionResponse = z.infer<typeof deletionResponse>;

/** Key of the data in the preview of a deletion. */
export const countsKey = z.string().meta({
  description:
    'Identifies the campaigns, experiments, runs and counts. If the deletion has this key and they have changed since the preview, the service deletes nothing',
});

/** The {@link deletionCounters} of a possible deletion of an experiment, and whether it is possible now. */
export const deletionPreview = z
  .object({
    experimentId: z.string(),
    deletable: z.boolean().meta({
      description:
        'Whether the service can delete the experiment now. It cannot while a run is RUNNING',
    }),
    runningRuns: z.int(),
    lockSeconds: z.number().meta({
      description:
        'Estimated time in seconds, to one decimal, for which the deletion blocks a runner from writing',
    }),
    needsForce: z.boolean().meta({
      description:
        'Whether the deletion requires `force`, because an active runner would wait too long',
    }),
    countsKey,
    ...deletionCounters,
  })
  .meta({ id: 'DeletionPreview' });
export type DeletionPreview = z.infer<typeof deletionPreview>;

const forceDescription = 'Deletes even if a runner waits so long that its run may fail';
const maximumKeyLength = 200;

/** Query of the deletion of an experiment, a campaign or a data set. */
export const deletionQuery = z.object({
  force: makeFlagFilter(false).describe(forceDescription),
  countsKey: z.string().min(1).max(maximumKeyLength).optional().meta({
    description:
      'The `countsKey` of the preview. The service deletes nothing (COUNTS_CHANGED) if the campaigns, experiments, runs or counts have changed since the preview',
  }),
});
export type DeletionQuery = z.infer<typeof deletionQuery>;

/** Maximum number of experiments in one bulk deletion. */
export const maximumBulkDeletion = 500;

/** Body of `POST /api/experiments/delete-bulk`. */
export const bulkDeletionBody = z.object({
  experimentIds: z
    .array(z.string().min(1).max(maximumIdLength))
    .min(1)
    .max(maximumBulkDeletion)
    .transform((ids) => [...new Set(ids)]),
  force: z.boolean().default(false).meta({ description: forceDescription }),
  countsKeys: z
    .record(z.string().max(maximumIdLength), z.string().min(1).max(maximumKeyLength))
    .default({})
    .meta({
      description:
        'The `countsKey` of the preview by the id of the experiment. The service deletes an experiment only if its runs and counts have not changed since the preview',
    }),
});
export type BulkDeletionBody = z.infer<typeof bulkDeletionBody>;

/** Outcome of a bulk deletion for one experiment. */
export const bulkDeletionReason = z.enum([
  'DELETED',
  'RUNNING',
  'RUNNER_WRITING',
  'COUNTS_CHANGED',
  'NOT_FOUND',
  'ERROR',
]);

/** Response to a bulk deletion, with the outcome for each experiment. */
export const bulkDeletionResponse = z
  .object({
    items: z.array(
      z.object({ experimentId: z.string(), deleted: z.boolean(), reason: bulkDeletionReason }),
    ),
    deletedCount: z.int(),
    blockedCount: z.int(),
    missingCount: z.int(),
    errorCount: z.int(),
  })
  .meta({ id: 'BulkDeletionResponse' });
export type BulkDeletionResponse = z.infer<typeof bulkDeletionResponse>;
