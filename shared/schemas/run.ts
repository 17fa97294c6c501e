import * as z from 'zod';
import {
  makeInstantFilter,
  makeIntegerFilter,
  nullableNumber,
  numberFilter,
  makePageSchema,
  makePageQuery,
  searchText,
  storedTime,
  textFilter,
  trialsFilter,
  wireInteger,
} from './common.ts';
import { directions, directionSources, searchedDiagnoses } from '#shared/words.ts';
import { annotationDetails, annotationFields } from './annotation.ts';
import { makeMaskedText, maskings } from './masked.ts';
import { anyOfFilter, paramColumns, paramFilters, makeParamSortQuery } from './param-query.ts';

const diagnosisFilter = anyOfFilter
  .transform((texts) => texts.map((text) => text.toUpperCase()))
  .pipe(
    z.array(z.enum(searchedDiagnoses, { error: `must be one of ${searchedDiagnoses.join(', ')}` })),
  )
  .meta({
    description:
      'Diagnosis of the runs to include; repeatable: any of the values matches. At most 200,000 runs may match the other filters',
    override: { type: 'array', items: { type: 'string', enum: [...searchedDiagnoses] } },
  });

/** The sort columns of runs; the first is the default. */
export const runSortKeys = [
  'start_time',
  'best_fitness',
  'runtime_millis',
  'status',
  'seed',
  'run_name',
  'algorithm_type',
  'model_type',
  'problem_type',
  'iterations',
  'evaluations',
  'end_time',
] as const;

/** Query of `GET /api/runs`. */
export const runsQuery = z.object({
  q: searchText,
  tag: anyOfFilter,
  algorithm: anyOfFilter,
  model: anyOfFilter,
  problem: anyOfFilter,
  status: anyOfFilter,
  from: makeInstantFilter('start'),
  to: makeInstantFilter('end'),
  minBest: numberFilter.describe('Minimum of the best fitness'),
  maxBest: numberFilter.describe('Maximum of the best fitness'),
  diagnosis: diagnosisFilter,
  trials: trialsFilter.default('include'),
  param: paramFilters,
  params: paramColumns,
  ...makePageQuery(),
  ...makeParamSortQuery(runSortKeys),
});
export type RunsQuery = z.infer<typeof runsQuery>;

/** The newest stop request for a run or an experiment. */
export const stopRequest = z
  .object({
    scope: z.string(),
    status: z.string(),
    requestedAt: storedTime,
    requestedBy: makeMaskedText().nullable(),
    reason: makeMaskedText().nullable(),
    acknowledgedAt: storedTime.nullable(),
    acknowledgedByRunId: z.string().nullable(),
  })
  .meta({ id: 'StopRequest' });
export type StopRequest = z.infer<typeof stopRequest>;

/** Progress of a RUNNING run by its iteration rows. */
export const runProgress = z
  .object({
    iteration: wireInteger
      .nullable()
      .meta({ description: 'Iteration of the newest row; null without rows' }),
    maxIterations: wireInteger.nullable(),
    evaluations: wireInteger.nullable(),
    bestSoFar: nullableNumber.meta({
      description: 'Best fitness of all rows, by the direction of the experiment',
    }),
    meanFitness: nullableNumber,
    lastActivityAt: storedTime.meta({
      description: 'Time of the newest row, or the start of a run without rows',
    }),
    secondsPerIteration: nullableNumber.meta({
      description:
        'Median time between the newest rows, which may omit iterations; null unless two consecutive rows have valid times',
    }),
    evaluationsPerSecond: nullableNumber.meta({
      description:
        'Average speed over the newest 32 rows; null for fewer than 2 rows with evaluations and a valid time, if no time passed or the evaluations decreased between the first and the last of them, and for a silent run',
    }),
    grantedEvaluations: nullableNumber.meta({
      description:
        'Evaluations after which the configuration ends the run; null if there is no limit',
    }),
    secondsLeft: nullableNumber.meta({
      description:
        'Time in seconds until the run ends at its current speed: remaining evaluations / `evaluationsPerSecond`, remaining iterations × the median time per iteration, or the smaller of both. Null if the run has no budget, if the speed is unknown, and for a silent run',
    }),
    silent: z.boolean().meta({
      description:
        'Whether the last activity is older than 60 s and older than 20 times the median time between rows',
    }),
  })
  .meta({ id: 'RunProgress' });
