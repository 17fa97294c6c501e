import * as z from 'zod';

const storedNumber = z.union([
  z.number(),
  z.enum(['NaN', 'Infinity', '-Infinity']).transform(Number),
]);

const texts = z.record(z.string(), z.string()).default({});

const metricState = z.object({ value: storedNumber, timestamp: z.number(), step: z.number() });

/** Statuses of a model as MLflow names them. */
export const modelStatuses = [
  'LOGGED_MODEL_PENDING',
  'LOGGED_MODEL_READY',
  'LOGGED_MODEL_UPLOAD_FAILED',
] as const;

const modelState = z.object({
  name: z.string(),
  type: z.string(),
  artifactUri: z.string(),
  status: z.enum(modelStatuses),
  createdMillis: z.number(),
  updatedMillis: z.number(),
  params: texts,
  tags: texts,
  /** The latest value of each metric on each data set, and without one; `timestamp` is in milliseconds since 1970. */
  metrics: z
    .array(
      metricState.extend({
        key: z.string(),
        datasetName: z.string().optional(),
        datasetDigest: z.string().optional(),
      }),
    )
    .default([]),
});

/** A model that a client logged in a run. Its files are artifacts of the run. */
export type ModelState = z.output<typeof modelState>;

const dataSetState = z.object({
  name: z.string(),
  digest: z.string(),
  sourceType: z.string(),
  source: z.string(),
  schema: z.string().optional(),
  profile: z.string().optional(),
  tags: texts,
});

/** A description of a data set that a client logged as an input of a run. Does not contain the data. */
export type DataSetState = z.output<typeof dataSetState>;

const runState = z.object({
  experimentId: z.string(),
  name: z.string(),
  user: z.string().default(''),
  params: texts,
  tags: texts,
  /** The latest value of each metric; `timestamp` is in milliseconds since 1970. */
  metrics: z.record(z.string(), metricState).default({}),
  dataSets: z.array(dataSetState).default([]),
  /** The models that the client logged in the run, by id. */
  models: z.record(z.string(), modelState).default({}),
  /** Ids of the models that the run used, including models of other runs. */
  modelInputs: z.array(z.string()).default([]),
  /** The models that the run produced; `step` is the training step of a model. */
  modelOutputs: z.array(z.object({ modelId: z.string(), step: z.number() })).default([]),
});

/**
 * A run as its client sent it, because clients read the same values back. Contains only the latest value of each
 * metric. `name` is a default name if the client sent none. The tables of the runner contain the configuration and the
 * iterations that follow from these values.
 */
export type RunState = z.output<typeof runState>;

const experimentState = z.object({
  name: z.string(),
  artifactLocation: z.string().nullable().default(null),
  createdMillis: z.number(),
  tags: texts,
});

/**
 * An experiment of MLflow: a name under which a client groups its runs. In Evoscope, the configuration determines the
 * experiment of a run instead.
 */
export type ExperimentState = z.output<typeof experimentState>;

/**
 * Returns the state of a run from the payload of its event. Throws a SyntaxError if the payload is not JSON, and a
 * ZodError if it has another format.
 */
export function readRunState(payload: string): RunState {
  return runState.parse(JSON.parse(payload));
}

/**
 * Returns the state of an experiment from the payload of its event. Throws a SyntaxError if the payload is not JSON,
 * and a ZodError if it has another format.
 */
export function readExperimentState(payload: string): ExperimentState {
  return experimentState.parse(JSON.parse(payload));
}

/** Returns a state as the payload of an event, with NaN and the infinities as texts. */
export function formatState(state: RunState | ExperimentState): string {
  return JSON.stringify(state, (_key, value: unknown) => toWireNumber(value));
}

/**
 * Returns NaN and the infinities as texts, because JSON cannot contain these numbers. Returns other values unchanged.
 */
export function toWireNumber(value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}
