import { expect, test } from 'vitest';
import { makeMetricHeatMap } from '#renderer/charts/figures/metric-heat-map.ts';
import { sampleMetrics } from '#renderer/pages/gallery/sample-data.ts';

test('is the same picture for the same metrics', () => {
  expect(makeMetricHeatMap(sampleMetrics(4))).toMatchSnapshot();
});

test('colours each metric between its own lowest and highest value and keeps the numbers', () => {
  const { figure } = makeMetricHeatMap({
    iterations: [0, 1, 2],
    series: { entropy: [6, 4, 5], diversity: [0.5, 1, 0.75] },
  });
  expect(figure.y.labels).toEqual(['entropy', 'diversity']);
  expect(figure.cells).toEqual([
    [1, 0, 0.5],
    [0, 1, 0.5],
  ]);
  expect(figure.values).toEqual([
    [6, 4, 5],
    [0.5, 1, 0.75],
  ]);
});

test('leaves a cell blank, not 0, where an iteration lacks the metric', () => {
  const { figure } = makeMetricHeatMap({ iterations: [0, 1, 2], series: { drift: [null, 2, 4] } });
  expect(figure.cells).toEqual([[null, 0, 1]]);
});

test('names metrics that never change instead of drawing them, and omits counters', () => {
  const { figure, constants } = makeMetricHeatMap({
    iterations: [0, 1],
    series: { iteration: [0, 1], evaluations: [60, 120], objective_count: [1, 1] },
  });
  expect(figure.y.labels).toEqual([]);
  expect(constants).toEqual(['objective_count']);
  expect(figure.empty).toBe('No metric of these iterations changes.');
});