export type RunProgress = z.infer<typeof runProgress>;

/** Maximum length of the error message of a run in a list, in characters (code points). */
export const shortMessageLength = 300;

const errorMessageMeta = {
  description: `Error message of the run. Lists contain its first ${shortMessageLength} characters`,
};

/** Parameters of an item by path, as text. */
export const paramValues = z
  .record(z.string(), z.string().nullable())
  .meta({
    description: 'Values of the parameters in `params`; null for a parameter without a value',
  })
  .register(maskings, { method: 'params' });

/** A run in a list. */
export const runItem = z
  .object({
    runId: z.string(),
    experimentId: z.string(),
    runName: makeMaskedText().nullable(),
    algorithmType: z.string(),
    modelType: z.string(),
    problemType: z.string(),
    representationType: z.string(),
    status: z.string(),
    startTime: storedTime,
    endTime: storedTime.nullable(),
    iterations: wireInteger.nullable(),
    evaluations: wireInteger.nullable(),
    bestFitness: nullableNumber,
    runtimeMillis: wireInteger.nullable(),
    configHash: z.string(),
    seed: wireInteger.nullable(),
    progress: runProgress
      .nullable()
      .meta({ description: 'Progress of a RUNNING run; null for other runs' }),
    errorMessage: makeMaskedText('text', shortMessageLength).nullable().meta(errorMessageMeta),
    stopRequest: stopRequest
      .nullable()
      .meta({ description: 'The newest stop request for the run or its experiment' }),
    ...annotationFields,
    params: paramValues.optional(),
  })
  .meta({ id: 'RunItem' });
export type RunItem = z.infer<typeof runItem>;

/** One page of the list of runs. */
export const runsPage = makePageSchema(runItem).meta({ id: 'RunsPage' });

/** Direction of optimisation: minimise or maximise fitness. */
export const objectiveDirection = z.enum(directions);
export type ObjectiveDirection = z.infer<typeof objectiveDirection>;

/** Default direction and target of an experiment, with their sources. */
export const ownObjective = {
  direction: objectiveDirection,
  directionSource: z.enum(directionSources),
  targetFitness: nullableNumber,
  targetSource: z.enum(['config', 'none']),
};

const sibling = z.object({ runId: z.string(), seed: wireInteger.nullable() }).nullable();

/** The families of representations. `unknown` means that neither telemetry nor configuration states a family. */
export const representationFamily = z.enum(['binary', 'permutation', 'real', 'grammar', 'unknown']);

/** A run with its configuration, its objective and its annotations. */
export const runDetail = runItem
  .omit({ params: true })
  .extend({
    ...annotationDetails,
    schemaVersion: z.string(),
    selectionType: z.string(),
    replacementType: z.string(),
    stoppingType: z.string(),
    maxIterations: wireInteger.nullable(),
    errorMessage: makeMaskedText().nullable().meta(errorMessageMeta),
    bestSummary: makeMaskedText().nullable(),
    artifactsJson: makeMaskedText().nullable(),
    resumedFrom: makeMaskedText().nullable(),
    configYaml: makeMaskedText('yaml'),
    configJson: makeMaskedText(),
    experimentCreatedAt: storedTime,
    objectives: z.array(z.object({ name: z.string(), value: nullableNumber })),
    representationFamily,
    iterationsLeftOut: z.int().meta({
      description:
        'Number of stored iterations that no list contains, because the number of the iteration is not a whole number',
    }),
    ...ownObjective,
    trial: z
      .object({
        campaignId: z.string(),
        name: z
          .string()
          .meta({ description: 'Name of the campaign' })
          .register(maskings, { method: 'text' }),
        optimizerId: z.string(),
        functionId: wireInteger.nullable(),
        dimension: wireInteger.nullable(),
        instanceId: wireInteger.nullable(),
      })
      .nullable()
      .meta({
        description: 'The trial of the run in a COCO campaign; null for a run that is not a trial',
      }),
    siblings: z.object({ previous: sibling, next: sibling }).meta({
      description:
        'Runs of the same experiment directly before and after this one by seed, then by id; null if there is none',
    }),
  })
  .meta({ id: 'RunDetail' });
