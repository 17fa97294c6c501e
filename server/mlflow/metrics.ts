import { parseConfig } from '#server/domain/config.ts';
import { missingBestMetric } from '#server/recording/record-lines.ts';
import type { RunState } from './states.ts';

/** A value of a metric; `timestamp` in milliseconds since 1970. */
export interface MetricValue {
  key: string;
  value: number;
  timestamp: number;
  step: number;
}

/** A value of a metric that a client measured with a model, on a data set if it has a name. */
export interface ModelMetricValue extends MetricValue {
  modelId: string;
  datasetName?: string | undefined;
  datasetDigest?: string | undefined;
}

/** Returns whether clients of MLflow sample a metric of the machine by this name. Its steps number the samples. */
export function isSystemMetric(key: string): boolean {
  return key.startsWith('system/');
}

/**
 * Returns new metrics with the steps of their iterations. System metrics get the last step of all other metrics, 0
 * without any, because iterations for their samples would add evaluations that the run has not made. `latestMetrics`
 * contains the new metrics.
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
 * Returns the values with which new metrics of one step replace the stored values of this step. The value of a metric
 * is its latest one of the run if that belongs to this step, because `latestMetrics` contains the new metrics.
 * Otherwise it is the latest new value, because stored values have no time to compare.
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

/** Returns the metrics of a stored iteration, without the metric that the recording adds; none for null. */
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
 * Returns the models with the latest value of each of their metrics on each data set; see {@link compareAges}. Ignores
 * values of models that are not in `models`.
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

/** Compares two values of a metric like MLflow: by step, then by time, then by value, where NaN counts as 0. */
function compareAges(a: Omit<MetricValue, 'key'>, b: Omit<MetricValue, 'key'>): number {
  return (
    a.step - b.step || a.timestamp - b.timestamp || Math.sign((a.value || 0) - (b.value || 0)) || 0
  );
}
