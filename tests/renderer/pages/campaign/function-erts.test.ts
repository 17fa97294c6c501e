import { expect, test } from 'vitest';
import { getFunctionErts } from '#renderer/pages/campaign/function-erts.ts';
import type { OptimizerPair } from '#shared/schemas/coco-analysis.ts';
import { sampleRatios } from '#renderer/pages/gallery/sample-coco.ts';

const [row] = sampleRatios().rows;

test('rows of one function, dimension and target are together, largest target first', () => {
  const joined = getFunctionErts(
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

test('the best optimizer of a row is significantly faster than every other that it is compared with', () => {
  const rows = ['es', 'de', 'ga'].map((optimizerId) => ({ ...row!, optimizerId }));
  const pair = (a: string, b: string, better: string, significant = true) =>
    ({ a, b, better, significant, pValue: 0.01 }) as OptimizerPair;
  const bestBy = (functionId: number, ...pairs: OptimizerPair[]) =>
    getFunctionErts(rows, [{ dimension: row!.dimension, functionId, pairs }])[0]?.best;
  const clear = [pair('es', 'de', 'es'), pair('es', 'ga', 'es'), pair('de', 'ga', 'ga', false)];
  expect(bestBy(row!.functionId, ...clear)).toEqual(['es']);
  expect(bestBy(row!.functionId + 1, ...clear)).toEqual([]);
  expect(bestBy(row!.functionId, clear[0]!, pair('es', 'ga', 'es', false))).toEqual([]);
  const untested = { ...pair('es', 'ga', 'none', false), pValue: null };
  expect(bestBy(row!.functionId, clear[0]!, untested)).toEqual(['es']);
  const easier = { ...rows[0]!, targetValue: 1 };
  const ofTwoTargets = getFunctionErts(
    [...rows, easier],
    [{ dimension: row!.dimension, functionId: row!.functionId, pairs: clear }],
  );
  expect(ofTwoTargets.map(({ best }) => best)).toEqual([[], []]);
  const failed = { ...row!, optimizerId: 'de', trials: 0, ert: null };
  expect(getFunctionErts([row!, failed], [])[0]?.best).toEqual([]);
});
