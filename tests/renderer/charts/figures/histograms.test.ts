import { expect, test } from 'vitest';
import { isEmptyFigure } from '#renderer/charts/scenes.ts';
import {
  makeBestFitnessHistogramFigure,
  makeTimeToTargetFigure,
} from '#renderer/charts/figures/histograms.ts';
import { sampleBins } from '#renderer/pages/gallery/sample-analysis.ts';

test('histograms are the same pictures for the same response', () => {
  const bins = sampleBins([3, 0, 1]);
  expect(makeTimeToTargetFigure(bins, { paletteIndex: 0, hasTarget: true })).toMatchSnapshot();
  expect(makeBestFitnessHistogramFigure(bins, [210, 240, 345.5], 1)).toMatchSnapshot();
});

test('only the histogram of best fitness counts values at the end of its last bin', () => {
  expect(makeTimeToTargetFigure([], { paletteIndex: 0, hasTarget: true }).isLastClosed).toBe(false);
  expect(makeBestFitnessHistogramFigure([], [], 0).isLastClosed).toBe(true);
});

test('bins between halves are named by whole numbers only where all values are whole', () => {
  const bins = [0.5, 1.5].map((startInclusive) => ({
    startInclusive,
    endExclusive: startInclusive + 1,
    count: 1,
  }));
  expect(makeBestFitnessHistogramFigure(bins, [1, 2], 0).isWhole).toBe(true);
  expect(makeBestFitnessHistogramFigure(bins, [0.5, 2.5], 0).isWhole).toBe(false);
});

test('a histogram without bins shows why it is empty', () => {
  const figure = makeTimeToTargetFigure([], { paletteIndex: 0, hasTarget: false });
  expect(isEmptyFigure(figure)).toBe(true);
  expect(figure.empty).toContain('No run has been completed');
});
