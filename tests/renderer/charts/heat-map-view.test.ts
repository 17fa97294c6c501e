import { describe, expect, test } from 'vitest';
import type { HeatMapFigure } from '#renderer/charts/figure.ts';
import {
  largestZoom,
  getRangeAround,
  getViewOnCell,
  getZoom,
} from '#renderer/charts/heat-map-view.ts';

const figure: HeatMapFigure = {
  kind: 'heatmap',
  x: { title: 'iteration', values: [0, 1, 2, 3, 4, 5, 6, 7] },
  y: { title: 'bit', labels: ['0', '1', '2', '3'] },
  color: { title: 'bits' },
  cells: Array.from({ length: 4 }, () => [1, 1, 1, 1, 1, 1, 1, 1]),
  empty: '',
};

test('the zoom of a view is how many times it fits into the whole', () => {
  expect(getZoom(figure, {})).toBe(1);
  expect(getZoom(figure, { x: [0, 4], y: [3.5, -0.5] })).toBe(2);
  expect(getZoom(figure, { x: [-10, 30] })).toBe(1);
  expect(getZoom(figure, { x: [1, 1.0001] })).toBe(largestZoom);
});

test('zooming on a cell brings it to the middle, held inside the map', () => {
  expect(getViewOnCell(figure, {}, 2, { row: 3, x: 3 })).toEqual({ x: [1, 5], y: [3.5, 1.5] });
});

test('zooming without a cell keeps the middle of the present view', () => {
  const view = { x: [1, 5], y: [3, 1] } as const;
  expect(getViewOnCell(figure, view, 4, undefined)).toEqual({ x: [2, 4], y: [2.5, 1.5] });
});

test('a zoom of 1 shows everything', () => {
  expect(getViewOnCell(figure, { x: [1, 5] }, 1, undefined)).toEqual({});
});

describe('getRangeAround', () => {
  test('shows a part of the whole around the middle', () => {
    expect(getRangeAround([0, 100], 4, 50)).toEqual([37.5, 62.5]);
  });

  test('moves the part so that it stays inside the whole', () => {
    expect(getRangeAround([0, 100], 4, 2)).toEqual([0, 25]);
    expect(getRangeAround([0, 100], 4, 99)).toEqual([75, 100]);
  });

  test('keeps the direction of the whole', () => {
    expect(getRangeAround([100, 0], 2, 50)).toEqual([75, 25]);
  });

  test('is the whole for a zoom of 1 or less', () => {
    expect(getRangeAround([0, 100], 1, 50)).toEqual([0, 100]);
    expect(getRangeAround([0, 100], 0.5, 50)).toEqual([0, 100]);
  });
});
