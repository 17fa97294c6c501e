import { expect, test } from 'vitest';
import { makeBestFitnessHistogramFigure } from '#renderer/charts/figures/histograms.ts';
import { describeBin } from '#renderer/charts/figure.ts';
import { readScene } from '#renderer/charts/reading.ts';
import { sampleBins } from '#renderer/pages/gallery/sample-analysis.ts';
import { pictureText, sceneFor } from '#tests/renderer/charts/scene-text.ts';

const figure = makeBestFitnessHistogramFigure(sampleBins([3, 0, 1]), [210, 345.5], 0);
const whole = makeBestFitnessHistogramFigure(
  [31, 32, 33].map((value) => ({
    startInclusive: value - 0.5,
    endExclusive: value + 0.5,
    count: 2,
  })),
  [31, 32, 33],
  0,
);

test('each bin has a bar, and ticks are whole numbers of runs', () => {
  expect(pictureText(figure)).toMatchInlineSnapshot(`
    [
      "x 197 to 353: 200 | 220 | 240 | 260 | 280 | 300 | 320 | 340",
      "y 0 to 3.18: 0 | 1 | 2 | 3",
      "bars: 200 to 250: 3, 250 to 300: 0, 300 to 350: 1",
    ]
  `);
});

test('a single bar is in the middle, with space on both sides', () => {
  const lone = makeBestFitnessHistogramFigure(
    [{ startInclusive: 1300, endExclusive: 1301, count: 1 }],
    [1300.5],
    0,
  );
  expect(sceneFor(lone).axes.x.scale.range).toEqual([1299, 1302]);
});

test('bars of whole numbers are centred on them', () => {
  expect(pictureText(whole)).toMatchInlineSnapshot(`
    [
      "x 30.44 to 33.56: 31 | 32 | 33",
      "y 0 to 2.12: 0 | 1 | 2",
      "bars: 30.5 to 31.5: 2, 31.5 to 32.5: 2, 32.5 to 33.5: 2",
    ]
  `);
  expect(describeBin(whole, 0)).toBe('31');
  const pairs = makeBestFitnessHistogramFigure(
    [{ startInclusive: 30.5, endExclusive: 32.5, count: 1 }],
    [31],
    0,
  );
  expect(describeBin(pairs, 0)).toBe('31 to 32');
});

test('a bin is read with its edges, closed at the end where it holds it', () => {
  expect(describeBin(figure, 0)).toBe('[200, 250)');
  expect(describeBin(figure, 2)).toBe('[300, 350]');
  expect(readScene(sceneFor(figure), { x: 325 })).toMatchObject({
    title: 'best fitness [300, 350]',
    rows: [{ name: 'completed runs', text: '1' }],
  });
});
