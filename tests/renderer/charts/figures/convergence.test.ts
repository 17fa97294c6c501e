import { describe, expect, test } from 'vitest';
import { convergenceFigure, runTracesOf } from '#renderer/charts/figures/convergence.ts';
import { sampleConvergence } from '#renderer/charts/sample-analysis.ts';

const group = { name: 'umda', paletteIndex: 0, points: sampleConvergence(1, 3) };

describe('convergenceFigure', () => {
  test('is the same picture for the same answer', () => {
    expect(convergenceFigure([group], { average: 'mean', targetFitness: 40 })).toMatchSnapshot();
  });

  test('draws the numbers of the answer, the interval with the mean only', () => {
    const mean = convergenceFigure([group], { average: 'mean', targetFitness: null }).series[0];
    expect(mean?.y).toEqual(group.points.map((point) => point.mean));
    expect(mean?.band?.lower).toEqual(group.points.map((point) => point.ciLower));
    const median = convergenceFigure([group], { average: 'median', targetFitness: null }).series[0];
    expect(median?.y).toEqual(group.points.map((point) => point.median));
    expect(median?.band).toBeUndefined();
  });

  test('leaves the interval out where there is none, as of a single run', () => {
    const point = { x: 1, mean: 5, ciLower: null, ciUpper: null, median: 5, q1: 5, q3: 5 };
    const points = [{ ...point, samples: 1 }];
    const [series] = convergenceFigure([{ ...group, points }], {
      average: 'mean',
      targetFitness: null,
    }).series;
    expect(series?.band).toMatchObject({ lower: [null], upper: [null] });
    expect(series?.legendNote).toBe('n = 1');
  });

  test('has the single runs behind their group', () => {
    const runTraces = runTracesOf({
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
    });
    expect(runTraces).toEqual([{ name: 'r1', x: [1], y: [2] }]);
    expect(runTracesOf(undefined)).toEqual([]);
    const [series] = convergenceFigure([{ ...group, runTraces }], {
      average: 'mean',
      targetFitness: null,
    }).series;
    expect(series?.runTraces).toBe(runTraces);
  });
});
