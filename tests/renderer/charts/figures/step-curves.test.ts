import { describe, expect, test } from 'vitest';
import { isEmptyFigure } from '#renderer/charts/scenes.ts';
import {
  getBudgets,
  makeDataProfileFigure,
  makeEcdfFigure,
  makePerformanceProfileFigure,
  makeSuccessVsBudgetFigure,
  makeTargetsEcdfFigure,
} from '#renderer/charts/figures/step-curves.ts';
import { sampleShare } from '#renderer/pages/gallery/sample-analysis.ts';

const curve = { name: 'umda', paletteIndex: 0, points: sampleShare(1, 3, 0.6) };
const ecdfOptions = { budgets: [50, 1200], of: 'all runs', hasTarget: true } as const;

test('an ECDF is the same picture for the same response', () => {
  expect(makeEcdfFigure([curve], ecdfOptions)).toMatchSnapshot();
});

test('the other curves of shares are the same pictures for the same response', () => {
  const points = curve.points.map((point) => ({ ...point, ciLower: point.y / 2, ciUpper: 0.9 }));
  expect(makeSuccessVsBudgetFigure(points)).toMatchSnapshot();
  expect(makeDataProfileFigure([curve], 'evaluationsPerDimensionPlusOne')).toMatchSnapshot();
  expect(makePerformanceProfileFigure([curve])).toMatchSnapshot();
});

test('an ECDF over several targets is drawn over all budgets, with a cross where half of the runs that missed one had ended', () => {
  const { series, y } = makeTargetsEcdfFigure(
    [
      { ...curve, crossAt: 900 },
      { ...curve, name: 'pbil', crossAt: null },
    ],
    [50, 1200],
  );
  expect(y.title).toBe('share of run-target pairs');
  expect(series[0]).toMatchObject({ crossAt: 900, stepExtent: [50, 1320] });
  expect(series[1]).not.toHaveProperty('crossAt');
  const none = makeTargetsEcdfFigure([{ ...curve, points: [] }], null);
  expect([isEmptyFigure(none), none.empty]).toEqual([true, 'No run reached any of these targets.']);
});

describe('an ECDF', () => {
  test('without any success shows why it is empty, with a target and without', () => {
    const none = { ...curve, points: [] };
    const sentence = (hasTarget: boolean) => {
      const figure = makeEcdfFigure([none], { ...ecdfOptions, hasTarget });
      expect(isEmptyFigure(figure)).toBe(true);
      return figure.empty;
    };
    expect(sentence(true)).toContain('No run reached the target');
    expect(sentence(false)).toContain('No run has been completed');
  });

  test('names the measure of its runs in the title of its axis', () => {
    expect(makeEcdfFigure([curve], ecdfOptions).x.title).toBe('evaluations to target');
    const untargeted = makeEcdfFigure([curve], { ...ecdfOptions, hasTarget: false });
    expect(untargeted.x.title).toBe('evaluations of completed runs');
  });

  test('reaches a little beyond all budgets, without adding a point', () => {
    const [series] = makeEcdfFigure([curve], ecdfOptions).series;
    expect(series?.stepExtent).toEqual([50, 1.1 * 1200]);
    expect(series?.x).toEqual(curve.points.map(({ x }) => x));
  });
});

test('a data profile of an unknown dimension counts evaluations', () => {
  expect(makeDataProfileFigure([curve], 'evaluations').x.title).toBe('evaluations');
});

test('a profile extends beyond its last step, so that its height is visible', () => {
  const single = { ...curve, points: [{ x: 1, y: 1 }] };
  expect(makePerformanceProfileFigure([single]).series[0]?.stepExtent).toEqual([1, 2]);
});

test('profiles without a reached accuracy level are empty, and state no cause that they do not know', () => {
  const data = makeDataProfileFigure([{ ...curve, points: [] }], 'evaluations');
  expect([isEmptyFigure(data), data.empty]).toEqual([true, 'No run reached any accuracy level.']);
  const [zero, one] = [0, 1].map((y) => ({ ...curve, points: [{ x: 1, y }] }));
  const empty = makePerformanceProfileFigure([zero!, zero!]);
  expect(isEmptyFigure(empty)).toBe(true);
  expect(empty.empty).toMatch(/^None of these runs reached any accuracy level/);
  expect(isEmptyFigure(makePerformanceProfileFigure([zero!, one!]))).toBe(false);
});

test('getBudgets spans the grids of all curves; null without any', () => {
  expect(getBudgets([[{ x: 20 }, { x: 30 }], [], [{ x: 5 }]])).toEqual([5, 30]);
  expect(getBudgets([[], []])).toBeNull();
});
