import { describe, expect, test } from 'vitest';
import { getFamily } from '#server/domain/problem-instance.ts';
import { selectObjectiveValues } from '#server/services/runs.ts';

describe('the objectives of a run', () => {
  const makeRow = (name: string) => ({ name, value: 1 });

  test('are sorted by their numbers, not by their text', () => {
    const rows = ['best_obj_10', 'best_obj_2', 'best_obj_0', 'mean'].map(makeRow);
    const names = selectObjectiveValues(rows, '{"mean":1}').map(({ name }) => name);
    expect(names).toEqual(['best_obj_0', 'best_obj_2', 'best_obj_10']);
  });

  test('are all rows that are not metrics', () => {
    expect(selectObjectiveValues([makeRow('cost'), makeRow('mean')], '{"mean":1}')).toEqual([
      makeRow('cost'),
    ]);
  });

  test('are the numbered rows, or all rows if there are none, if no metrics can be read', () => {
    for (const metrics of [null, '{', '5']) {
      const rows = [makeRow('best_obj_0'), makeRow('mean')];
      expect(selectObjectiveValues(rows, metrics)).toEqual([makeRow('best_obj_0')]);
      expect(selectObjectiveValues([makeRow('cost')], metrics)).toEqual([makeRow('cost')]);
    }
  });
});

test.each([
  ['bitstring', null, 'binary'],
  ['grammar-bitstring', '"representationFamily":"binary"', 'grammar'],
  [' Permutation-Vector', null, 'permutation'],
  ['real-vector', null, 'real'],
  ['plugin', '"representationFamily" : "real", "x":1', 'real'],
  ['int-vector', '"representationFamily":"unknown"', 'unknown'],
  ['int-vector', '"representationFamily":{}', 'unknown'],
  ['', null, 'unknown'],
])('the family of %s with telemetry %s is %s', async (type, telemetry, family) => {
  expect(await getFamily(type, async () => telemetry)).toBe(family);
});

test('no telemetry is read for a family that the type determines', async () => {
  const readTelemetry = () => Promise.reject(new Error('read'));
  expect(await getFamily('bitstring', readTelemetry)).toBe('binary');
  await expect(getFamily('plugin', readTelemetry)).rejects.toThrow('read');
});
