import { describe, expect, test } from 'vitest';
import {
  getCanonicalJson,
  getConfigurationId,
  getInstanceLabels,
  getProblemInstance,
} from '#server/domain/problem-instance.ts';

const onemax = (length: number, extra: object = {}) =>
  JSON.stringify({
    problem: { type: 'onemax', params: {} },
    representation: { params: { length }, type: 'bitstring' },
    ...extra,
  });

test('getCanonicalJson sorts only the keys of every object', () => {
  expect(getCanonicalJson({ b: [2, 1], a: { d: null, c: 'x' } })).toBe(
    '{"a":{"c":"x","d":null},"b":[2,1]}',
  );
  expect(getCanonicalJson({ x: JSON.parse('5.0E-4') as number, y: 2n ** 60n })).toBe(
    '{"x":0.0005,"y":1152921504606846976}',
  );
});

test('getProblemInstance returns the same instance for equal sections, independent of other sections', () => {
  const a = getProblemInstance(onemax(40, { run: { name: 'a' } }));
  const b = getProblemInstance(
    '{"representation":{"type":"bitstring","params":{"length":40.0}},"problem":{"params":{},"type":"onemax"}}',
  );
  expect(b.id).toBe(a.id);
  expect(a.id).toMatch(/^[0-9a-f]{12}$/);
  expect(getProblemInstance(onemax(60)).id).not.toBe(a.id);
});

test.each(['problem', 'representation', 'grammar', 'constraints'])(
  'getProblemInstance returns two instances for configurations that differ only in the section %s',
  (section) => {
    const base = { problem: { type: 'a' }, representation: { type: 'b' } };
    const with1 = getProblemInstance(JSON.stringify({ ...base, [section]: { type: 'c', x: 1 } }));
    const with2 = getProblemInstance(JSON.stringify({ ...base, [section]: { type: 'c', x: 2 } }));
    expect(with1.id).not.toBe(with2.id);
    expect(getInstanceLabels([with1, with2], 'a').map((text) => text.slice(-3))).toEqual([
      'x 1',
      'x 2',
    ]);
  },
);

test('getProblemInstance treats a null section as a missing section', () => {
  expect(getProblemInstance(onemax(40, { constraints: null })).id).toBe(
    getProblemInstance(onemax(40)).id,
  );
});

test('getProblemInstance returns two instances for two seeds of 64 bits that are equal as doubles', () => {
  const makeSeededConfig = (seed: string) =>
    getProblemInstance(`{"problem":{"type":"noisy","params":{"seed":${seed}}}}`);
  const [firstInstance, secondInstance] = [
    makeSeededConfig('9007199254740993'),
    makeSeededConfig('9007199254740992'),
  ];
  expect(firstInstance.id).not.toBe(secondInstance.id);
  expect(firstInstance.configJson).toContain('"seed":9007199254740993');
  expect(getInstanceLabels([firstInstance, secondInstance], 'noisy')).toEqual([
    'noisy, seed 9007199254740993',
    'noisy, seed 9007199254740992',
  ]);
});

test('getProblemInstance reads the dimension from a length, a size or a dimension, else returns null', () => {
  expect(getProblemInstance(onemax(40)).dimension).toBe(40);
  const size = { representation: { type: 'permutation-vector', params: { size: 5 } } };
  expect(getProblemInstance(JSON.stringify(size)).dimension).toBe(5);
  const dimension = { problem: { type: 'coco-bbob', params: { dimension: 2 } } };
  expect(getProblemInstance(JSON.stringify(dimension)).dimension).toBe(2);
  expect(getProblemInstance('{"problem":{"type":"grammar-xor"}}').dimension).toBeNull();
  expect(getProblemInstance(onemax(0)).dimension).toBeNull();
});

test.each(['', 'not json', '[]', 'null', '3'])(
  'getProblemInstance(%j) is the unknown instance',
  (text) => {
    expect(getProblemInstance(text)).toMatchObject({ configJson: '{}', dimension: null });
  },
);

