import { describe, expect, it, test } from 'vitest';
import {
  configuredDirection,
  configuredTarget,
  findDirection,
  knownOptimum,
  problemDirection,
  traceDirection,
} from '#server/domain/objective.ts';

describe('the direction', () => {
  test('is the configured one, before the problem type and the traces', () => {
    const config = { problem: { params: { direction: 'max' } } };
    expect(findDirection({ config, problemType: 'sphere', traceGains: [-1] })).toEqual({
      direction: 'max',
      directionSource: 'config',
    });
  });

  test('is that of the problem type, before the traces', () => {
    expect(findDirection({ config: {}, problemType: 'sphere', traceGains: [1] })).toEqual({
      direction: 'min',
      directionSource: 'problem',
    });
  });

  test('is that of most traces for an unknown problem, else min', () => {
    const unknown = { config: undefined, problemType: 'plugin' };
    expect(findDirection({ ...unknown, traceGains: [1, 2, -9] })).toEqual({
      direction: 'max',
      directionSource: 'trace',
    });
    expect(findDirection({ ...unknown, traceGains: [] })).toEqual({
      direction: 'min',
      directionSource: 'default',
    });
  });

  test.each(['direction', 'objective', 'sense'])('is read from problem.params.%s', (key) => {
    const read = (word: unknown) => configuredDirection({ problem: { params: { [key]: word } } });
    expect(read(' Maximize ')).toBe('max');
    expect(read('min')).toBe('min');
    expect(read('accuracy')).toBeNull();
    expect(read(1)).toBeNull();
  });

  test('is not read from elsewhere, nor from a configuration that is none', () => {
    for (const config of [undefined, null, [], 'max', { direction: 'max' }, { problem: [] }]) {
      expect(configuredDirection(config)).toBeNull();
    }
  });

  test.each(['grammar-xor', 'mixed-toy', 'ZDT', ' small-tsp '])('of %s is min', (type) => {
    expect(problemDirection(type)).toBe('min');
  });

  test.each(['onemax', 'knapsack', 'boolean-function-mo'])('of %s is max', (type) => {
    expect(problemDirection(type)).toBe('max');
  });

  test('of an unknown problem type is not known', () => {
    expect(problemDirection('constructor')).toBeNull();
    expect(problemDirection('')).toBeNull();
  });

  test('of traces is undecided when as many rise as fall, and NaN counts for neither', () => {
    expect(traceDirection([1, -1, 0])).toBeNull();
    expect(traceDirection([Number.NaN, -0.5])).toBe('min');
    expect(traceDirection([])).toBeNull();
  });
});

describe('the target', () => {
  test.each([
    [{ stopping: { targetFitness: '60' } }, 60],
    [{ stopping: { targetFitness: null, target: 2 }, target: 3 }, 2],
    [{ stopping: { targetFitness: 'NaN' }, targetFitness: 1e-3 }, 1e-3],
    [{ target: 0 }, 0],
    [{ target: '-1.5e-3' }, -1.5e-3],
  ])('of %j is %s', (config, target) => {
    expect(configuredTarget(config)).toBe(target);
  });

  test.each([
    { problem: { params: { target: 7 } } },
    { target: '' },
    { target: '0x10' },
    { target: true },
    { target: Infinity },
    undefined,
  ])('of %j is none', (config) => {
    expect(configuredTarget(config)).toBeNull();
  });
});

const ofLength = (length: number | string) => ({ representation: { params: { length } } });

describe('knownOptimum', () => {
  it("is the length of onemax, 0 of the runner's functions and of COCO", () => {
    expect(knownOptimum('onemax', ofLength(40), 'max')).toBe(40);
    expect(knownOptimum('OneMax', { representation: { length: 30 } }, 'max')).toBe(30);
    for (const type of ['sphere', 'rosenbrock', 'rastrigin', 'coco-bbob', 'coco-bbob-mixint']) {
      expect(knownOptimum(type, {}, 'min'), type).toBe(0);
    }
  });

  it('is the dimension of OneMax and LeadingOnes of the PBO suite', () => {
    const config = (functionName: string) => ({
      ...ofLength(16),
      problem: { params: { functionName } },
    });
    expect(knownOptimum('ioh-pbo', config('LeadingOnes'), 'max')).toBe(16);
    expect(knownOptimum('ioh-pbo', config('LABS'), 'max')).toBeNull();
  });

  it('is what the configuration states', () => {
    const config = { problem: { params: { optimum: 7542 } } };
    expect(knownOptimum('tsplib-tsp', config, 'min')).toBe(7542);
    expect(knownOptimum('sphere', { problem: { optimum: -3 } }, 'min')).toBe(-3);
    expect(
      knownOptimum('tsplib-tsp', { problem: { params: { optimum: 'known' } } }, 'min'),
    ).toBeNull();
  });

  it('is unknown of other problems, in the other direction, and without a length', () => {
    for (const type of ['knapsack', 'zdt', 'coco-bbob-biobj', '']) {
      expect(knownOptimum(type, ofLength(5), 'min'), type).toBeNull();
    }
    expect(knownOptimum('onemax', ofLength(40), 'min')).toBeNull();
    expect(knownOptimum('sphere', {}, 'max')).toBeNull();
    expect(knownOptimum('onemax', ofLength('forty'), 'max')).toBeNull();
  });
});
