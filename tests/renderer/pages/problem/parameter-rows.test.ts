import { expect, test } from 'vitest';
import { formatShare } from '#shared/number-format.ts';
import type {
  ExperimentResult,
  InstanceParameters,
  ParameterValue,
  VaryingParameter,
} from '#shared/schemas/analysis-parameters.ts';
import {
  describeUnattainableSignificance,
  getAlgorithmsByResult,
  getMedianRange,
  getMissingCorrelation,
  makeParameterRows,
  getSuccessRange,
} from '#renderer/pages/problem/parameter-rows.ts';

const value = (text: string | null, experimentIds: string[], condition: string | null = null) =>
  ({
    value: text,
    condition,
    experimentIds,
    n: 2,
    medianBest: 1,
    successRate: 1,
  }) as ParameterValue;

const parameter = (
  values: ParameterValue[],
  more: Partial<VaryingParameter> = {},
): VaryingParameter => ({ path: 'a', isNumeric: true, values, spearman: null, ...more });

test('a value links to its experiment, to the list of its experiments, or to nothing if no filter selects them', () => {
  const response = {
    problemType: 'onemax',
    conditions: ['representation.length = 40'],
    parameters: [
      parameter([
        value('1', ['e1'], 'a = 1'),
        value('2', ['e2', 'e3'], 'a = 2'),
        value(null, ['e4', 'e5']),
      ]),
    ],
  } as InstanceParameters;
  expect(makeParameterRows(response, ['umda']).map(({ href }) => href)).toEqual([
    '/experiments/e1',
    '/experiments?problem=onemax&algorithm=umda&trials=include&param=representation.length+%3D+40&param=a+%3D+2',
    undefined,
  ]);
  const unfiltered = { ...response, conditions: null };
  expect(makeParameterRows(unfiltered, [])[1]?.href).toBeUndefined();
});

test('a missing correlation has its reason', () => {
  const few = [1, 2, 3].map((number) => value(`${number}`, ['e']));
  const enough = [...few, value('4', ['e'])];
  expect(getMissingCorrelation(parameter(few))).toBe('– (too few values)');
  expect(getMissingCorrelation(parameter(few, { isNumeric: false }))).toBe('– (categorical)');
  expect(getMissingCorrelation(parameter(enough))).toBe('equal medians');
  const spearman = { rho: 1, pValue: 0.1, adjustedPValue: 0.2, attainablePValue: 0.1, n: 4 };
  expect(getMissingCorrelation(parameter(enough, { spearman }))).toBeNull();
});

test('a range over the values is one number if all are equal, and a dash without values', () => {
  const values = [value('1', []), { ...value('2', []), medianBest: 40, successRate: 0.5 }];
  expect(getMedianRange(parameter(values))).toBe('1 … 40');
  expect(getSuccessRange(parameter(values))).toBe(`${formatShare(0.5)} … ${formatShare(1)}`);
  expect(getMedianRange(parameter([value('1', []), value('2', [])]))).toBe('1');
  expect(getMedianRange(parameter([{ ...value('1', []), medianBest: null }]))).toBe('–');
});

test('a note names the parameters whose correlation cannot be significant', () => {
  const tested = (path: string, attainablePValue: number) =>
    parameter([], {
      path,
      spearman: { rho: 1, pValue: 1, adjustedPValue: 1, attainablePValue, n: 4 },
    });
  const tests = [tested('a', 2 / 24), tested('b', 0.05), tested('c', 0.5), parameter([])];
  expect(describeUnattainableSignificance(tests)).toEqual([
    'Too few different values or medians for a significant correlation (0.05): a (p ≥ 0.0833), c (p ≥ 0.5).',
  ]);
  expect(describeUnattainableSignificance(tests.slice(1, 2))).toEqual([]);
});

test('algorithms are in the order of their best experiment: by ERT with a target, then by fitness', () => {
  const result = (algorithm: string, ert: number | null, medianBest: number | null) =>
    ({ algorithm, ert, medianBest }) as ExperimentResult;
  const experimentResults = [
    result('a', null, 9),
    result('b', 300, 1),
    result('c', 200, 2),
    result('b', 100, 3),
    result('d', null, null),
  ];
  const order = (targetFitness: number | null, objectiveDirection: 'min' | 'max') =>
    getAlgorithmsByResult({ experimentResults, targetFitness, objectiveDirection }).join('');
  expect(order(5, 'max')).toBe('bcad');
  expect(order(null, 'max')).toBe('abcd');
  expect(order(null, 'min')).toBe('bcad');
});
