import { isInteger, parseDecimal } from '#shared/syntax.ts';
import type { RecordLine } from '#shared/schemas/recording.ts';
import type { ConfigObject, ConfigValue } from '#server/domain/config.ts';
import type { RunState } from './states.ts';

/** Tag of a run that names the metric with its fitness. */
export const fitnessTag = 'evoscope.fitness';

/**
 * Metrics with the best fitness so far. The service uses the first of these metrics that a step has, or only the metric
 * that {@link fitnessTag} names, if the run has this tag.
 */
export const fitnessMetrics = ['best', 'best_fitness', 'best_eval', 'fitness', 'loss'];

/**
 * Metrics with the evaluations so far. The service uses the first of these metrics that a step has; see {@link
 * getIteration}.
 */
export const evaluationMetrics = ['evaluations', 'n_eval', 'nfe'];

const meanMetrics = ['mean', 'mean_fitness', 'mean_eval'];
const deviationMetrics = ['std', 'std_fitness'];

/**
 * Parameters and tags with a separate position in a configuration, in addition to `algorithm` and `problem`. Other
 * parameters, except `seed`, belong to the algorithm.
 */
const configKeys = [
  'model',
  'representation',
  'selection',
  'replacement',
  'dimension',
  'instance',
  'direction',
  'budget',
  'target',
];

/** Name of the experiment of MLflow that always exists. */
export const defaultExperimentName = 'Default';

const maximumInt64 = 2n ** 63n - 1n;

/**
 * Returns the configuration of a run from its parameters and tags. A parameter has priority over a tag with the same
 * name. Converts texts to numbers and booleans, and `None` to null, except in `algorithm` and `problem`. Parameters of
 * the algorithm with leading zeros remain texts. Without `algorithm`, the type of the algorithm is `unknown`. Without
 * `problem`, the problem is the name of the run's experiment of MLflow, or `unknown` in the default experiment. In
 * `algorithm`, `problem` and {@link configKeys}, a blank value counts as missing.
 */
export function getConfig({ params, tags }: RunState, experimentName: string): ConfigObject {
  const findValue = (name: string) => findText(params, name) ?? findText(tags, name);
  const knownNames = new Set(['algorithm', 'problem', 'seed', ...configKeys]);
  const otherParams = Object.entries(params).filter(([name]) => !knownNames.has(name));
  const problem = experimentName === defaultExperimentName ? 'unknown' : experimentName;
  return {
    recording: { client: 'mlflow', version: '2.0' },
    algorithm: {
      type: findValue('algorithm') ?? 'unknown',
      params: Object.fromEntries(
        otherParams.map(([name, text]) => [name, isPadded(text) ? text : parseValue(text)]),
      ),
    },
    problem: findValue('problem') ?? problem,
    ...Object.fromEntries(
      configKeys.flatMap((name) => {
        const text = findValue(name);
        return text === undefined ? [] : [[name, parseValue(text)]];
      }),
    ),
  };
}

/**
 * Returns the seed of a run: the parameter `seed`, or the tag `seed` if the parameter is missing or blank. Without a
 * seed that is a signed integer of 64 bits, returns the first 12 hexadecimal digits of the run's id as a number.
 */
export function getSeed({ params, tags }: RunState, runId: string): bigint {
  const text = findText(params, 'seed') ?? findText(tags, 'seed') ?? '';
  const seed = parseInteger(text);
  if (seed !== undefined && seed <= maximumInt64 && seed >= -maximumInt64 - 1n) return seed;
  return BigInt(`0x${runId.slice(0, 12)}`);
}

function findText(texts: Readonly<Record<string, string>>, name: string): string | undefined {
  const text = Object.hasOwn(texts, name) ? texts[name]?.trim() : undefined;
  return text === '' ? undefined : text;
}

/** Returns whether a text has leading zeros. Identifiers may have leading zeros, but printed numbers do not. */
function isPadded(text: string): boolean {
  return /^\s*[+-]?0\d/.test(text);
}

