import { expect, test } from 'vitest';
import { functionErts } from '#renderer/pages/campaign/function-erts.ts';
import type { OptimizerPair } from '#shared/schemas/coco-analysis.ts';
import { sampleRatios } from '#renderer/charts/sample-coco.ts';

const [row] = sampleRatios().rows;

test('rows of one function, dimension and target stand together, largest target first', () => {
  const joined = functionErts(
    [{ ...row!, functionId: 2 }, { ...row!, targetValue: 1 }, row!, { ...row!, optimizerId: 'de' }],
    [],
  );
  expect(joined.map(({ functionId, targetValue }) => [functionId, targetValue])).toEqual([
    [1, 1],
    [1, 1e-8],
    [2, 1e-8],
  ]);
  expect([...joined[1]!.byOptimizer.keys()]).toEqual(['es', 'de']);
});

test('the best optimizer of a row is the one that the tests of its function show to be faster than every other', () => {
  const rows = ['es', 'de', 'ga'].map((optimizerId) => ({ ...row!, optimizerId }));
  const pair = (a: string, b: string, better: string, significant = true) =>
    ({ a, b, better, significant }) as OptimizerPair;
  const bestBy = (functionId: number, ...pairs: OptimizerPair[]) =>
    functionErts(rows, [{ dimension: row!.dimension, functionId, pairs }])[0]?.best;
  const clear = [pair('es', 'de', 'es'), pair('es', 'ga', 'es'), pair('de', 'ga', 'ga', false)];
  expect(bestBy(row!.functionId, ...clear)).toBe('es');
  expect(bestBy(row!.functionId + 1, ...clear)).toBeNull();
  expect(bestBy(row!.functionId, clear[0]!, pair('es', 'ga', 'es', false))).toBeNull();
  expect(bestBy(row!.functionId, clear[0]!)).toBeNull();
  const failed = { ...row!, optimizerId: 'de', trials: 0, ert: null };
  expect(functionErts([row!, failed], [])[0]?.best).toBeNull();
});
