import { describe, expect, test } from 'vitest';
import type { Scales } from '#renderer/charts/figure.ts';
import {
  fractionOf,
  movedTo,
  rangeAround,
  toPlotly,
  viewAfter,
  viewAfterKey,
  zoomed,
} from '#renderer/charts/view.ts';

const linear: Scales = { x: 'linear', y: 'linear' };

describe('viewAfter', () => {
  test('takes the range of each axis that the report names', () => {
    const report = { 'xaxis.range[0]': 2, 'xaxis.range[1]': 5 };
    expect(viewAfter({ y: [0, 1] }, report, linear)).toEqual({ x: [2, 5], y: [0, 1] });
    expect(viewAfter({}, { 'yaxis.range': [3, 4] }, linear)).toEqual({ y: [3, 4] });
  });

  test('tells the zoom of a log axis in its values', () => {
    const report = { 'xaxis.range': [2, 3] };
    expect(viewAfter({}, report, { x: 'log', y: 'linear' })).toEqual({ x: [100, 1000] });
  });

  test('is the same object when the report says nothing about ranges', () => {
    const view = { x: [1, 2] } as const;
    expect(viewAfter(view, { autosize: true }, linear)).toBe(view);
  });
});

test('zooming stretches a range around its middle on the screen and keeps its direction', () => {
  expect(zoomed([0, 10], 0.5, 'linear')).toEqual([2.5, 7.5]);
  expect(zoomed([10, 0], 2, 'linear')).toEqual([15, -5]);
  expect(zoomed([1, 10_000], 0.5, 'log')).toEqual([10, 1000]);
});

test('a range is moved by no more than it must to hold a value', () => {
  const range = [0, 10] as const;
  expect(movedTo(range, 4, 'linear')).toBe(range);
  expect(movedTo(range, 12, 'linear').map(Math.round)).toEqual([2, 12]);
  expect(movedTo([5, 1], 0, 'linear')).toEqual([4, 0]);
  expect(movedTo([10, 100], 1, 'log').map(Math.round)).toEqual([1, 10]);
});

test('a value has its place on the way from one end to the other', () => {
  expect(fractionOf(25, [0, 100], 'linear')).toBe(0.25);
  expect(fractionOf(100, [10, 1000], 'log')).toBeCloseTo(0.5);
  expect(fractionOf(0, [3, -1], 'linear')).toBe(0.75);
  expect(fractionOf(-1, [1, 10], 'log')).toBeNaN();
});

test('Plotly counts a log axis in exponents', () => {
  expect(toPlotly([1, 100], 'log')).toEqual([0, 2]);
  expect(toPlotly([0, 100], 'log')).toBeUndefined();
  expect(toPlotly([0, 100], 'linear')).toEqual([0, 100]);
});

describe('viewAfterKey', () => {
  test('zooms x from what is seen', () => {
    expect(viewAfterKey({}, '+', [0, 8], 'linear')).toEqual({ x: [2, 6] });
    expect(viewAfterKey({ y: [0, 1] }, '-', [2, 6], 'linear')).toEqual({ x: [0, 8], y: [0, 1] });
  });

  test('shows everything on 0', () => {
    expect(viewAfterKey({ x: [1, 2], y: [1, 2] }, '0', [1, 2], 'linear')).toEqual({});
  });

  test('leaves other keys alone', () => {
    expect(viewAfterKey({}, 'a', [0, 1], 'linear')).toBeNull();
    expect(viewAfterKey({}, 'toString', [0, 1], 'linear')).toBeNull();
  });
});

describe('rangeAround', () => {
  test('shows a part of the whole around the middle', () => {
    expect(rangeAround([0, 100], 4, 50)).toEqual([37.5, 62.5]);
  });

  test('moves the part so that it stays inside the whole', () => {
    expect(rangeAround([0, 100], 4, 2)).toEqual([0, 25]);
    expect(rangeAround([0, 100], 4, 99)).toEqual([75, 100]);
  });

  test('keeps the direction of the whole', () => {
    expect(rangeAround([100, 0], 2, 50)).toEqual([75, 25]);
  });

  test('is the whole for a zoom of 1 or less', () => {
    expect(rangeAround([0, 100], 1, 50)).toEqual([0, 100]);
    expect(rangeAround([0, 100], 0.5, 50)).toEqual([0, 100]);
  });
});
