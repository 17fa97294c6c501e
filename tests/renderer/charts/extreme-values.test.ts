import { describe, expect, test } from 'vitest';
import type {
  BoxFigure,
  Figure,
  HistogramFigure,
  LineFigure,
  PointsFigure,
} from '#renderer/charts/figure.ts';
import { getPicture, getPixel, getValueAt } from '#renderer/charts/layout.ts';
import { makePlotlyDrawing } from '#renderer/charts/plotly.ts';
import { createScale } from '#renderer/charts/scale.ts';
import { getAllowedScales } from '#renderer/charts/scenes.ts';
import { formatSvg } from '#renderer/charts/svg.ts';
import { makePictureSvg } from '#renderer/charts/svg-picture.ts';
import { namedTheme, sceneFor } from '#tests/renderer/charts/scene-text.ts';

const largest = Number.MAX_VALUE;

/** Values that runs write as penalties, next to usual ones and next to each other. */
const pairs: readonly (readonly [number, number])[] = [
  [1, 1e300],
  [1, largest],
  [0, largest],
  [-largest, 1],
  [-largest, largest],
  [-1e308, 1e308],
  [largest, largest],
  [Number.MIN_VALUE, 1e-300],
  [Number.MIN_VALUE, largest],
];

function lines([low, high]: readonly [number, number]): LineFigure {
  const series = [low, high].map((value, index) => ({
    name: String(index),
    x: [1, 2],
    y: [value, value],
    shape: 'step' as const,
    paletteIndex: index,
    band: { name: 'band', lower: [low, low], upper: [high, high] },
  }));
  const references = [{ label: 'target', value: high }];
  return { kind: 'lines', x: { title: 'x' }, y: { title: 'y' }, series, references, empty: '' };
}

function boxes([low, high]: readonly [number, number]): BoxFigure {
  const edges = { whiskerLow: low, q1: low, median: high, mean: high, q3: high, whiskerHigh: high };
  const box = { name: 'a', paletteIndex: 0, shape: { n: 2, ...edges }, values: [low, high] };
  return {
    kind: 'boxes',
    x: { title: '' },
    y: { title: 'y' },
    boxes: [box],
    references: [],
    empty: '',
  };
}

function histogram([start, end]: readonly [number, number]): HistogramFigure {
  return {
    kind: 'histogram',
    x: { title: 'x' },
    y: { title: 'runs', isWhole: true },
    bins: [{ start, end, count: 3 }],
    isLastClosed: true,
    paletteIndex: 0,
    empty: '',
  };
}

function points([low, high]: readonly [number, number]): PointsFigure {
  const places = [low, high, high].map((value) => ({ name: '', x: value, y: value, counts: [] }));
  return {
    kind: 'points',
    x: { title: 'x' },
    y: { title: 'y' },
    nouns: { group: '', point: '' },
    counts: [],
    groups: [{ name: 'a', paletteIndex: 0, points: places }],
    empty: '',
  };
}

/** The numbers in a value that Plotly is given. */
function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

function pictureWith(figure: Figure, wanted: 'linear' | 'log') {
  const scales = getAllowedScales(figure, { x: 'linear', y: wanted });
  return getPicture(sceneFor(figure, { scales }), namedTheme, { width: 500, height: 300 });
}

describe('a chart of values as large and small as a double can be', () => {
  const figures = pairs.flatMap((pair) => [
    lines(pair),
    boxes(pair),
    histogram(pair),
    points(pair),
  ]);

  test.each(['linear', 'log'] as const)('has finite numbers only on a %s axis', (scale) => {
    for (const figure of figures) {
      const picture = pictureWith(figure, scale);
      const wrong = numbersIn(makePlotlyDrawing(picture)).filter(
        (value) => !Number.isFinite(value),
      );
      expect(wrong, JSON.stringify(figure)).toEqual([]);
      expect(formatSvg(makePictureSvg(picture)), JSON.stringify(figure)).not.toMatch(
        /NaN|Infinity/,
      );
      const [start, end] = picture.scene.axes.y.scale.range;
      expect(Number.isFinite(end - start)).toBe(true);
    }
  });

  test('shows each value inside of the picture, and reads it back', () => {
    const fitting = pairs.filter(([low, high]) => Number.isFinite(high - low));
    for (const [low, high] of fitting) {
      const picture = pictureWith(lines([low, high]), 'log');
      for (const value of [low, high]) {
        const pixel = getPixel(picture, 'y', value);
        expect(pixel).toBeGreaterThanOrEqual(picture.area.top);
        expect(pixel).toBeLessThanOrEqual(picture.area.top + picture.area.height);
        expect(getValueAt(picture, 'y', pixel) / value || 1).toBeCloseTo(1, 3);
      }
    }
  });

  test('draws values at the ends of a linear axis when no axis is long enough for them', () => {
    const picture = pictureWith(lines([-largest, largest]), 'linear');
    const { data } = makePlotlyDrawing(picture) as unknown as { data: { y: number[] }[] };
    const ends = data.flatMap(({ y }) => y);
    const [start, end] = picture.scene.axes.y.scale.range;
    expect(Math.min(...ends)).toBe(start);
    expect(Math.max(...ends)).toBe(end);
  });

  test('stays finite when it is zoomed', () => {
    for (const factor of [0.5, 2, 1e9]) {
      for (const kind of ['linear', 'log'] as const) {
        const range = createScale(kind, [1, largest]).zoom(factor);
        expect(range.every(Number.isFinite)).toBe(true);
      }
    }
  });
});
