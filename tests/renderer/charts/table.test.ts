import { describe, expect, test } from 'vitest';
import type { Figure, LineFigure } from '#renderer/charts/figure.ts';
import { getAdaptiveTimeline } from '#renderer/charts/figures/adaptive-timeline.ts';
import { makeFitnessFigure } from '#renderer/charts/figures/fitness.ts';
import { makeMetricHeatMap } from '#renderer/charts/figures/metric-heat-map.ts';
import { sampleIterations, sampleMetrics } from '#renderer/pages/gallery/sample-data.ts';
import { formatTableCell, getTable } from '#renderer/charts/table.ts';
import { sceneFor } from '#tests/renderer/charts/scene-text.ts';

const figureTable = (figure: Figure) => getTable(sceneFor(figure));

function twoSeries(firstX: number[], secondX: number[]): LineFigure {
  const series = (name: string, x: number[]) =>
    ({
      name,
      x,
      y: x.map((value, index) => value * 10 + index),
      shape: 'step',
      paletteIndex: 0,
    }) as const;
  return {
    kind: 'lines',
    x: { title: 'budget', unit: 'evaluations' },
    y: { title: 'share' },
    series: [series('a', firstX), series('b', secondX)],
    references: [],
    empty: '',
  };
}

describe('the table of a figure', () => {
  test('holds every point of a long figure at full precision', () => {
    const rows = sampleIterations(30_000);
    const table = figureTable(
      makeFitnessFigure(
        rows,
        { direction: 'min', targetFitness: null, isRunning: true },
        'iteration',
      ),
    );
    expect(table.columns).toEqual([
      'iteration',
      'best so far',
      'best',
      'mean',
      'mean ± std, lower',
      'mean ± std, upper',
    ]);
    expect(table.rows).toHaveLength(30_000);
    expect(table.rows[12_345]?.[3]).toBe(rows[12_345]?.meanFitness);
  });

  test('adds the target as a column of one repeated value', () => {
    const figure = makeFitnessFigure(
      sampleIterations(3),
      { direction: 'min', targetFitness: 0.25, isRunning: true },
      'evaluations',
    );
    const { columns, rows } = figureTable(figure);
    expect(columns.at(-1)).toBe('target 0.25');
    expect(rows.map((row) => [row[0], row.at(-1)])).toEqual([
      [100, 0.25],
      [200, 0.25],
      [300, 0.25],
    ]);
  });

  test('joins series over different x, blank where one has no point', () => {
    expect(figureTable(twoSeries([1, 3], [2, 3]))).toEqual({
      columns: ['budget (evaluations)', 'a', 'b'],
      rows: [
        [1, 10, null],
        [2, null, 20],
        [3, 31, 31],
      ],
    });
  });

  test('keeps several points of one series at the same x, in their order', () => {
    expect(figureTable(twoSeries([1, 1, 2], [1])).rows).toEqual([
      [1, 10, 10],
      [1, 11, null],
      [2, 22, null],
    ]);
  });

  test('has one column per row of a heat map, with the numbers of its colours', () => {
    const { figure } = makeMetricHeatMap(sampleMetrics(4));
    const table = figureTable(figure);
    expect(table.columns).toEqual(['iteration', 'entropy', 'diversity', 'drift_l2']);
    expect(table.rows.map((row) => row[0])).toEqual([0, 1, 2, 3]);
    expect(table.rows[0]).toEqual([0, figure.values?.[0]?.[0], figure.values?.[1]?.[0], null]);
  });

  test('names the category of a point instead of its place, with its note', () => {
    const action = { iteration: 4, trigger: 'collapse', actionType: 'boost', reason: 'too early' };
    expect(figureTable(getAdaptiveTimeline([action]))).toEqual({
      columns: ['iteration', 'boost', 'boost, note'],
      rows: [[4, 'collapse', 'too early']],
    });
  });

  test('has no rows when the figure has no points', () => {
    expect(figureTable(twoSeries([], [])).rows).toEqual([]);
  });
});

test('a whole number has all its digits', () => {
  const cells = [1_234_567, 1_234_568, 0.1234567, 1e-300, 1e300, null, 'reason'];
  expect(cells.map((cell) => formatTableCell(cell))).toEqual([
    '1\u2009234\u2009567',
    '1\u2009234\u2009568',
    '0.123457',
    '1e−300',
    '1e300',
    '–',
    'reason',
  ]);
});
