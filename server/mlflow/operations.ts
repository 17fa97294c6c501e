import * as z from 'zod';
import type { MlflowOperation } from '#shared/mlflow.ts';
import type { Database } from '#server/db/database.ts';
import { makeValidationError, parseInput } from '#server/errors.ts';
import { findTextFault, makeRecordingOffError } from '#server/recording/faults.ts';
import * as experiments from './experiments.ts';
import type { MetricValue, ModelMetricValue } from './metrics.ts';
import * as models from './models.ts';
import * as runs from './runs.ts';
import { modelStatuses, type DataSetState } from './states.ts';

/** A request of a client of MLflow: an operation such as `runs/create`, and its parameters. */
export interface MlflowCall {
  operation: OperationName;
  input: unknown;
}

/** Name of an operation that clients can request, or of `add-artifact`, which the service calls after an upload. */
type OperationName = MlflowOperation | 'add-artifact';

/** Dependencies of the operations in a thread. */
export interface MlflowContext {
  database: Database;
  /** Whether clients may record runs. */
  isRecording?: boolean | undefined;
}

interface Operation {
  isWriting: boolean;
  run: (context: MlflowContext, input: unknown) => Promise<object>;
}

/**
 * Maximum numbers of entries of a batch, as in MLflow. `params` and `tags` also limit the parameters and tags of
 * experiments, data sets and models. `inputs` limits the data sets and the models in one request.
 */
const batchLimits = { metrics: 1_000, params: 100, tags: 100, inputs: 1_000 };

const wholeNumber = z
  .union(
    [
      z.int(),
      z
        .string()
        .regex(/^-?\d{1,15}$/)
        .transform(Number),
    ],
    {
      error: 'must be a whole number',
    },
  )
  .pipe(z.int());

/** Milliseconds since 1970, up to the year 9999. */
const millis = wholeNumber.pipe(
  z
    .int()
    .min(0, 'must not be negative')
    .max(253_402_300_799_999, 'must be at most 253402300799999'),
);

const step = wholeNumber.pipe(
  z.int().min(0, 'must not be negative').max(2_147_483_647, 'must be at most 2147483647'),
);

const metricNumber = z.union(
  [z.number(), z.enum(['NaN', 'Infinity', '-Infinity']).transform(Number)],
  {
    error: 'must be a number, "NaN", "Infinity" or "-Infinity"',
  },
);

const makeTextSchema = (characters: number) =>
  z
    .string({ error: 'must be a text' })
    .max(characters, `must have at most ${characters} characters`);

const key = makeTextSchema(200)
  .min(1, 'must not be empty')
  .refine((name) => name !== '__proto__', 'must not be __proto__');

const param = z.object({ key, value: makeTextSchema(6_000) });
const tag = z.object({ key, value: makeTextSchema(8_000).default('') });
const metric = z.object({
  key,
  value: metricNumber,
  timestamp: millis.optional(),
  step: step.default(0),
});
const dataSetFields = { name: makeTextSchema(500), digest: makeTextSchema(36) };

const makeListSchema = <Item extends z.ZodType>(item: Item, maximum: number) =>
  z.array(item).max(maximum, `must have at most ${maximum} items`).default([]);

const id = z
  .string({ error: 'must be a text of 1 to 64 characters' })
  .min(1, 'must not be empty')
  .max(64, 'must have at most 64 characters');

/** A metric, and the model and the data set for which the client measured it. */
const measuredMetric = metric.extend({
  model_id: id.optional(),
  dataset_name: dataSetFields.name.optional(),
  dataset_digest: dataSetFields.digest.optional(),
});

const dataSetInput = z
  .object({
    tags: makeListSchema(tag, batchLimits.tags),
    dataset: z.object({
      ...dataSetFields,
      source_type: makeTextSchema(36),
      source: makeTextSchema(65_535),
      schema: z.string().optional(),
      profile: z.string().optional(),
    }),
  })
  .transform(({ tags, dataset: { source_type: sourceType, ...dataSet } }): DataSetState => ({
    ...dataSet,
    sourceType,
    tags: toTexts(tags),
  }));

