import { describe, expect, test } from 'vitest';
import { getBestSoFar, makeFitnessFigure } from '#renderer/charts/figures/fitness.ts';
import { sampleIterations } from '#renderer/pages/gallery/sample-data.ts';

const rows = sampleIterations(3);

describe('bestSoFar', () => {
  test('returns the best value in the direction until there is a better one', () => {
    expect(getBestSoFar([3, 5, 2, 4], 'min')).toEqual([3, 3, 2, 2]);
    expect(getBestSoFar([3, 5, 2, 6], 'max')).toEqual([3, 5, 5, 6]);
  });

  test('has no value before the first one and carries on over missing ones', () => {
    expect(getBestSoFar([null, 3, null, 4], 'max')).toEqual([null, 3, 3, 4]);
  });

  test('ignores values that are not finite', () => {
    expect(getBestSoFar([Infinity, 2, Number.NaN], 'max')).toEqual([null, 2, 2]);
  });
});

describe('makeFitnessFigure', () => {
  test('is the same picture for the same rows', () => {
    expect(
      makeFitnessFigure(
        rows,
        { direction: 'min', targetFitness: 0.01, isRunning: true },
        'iteration',
      ),
    ).toMatchSnapshot();
  });

  test('has the median and the quartiles of finished siblings behind the run, with their number', () => {
    const points = [
      { x: 100, q1: 1, median: 2, q3: 3 },
      { x: 200, q1: 4, median: 5, q3: 6 },
    ];
    const run = { direction: 'max', targetFitness: null, isRunning: true } as const;
    const { series } = makeFitnessFigure(rows, run, 'evaluations', [], { runs: 12, points });
    expect(series.map(({ name }) => name)).toEqual([
      'median of siblings',
      'best so far',
      'best',
      'mean',
    ]);
    expect(series[0]).toMatchObject({
      legendNote: 'n = 12',
      x: [100, 200],
      y: [2, 5],
      band: { lower: [1, 4], upper: [3, 6] },
    });
  });

  test('has no mean if the program stated none: it is stored as the best, with the deviation 0', () => {
    const run = { direction: 'min', targetFitness: null, isRunning: false } as const;
    const getNames = (changedRow: object) =>
      makeFitnessFigure(
        rows.map((row, index) => ({
          ...row,
          meanFitness: row.bestFitness,
          stdFitness: 0,
          ...(index === 1 && changedRow),
        })),
        run,
        'iteration',
      ).series.map(({ name }) => name);
    expect(getNames({})).toEqual(['best so far', 'best']);
    expect(getNames({ bestFitness: null, meanFitness: null })).toEqual(['best so far', 'best']);
    expect(getNames({ meanFitness: 7 })).toEqual(['best so far', 'best', 'mean']);
    expect(getNames({ stdFitness: 1 })).toEqual(['best so far', 'best', 'mean']);
  });

  test('has evaluations as its axis if requested, also those above 2^53, which are texts', () => {
    const late = [{ ...rows[0]!, evaluations: '9007199254740993' }];
    const { x, series } = makeFitnessFigure(
      late,
      { direction: 'max', targetFitness: null, isRunning: true },
      'evaluations',
    );
    expect(x.title).toBe('evaluations');
    expect(series[0]?.x).toEqual([9007199254740992]);
  });

  test.each([
    ['without evaluations', null],
    ['with text in their place', 'abc'],
    ['with an empty text in their place', ''],
  ])('does not draw rows %s, but counts them for the best so far', (_, evaluations) => {
    const unknown = [{ ...rows[0]!, evaluations, bestFitness: 5000 }, rows[1]!];
    const run = { direction: 'max', targetFitness: null, isRunning: true } as const;
    const [soFar, best] = makeFitnessFigure(unknown, run, 'evaluations').series;
    expect(soFar).toMatchObject({ x: [200], y: [5000] });
    expect(best).toMatchObject({ x: [200], y: [rows[1]!.bestFitness] });
    expect(makeFitnessFigure(unknown, run, 'iteration').series[0]?.x).toEqual([0, 1]);
  });

  test('draws the target only when there is one', () => {
    const getTarget = (targetFitness: number | null) =>
      makeFitnessFigure(rows, { direction: 'min', targetFitness, isRunning: true }, 'iteration')
        .references;
    expect(getTarget(40)).toEqual([{ label: 'target 40', value: 40 }]);
    expect(getTarget(0)).toEqual([{ label: 'target 0', value: 0 }]);
    expect(getTarget(null)).toEqual([]);
  });

  test('shows why it is empty: no iteration yet, or none recorded', () => {
    const getEmpty = (isRunning: boolean) =>
      makeFitnessFigure([], { direction: 'min', targetFitness: null, isRunning }, 'iteration')
        .empty;
    expect(getEmpty(true)).toBe(
      'No iteration has been written yet: the first appears when the initial population is evaluated.',
    );
    expect(getEmpty(false)).toBe('No iterations recorded for this run.');
  });

  test('leaves a gap in the band where mean or deviation is missing', () => {
    const gap = [{ ...rows[0]!, stdFitness: null }, rows[1]!];
    const { series } = makeFitnessFigure(
      gap,
      { direction: 'min', targetFitness: null, isRunning: true },
      'iteration',
    );
    expect(series[2]?.band?.lower[0]).toBeNull();
    expect(series[2]?.band?.lower[1]).toBe(rows[1]!.meanFitness - rows[1]!.stdFitness);
    expect(series[2]?.band?.upper[1]).toBe(rows[1]!.meanFitness + rows[1]!.stdFitness);
  });
});
