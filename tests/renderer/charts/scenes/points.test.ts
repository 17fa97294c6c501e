import { describe, expect, test } from 'vitest';
import { findPoint, getSymbolScale, placeCloud } from '#renderer/charts/cloud.ts';
import type { Cell, GroupPoint, PointsFigure } from '#renderer/charts/figure.ts';
import { getPixel } from '#renderer/charts/layout.ts';
import { getStops, readScene } from '#renderer/charts/reading.ts';
import { getAutomaticScales, isEmptyFigure, makeLoggableAxes } from '#renderer/charts/scenes.ts';
import { getTable } from '#renderer/charts/table.ts';
import { getMovedPlace } from '#renderer/charts/cursor.ts';
import { getDrawn, pictureFor, pictureText, sceneFor } from '../scene-text.ts';

const points = (places: [number, Cell][]): GroupPoint[] =>
  places.map(([x, y], index) => ({ name: `e${index}`, x, y, counts: [10 + index] }));

function figureOf(groups: [number, Cell][][], categories?: readonly string[]): PointsFigure {
  return {
    kind: 'points',
    x: { title: 'size', ...(categories && { categories }) },
    y: { title: 'ERT' },
    nouns: { group: 'algorithm', point: 'experiment' },
    counts: ['n'],
    groups: groups.map((places, paletteIndex) => ({
      name: 'ab'[paletteIndex]!,
      paletteIndex,
      points: points(places),
    })),
    empty: 'nothing',
  };
}

/** Points at the numbers 10 and 30, of which two are infinite and one is missing. */
const numbers = figureOf([
  [
    [10, 5],
    [10, Infinity],
    [30, 1],
  ],
  [
    [10, 5],
    [30, null],
    [30, Infinity],
  ],
]);

const widths = { width: 500 };

describe('a figure of points', () => {
  test('has symbols without lines, infinite ones at the upper edge, and equal ones next to each other', () => {
    expect(pictureText(numbers)).toMatchInlineSnapshot(`
      [
        "x 7.6 to 32.4: 10 | 15 | 20 | 25 | 30",
        "y 0.76 to 5.24: 1 | 2 | 3 | 4 | 5",
        "points markers a: 10 30 / 5 1",
        "points a, infinite: 10 / 5.24",
        "points markers b: 10.5 / 5",
        "points b, infinite: 30 / 5.24",
      ]
    `);
    const equal = placeCloud(sceneFor(numbers), widths).filter(({ point }) => point.y === 5);
    // A symbol has 9 of 500 pixels.
    expect(equal.map(({ drawnX }) => drawnX)).toEqual([10, expect.closeTo(10 + (9 / 500) * 24.8)]);
  });

  test('is empty without a finite value', () => {
    expect(isEmptyFigure(figureOf([[[1, Infinity]], [[1, null]]]))).toBe(true);
    expect(isEmptyFigure(numbers)).toBe(false);
  });

  test('has a logarithmic x axis only for positive numbers that are no categories', () => {
    const wide = [1, 10, 100, 1000, 10_000].map((x): [number, Cell] => [x, 1]);
    expect(getAutomaticScales(figureOf([wide])).x).toBe('log');
    expect(makeLoggableAxes(figureOf([[[1, 1]]], ['x', 'y']))).toEqual({ x: false, y: true });
    expect(makeLoggableAxes(figureOf([[[-1, 1]]]))).toEqual({ x: false, y: true });
  });

  test('names the categories below the axis, in a zoom only the visible ones', () => {
    const figure = figureOf([[[0, 1]], [[2, 3]]], ['x', 'y', 'z']);
    const labels = (view = {}) => pictureFor(figure, { view }).ticks.x.map(({ label }) => label);
    expect(labels()).toEqual(['x', 'y', 'z']);
    expect(labels({ x: [0.5, 2.5] })).toEqual(['y', 'z']);
  });

  test.each([1, 20, 2000])('keeps %d equal points between the neighbouring numbers', (count) => {
    const crowd = Array.from({ length: count }, (): [number, Cell] => [20, 5]);
    const figure = figureOf([[[10, 5], ...crowd, [30, 5]]]);
    const drawn = placeCloud(sceneFor(figure), widths);
    const places = drawn.filter(({ point }) => point.x === 20).map(({ drawnX }) => drawnX);
    expect(new Set(places).size).toBe(count);
    expect(Math.min(...places)).toBeGreaterThan(15);
    expect(Math.max(...places)).toBeLessThan(25);
  });

  test.each([
    [[0.01, 0.1, 0.5], -0.015],
    [[0, 1, 2, 3], -0.09],
    [[-1, 1], -1.24],
  ])('shows the points at the ends %j of an axis completely', (ends, start) => {
    const crowd = ends.flatMap((x) => Array.from({ length: 50 }, (): [number, Cell] => [x, 5]));
    const scene = sceneFor(figureOf([crowd]));
    const { range, at } = scene.axes.x.scale;
    expect(range[0]).toBeCloseTo(start, 2);
    const shares = placeCloud(scene, widths).map(({ drawnX }) => at(drawnX));
    expect(Math.min(...shares)).toBeGreaterThan(0);
    expect(Math.max(...shares)).toBeLessThan(1);
    expect(new Set(shares).size).toBe(50 * ends.length);
  });

  test('has smaller symbols the more points it has', () => {
    expect([1, 40, 300, 2000].map((count) => Math.round(100 * getSymbolScale(count)))).toEqual([
      100, 100, 55, 40,
    ]);
  });

  test('draws no points outside of a zoom, and none of a switched-off group', () => {
    const zoomed = getDrawn('curve', numbers, { view: { x: [20, 40] } });
    expect(zoomed.map(({ x }) => x)).toEqual([[30], []]);
    expect(getDrawn('curve', numbers, { hidden: new Set(['a']) })).toMatchObject([{ x: [10] }]);
  });

  test('is a table of one row per point with its counts, by x, also for points without a value', () => {
    const { columns, rows } = getTable(sceneFor(numbers));
    expect(columns).toEqual(['experiment', 'algorithm', 'size', 'ERT', 'n']);
    expect(rows).toEqual([
      ['e0', 'a', 10, 5, 10],
      ['e1', 'a', 10, Infinity, 11],
      ['e0', 'b', 10, 5, 10],
      ['e2', 'a', 30, 1, 12],
      ['e1', 'b', 30, null, 11],
      ['e2', 'b', 30, Infinity, 12],
    ]);
    const named = figureOf([[[1, 2]]], ['x', 'y']);
    expect(getTable(sceneFor(named)).rows).toEqual([['e0', 'a', 'y', 2, 10]]);
  });
});

