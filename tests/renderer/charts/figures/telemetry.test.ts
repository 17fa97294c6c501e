import { describe, expect, test } from 'vitest';
import {
  makeEigenvalueFigure,
  getMostChanging,
  getRowTrajectories,
  makeTelemetryLines,
} from '#renderer/charts/figures/telemetry-lines.ts';
import {
  makeEdgeMatrix,
  makeLogarithmicMap,
  makePositionEntropyMap,
  makePositionFigure,
  makeTelemetryMap,
} from '#renderer/charts/figures/telemetry-maps.ts';
import { sampleInsights } from './insights-sample.ts';

const insights = sampleInsights(0, 3);
const map = insights.heatmaps[0]!;

describe('curves of telemetry', () => {
  test('are the same picture for the same numbers', () => {
    const names = [
      ['diversity', 'population'],
      ['step', 'step'],
    ] as const;
    const marks = [{ label: 'Stagnation', from: 1, to: 3 }];
    expect(makeTelemetryLines(insights, { names, y: { title: 'share' } }, marks)).toMatchSnapshot();
    expect(getRowTrajectories(map, [1], { title: 'P' })).toMatchSnapshot();
  });

  test('omit a key that no iteration has, or that is always null', () => {
    const telemetry = { ...insights, series: { empty: [null, null, null, null] } };
    const names = ['empty', 'missing'].map((key) => [key, key] as const);
    expect(makeTelemetryLines(telemetry, { names, y: { title: '' } }).series).toEqual([]);
  });

  test('begin with the rows that move most; a row without a value is last, ties stay in order', () => {
    expect(getMostChanging([[1, 1], [null], [0, 3], [5, 2], []])).toEqual([2, 3, 0, 1, 4]);
  });

  test('show eight of many eigenvalues, the largest and the least among them', () => {
    const values = Array.from({ length: 30 }, (_, rank) => [30 - rank]);
    const { series } = makeEigenvalueFigure({ iterations: [0], values });
    expect(series.map(({ name }) => name)).toEqual(
      [1, 5, 9, 13, 18, 22, 26, 30].map((rank) => `rank ${rank}`),
    );
    expect(makeEigenvalueFigure({ iterations: [0], values: [[4]] }).series).toHaveLength(1);
    expect(makeEigenvalueFigure({ iterations: [], values: [] }).series).toEqual([]);
  });
});

describe('maps of telemetry', () => {
  test('are the same picture for the same numbers', () => {
    expect(makeTelemetryMap(map, { title: 'P' })).toMatchSnapshot();
  });

  test('colour by the logarithm and keep the numbers; what has none stays blank', () => {
    const figure = makeLogarithmicMap({ ...map, cells: [[100, 0, -1, null]] }, 'log10');
    expect(figure.cells).toEqual([[2, null, null, null]]);
    expect(figure.values).toEqual([[100, 0, -1, null]]);
  });

  test('show a ragged distribution of positions as it is', () => {
    const figure = makePositionFigure([[0.5, 0.5], [1]]);
    expect(figure.x.values).toEqual([0, 1]);
    expect(figure.y.labels).toEqual(['0', '1']);
    expect(makePositionFigure([]).cells).toEqual([]);
  });

  test('show only that a distribution is not loaded', () => {
    expect(makePositionFigure(undefined).empty).toBe('This iteration is not loaded yet.');
    expect(makePositionFigure([]).empty).toBe('This iteration has no distribution of positions.');
  });

  test('scale the entropy of positions by that of a random order of all items, shown or not', () => {
    const items = { ...map, rows: ['0', '4'], cells: [[1.2], [0]] };
    expect(makePositionEntropyMap({ ...items, thinnedRows: 8 }).color.range).toEqual([0, 3]);
    expect(makePositionEntropyMap({ ...items, thinnedRows: null }).color.range).toEqual([0, 1]);
  });

  test('scale the shares of positions by the largest, at least by twice that of a random order', () => {
    const random = Array.from({ length: 40 }, () => Array.from({ length: 40 }, () => 1 / 40));
    expect(makePositionFigure(random).color.range).toEqual([0, 0.05]);
    expect(
      makePositionFigure([
        [0.9, 0.1, 0],
        [0, 0, 1],
      ]).color.range,
    ).toEqual([0, 1]);
    expect(makePositionFigure([[0.5, 0, 0.5, 0, 0]]).color.range).toEqual([0, 0.5]);
  });

  test('show a dependency in both directions, and no values for other pairs', () => {
    const edge = { iteration: 3, i: 0, j: 2, weight: 0.4, correlation: 1 };
    expect(makeEdgeMatrix([edge]).cells).toEqual([
      [null, null, 0.4],
      [null, null, null],
      [0.4, null, null],
    ]);
  });

  test('make no matrix of bits beyond 512', () => {
    const edge = { iteration: 3, i: 0, j: 5000, weight: 0.4, correlation: 1 };
    const { cells, empty } = makeEdgeMatrix([edge]);
    expect(cells).toEqual([]);
    expect(empty).toBe('There are too many bits for a matrix.');
  });
});
