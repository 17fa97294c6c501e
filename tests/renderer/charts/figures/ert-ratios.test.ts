import { expect, test } from 'vitest';
import { makeErtRatioFigure, makeSolvedFigure } from '#renderer/charts/figures/ert-ratios.ts';
import { getPixel } from '#renderer/charts/layout.ts';
import { readScene } from '#renderer/charts/reading.ts';
import { isEmptyFigure } from '#renderer/charts/scenes.ts';
import { sampleRatios } from '#renderer/pages/gallery/sample-coco.ts';
import { getDrawn, pictureFor, sceneFor } from '#tests/renderer/charts/scene-text.ts';

const { summary } = sampleRatios();
const stored = { summary, referenceKind: 'stored' as const, dropped: [] };
const getPalette = (name: string): number => ['es', 'de'].indexOf(name);

test('ratios and solved functions by dimension are the same pictures for the same response', () => {
  expect(makeErtRatioFigure(stored, getPalette)).toMatchSnapshot();
  expect(makeSolvedFigure(stored, getPalette)).toMatchSnapshot();
});

test('a dimension with an unsolved function has no mean, but a mark with how many are solved', () => {
  const [es, de] = makeErtRatioFigure(stored, getPalette).series;
  expect(es).toMatchObject({ x: [2, 5, 20], y: [0.8, Infinity, Infinity], infiniteAt: [5, 20] });
  expect(es?.hoverNotes).toEqual(['2 of 2 solved', '1 of 2 solved', '0 of 2 solved']);
  expect(de?.infiniteAt).toEqual([20]);
});

test('a dimension without stored references has no mark, although its functions are unsolved', () => {
  const partly = summary.map((one) => (one.dimension === 20 ? { ...one, infiniteRatios: 0 } : one));
  const [es, de] = makeErtRatioFigure({ ...stored, summary: partly }, getPalette).series;
  expect(es).toMatchObject({ y: [0.8, Infinity, null], infiniteAt: [5] });
  expect(de?.infiniteAt).toEqual([]);
});

test('marks of two optimizers in one dimension are next to each other at the upper edge', () => {
  const figure = makeErtRatioFigure(stored, getPalette);
  const marks = getDrawn('points', figure);
  const places = marks.map(({ x }) => x.at(-1));
  expect(places[0]).toBeLessThan(20);
  expect(places[1]).toBeGreaterThan(20);
  const heights = marks.flatMap(({ y }) => y);
  expect(new Set(heights)).toEqual(new Set([sceneFor(figure).axes.y.scale.range[1]]));
});

test('the cursor reads an infinite ratio and how many functions were solved', () => {
  const figure = makeErtRatioFigure(stored, getPalette);
  const { rows: read } = readScene(sceneFor(figure), { x: 20 });
  expect(read[0]).toMatchObject({ name: 'es', text: '∞ · 0 of 2 solved' });
  expect(read[0]).not.toHaveProperty('y');
});

test('without references, the figure compares with the best of the compared optimizers, and its labels state that', () => {
  const figure = makeErtRatioFigure({ ...stored, referenceKind: 'best' }, getPalette);
  expect(figure.y.title).toBe('ERT / best ERT of the compared');
  expect(figure.references[0]?.label).toBe('best of the compared optimizers');
});

test('the label of the best of the compared is below its line, where no curve can be', () => {
  const means = [1, 1.03, 1.02].map((geometricMeanRatio, index) => ({
    ...summary[index]!,
    optimizerId: 'es',
    dimension: 2 + index,
    geometricMeanRatio,
    unsolvedFunctions: 0,
  }));
  const picture = pictureFor(
    makeErtRatioFigure({ ...stored, summary: means, referenceKind: 'best' }, getPalette),
    {
      scales: { x: 'linear', y: 'log' },
    },
  );
  expect(picture.labels[0]?.top).toBeGreaterThan(getPixel(picture, 'y', 1));
});

test('an empty figure shows why', () => {
  const none = summary.map((one) => ({ ...one, geometricMeanRatio: null }));
  const empty = (referenceKind: 'stored' | 'none') => {
    const figure = makeErtRatioFigure({ ...stored, summary: none, referenceKind }, getPalette);
    expect(isEmptyFigure(figure)).toBe(true);
    return figure.empty;
  };
  expect(empty('none')).toBe(
    'No reference results of this suite are stored. Import some as reference, or choose several optimizers.',
  );
  expect(empty('stored')).toBe(
    'No optimizer solved every function of a dimension, so there is no mean ratio. See "Solved by dimension".',
  );
  const others = none.map((one) => ({ ...one, comparedFunctions: 0, infiniteRatios: 0 }));
  expect(makeErtRatioFigure({ ...stored, summary: others }, getPalette).empty).toBe(
    'The stored reference results of this suite are for other functions, dimensions or targets.',
  );
});

test('without a shared cell, both figures show that', () => {
  const cells = { dimension: 2, functionId: 1, instances: 15, missingFor: ['de'] };
  for (const make of [makeErtRatioFigure, makeSolvedFigure]) {
    const figure = make({ summary: [], referenceKind: 'best', dropped: [cells] }, getPalette);
    expect(isEmptyFigure(figure)).toBe(true);
    expect(figure.empty).toContain('No cell is shared by all optimizers.');
  }
  const unended = makeSolvedFigure({ summary: [], dropped: [] }, getPalette);
  expect(unended.empty).toBe('No trial has ended yet.');
});
