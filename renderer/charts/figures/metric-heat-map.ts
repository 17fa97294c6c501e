import type { Insights } from '#shared/schemas/insights.ts';
import { isValue, type Cell, type HeatMapFigure } from '#renderer/charts/figure.ts';

/** A heat map of metrics, and the names of the constant metrics that it omits. */
export interface MetricHeatMap {
  figure: HeatMapFigure;
  constants: readonly string[];
}

/** Counters that number the rows and are not measurements. */
const counters = new Set(['iteration', 'evaluations']);

/**
 * Metric × iteration, each metric coloured between its own lowest (0) and highest (1) value so that
 * metrics of any size can be read next to each other; an iteration without a metric stays blank. Metrics
 * are in order of first appearance; constant metrics and the two counters are omitted.
 */
export function makeMetricHeatMap({
  iterations,
  series,
}: Pick<Insights, 'iterations' | 'series'>): MetricHeatMap {
  const measured = Object.entries(series)
    .filter(([name]) => !counters.has(name))
    .map(([name, values]) => ({ name, values }));
  const varying = measured.filter(({ values }) => !isConstant(values));
  const constants = measured.filter(({ values }) => isConstant(values)).map(({ name }) => name);
  const figure: HeatMapFigure = {
    kind: 'heatmap',
    x: { title: 'iteration', isWhole: true, values: iterations },
    y: { title: '', labels: varying.map(({ name }) => name) },
    color: { title: 'share of own range', range: [0, 1] },
    cells: varying.map(({ values }) => scaleValues(values)),
    values: varying.map(({ values }) => values),
    empty: 'No metric of these iterations changes.',
  };
  return { figure, constants };
}

function isConstant(values: readonly Cell[]): boolean {
  return new Set(values.filter(isValue)).size < 2;
}

function scaleValues(values: readonly Cell[]): Cell[] {
  const present = values.filter(isValue);
  const lowest = present.reduce((least, value) => Math.min(least, value), Infinity);
  const highest = present.reduce((most, value) => Math.max(most, value), -Infinity);
  return values.map((value) => (isValue(value) ? (value - lowest) / (highest - lowest) : null));
}
