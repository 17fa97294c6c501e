import { expect, test } from 'vitest';
import { formatShare } from '#shared/number-format.ts';
import type { ParameterValue } from '#shared/schemas/analysis-parameters.ts';
import { makeParameterEffectFigure } from '#renderer/charts/figures/parameter-effect.ts';

const value = (text: string | null, fields: Partial<ParameterValue> = {}) =>
  ({
    value: text,
    totalRuns: 10,
    successfulRuns: 5,
    successRate: 0.5,
    ert: 200,
    ertInterval: { lower: 1, upper: 2 },
    ertMoverInterval: { lower: 100, upper: null },
    medianBest: 3,
    ...fields,
  }) as ParameterValue;

const parameter = {
  path: 'algorithm.populationSize',
  values: [
    value('10'),
    value('20', {
      ert: null,
      successfulRuns: 0,
      successRate: 0,
      ertInterval: { lower: null, upper: null },
      ertMoverInterval: null,
    }),
    value('30', { ert: null, ertInterval: null, ertMoverInterval: null }),
    value('40', { totalRuns: 0 }),
    value(null),
  ],
};

test('the ERT of each number is drawn, infinite where no run reached the target and missing where it is unknown; without runs or number there is no place', () => {
  const { series, y } = makeParameterEffectFigure(parameter, true);
  expect(y).toEqual({ title: 'ERT', unit: 'evaluations' });
  expect(series).toMatchObject([
    {
      x: [10, 20, 30],
      y: [200, Infinity, null],
      infiniteAt: [20],
      band: { lower: [100, null, null], upper: [null, null, null] },
      hoverNotes: [0.5, 0, 0.5].map((share) => `10 runs, ${formatShare(share)} successful`),
    },
  ]);
});

test('without a target the median best fitness is drawn', () => {
  const { series, y } = makeParameterEffectFigure(parameter, false);
  expect(y.title).toBe('best fitness');
  expect(series[0]).toMatchObject({ x: [10, 20, 30], y: [3, 3, 3] });
  expect(series[0]).not.toHaveProperty('infiniteAt');
});

test('a chart without values states whether runs are missing or did not reach the target', () => {
  const unsolved = value('10', { successfulRuns: 0, ert: null, medianBest: null });
  const emptyOf = (values: ParameterValue[], hasTarget: boolean) =>
    makeParameterEffectFigure({ path: parameter.path, values }, hasTarget).empty;
  expect(emptyOf([unsolved], true)).toBe('No run with any of these values reached the target.');
  expect(emptyOf([unsolved], false)).toBe(
    'No run with any of these values has been completed with a best fitness.',
  );
  expect(emptyOf([value('10', { totalRuns: 0 })], true)).toBe(
    'No experiment with this parameter has runs.',
  );
});
