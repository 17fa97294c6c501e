import { describe, expect, test } from 'vitest';
import {
  canonicalJson,
  configurationIdOf,
  instanceLabels,
  problemInstanceOf,
} from '#server/domain/problem-instance.ts';

const onemax = (length: number, extra: object = {}) =>
  JSON.stringify({
    problem: { type: 'onemax', params: {} },
    representation: { params: { length }, type: 'bitstring' },
    ...extra,
  });

test('canonical JSON orders the keys of every object and nothing else', () => {
  expect(canonicalJson({ b: [2, 1], a: { d: null, c: 'x' } })).toBe(
    '{"a":{"c":"x","d":null},"b":[2,1]}',
  );
  expect(canonicalJson({ x: JSON.parse('5.0E-4') as number, y: 2n ** 60n })).toBe(
    '{"x":0.0005,"y":1152921504606846976}',
  );
});

test('equal sections make the same instance, whatever else the configurations say', () => {
  const a = problemInstanceOf(onemax(40, { run: { name: 'a' } }));
  const b = problemInstanceOf(
    '{"representation":{"type":"bitstring","params":{"length":40.0}},"problem":{"params":{},"type":"onemax"}}',
  );
  expect(b.id).toBe(a.id);
  expect(a.id).toMatch(/^[0-9a-f]{12}$/);
  expect(problemInstanceOf(onemax(60)).id).not.toBe(a.id);
});

test.each(['problem', 'representation', 'grammar', 'constraints'])(
  'two that differ in the section %s only are two instances',
  (section) => {
    const base = { problem: { type: 'a' }, representation: { type: 'b' } };
    const with1 = problemInstanceOf(JSON.stringify({ ...base, [section]: { type: 'c', x: 1 } }));
    const with2 = problemInstanceOf(JSON.stringify({ ...base, [section]: { type: 'c', x: 2 } }));
    expect(with1.id).not.toBe(with2.id);
    expect(instanceLabels([with1, with2], 'a').map((text) => text.slice(-3))).toEqual([
      'x 1',
      'x 2',
    ]);
  },
);

test('a section that is null is the same as none', () => {
  expect(problemInstanceOf(onemax(40, { constraints: null })).id).toBe(
    problemInstanceOf(onemax(40)).id,
  );
});

test('two seeds of 64 bits that are one double are two instances', () => {
  const seeded = (seed: string) =>
    problemInstanceOf(`{"problem":{"type":"noisy","params":{"seed":${seed}}}}`);
  const [one, other] = [seeded('9007199254740993'), seeded('9007199254740992')];
  expect(one.id).not.toBe(other.id);
  expect(one.configJson).toContain('"seed":9007199254740993');
  expect(instanceLabels([one, other], 'noisy')).toEqual([
    'noisy, seed 9007199254740993',
    'noisy, seed 9007199254740992',
  ]);
});

test('the dimension is a length, a size or a dimension; anything else is unknown', () => {
  expect(problemInstanceOf(onemax(40)).dimension).toBe(40);
  const size = { representation: { type: 'permutation-vector', params: { size: 5 } } };
  expect(problemInstanceOf(JSON.stringify(size)).dimension).toBe(5);
  const dimension = { problem: { type: 'coco-bbob', params: { dimension: 2 } } };
  expect(problemInstanceOf(JSON.stringify(dimension)).dimension).toBe(2);
  expect(problemInstanceOf('{"problem":{"type":"grammar-xor"}}').dimension).toBeNull();
  expect(problemInstanceOf(onemax(0)).dimension).toBeNull();
});

test.each(['', 'not json', '[]', 'null', '3'])('the text %j is an unknown instance', (text) => {
  expect(problemInstanceOf(text)).toMatchObject({ configJson: '{}', dimension: null });
});

describe('labels', () => {
  const label = (...configs: string[]) => instanceLabels(configs.map(problemInstanceOf), 'onemax');

  test('name the size, also of a single instance', () => {
    expect(label(onemax(40))).toEqual(['onemax, length 40']);
    expect(label(onemax(40), onemax(60))).toEqual(['onemax, length 40', 'onemax, length 60']);
  });

  test('name what differs and leave out what does not', () => {
    const noisy = onemax(40, { problem: { type: 'onemax', params: { noise: 0.1, seed: 1 } } });
    const quiet = onemax(40, { problem: { type: 'onemax', params: { noise: 0.2, seed: 1 } } });
    expect(label(noisy, quiet)).toEqual([
      'onemax, length 40, noise 0.1',
      'onemax, length 40, noise 0.2',
    ]);
  });

  test('say a size once, and the number of a function with its name', () => {
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

  test('call the length of a vector of real numbers its dimension', () => {
    const sphere = (type: string) =>
      JSON.stringify({
        problem: { type: 'onemax' },
        representation: { type, params: { length: 8 } },
      });
    expect(label(sphere('real-vector'))).toEqual(['onemax, dimension 8']);
    expect(label(sphere('permutation-vector'))).toEqual(['onemax, length 8']);
  });

  test('name a direction only where two are stated', () => {
    const towards = (length: number, params: object) =>
      onemax(length, { problem: { type: 'onemax', params } });
    expect(label(towards(2, { direction: 'min' }), towards(3, {}))).toEqual([
      'onemax, length 2',
      'onemax, length 3',
    ]);
    expect(label(towards(2, { direction: 'min' }), towards(3, { direction: 'max' }))).toEqual([
      'onemax, length 2, direction min',
      'onemax, length 3, direction max',
    ]);
  });

  test('shorten long values, and add the id where two would read the same', () => {
    const weights = (last: number) => [...Array.from({ length: 50 }, () => 1), last];
    const heavy = (last: number) =>
      onemax(5, { problem: { type: 'onemax', params: { weights: weights(last) } } });
    const [first = '', second = ''] = label(heavy(1), heavy(2));
    expect(first).toMatch(/^onemax, length 5, weights \[1,1.*… \([0-9a-f]{12}\)$/);
    expect(second).not.toBe(first);
    expect(first.length).toBeLessThan(80);
  });

  test('of unknown configurations are the problem type', () => {
    expect(label('')).toEqual(['onemax']);
  });
});

test('configurations that differ in names, storage and reporting only are the same', () => {
  const base = { algorithm: { type: 'umda' }, run: { name: 'a' } };
  const same = { run: { name: 'b [2/3]' }, algorithm: { type: 'umda' }, logging: { modes: [] } };
  const other = { algorithm: { type: 'umda', params: { elitism: 2 } } };
  const id = (config: object) => configurationIdOf(JSON.stringify(config));
  expect(id(same)).toBe(id(base));
  expect(id(other)).not.toBe(id(base));
});
