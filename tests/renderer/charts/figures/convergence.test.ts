import { describe, expect, test } from 'vitest';
import {
  makeConvergenceFigure,
  getRunTraces,
  getUsualAverage,
} from '#renderer/charts/figures/convergence.ts';
import { getShortId } from '#shared/words.ts';
import { sampleConvergence } from '#renderer/pages/gallery/sample-analysis.ts';

const group = { name: 'umda', paletteIndex: 0, points: sampleConvergence(1, 3) };

test('the median is drawn at first where a group has too few runs for the interval of a mean', () => {
  const [point] = group.points;
  const usual = (runs: number[]) =>
    getUsualAverage(
      runs.map((samples) => ({ points: [{ ...point!, samples }] })),
      null,
    );
  expect([[15, 2], [10, 4], [3]].map(usual)).toEqual(['median', 'median', 'median']);
  expect([[15, 5], [10, 1], [1], [10, 0], []].map(usual)).toEqual(Array(5).fill('mean'));
});

test('the average does not change while the leading run of many advances alone', () => {
  const [point] = group.points;
  const usual = (samples: number[]) =>
    getUsualAverage([{ points: samples.map((count) => ({ ...point!, samples: count })) }], null);
  expect([[10, 1], [10, 3], [10]].map(usual)).toEqual(['mean', 'mean', 'mean']);
});

test('the median is drawn at first where an interval that reaches 0 has no end on the logarithm of the means', () => {
  const falling = (means: number[], ciLower: number) =>
    getUsualAverage([{ points: getPoints(means, { ciLower }) }], null);
  expect(falling([100, 1, 1e-3], -2)).toBe('median');
  expect(falling([100, 1, 0], -2)).toBe('median');
  expect(falling([100, 1, 1e-3], 1e-4)).toBe('mean');
  expect(falling([100, 1, -1], -2)).toBe('mean');
});

const getPoints = (means: number[], ends: { ciLower?: number; ciUpper?: number }) =>
  means.map((mean) => ({
    ...group.points[0]!,
    samples: 15,
    mean,
    median: mean,
    ciLower: mean,
    ciUpper: mean,
    ...ends,
  }));

test('the median is drawn at first where the interval would be clipped at 0 or at a target that no run passed', () => {
  const usual = (ends: { ciLower?: number; ciUpper?: number }, target: number | null) =>
    getUsualAverage([{ points: getPoints([30, 39], ends), box: { min: 30, max: 40 } }], target);
  expect(usual({ ciUpper: 41 }, 40)).toBe('median');
  expect(usual({ ciUpper: 40 + 1e-12 }, 40)).toBe('mean');
  expect(usual({ ciUpper: 41 }, null)).toBe('mean');
  expect(usual({ ciLower: -2 }, null)).toBe('median');
});

