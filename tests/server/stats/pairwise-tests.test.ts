import { expect, test } from 'vitest';
import { rankSumPairs } from '#server/stats/pairwise-tests.ts';

const samples = Object.freeze([
  { name: 'a', sample: [1, 2, 3, 4, 5] },
  { name: 'b', sample: [6, 7, 8, 9, 10] },
  { name: 'c', sample: [] },
]);

test('all pairs are tested in order, and only those with values are adjusted together', () => {
  const [first, second, third] = rankSumPairs(samples, 'max');
  expect(first).toEqual({
    a: 'a',
    b: 'b',
    nA: 5,
    nB: 5,
    pValue: expect.closeTo(2 / 252, 14),
    holmAdjustedPValue: expect.closeTo(2 / 252, 14),
    better: 'b',
    significant: true,
    attainablePValue: expect.closeTo(2 / 252, 14),
    method: 'exact',
    effectSize: 0,
    effectInterval: null,
    effectLabel: 'large',
    shift: -5,
    difference: null,
    differenceInterval: null,
  });
  expect([second, third].map((pair) => [pair?.pValue, pair?.better])).toEqual([
    [null, 'none'],
    [null, 'none'],
  ]);
});

test('the smaller values win when minimising', () => {
  expect(rankSumPairs(samples, 'min')[0]).toMatchObject({ effectSize: 1, better: 'a' });
});

test('nobody is better when the effect is exactly one half', () => {
  const [pair] = rankSumPairs(
    [
      { name: 'a', sample: [1, 4] },
      { name: 'b', sample: [2, 3] },
    ],
    'max',
  );
  expect(pair).toMatchObject({ effectSize: 0.5, better: 'none', significant: false });
});

test('the attainable p-value counts the pairs tested, and is 1 at most', () => {
  const three = [
    { name: 'a', sample: [1, 2, 3] },
    { name: 'b', sample: [4, Infinity, 6] },
    { name: 'c', sample: [7] },
    { name: 'd', sample: [] },
  ];
  expect(rankSumPairs(three, 'max').map((pair) => pair.attainablePValue)).toEqual([
    expect.closeTo(3 * 0.1, 14),
    1,
    null,
    1,
    null,
    null,
  ]);
});

test('an infinite value is the largest of its sample, and the effect size counts it so', () => {
  const [pair] = rankSumPairs(
    [
      { name: 'a', sample: [1, Infinity] },
      { name: 'b', sample: [2, Infinity] },
    ],
    'min',
  );
  expect(pair).toMatchObject({ effectSize: 0.625, better: 'a' });
});

test('fewer than two samples make no pairs', () => {
  expect(rankSumPairs([], 'min')).toEqual([]);
  expect(rankSumPairs(samples.slice(1, 2), 'min')).toEqual([]);
});

test('a censored sample has no shift, nor one whose middle is infinite', () => {
  const shifts = rankSumPairs(
    [
      { name: 'a', sample: [1, 2, 3] },
      { name: 'b', sample: [2, 3], isCensored: true },
      { name: 'c', sample: [Infinity, Infinity] },
    ],
    'min',
  ).map(({ shift }) => shift);
  expect(shifts).toEqual([null, null, null]);
});
