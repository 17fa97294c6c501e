import { expect, test } from 'vitest';
import {
  describeInstances,
  getCondition,
  listDistinguishingConditions,
} from '#server/analysis/scope.ts';
import { getProblemInstance } from '#server/domain/problem-instance.ts';
import { makeExperiment } from './sample-runs.ts';

test('describeInstances sorts equally used instances by their labels, with fractions by value', () => {
  const experiments = [5, 0.5, 10, 0.25].map((noise) => {
    const configJson = JSON.stringify({ problem: { type: 'onemax', params: { noise } } });
    const instance = getProblemInstance(configJson);
    return makeExperiment(`e${noise}`, 'umda', 40, { configJson, instance });
  });
  expect(describeInstances(experiments, [], 'onemax').map(({ label }) => label)).toEqual([
    'onemax, noise 0.25',
    'onemax, noise 0.5',
    'onemax, noise 5',
    'onemax, noise 10',
  ]);
});

test('A condition formats a value so that parsing returns the same value', () => {
  expect(getCondition('algorithm.size', '50')).toBe('algorithm.size = 50');
  expect(getCondition('algorithm.seed', '9007199254740993')).toBe(
    'algorithm.seed = 9007199254740993',
  );
  expect(getCondition('algorithm.mode', 'a "b"')).toBe('algorithm.mode = "a \\"b\\""');
  expect(getCondition('algorithm.elitism', 'true')).toBe('algorithm.elitism = "true"');
  expect(getCondition('algorithm.code', '0x10')).toBe('algorithm.code = "0x10"');
});

test('getCondition returns null for a missing or partly masked value, an array, a path with an operator and a long value', () => {
  expect(getCondition('algorithm.size', null)).toBeNull();
  expect(getCondition('store.token', '***')).toBeNull();
  expect(getCondition('store.url', 'postgres://***@host/db')).toBeNull();
  expect(getCondition('problem.weights', '[1,2]')).toBeNull();
  expect(getCondition('problem.a < b', '1')).toBeNull();
  expect(getCondition('problem.text', 'x'.repeat(1000))).toBeNull();
});

test('listDistinguishingConditions returns the fewest conditions that distinguish an instance', () => {
  const makeParameters = (length: number, otherParameters: Record<string, string> = {}) =>
    new Map(
      Object.entries({
        'problem.type': 'onemax',
        'representation.length': `${length}`,
        ...otherParameters,
      }),
    );
  const getConditions = (...instances: Map<string, string>[]) =>
    listDistinguishingConditions(
      '0',
      instances.map((parameters, index) => ({
        instance: { id: String(index), configJson: '', dimension: null, parameters },
      })),
    );
  expect(getConditions(makeParameters(40))).toEqual([]);
  expect(getConditions(makeParameters(40), makeParameters(30), makeParameters(60))).toEqual([
    'representation.length = 40',
  ]);
  expect(
    getConditions(makeParameters(40, { noise: '1' }), makeParameters(40), makeParameters(30)),
  ).toEqual(['representation.length = 40', 'noise = 1']);
  expect(getConditions(makeParameters(40), makeParameters(40, { noise: '1' }))).toBeNull();
});