describe('makeConvergenceFigure', () => {
  test('is the same picture for the same response', () => {
    expect(
      makeConvergenceFigure([group], { average: 'mean', targetFitness: 40 }),
    ).toMatchSnapshot();
  });

  test('draws the numbers of the response, the mean with its interval, the median with the quartiles', () => {
    const mean = makeConvergenceFigure([group], { average: 'mean', targetFitness: null }).series[0];
    expect(mean?.y).toEqual(group.points.map((point) => point.mean));
    expect(mean?.band?.lower).toEqual(group.points.map((point) => point.ciLower));
    const median = makeConvergenceFigure([group], { average: 'median', targetFitness: null })
      .series[0];
    expect(median?.y).toEqual(group.points.map((point) => point.median));
    expect(median?.band?.lower).toEqual(group.points.map((point) => point.q1));
    expect(median?.band?.upper).toEqual(group.points.map((point) => point.q3));
  });

  test('draws the median with its interval, and names the lower coverage of 5 runs', () => {
    const getSeries = (samples: number) =>
      makeConvergenceFigure(
        [{ ...group, points: group.points.map((point) => ({ ...point, samples })) }],
        { average: 'median-interval', targetFitness: null },
      ).series[0];
    const series = getSeries(15);
    expect(series?.y).toEqual(group.points.map((point) => point.median));
    expect(series?.band).toMatchObject({
      name: `${group.name}, 95 % interval of the median`,
      lower: group.points.map((point) => point.medianCiLower),
      upper: group.points.map((point) => point.medianCiUpper),
    });
    expect(getSeries(5)?.band?.name).toBe(`${group.name}, 93.8 % interval of the median`);
  });

  test('limits the possible values to those above 0 if no value is below, and to a target that a run reached but no run passed', () => {
    const possible = (target: number | null, box?: { min: number; max: number }) =>
      makeConvergenceFigure([{ ...group, ...(box && { box }) }], {
        average: 'mean',
        targetFitness: target,
      }).series[0]?.band?.possible;
    expect(possible(null)).toEqual([0, Infinity]);
    expect(possible(40, { min: 38, max: 40 })).toEqual([0, 40]);
    // Passed, or reached by none: nothing is known of what lies beyond.
    expect(possible(40, { min: 38, max: 41 })).toEqual([0, Infinity]);
    expect(possible(40, { min: 38, max: 39.5 })).toEqual([0, Infinity]);
    expect(possible(-3, { min: -3, max: 40 })).toEqual([-3, Infinity]);
    expect(possible(null, { min: -1, max: 40 })).toEqual([-Infinity, Infinity]);
  });

  test('omits the interval if there is none, such as for a single run', () => {
    const point = { x: 1, mean: 5, ciLower: null, ciUpper: null, median: 5, q1: 5, q3: 5 };
    const points = [{ ...point, medianCiLower: null, medianCiUpper: null, samples: 1 }];
    const [series] = makeConvergenceFigure([{ ...group, points }], {
      average: 'mean',
      targetFitness: null,
    }).series;
    expect(series?.band).toMatchObject({ lower: [null], upper: [null] });
    expect(series?.legendNote).toBe('n = 1');
  });

  test('shows the largest number of runs of a curve, and the number at its end if it is smaller', () => {
    const [first] = group.points;
    const noteOf = (samples: number[]) => {
      const points = samples.map((count, x) => ({ ...first!, x, samples: count }));
      const [series] = makeConvergenceFigure([{ ...group, points }], {
        average: 'mean',
        targetFitness: null,
      }).series;
      return series?.legendNote;
    };
    expect(noteOf([9, 10, 1])).toBe('n = 10, 1 at the end');
    expect(noteOf([9, 10])).toBe('n = 10');
  });

  test('has the single runs behind their group, named by seed and leading to their pages', () => {
    const runTraces = getRunTraces(
      {
        experimentId: 'e',
        objectiveDirection: 'max',
        targetFitness: null,
        runs: [
          {
            runId: 'r1',
            seed: 1,
            status: 'COMPLETED',
            evaluationsToTarget: null,
            isThinned: false,
            points: [{ x: 1, y: 2 }],
          },
        ],
      },
      (runId) => `/runs/${runId}`,
      String,
    );
    expect(runTraces).toEqual([{ name: 'seed 1', x: [1], y: [2], href: '/runs/r1' }]);
    expect(getRunTraces(undefined, String, String)).toEqual([]);
    const [series] = makeConvergenceFigure([{ ...group, runTraces }], {
      average: 'mean',
      targetFitness: null,
    }).series;
    expect(series?.runTraces).toBe(runTraces);
  });

  test('names a run without a seed by its shown id', () => {
    const run = { seed: null, status: 'COMPLETED', evaluationsToTarget: null, isThinned: false };
    const traces = {
      experimentId: 'e',
      objectiveDirection: 'min' as const,
      targetFitness: null,
      runs: ['sphere-cma-1', 'ab'.repeat(32)].map((runId) => ({ ...run, runId, points: [] })),
    };
    const names = getRunTraces(traces, String, getShortId).map(({ name }) => name);
    expect(names).toEqual(['run sphere-cma-1', 'run abababab']);
  });
});
