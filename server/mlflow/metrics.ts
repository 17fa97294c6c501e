import { parseConfig } from '#server/domain/config.ts';
import { missingBestMetric } from '#server/recording/record-lines.ts';
import type { RunState } from './states.ts';

/** A value of a metric. `timestamp` is in milliseconds since 1970. */
export interface MetricValue {
  key: string;
  value: number;
  timestamp: number;
  step: number;
}

/** A value of a metric that a client measured with a model, and on a data set if `datasetName` is set. */
export interface ModelMetricValue extends MetricValue {
  modelId: string;
  datasetName?: string | undefined;
  datasetDigest?: string | undefined;
}

/**
 * Returns whether a metric is a system metric: a value of the machine that clients of MLflow sample. The step of such a
 * metric is the number of the sample.
 */
export function isSystemMetric(key: string): boolean {
  return key.startsWith('system/');
}

/**
 * Returns new metrics with the steps of their iterations. System metrics get the last step of all other metrics, or 0
 * if there are no others, because iterations for samples would add evaluations that the run has not made.
 * `latestMetrics` must contain the new metrics.
 */
export function assignSteps(
  latestMetrics: RunState['metrics'],
  newMetrics: readonly MetricValue[],
): MetricValue[] {
  const steps = Object.entries(latestMetrics).map(([key, { step }]) =>
    isSystemMetric(key) ? 0 : step,
  );
  const lastStep = Math.max(0, ...steps);
  return newMetrics.map((metric) =>
    isSystemMetric(metric.key) ? { ...metric, step: lastStep } : metric,
  );
}

/**
 * Returns the values of new metrics of one step, which replace the stored values of this step. `latestMetrics` must
 * contain the new metrics. If the latest value of a metric in the run belongs to this step, returns this value.
 * Otherwise, returns the latest new value, because stored values have no time to compare.
 */
export function getStepValues(
  latestMetrics: RunState['metrics'],
  newMetrics: readonly MetricValue[],
): Record<string, number> {
  const stepEntries = Object.entries(mergeMetrics({}, newMetrics)).map(([key, metric]) => {
    const latestMetric = latestMetrics[key];
    return [key, latestMetric?.step === metric.step ? latestMetric.value : metric.value] as const;
  });
  return Object.fromEntries(stepEntries);
}

/**
 * Returns the metrics of a stored iteration, without the {@link missingBestMetric} that the recording adds; empty for
 * null.
 */
export function parseMetrics(json: string | null): Record<string, number> {
  const { [missingBestMetric]: _missingBest, ...metrics } = parseConfig(json ?? '{}');
  return Object.fromEntries(Object.entries(metrics).map(([key, value]) => [key, Number(value)]));
}

/** Returns the latest value of each metric; see {@link compareAges}. */
export function mergeMetrics(
  latestMetrics: RunState['metrics'],
  newMetrics: readonly MetricValue[],
): RunState['metrics'] {
  const mergedMetrics = { ...latestMetrics };
  for (const { key, ...metric } of newMetrics) {
    const otherMetric = Object.hasOwn(mergedMetrics, key) ? mergedMetrics[key] : undefined;
    if (!otherMetric || compareAges(metric, otherMetric) > 0) mergedMetrics[key] = metric;
  }
  return mergedMetrics;
}

/**
 * Returns the models with the new metrics. A model has only the latest value of a metric on each data set; see {@link
 * compareAges}. Ignores values of models that are not in `models`.
 */
export function addModelMetrics(
  models: RunState['models'],
  newMetrics: readonly ModelMetricValue[],
): RunState['models'] {
  const changedModels = { ...models };
  for (const { modelId, ...metric } of newMetrics) {
    const model = Object.hasOwn(changedModels, modelId) ? changedModels[modelId] : undefined;
    const previousMetric = model?.metrics.find(
      ({ key, datasetName, datasetDigest }) =>
        key === metric.key &&
        datasetName === metric.datasetName &&
        datasetDigest === metric.datasetDigest,
    );
    if (!model || (previousMetric && compareAges(metric, previousMetric) <= 0)) continue;
    const otherMetrics = model.metrics.filter((otherMetric) => otherMetric !== previousMetric);
    changedModels[modelId] = { ...model, metrics: [...otherMetrics, metric] };
  }
  return changedModels;
}

/**
 * Compares two values of a metric like MLflow: by step, then by time, then by value, where NaN counts as 0. Returns a
 * number above 0 if `a` is later.
 */
function compareAges(a: Omit<MetricValue, 'key'>, b: Omit<MetricValue, 'key'>): number {
  return (
    a.step - b.step || a.timestamp - b.timestamp || Math.sign((a.value || 0) - (b.value || 0)) || 0
  );
}
