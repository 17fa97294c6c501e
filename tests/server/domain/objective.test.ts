import { describe, expect, it, test } from 'vitest';
import {
  getConfiguredDirection,
  getConfiguredTarget,
  findDirection,
  getKnownOptimum,
  getProblemDirection,
  getTraceDirection,
} from '#server/domain/objective.ts';

describe('the direction of an experiment', () => {
  test('is the configured direction, before the problem type and the traces', () => {
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

  test('is that of most traces for an unknown problem, or min without traces', () => {
    const unknownProblem = { config: undefined, problemType: 'plugin' };
    expect(findDirection({ ...unknownProblem, traceGains: [1, 2, -9] })).toEqual({
      direction: 'max',
      directionSource: 'trace',
    });
    expect(findDirection({ ...unknownProblem, traceGains: [] })).toEqual({
      direction: 'min',
      directionSource: 'default',
    });
  });

  test.each(['direction', 'objective', 'sense'])('is read from problem.params.%s', (key) => {
    const readDirection = (word: unknown) =>
      getConfiguredDirection({ problem: { params: { [key]: word } } });
    expect(readDirection(' Maximize ')).toBe('max');
    expect(readDirection('min')).toBe('min');
    expect(readDirection('accuracy')).toBeNull();
    expect(readDirection(1)).toBeNull();
  });

  test('is read neither from other paths nor from an invalid configuration', () => {
    for (const config of [undefined, null, [], 'max', { direction: 'max' }, { problem: [] }]) {
      expect(getConfiguredDirection(config)).toBeNull();
    }
  });

  test.each(['grammar-xor', 'mixed-toy', 'ZDT', ' small-tsp '])('is min for %s', (type) => {
    expect(getProblemDirection(type)).toBe('min');
  });

  test.each(['onemax', 'knapsack', 'boolean-function-mo'])('is max for %s', (type) => {
    expect(getProblemDirection(type)).toBe('max');
  });

  test('is unknown for an unknown problem type', () => {
    expect(getProblemDirection('constructor')).toBeNull();
    expect(getProblemDirection('')).toBeNull();
  });

  test('is null for as many rising as falling traces, and ignores NaN', () => {
    expect(getTraceDirection([1, -1, 0])).toBeNull();
    expect(getTraceDirection([Number.NaN, -0.5])).toBe('min');
    expect(getTraceDirection([Number.NaN, 0.5])).toBe('max');
    expect(getTraceDirection([Number.NaN])).toBeNull();
    expect(getTraceDirection([])).toBeNull();
  });
});

describe('the target of an experiment', () => {
  test.each([
    [{ stopping: { targetFitness: '60' } }, 60],
    [{ stopping: { targetFitness: null, target: 2 }, target: 3 }, 2],
    [{ stopping: { targetFitness: 'NaN' }, targetFitness: 1e-3 }, 1e-3],
    [{ target: 0 }, 0],
    [{ target: '-1.5e-3' }, -1.5e-3],
  ])('for %j is %s', (config, target) => {
    expect(getConfiguredTarget(config)).toBe(target);
  });

  test.each([
    { problem: { params: { target: 7 } } },
    { target: '' },
    { target: '0x10' },
    { target: true },
    { target: Infinity },
    undefined,
  ])('for %j is null', (config) => {
    expect(getConfiguredTarget(config)).toBeNull();
  });
});

const makeLengthConfig = (length: number | string) => ({ representation: { params: { length } } });

describe('getKnownOptimum', () => {
  it("returns the length for onemax, and 0 for the runner's functions and COCO", () => {
    expect(getKnownOptimum('onemax', makeLengthConfig(40), 'max')).toBe(40);
    expect(getKnownOptimum('OneMax', { representation: { length: 30 } }, 'max')).toBe(30);
    for (const type of ['sphere', 'rosenbrock', 'rastrigin', 'coco-bbob', 'coco-bbob-mixint']) {
      expect(getKnownOptimum(type, {}, 'min'), type).toBe(0);
    }
  });

  it('returns the dimension for OneMax and LeadingOnes of the PBO suite', () => {
    const config = (functionName: string) => ({
      ...makeLengthConfig(16),
      problem: { params: { functionName } },
    });
    expect(getKnownOptimum('ioh-pbo', config('LeadingOnes'), 'max')).toBe(16);
    expect(getKnownOptimum('ioh-pbo', config('LABS'), 'max')).toBeNull();
  });

  it('returns the optimum that the configuration states', () => {
    const config = { problem: { params: { optimum: 7542 } } };
    expect(getKnownOptimum('tsplib-tsp', config, 'min')).toBe(7542);
    expect(getKnownOptimum('sphere', { problem: { optimum: -3 } }, 'min')).toBe(-3);
    expect(
      getKnownOptimum('tsplib-tsp', { problem: { params: { optimum: 'known' } } }, 'min'),
    ).toBeNull();
  });

  it('returns null for other problems, for the other direction, and without a length', () => {
    for (const type of ['knapsack', 'zdt', 'coco-bbob-biobj', '']) {
      expect(getKnownOptimum(type, makeLengthConfig(5), 'min'), type).toBeNull();
    }
    expect(getKnownOptimum('onemax', makeLengthConfig(40), 'min')).toBeNull();
    expect(getKnownOptimum('sphere', {}, 'max')).toBeNull();
    const otherSuite = { problem: { params: { functionName: 'OneMax' } }, ...makeLengthConfig(40) };
    expect(getKnownOptimum('other', otherSuite, 'max')).toBeNull();
    expect(getKnownOptimum('onemax', makeLengthConfig('forty'), 'max')).toBeNull();
  });
});