const modelOrder = z
  .object({
    field_name: makeTextSchema(1_000),
    ascending: z.boolean().default(true),
    dataset_name: z
      .undefined('must be absent, because a metric has its last value of all data sets')
      .optional(),
  })
  .transform(({ field_name, ascending }) => {
    // Clients of MLflow do not quote names with spaces in this field.
    const operand = field_name.replace(/^([a-z]+)\.([^"`]+)$/, '$1."$2"');
    return `${operand} ${ascending ? 'ASC' : 'DESC'}`;
  });

/** Fields with the id of a run. Older clients send `run_uuid`, and newer clients send both fields. */
const runFields = { run_id: id.optional(), run_uuid: id.optional() };

function getRunId({
  run_id,
  run_uuid,
}: {
  run_id?: string | undefined;
  run_uuid?: string | undefined;
}) {
  const runId = run_id ?? run_uuid;
  if (runId === undefined) throw makeValidationError([{ path: 'run_id', message: 'is missing' }]);
  return runId;
}

const modelFields = { model_id: id };

/**
 * Largest page token. The page tokens of `metrics/get-history` are steps, which PostgreSQL stores as integers of 32
 * bits.
 */
const maximumPage = 2 ** 31 - 1;

const makePageFields = (maximum: number) => ({
  filter: makeTextSchema(10_000).default(''),
  order_by: z.array(makeTextSchema(1_000)).max(20).default([]),
  max_results: wholeNumber.pipe(z.int().min(1).max(maximum)).default(1_000),
  page_token: z
    .string()
    .refine(
      (text) => /^\d*$/.test(text) && Number(text) <= maximumPage,
      'must be the next_page_token of another response',
    )
    .default(''),
});

const view = z.enum(['ACTIVE_ONLY', 'DELETED_ONLY', 'ALL']).default('ACTIVE_ONLY');

function makeReadOperation<Schema extends z.ZodType>(
  schema: Schema,
  runOperation: (context: MlflowContext, input: z.output<Schema>) => Promise<object>,
): Operation {
  return {
    isWriting: false,
    run: (context, input) => runOperation(context, parseRequest(schema, input)),
  };
}

function makeWriteOperation<Schema extends z.ZodType>(
  ...parameters: Parameters<typeof makeReadOperation<Schema>>
): Operation {
  return { ...makeReadOperation(...parameters), isWriting: true };
}

function parseRequest<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const fault = findTextFault(input);
  if (fault) throw makeValidationError([{ ...fault, path: fault.path || 'request' }]);
  return parseInput(schema, input ?? {});
}

function toTexts(list: readonly { key: string; value: string }[]): Record<string, string> {
  return Object.fromEntries(list.map((entry) => [entry.key, entry.value]));
}

/** Returns the values of parameters by key. Throws VALIDATION_FAILED for a parameter with different values. */
function toParams(list: readonly { key: string; value: string }[]): Record<string, string> {
  const params = toTexts(list);
  const duplicate = list.find(({ key: name, value }) => params[name] !== value);
  if (duplicate === undefined) return params;
  throw makeValidationError([
    { path: duplicate.key, message: 'has two values in this request: send one' },
  ]);
}

/**
 * Returns all metrics of a request, and separately the metrics with a model. Metrics without a time get the current
 * time.
 */
function toMetrics(list: readonly z.output<typeof measuredMetric>[]): {
  metrics: MetricValue[];
  modelMetrics: ModelMetricValue[];
} {
  const now = Date.now();
  const toMetric = ({
    key: name,
    value,
    timestamp = now,
    step: stepNumber,
  }: (typeof list)[number]) => ({
    key: name,
    value,
    timestamp,
    step: stepNumber,
  });
  return {
    metrics: list.map(toMetric),
    modelMetrics: list.flatMap((item) =>
      item.model_id === undefined
        ? []
        : [
            {
              ...toMetric(item),
              modelId: item.model_id,
              datasetName: item.dataset_name,
              datasetDigest: item.dataset_digest,
            },
          ],
    ),
  };
}

const operations: Readonly<Record<OperationName, Operation>> = {
  'experiments/create': makeWriteOperation(
    z.object({
      name: makeTextSchema(500).min(1, 'must not be empty'),
      artifact_location: makeTextSchema(2_000).optional(),
      tags: makeListSchema(tag, batchLimits.tags),
    }),
    ({ database }, { name, artifact_location: artifactLocation, tags }) =>
      experiments.createExperiment(database, {
        name,
        ...(artifactLocation && { artifactLocation }),
        tags: toTexts(tags),
      }),
  ),
  'experiments/get': makeReadOperation(z.object({ experiment_id: id }), ({ database }, input) =>
    experiments.getExperiment(database, input.experiment_id),
  ),
  'experiments/get-by-name': makeReadOperation(
    z.object({ experiment_name: makeTextSchema(500) }),
    ({ database }, input) => experiments.getExperimentByName(database, input.experiment_name),
  ),
  'experiments/search': makeReadOperation(
    z.object({ ...makePageFields(50_000), view_type: view }),
    async (
      { database },
      { filter, order_by: orderBy, max_results: size, page_token, view_type },
    ) =>
      view_type === 'DELETED_ONLY'
        ? { experiments: [] }
        : experiments.searchExperiments(database, {
            filter,
            orderBy,
            size,
            page: Number(page_token),
          }),
  ),
  'experiments/set-experiment-tag': makeWriteOperation(
    z.object({ experiment_id: id, ...tag.shape }),
    ({ database }, { experiment_id, key: name, value }) =>
      experiments.setExperimentTag(database, { id: experiment_id, key: name, value }),
  ),
  'runs/create': makeWriteOperation(
    z.object({
      experiment_id: id.default('0'),
      user_id: makeTextSchema(500).default(''),
      run_name: makeTextSchema(500).optional(),
      start_time: millis.optional(),
      tags: makeListSchema(tag, 1_000),
    }),
    ({ database }, { experiment_id, user_id, run_name, start_time, tags }) =>
      runs.createRun(database, {
        experimentId: experiment_id,
        name: run_name,
        user: user_id,
        startMillis: start_time,
        tags: toTexts(tags),
      }),
  ),
  'runs/get': makeReadOperation(z.object(runFields), ({ database }, input) =>
    runs.getRun(database, getRunId(input)),
  ),
  'runs/update': makeWriteOperation(
    z.object({
      ...runFields,
      status: z
        .enum(runs.mlflowStatuses, { error: `must be one of ${runs.mlflowStatuses.join(', ')}` })
        .optional(),
      end_time: millis.optional(),
      run_name: makeTextSchema(500).optional(),
    }),
    ({ database }, { status, end_time, run_name, ...ids }) =>
      runs.updateMlflowRun(database, {
        runId: getRunId(ids),
        status,
        endMillis: end_time,
        name: run_name,
      }),
  ),
  'runs/log-metric': makeWriteOperation(
    z.object({ ...runFields, ...measuredMetric.shape }),
    ({ database }, { run_id, run_uuid, ...value }) =>
      runs.logBatch(database, getRunId({ run_id, run_uuid }), toMetrics([value])),
  ),
  'runs/log-parameter': makeWriteOperation(
    z.object({ ...runFields, ...param.shape }),
    ({ database }, { key: name, value, ...ids }) =>
      runs.logBatch(database, getRunId(ids), { params: { [name]: value } }),
  ),
  'runs/log-batch': makeWriteOperation(
    z.object({
      ...runFields,
      metrics: makeListSchema(measuredMetric, batchLimits.metrics),
      params: makeListSchema(param, batchLimits.params),
      tags: makeListSchema(tag, batchLimits.tags),
    }),
    ({ database }, { metrics, params, tags, ...ids }) =>
      runs.logBatch(database, getRunId(ids), {
        ...toMetrics(metrics),
        params: toParams(params),
        tags: toTexts(tags),
      }),
  ),
  'runs/set-tag': makeWriteOperation(
    z.object({ ...runFields, ...tag.shape }),
    ({ database }, { key: name, value, ...ids }) =>
      runs.logBatch(database, getRunId(ids), { tags: { [name]: value } }),
  ),
  'runs/delete-tag': makeWriteOperation(z.object({ ...runFields, key }), ({ database }, input) =>
    runs.deleteTag(database, getRunId(input), input.key),
  ),
  'runs/search': makeReadOperation(
    z.object({
      ...makePageFields(50_000),
      experiment_ids: z.array(id).max(1_000).default([]),
      run_view_type: view,
    }),
    async ({ database }, input) =>
      input.run_view_type === 'DELETED_ONLY'
        ? { runs: [] }
        : runs.searchRuns(database, {
            experimentIds: input.experiment_ids,
            filter: input.filter,
            orderBy: input.order_by,
            size: input.max_results,
            page: Number(input.page_token),
          }),
  ),
  'runs/log-inputs': makeWriteOperation(
    z.object({
      ...runFields,
      datasets: makeListSchema(dataSetInput, batchLimits.inputs),
      models: makeListSchema(z.object({ model_id: id }), batchLimits.inputs),
    }),
    ({ database }, { datasets, models: inputs, ...ids }) =>
      models.logInputs(database, getRunId(ids), {
        dataSets: datasets,
        modelIds: inputs.map(({ model_id }) => model_id),
      }),
  ),
  'runs/outputs': makeWriteOperation(
    z.object({
      ...runFields,
      models: makeListSchema(z.object({ model_id: id, step: step.default(0) }), batchLimits.inputs),
    }),
    ({ database }, { models: outputs, ...ids }) =>
      models.logOutputs(
        database,
        getRunId(ids),
        outputs.map(({ model_id: modelId, step: stepNumber }) => ({ modelId, step: stepNumber })),
      ),
  ),
  'logged-models/search': makeReadOperation(
    z.object({
      ...makePageFields(50_000),
      experiment_ids: z.array(id).max(1_000).default([]),
      order_by: z.array(modelOrder).max(20).default([]),
      datasets: z
        .array(z.unknown())
        .max(0, 'must be absent, because a metric has its last value of all data sets')
        .default([]),
    }),
    ({ database }, { experiment_ids, filter, order_by, max_results, page_token }) =>
      models.searchModels(database, {
        experimentIds: experiment_ids,
        filter,
        orderBy: order_by,
        size: max_results,
        page: Number(page_token),
      }),
  ),
  'logged-models/create': makeWriteOperation(
    z.object({
      source_run_id: z.string('is missing: log the model in a run').pipe(id),
      name: makeTextSchema(500).optional(),
      model_type: makeTextSchema(500).default(''),
      params: makeListSchema(param, batchLimits.params),
      tags: makeListSchema(tag, batchLimits.tags),
    }),
    ({ database }, { source_run_id: runId, name, model_type: type, params, tags }) =>
      models.createModel(database, {
        runId,
        name,
        type,
        params: toParams(params),
        tags: toTexts(tags),
      }),
  ),
  'logged-models/get': makeReadOperation(z.object(modelFields), ({ database }, { model_id }) =>
    models.getModel(database, model_id),
  ),
  'logged-models/finalize': makeWriteOperation(
    z.object({
      ...modelFields,
      status: z.enum(modelStatuses, { error: `must be one of ${modelStatuses.join(', ')}` }),
    }),
    ({ database }, { model_id, status }) => models.changeModel(database, model_id, { status }),
  ),
  'logged-models/log-params': makeWriteOperation(
    z.object({ ...modelFields, params: makeListSchema(param, batchLimits.params) }),
    ({ database }, { model_id, params }) =>
      models.changeModel(database, model_id, { params: toParams(params) }),
  ),
  'logged-models/set-tags': makeWriteOperation(
    z.object({ ...modelFields, tags: makeListSchema(tag, batchLimits.tags) }),
    ({ database }, { model_id, tags }) =>
      models.changeModel(database, model_id, { tags: toTexts(tags) }),
  ),
  'logged-models/delete-tag': makeWriteOperation(
    z.object({ ...modelFields, key }),
    ({ database }, { model_id, key: name }) => models.deleteModelTag(database, model_id, name),
  ),
  'add-artifact': makeWriteOperation(
    z.object({ run_id: id, path: makeTextSchema(10_000), file: makeTextSchema(20_000) }),
    ({ database }, { run_id, path, file }) => runs.addArtifact(database, run_id, { path, file }),
  ),
  'metrics/get-history': makeReadOperation(
    z.object({
      ...runFields,
      metric_key: key,
      max_results: wholeNumber.pipe(z.int().min(1).max(25_000)).default(25_000),
      page_token: makePageFields(1).page_token,
    }),
    ({ database }, { metric_key, max_results, page_token, ...ids }) =>
      runs.getHistory(database, {
        runId: getRunId(ids),
        key: metric_key,
        size: max_results,
        previousStep: page_token === '' ? -1 : Number(page_token),
      }),
  ),
};

/** Returns whether an operation may change the database. */
export function isWrite({ operation }: MlflowCall): boolean {
  return operations[operation].isWriting;
}

/**
 * Runs an operation and returns its response as JSON. Throws RECORDING_OFF, VALIDATION_FAILED for invalid parameters,
 * and the errors of the operation.
 */
export async function callMlflow(
  context: MlflowContext,
  { operation, input }: MlflowCall,
): Promise<string> {
  if (!context.isRecording) throw makeRecordingOffError();
  return JSON.stringify(await operations[operation].run(context, input));
}