describe('getInstanceLabels', () => {
  const label = (...configs: string[]) =>
    getInstanceLabels(configs.map(getProblemInstance), 'onemax');

  test('includes the size, also for a single instance', () => {
    expect(label(onemax(40))).toEqual(['onemax, length 40']);
    expect(label(onemax(40), onemax(60))).toEqual(['onemax, length 40', 'onemax, length 60']);
  });

  test('shortens a long value without splitting a character', () => {
    const config = (name: string) =>
      onemax(40, { problem: { type: 'onemax', params: { name: `${'a'.repeat(22)}𝛼${name}` } } });
    expect(label(config('1'), config('2'))[0]).toContain(`name ${'a'.repeat(22)}…`);
  });

  test('includes only parameters that differ', () => {
    const noisyConfig = onemax(40, {
      problem: { type: 'onemax', params: { noise: 0.1, seed: 1 } },
    });
    const otherConfig = onemax(40, {
      problem: { type: 'onemax', params: { noise: 0.2, seed: 1 } },
    });
    expect(label(noisyConfig, otherConfig)).toEqual([
      'onemax, length 40, noise 0.1',
      'onemax, length 40, noise 0.2',
    ]);
  });

  test('includes a size once, and the number of a function with its name', () => {
    const bbob = (functionId: number, functionName: string, dimension: number) =>
      JSON.stringify({
        problem: { type: 'coco-bbob', params: { functionId, functionName, dimension } },
        representation: { type: 'real-vector', params: { length: dimension } },
      });
    const configs = [bbob(1, 'Sphere', 2), bbob(8, 'Rosenbrock', 2), bbob(8, '8', 3)];
    expect(label(...configs)).toEqual([
      'onemax, dimension 2, f1 Sphere',
      'onemax, dimension 2, f8 Rosenbrock',
      'onemax, dimension 3, f8',
    ]);
  });

  test('includes the name of a function whose number equals its length on all instances', () => {
    const config = (functionId: number, functionName: string) =>
      JSON.stringify({
        problem: { type: 'suite', params: { functionId, functionName } },
        representation: { type: 'binary', params: { length: functionId } },
      });
    expect(label(config(2, 'Ellipsoid'), config(3, 'Rastrigin'))).toEqual([
      'onemax, length 2, functionName Ellipsoid',
      'onemax, length 3, functionName Rastrigin',
    ]);
  });

  test('names the length of a vector of real numbers dimension', () => {
    const sphere = (type: string) =>
      JSON.stringify({
        problem: { type: 'onemax' },
        representation: { type, params: { length: 8 } },
      });
    expect(label(sphere('real-vector'))).toEqual(['onemax, dimension 8']);
    expect(label(sphere('permutation-vector'))).toEqual(['onemax, length 8']);
  });

  test('includes a direction only if two are stated', () => {
    const makeTargetConfig = (length: number, params: object) =>
      onemax(length, { problem: { type: 'onemax', params } });
    expect(label(makeTargetConfig(2, { direction: 'min' }), makeTargetConfig(3, {}))).toEqual([
      'onemax, length 2',
      'onemax, length 3',
    ]);
    expect(
      label(makeTargetConfig(2, { direction: 'min' }), makeTargetConfig(3, { direction: 'max' })),
    ).toEqual(['onemax, length 2, direction min', 'onemax, length 3, direction max']);
  });

  test('truncates long values, and adds the id to equal labels', () => {
    const weights = (lastWeight: number) => [...Array.from({ length: 50 }, () => 1), lastWeight];
    const makeWeightedConfig = (lastWeight: number) =>
      onemax(5, { problem: { type: 'onemax', params: { weights: weights(lastWeight) } } });
    const [firstLabel = '', secondLabel = ''] = label(makeWeightedConfig(1), makeWeightedConfig(2));
    expect(firstLabel).toMatch(/^onemax, length 5, weights \[1,1.*… \([0-9a-f]{12}\)$/);
    expect(secondLabel).not.toBe(firstLabel);
    expect(firstLabel.length).toBeLessThan(80);
  });

  test('returns the problem type for unknown configurations', () => {
    expect(label('')).toEqual(['onemax']);
  });
});

test('getConfigurationId is equal for configurations that differ only in names, storage and reporting', () => {
  const base = { algorithm: { type: 'umda' }, run: { name: 'a' } };
  const ignoredSections = {
    run: { name: 'b [2/3]' },
    algorithm: { type: 'umda' },
    logging: { modes: [] },
  };
  const otherSections = { algorithm: { type: 'umda', params: { elitism: 2 } } };
  const id = (config: object) => getConfigurationId(JSON.stringify(config));
  expect(id(ignoredSections)).toBe(id(base));
  expect(id(otherSections)).not.toBe(id(base));
});

test('getConfigurationId ignores the seeds, the problem and the budget, but not the name of an operator', () => {
  const id = (algorithm: object, sections: object = {}) =>
    getConfigurationId(JSON.stringify({ algorithm, ...sections }));
  const base = id({ operators: [{ name: 'flip' }] });
  expect(id({ operators: [{ name: 'flip', Seed: 1 }], randomSeed: 2 }, { masterSeed: 3 })).toBe(
    base,
  );
  const sections = { problem: { type: 'knapsack' }, stopping: { maxEvaluations: 9 }, import: {} };
  expect(id({ operators: [{ name: 'flip' }] }, { ...sections, runName: 'b', Label: 'c' })).toBe(
    base,
  );
  expect(id({ operators: [{ name: 'swap' }] })).not.toBe(base);
});
