import { isValue, type Cell, type HeatMapFigure } from '#renderer/charts/figure.ts';

/** The scalar metrics of one iteration by name. */
export interface MetricsOfIteration {
  iteration: number;
  metrics: Readonly<Record<string, number>>;
}

/** A heat map of metrics, and the names of those that never change and are left out of it. */
export interface MetricHeatMap {
  figure: HeatMapFigure;
  constants: readonly string[];
}

/** Counters that say where a row stands rather than what was measured there. */
const counters = new Set(['iteration', 'evaluations']);

/**
 * Metric × iteration, each metric coloured between its own lowest (0) and highest (1) value so that
 * metrics of any size can be read beside each other; an iteration without a metric stays blank. Metrics
 * are in order of first appearance; those with one single value and the two counters are left out.
 */
export function metricHeatMap(rows: readonly MetricsOfIteration[]): MetricHeatMap {
  const names = new Set(rows.flatMap(({ metrics }) => Object.keys(metrics)));
  const measured = [...names]
    .filter((name) => !counters.has(name))
    .map((name) => ({ name, values: rows.map(({ metrics }) => metrics[name] ?? null) }));
  const varying = measured.filter(({ values }) => !isConstant(values));
  const constants = measured.filter(({ values }) => isConstant(values)).map(({ name }) => name);
  const figure: HeatMapFigure = {
    kind: 'heatmap',
    x: { title: 'iteration', whole: true, values: rows.map(({ iteration }) => iteration) },
    y: { title: '', labels: varying.map(({ name }) => name) },
    color: { title: 'share of own range', range: [0, 1] },
    cells: varying.map(({ values }) => scaled(values)),
    values: varying.map(({ values }) => values),
    empty: 'No metric of these iterations changes.',
  };
  return { figure, constants };
}

function isConstant(values: readonly Cell[]): boolean {
  return new Set(values.filter(isValue)).size < 2;
}

function scaled(values: readonly Cell[]): Cell[] {
  const present = values.filter(isValue);
  const lowest = present.reduce((least, value) => Math.min(least, value), Infinity);
  const highest = present.reduce((most, value) => Math.max(most, value), -Infinity);
  return values.map((value) => (isValue(value) ? (value - lowest) / (highest - lowest) : null));
}
