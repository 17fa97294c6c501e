import { expect, test } from 'vitest';
import type { TelemetryOverlay } from '#shared/schemas/analysis-runs.ts';
import { makeStoredSeriesFigure } from '#renderer/charts/figures/run-overlay.ts';
import { getTelemetry, makeSeriesCharts } from '#renderer/pages/compare/overlay-charts.ts';
import { getSeriesName } from '#renderer/pages/compare/series-names.ts';

test('a stored series has the name of the page of a run, or its key', () => {
  expect(getSeriesName('diversity').title).toBe('Unique genotypes');
  expect(getSeriesName('diversity_hamming_elite').title).toBe('Hamming distance: elite');
  expect(getSeriesName('mean').title).toBe('Mean of the population');
  expect(getSeriesName('constructor')).toMatchObject({ title: 'constructor', isKey: true });
});

const telemetry = {
  by: 'time',
  runs: ['a', 'b', 'c'].map((runId) => ({ runId, x: runId === 'b' ? [4, null, 2] : [] })),
  series: [{ key: 'entropy', values: [[], [1, 2, 3], []] }],
} as unknown as TelemetryOverlay;

test('curves omit runs without the series and iterations without an x, in the order of the axis', () => {
  const { series, x } = makeStoredSeriesFigure(telemetry, 'entropy', { title: 'bits' }, (name) => ({
    name,
    paletteIndex: 3,
  }));
  expect(series).toEqual([{ name: 'b', paletteIndex: 3, shape: 'line', x: [2, 4], y: [3, 1] }]);
  expect(x).toEqual({ title: 'time since the start', unit: 's' });
});

test('a response for previous runs is reduced to the current runs', () => {
  const { runs, series } = getTelemetry(telemetry, (runId) => runId !== 'a');
  expect(runs.map(({ runId }) => runId)).toEqual(['b', 'c']);
  expect(series).toEqual([{ key: 'entropy', values: [[1, 2, 3], []] }]);
});

test('each series has a unique chart id, also if keys differ only in punctuation', () => {
  const ids = makeSeriesCharts(telemetry, ['a_b-c', 'a.b', 'a/b', 'a b', 'a-b'], (name) => ({
    name,
    paletteIndex: 0,
  })).map(({ id }) => id);
  expect(ids).toEqual([
    'series-a_b-c',
    'series-a~2e~b',
    'series-a~2f~b',
    'series-a~20~b',
    'series-a-b',
  ]);
});
