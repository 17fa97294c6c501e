import { expect, test } from 'vitest';
import { pairwiseTests } from '#server/stats/pairwise-tests.ts';

const samples = Object.freeze([
  { name: 'a', sample: [1, 2, 3, 4, 5] },
  { name: 'b', sample: [6, 7, 8, 9, 10] },
  { name: 'c', sample: [] },
]);

test('all pairs are tested in order, and only those with values are adjusted together', () => {
  const [first, second, third] = pairwiseTests(samples, 'max');
  expect(first).toEqual({
    algorithmA: 'a',
    algorithmB: 'b',
    sampleSizeA: 5,
    sampleSizeB: 5,
    pValue: expect.closeTo(2 / 252, 14),
    holmAdjustedPValue: expect.closeTo(2 / 252, 14),
    betterAlgorithm: 'b',
    significantAt05: true,
    method: 'exact',
    effectSize: 0,
  });
  expect([second, third].map((pair) => [pair?.pValue, pair?.betterAlgorithm])).toEqual([
    [null, 'none'],
    [null, 'none'],
  ]);
});

test('the smaller values win when minimising', () => {
  expect(pairwiseTests(samples, 'min')[0]).toMatchObject({ effectSize: 1, betterAlgorithm: 'a' });
});

test('nobody is better when the effect is exactly one half', () => {
  const [pair] = pairwiseTests(
    [
      { name: 'a', sample: [1, 4] },
      { name: 'b', sample: [2, 3] },
    ],
    'max',
  );
  expect(pair).toMatchObject({ effectSize: 0.5, betterAlgorithm: 'none', significantAt05: false });
});

test('fewer than two samples make no pairs', () => {
  expect(pairwiseTests([], 'min')).toEqual([]);
  expect(pairwiseTests(samples.slice(1, 2), 'min')).toEqual([]);
});
