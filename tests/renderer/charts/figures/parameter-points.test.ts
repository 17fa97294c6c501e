import { expect, test } from 'vitest';
import type { ExperimentResult, VaryingParameter } from '#shared/schemas/analysis-parameters.ts';
import {
  getPointNotes,
  getValueName,
  makeParameterPoints,
} from '#renderer/charts/figures/parameter-points.ts';

const result = (
  experimentId: string,
  fields: Partial<ExperimentResult> = {},
): ExperimentResult => ({
  experimentId,
  label: `name of ${experimentId}`,
  algorithm: 'umda',
  totalRuns: 10,
  successfulRuns: 5,
  n: 8,
  medianBest: 3,
  ert: 200,
  ...fields,
});

const experiments = [
  result('a'),
  result('b', { algorithm: 'pbil', ert: 90, medianBest: 7 }),
  result('c', { successfulRuns: 0, ert: null, medianBest: 9 }),
  result('d', { ert: null, n: 0, medianBest: null }),
  result('e'),
];

const context = {
  experiments,
  getLook: (algorithm: string) => ({
    name: algorithm.toUpperCase(),
    paletteIndex: algorithm === 'pbil' ? 0 : 1,
  }),
  getHref: (id: string) => `/experiments/${id}`,
};
const withTarget = { ...context, hasTarget: true };
const withoutTarget = { ...context, hasTarget: false };

function parameter(values: [string | null, string[]][], isNumeric = true) {
  return {
    path: 'algorithm.size',
    isNumeric,
    values: values.map(([value, experimentIds]) => ({ value, experimentIds })),
  } as VaryingParameter;
}

const sizes = parameter([
  ['10', ['a', 'b']],
  ['20', ['c']],
  ['40', ['d']],
  [null, ['e']],
]);

test('each experiment has the ERT of its runs at its number, infinite without a successful run and none if it is unknown', () => {
  const figure = makeParameterPoints(sizes, withTarget);
  expect(figure.x).toEqual({ title: 'algorithm.size' });
  expect(figure.y).toEqual({ title: 'ERT', unit: 'evaluations' });
  expect(figure.counts).toEqual(['n', 'successful runs']);
  expect(figure.groups.map(({ name, points }) => [name, points.map(({ x, y }) => [x, y])])).toEqual(
    [
      ['PBIL', [[10, 90]]],
      [
        'UMDA',
        [
          [10, 200],
          [20, Infinity],
          [40, null],
        ],
      ],
    ],
  );
  expect(figure.groups[0]?.points[0]).toMatchObject({
    name: 'name of b',
    counts: [10, 5],
    href: '/experiments/b',
  });
});

test('without a target each experiment has its median best fitness, with the number of its completed runs', () => {
  const { y, counts, groups } = makeParameterPoints(sizes, withoutTarget);
  expect(y).toEqual({ title: 'median best fitness', reachesZero: true });
  expect(counts).toEqual(['n']);
  expect(groups[1]?.points).toMatchObject([
    { y: 3, counts: [8] },
    { y: 9, counts: [8] },
    { y: null, counts: [0] },
  ]);
});

test('names, and fewer than three numbers, are categories in the order of the values, with one for experiments without the parameter', () => {
  const categories = (of: VaryingParameter) => {
    const { x, groups } = makeParameterPoints(of, withTarget);
    const places = groups.flatMap(({ points }) => points.map((point) => [point.name, point.x]));
    return [x.categories, Object.fromEntries(places)];
  };
  const words = parameter(
    [
      ['', ['a', 'b', 'c']],
      ['x', ['d']],
      [null, ['e']],
    ],
    false,
  );
  expect(categories(words)).toEqual([
    ['(empty)', 'x', 'not set'],
    {
      'name of a': 0,
      'name of b': 0,
      'name of c': 0,
      'name of d': 1,
      'name of e': 2,
    },
  ]);
  const two = parameter([
    ['0.1', ['a']],
    ['0.5', ['b', 'c']],
    [null, ['d', 'e']],
  ]);
  expect(categories(two)[0]).toEqual(['0.1', '0.5', 'not set']);
});

test('notes count the experiments without a point or with an infinite one', () => {
  expect(getPointNotes(sizes, withTarget)).toEqual([
    '1 experiment without a successful run: infinite ERT, at the upper edge.',
    '1 experiment without this parameter: omitted.',
    '1 experiment without runs, or with unknown evaluations of the successful runs: omitted.',
  ]);
  expect(getPointNotes(sizes, withoutTarget)).toEqual([
    '1 experiment without this parameter: omitted.',
    '1 experiment without a finite median best fitness: omitted.',
  ]);
  const complete = parameter([
    ['1', ['a']],
    ['2', ['b']],
    ['3', ['e']],
  ]);
  expect(getPointNotes(complete, withTarget)).toEqual([]);
  expect(getPointNotes(parameter([['1', ['c']]]), withTarget)).toEqual([]);
});

test('a chart without values states whether runs are missing or did not reach the target', () => {
  const emptyOf = (fields: Partial<ExperimentResult>, hasTarget: boolean) =>
    makeParameterPoints(parameter([['1', ['a']]]), {
      ...context,
      hasTarget,
      experiments: [result('a', { ert: null, medianBest: null, successfulRuns: 0, ...fields })],
    }).empty;
  expect(emptyOf({}, true)).toBe('No run with any of these values reached the target.');
  expect(emptyOf({}, false)).toBe(
    'No run with any of these values has been completed with a best fitness.',
  );
  expect(emptyOf({ totalRuns: 0 }, true)).toBe('No experiment with this parameter has runs.');
});

test('a missing value and an empty one are shown as words', () => {
  expect([null, '', '0'].map(getValueName)).toEqual(['not set', '(empty)', '0']);
});
