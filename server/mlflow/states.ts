import * as z from 'zod';

const storedNumber = z.union([
  z.number(),
  z.enum(['NaN', 'Infinity', '-Infinity']).transform(Number),
]);

const texts = z.record(z.string(), z.string()).default({});

const runState = z.object({
  experimentId: z.string(),
  name: z.string(),
  user: z.string().default(''),
  params: texts,
  tags: texts,
  /** The latest value of each metric; `timestamp` in milliseconds since 1970. */
  metrics: z
    .record(z.string(), z.object({ value: storedNumber, timestamp: z.number(), step: z.number() }))
    .default({}),
});

/**
 * A run as its client has sent it, because a client reads it back, with only the latest value of each metric. Without a
 * name from the client, it has a default name. The tables of the runner contain the configuration and the iterations
 * that follow from the values.
 */
export type RunState = z.output<typeof runState>;

const experimentState = z.object({
  name: z.string(),
  artifactLocation: z.string().nullable().default(null),
  createdMillis: z.number(),
  tags: texts,
});

/**
 * An experiment of MLflow: a name under which a client groups its runs. Experiments of Evoscope follow from
 * configurations.
 */
export type ExperimentState = z.output<typeof experimentState>;

/**
 * Returns the state of a run in a payload. Throws a SyntaxError if the payload is not JSON, and a ZodError if it has
 * another format.
 */
export function readRunState(payload: string): RunState {
  return runState.parse(JSON.parse(payload));
}

/**
 * Returns the state of an experiment in a payload. Throws a SyntaxError if the payload is not JSON, and a ZodError if
 * it has another format.
 */
export function readExperimentState(payload: string): ExperimentState {
  return experimentState.parse(JSON.parse(payload));
}

/** Returns a state as the payload of an event, with NaN and the infinities as texts. */
export function formatState(state: RunState | ExperimentState): string {
  return JSON.stringify(state, (_key, value: unknown) => toWireNumber(value));
}

/** Returns a number as JSON can contain it: NaN and the infinities as texts. Returns other values unchanged. */
export function toWireNumber(value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}
