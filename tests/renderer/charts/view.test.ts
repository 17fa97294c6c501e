import { describe, expect, test } from 'vitest';
import type { Scales } from '#renderer/charts/figure.ts';
import { panned, rangeAround, viewAfter, viewAfterKey, zoomed } from '#renderer/charts/view.ts';

const linear: Scales = { x: 'linear', y: 'linear' };

describe('viewAfter', () => {
  test('takes the range of each axis that the report names', () => {
    const report = { 'xaxis.range[0]': 2, 'xaxis.range[1]': 5 };
    expect(viewAfter({ y: [0, 1] }, report, linear)).toEqual({ x: [2, 5], y: [0, 1] });
    expect(viewAfter({}, { 'yaxis.range': [3, 4] }, linear)).toEqual({ y: [3, 4] });
  });

  test('shows an axis whole again that went back to automatic', () => {
    const report = { 'xaxis.autorange': true, 'yaxis.autorange': true };
    expect(viewAfter({ x: [1, 2], y: [3, 4] }, report, linear)).toEqual({});
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

test('zooming stretches a range around its middle and keeps its direction', () => {
  expect(zoomed([0, 10], 0.5)).toEqual([2.5, 7.5]);
  expect(zoomed([10, 0], 2)).toEqual([15, -5]);
});

test('panning moves a range by a share of its length', () => {
  expect(panned([0, 10], 0.2)).toEqual([2, 12]);
  expect(panned([0, 10], -0.2)).toEqual([-2, 8]);
});

describe('viewAfterKey', () => {
  test('zooms and moves x from the drawn range', () => {
    expect(viewAfterKey({}, '+', [0, 8], 'linear')).toEqual({ x: [2, 6] });
    expect(viewAfterKey({ x: [2, 6], y: [0, 1] }, '-', [2, 6], 'linear')).toEqual({
      x: [0, 8],
      y: [0, 1],
    });
    expect(viewAfterKey({ x: [0, 10] }, 'ArrowRight', [0, 10], 'linear')).toEqual({ x: [2, 12] });
    expect(viewAfterKey({ x: [0, 10] }, 'ArrowLeft', [0, 10], 'linear')).toEqual({ x: [-2, 8] });
  });

  test('shows everything on 0', () => {
    expect(viewAfterKey({ x: [1, 2], y: [1, 2] }, '0', [1, 2], 'linear')).toEqual({});
  });

  test('zooms a log axis by the distances on the screen', () => {
    expect(viewAfterKey({}, '+', [0, 4], 'log')).toEqual({ x: [10, 1000] });
  });

  test('leaves other keys, and all keys before the first drawing, alone', () => {
    expect(viewAfterKey({}, 'a', [0, 1], 'linear')).toBeNull();
    expect(viewAfterKey({}, 'toString', [0, 1], 'linear')).toBeNull();
    expect(viewAfterKey({}, '+', undefined, 'linear')).toBeNull();
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
