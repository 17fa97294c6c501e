import { expect, test } from 'vitest';
import { functionErts } from '#renderer/pages/campaign/function-erts.ts';
import { sampleRatios } from '#renderer/charts/sample-coco.ts';

const [row] = sampleRatios().rows;

test('rows of one function, dimension and target stand together, largest target first', () => {
  const joined = functionErts([
    { ...row!, functionId: 2 },
    { ...row!, targetValue: 1 },
    row!,
    { ...row!, optimizerId: 'de' },
  ]);
  expect(joined.map(({ functionId, targetValue }) => [functionId, targetValue])).toEqual([
    [1, 1],
    [1, 1e-8],
    [2, 1e-8],
  ]);
  expect([...joined[1]!.byOptimizer.keys()]).toEqual(['es', 'de']);
});

test('the smallest ERT is best, unless all are equal, infinite, or of trials that failed', () => {
  const best = (...erts: (number | null)[]) =>
    functionErts(erts.map((ert, index) => ({ ...row!, optimizerId: `o${index}`, ert })))[0]?.best;
  expect(best(5, 4, null)).toEqual(new Set(['o1']));
  expect(best(4, 4, null)).toEqual(new Set(['o0', 'o1']));
  expect(best(4, 4)).toEqual(new Set());
  expect(best(null, null)).toEqual(new Set());
  const failed = { ...row!, optimizerId: 'de', trials: 0, ert: null };
  expect(functionErts([row!, failed])[0]?.best).toEqual(new Set());
});