export type RunDetail = z.infer<typeof runDetail>;

/** Query of `GET /api/runs/{runId}/iterations`. */
export const iterationsQuery = z.object({
  fields: z
    .enum(['all', 'scalars'])
    .default('all')
    .describe('Fields of each iteration: `scalars` omits the telemetry JSON, `all` includes it'),
  after: makeIntegerFilter(Number.MIN_SAFE_INTEGER).describe(
    'Iteration after which the response begins',
  ),
  limit: makeIntegerFilter(1).describe('Maximum number of iterations'),
});

const iterationScalars = {
  iteration: wireInteger,
  evaluations: wireInteger.nullable(),
  bestFitness: nullableNumber,
  meanFitness: nullableNumber,
  stdFitness: nullableNumber,
  createdAt: storedTime,
};

/** An iteration with its telemetry as JSON. */
export const fullIteration = z
  .object({
    ...iterationScalars,
    metricsJson: makeMaskedText().nullable(),
    diagnosticsJson: makeMaskedText().nullable(),
  })
  .meta({ id: 'Iteration' });
export type FullIteration = z.infer<typeof fullIteration>;

/** An iteration with three numbers of its telemetry instead of the JSON. */
export const iterationRow = z
  .object({
    ...iterationScalars,
    populationSize: wireInteger.nullable(),
    eliteSize: wireInteger.nullable(),
    adaptiveActions: z.int().nullable(),
  })
  .meta({ id: 'IterationScalars' });
export type IterationRow = z.infer<typeof iterationRow>;

/** Iterations of a run: without JSON for `fields=scalars`, otherwise with the JSON of the telemetry. */
export const iterationsResponse = z.union([z.array(iterationRow), z.array(fullIteration)]);

/** Query of `GET /api/runs/{runId}/events`. */
export const eventsQuery = z.object({
  eventType: textFilter.describe('Type of the events to include. Default: all'),
  q: searchText,
  previewBytes: makeIntegerFilter(1, 1_048_576).describe('Maximum length of each payload in bytes'),
  ...makePageQuery(),
});
export type EventsQuery = z.infer<typeof eventsQuery>;

/** An event of a run. */
export const eventRow = z
  .object({
    id: wireInteger,
    runId: z.string().nullable(),
    eventType: z.string(),
    payloadJson: makeMaskedText('source'),
    createdAt: storedTime,
    payloadBytes: z.int().optional().meta({
      description:
        'Size of the whole payload in bytes; only with previewBytes, and if the payload is too long for the response',
    }),
  })
  .meta({ id: 'Event' });
export type EventRow = z.infer<typeof eventRow>;

/** One page of the events of a run. */
export const eventsPage = makePageSchema(eventRow).meta({ id: 'EventsPage' });

/** Number of events of a type in a run. */
export const eventTypeCount = z
  .object({ eventType: z.string(), count: z.int() })
  .meta({ id: 'EventTypeCount' });

/** A checkpoint of a run. */
export const checkpointRow = z
  .object({
    id: wireInteger,
    runId: z.string(),
    iteration: wireInteger.nullable(),
    checkpointPath: makeMaskedText(),
    createdAt: storedTime,
  })
  .meta({ id: 'Checkpoint' });
export type CheckpointRow = z.infer<typeof checkpointRow>;

/** A parameter of an experiment, with its value in the column of its type. */
export const paramRow = z
  .object({
    id: wireInteger,
    experimentId: z.string(),
    section: z.string(),
    paramPath: z.string(),
    leafKey: z.string(),
    valueType: z.string(),
    valueText: z.string().nullable(),
    valueNumber: nullableNumber,
    valueBoolean: wireInteger.nullable(),
    valueJson: z.string().nullable(),
  })
  .meta({ id: 'Param' })
  .register(maskings, { method: 'param' });
export type ParamRow = z.infer<typeof paramRow>;