describe('the cursor in a figure of points', () => {
  const scene = sceneFor(numbers);
  const stops = getStops(scene);

  test('reads one point at a time, from the top of its x', () => {
    const texts = [0, 1, 2, 9].map((row) => {
      const { title, rows } = readScene(scene, { x: 10, row });
      return [title, ...rows.map(({ name, text }) => `${name}: ${text}`)];
    });
    expect(texts).toEqual([
      ['size 10, 1 of 3', 'a, e1: ∞', 'n: 11'],
      ['size 10, 2 of 3', 'a, e0: 5', 'n: 10'],
      ['size 10, 3 of 3', 'b, e0: 5', 'n: 10'],
      ['size 10, 3 of 3', 'b, e0: 5', 'n: 10'],
    ]);
    const hidden = sceneFor(numbers, { hidden: new Set(['a', 'b']) });
    expect(readScene(hidden, { x: 10, row: 0 })).toEqual({ title: 'size 10', rows: [] });
  });

  test('moves between numbers, and between the points of one', () => {
    const move = (x: number, row: number, key: string) => getMovedPlace(stops, { x, row }, key);
    expect(getMovedPlace(stops, null, 'ArrowRight')).toEqual({ x: 10, row: 0 });
    expect(move(10, 0, 'ArrowDown')).toEqual({ x: 10, row: 1 });
    expect(move(10, 2, 'ArrowDown')).toEqual({ x: 10, row: 2 });
    expect(move(10, 2, 'ArrowRight')).toEqual({ x: 30, row: 1 });
    expect(move(30, 1, 'ArrowDown')).toEqual({ x: 30, row: 1 });
  });

  test('is at the point nearest to the pointer, and nowhere far from all', () => {
    const picture = pictureFor(numbers);
    const placed = placeCloud(picture.scene, { width: picture.area.width });
    for (const one of placed) {
      const pixel = {
        left: getPixel(picture, 'x', one.drawnX) + 2,
        top: getPixel(picture, 'y', one.drawnY) + 1,
      };
      expect(findPoint(picture, placed, pixel)).toBe(one);
    }
    const middle = { left: getPixel(picture, 'x', 20), top: getPixel(picture, 'y', 3) };
    expect(findPoint(picture, placed, middle)).toBeUndefined();
  });
});