/**
 * Returns the value of a text that Python printed: a number, a boolean, null for `None`, or the text itself. Integers
 * of at most 300 characters are exact.
 */
function parseValue(text: string): ConfigValue {
  const trimmedText = text.trim();
  if (trimmedText === 'True' || trimmedText === 'true') return true;
  if (trimmedText === 'False' || trimmedText === 'false') return false;
  if (trimmedText === 'None') return null;
  const integer = parseInteger(trimmedText);
  if (integer !== undefined) {
    return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
  }
  return parseDecimal(trimmedText) ?? text;
}

/**
 * Returns the integer in a text of at most 300 characters, because a longer integer may exceed the largest double;
 * undefined for any other text.
 */
function parseInteger(text: string): bigint | undefined {
  return isInteger(text) && text.length <= 300 ? BigInt(text.replace('+', '')) : undefined;
}

type Iteration = Extract<RecordLine, { type: 'iteration' }>;

/**
 * Returns the iteration of a step from all metrics of the step; `timestamp` is in milliseconds since 1970. Without
 * fitness, the best is NaN. The recording then stores the previous best, or the worst possible value if there is none.
 * Rounds the evaluations. If the step has no evaluations from 0 to 2^53 − 1, uses the evaluations in the latest
 * `metrics` of the run if they belong to an earlier step, otherwise `storedEvaluations`, otherwise the number of the
 * step.
 */
export function getIteration(
  runId: string,
  { tags, metrics: previousMetrics }: Pick<RunState, 'tags' | 'metrics'>,
  step: {
    step: number;
    metrics: Readonly<Record<string, number>>;
    timestamp: number;
    storedEvaluations?: number;
  },
): Iteration {
  const fitnessName = findText(tags, fitnessTag);
  const { metrics } = step;
  const bestFitness =
    getFirst(metrics, fitnessName === undefined ? fitnessMetrics : [fitnessName]) ?? NaN;
  const mean = getFirst(metrics, meanMetrics);
  const std = getFirst(metrics, deviationMetrics);
  return {
    type: 'iteration',
    runId,
    iteration: step.step,
    evaluations:
      readEvaluations(metrics) ??
      countEvaluationsBefore(previousMetrics, step.step) ??
      step.storedEvaluations ??
      step.step,
    best: bestFitness,
    ...(mean !== undefined && { mean }),
    ...(std !== undefined && { std }),
    metrics: { ...metrics },
    time: new Date(step.timestamp).toISOString(),
  };
}

/** Returns whether a run has one of the {@link evaluationMetrics}, with any value. */
export function hasEvaluationMetric({ metrics }: Pick<RunState, 'metrics'>): boolean {
  return evaluationMetrics.some((name) => Object.hasOwn(metrics, name));
}

/** Returns the metrics with evaluations. */
export function selectEvaluationMetrics(metrics: RunState['metrics']): RunState['metrics'] {
  return Object.fromEntries(
    Object.entries(metrics).filter(([name]) => evaluationMetrics.includes(name)),
  );
}

function countEvaluationsBefore(metrics: RunState['metrics'], step: number): number | undefined {
  const previousMetrics = Object.entries(metrics)
    .filter(([, metric]) => metric.step < step)
    .map(([name, { value }]) => [name, value] as const);
  return readEvaluations(Object.fromEntries(previousMetrics));
}

function readEvaluations(metrics: Readonly<Record<string, number>>): number | undefined {
  const value = getFirst(metrics, evaluationMetrics);
  return value !== undefined && value >= 0 && value <= Number.MAX_SAFE_INTEGER
    ? Math.round(value)
    : undefined;
}

function getFirst(
  metrics: Readonly<Record<string, number>>,
  names: readonly string[],
): number | undefined {
  const name = names.find((candidate) => Object.hasOwn(metrics, candidate));
  return name === undefined ? undefined : metrics[name];
}
