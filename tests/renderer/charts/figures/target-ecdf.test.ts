import { expect, test } from 'vitest';
import {
  getAreaUpTo,
  getBudgetRange,
  getShareAt,
  makeTargetEcdfFigure,
} from '#renderer/charts/figures/target-ecdf.ts';
import { isEmptyFigure } from '#renderer/charts/scenes.ts';
import { sampleEcdf } from '#renderer/pages/gallery/sample-coco.ts';
import { getDrawn } from '#tests/renderer/charts/scene-text.ts';

const answer = sampleEcdf();

test('an ECDF over targets is the same picture for the same response', () => {
  expect(
    makeTargetEcdfFigure(
      answer,
      (name) => name.length,
      () => '0.4',
    ),
  ).toMatchSnapshot();
});

test('a cross is on its curve; a curve with every pair solved has no cross', () => {
  const figure = makeTargetEcdfFigure(answer, () => 0);
  const crosses = getDrawn('points', figure);
  expect(crosses).toMatchObject([{ x: [600], y: [getShareAt(answer.curves[0]!.points, 600)] }]);
});

test('the share at a budget is that of the last step, and 0 before the first', () => {
  const points = [
    { x: 2, y: 0.25 },
    { x: 8, y: 0.5 },
  ];
  expect([1, 2, 7.9, 8, 100].map((x) => getShareAt(points, x))).toEqual([0, 0.25, 0.25, 0.5, 0.5]);
});

test('the area is the share averaged over the logarithm of the budget from 1 to the limit', () => {
  const points = [
    { x: 0.5, y: 0.2 },
    { x: 10, y: 0.6 },
  ];
  expect(getAreaUpTo(points, 10)).toBeCloseTo(0.2, 12);
  expect(getAreaUpTo(points, 100)).toBeCloseTo(0.4, 12);
  expect(getAreaUpTo(points, 1)).toBe(0.2);
  expect(getAreaUpTo(points, 0.4)).toBe(0);
  expect(getAreaUpTo([], 100)).toBe(0);
});

test('curves are seen from one evaluation per dimension, or an earlier step, to the largest budget', () => {
  expect(getBudgetRange(answer)).toEqual([1, 1000]);
  const early = { ...answer.curves[0]!, points: [{ x: 0.2, y: 0.1 }] };
  expect(getBudgetRange({ curves: [early], largestBudget: null })).toEqual([0.2, 0.4]);
});

test('without trials, the figure shows why it is empty', () => {
  const figure = makeTargetEcdfFigure({ curves: [], largestBudget: null }, () => 0);
  expect(isEmptyFigure(figure)).toBe(true);
  expect(figure.empty).toContain('No trial of this choice');
});

test('budgets in the unknown dimension are plain evaluations', () => {
  const getUnit = (dimension?: number) =>
    makeTargetEcdfFigure({ ...answer, dimension }, () => 0).x.title;
  expect([getUnit(0), getUnit(5), getUnit()]).toEqual([
    'evaluations',
    'evaluations / dimension',
    'evaluations / dimension',
  ]);
});
