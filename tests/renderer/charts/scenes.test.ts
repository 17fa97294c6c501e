import { describe, expect, test } from 'vitest';
import {
  getAxisTitle,
  type HeatMapFigure,
  type LineFigure,
  type Series,
} from '#renderer/charts/figure.ts';
import {
  getAllowedScales,
  getAutomaticScales,
  getScene,
  isEmptyFigure,
  makeLoggableAxes,
} from '#renderer/charts/scenes.ts';

function lines(series: Partial<Series>[], values: Partial<LineFigure> = {}): LineFigure {
  return {
    kind: 'lines',
    x: { title: 'iteration' },
    y: { title: 'fitness' },
    series: series.map((one) => ({
      name: 'a',
      x: [1],
      y: [1],
      shape: 'line',
      paletteIndex: 0,
      ...one,
    })),
    references: [],
    empty: 'nothing',
    ...values,
  };
}

const heatMap: HeatMapFigure = {
  kind: 'heatmap',
  x: { title: 'iteration', values: [1] },
  y: { title: 'bit', labels: ['0'] },
  color: { title: 'bits' },
  cells: [[1]],
  empty: 'nothing',
};

describe('makeLoggableAxes', () => {
  test('allows an axis whose values are all positive', () => {
    expect(makeLoggableAxes(lines([{ x: [1, 2], y: [0.5, null] }]))).toEqual({ x: true, y: true });
  });

  test('refuses an axis with a value of zero or below', () => {
    expect(makeLoggableAxes(lines([{ x: [0, 1], y: [1, 2] }]))).toEqual({ x: false, y: true });
    expect(makeLoggableAxes(lines([{ y: [-1] }]))).toEqual({ x: true, y: false });
  });

  test('treats 0 as the limit of the values of an axis if that is known', () => {
    const y = { title: 'best so far', reachesZero: true };
    const solved = lines([{ x: [1, 2, 3], y: [100, 1e-5, 0] }], { y });
    expect(makeLoggableAxes(solved).y).toBe(true);
    expect(getAutomaticScales(solved).y).toBe('log');
    expect(makeLoggableAxes(lines([{ x: [1, 2, 3], y: [100, 1e-5, -7e-15] }], { y })).y).toBe(true);
    expect(makeLoggableAxes(lines([{ x: [1, 2], y: [100, -100] }], { y })).y).toBe(false);
    expect(makeLoggableAxes(lines([{ y: [0] }], { y })).y).toBe(false);
    expect(makeLoggableAxes(lines([{ x: [1, 2, 3], y: [100, 1e-5, 0] }])).y).toBe(false);
  });

  test('ignores the target, which may be 0 if all curves are above it', () => {
    const figure = lines([{}], { references: [{ label: 'target 0', value: 0 }] });
    expect(makeLoggableAxes(figure).y).toBe(true);
  });

  test('looks at series, not at the edges of bands', () => {
    const band = { name: 'std', lower: [-1], upper: [3] };
    expect(makeLoggableAxes(lines([{ band }])).y).toBe(true);
  });

  test('refuses heat maps, categories and figures without values', () => {
    expect(makeLoggableAxes(heatMap)).toEqual({ x: false, y: false });
    expect(makeLoggableAxes(lines([{}], { y: { title: '', categories: ['a', 'b'] } })).y).toBe(
      false,
    );
    const target = { references: [{ label: 'target 1', value: 1 }] };
    expect(makeLoggableAxes(lines([], target))).toEqual({ x: false, y: false });
  });
});

test('an axis is logarithmic by default if positive values span three decades', () => {
  const spread = (y: number[], x = [1, 10, 100, 999, 1000]) =>
    getAutomaticScales(lines([{ x, y }]));
  expect(spread([100, 1, 1, 1, 1e-17])).toEqual({ x: 'log', y: 'log' });
  expect(spread([100, 1, 1e-17], [1, 999, 1000]).x).toBe('linear');
  expect(spread([100, 1, 0.2]).y).toBe('linear');
  expect(spread([100, 1, 0]).y).toBe('linear');
  expect(getAutomaticScales(heatMap)).toEqual({ x: 'linear', y: 'linear' });
});

test('a wanted log scale falls back to linear where the values do not allow it', () => {
  const figure = lines([{ x: [0, 1], y: [1, 2] }]);
  expect(getAllowedScales(figure, { x: 'log', y: 'log' })).toEqual({ x: 'linear', y: 'log' });
});

test('a figure is empty when no series and no cell holds a finite number', () => {
  expect(isEmptyFigure(lines([]))).toBe(true);
  expect(isEmptyFigure(lines([{ y: [null] }]))).toBe(true);
  expect(isEmptyFigure(lines([{ y: [0] }]))).toBe(false);
  expect(isEmptyFigure({ ...heatMap, cells: [[null]] })).toBe(true);
  expect(isEmptyFigure(heatMap)).toBe(false);
});

test('the title of an axis carries its unit', () => {
  expect(getAxisTitle({ title: 'runtime', unit: 'ms' })).toBe('runtime (ms)');
  expect(getAxisTitle({ title: 'iteration' })).toBe('iteration');
});

test('a zoom to 0 or below on a linear axis ends at the first value on a logarithmic one', () => {
  const figure = lines([{ x: [1, 10, 100], y: [1, 10, 100] }]);
  const getRanges = (x: [number, number], y: [number, number]) => {
    const scales = { x: 'log', y: 'log' } as const;
    const scene = getScene(figure, { scales, view: { x, y }, hidden: new Set(), colorRange: {} });
    return [scene.axes.x.scale.range, scene.axes.y.scale.range];
  };
  const [wholeX = [0, 0], wholeY = [0, 0]] = getRanges([-2, -1], [-1, 0]);
  expect([...wholeX, ...wholeY].every((end) => end > 0)).toBe(true);
  expect(getRanges([-50, 50], [0, 5])).toEqual([
    [wholeX[0], 50],
    [wholeY[0], 5],
  ]);
  expect(getRanges([2, 50], [1, 5])).toEqual([
    [2, 50],
    [1, 5],
  ]);
});
