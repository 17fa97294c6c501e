import { expect, test } from 'vitest';
import { computeCorrelationRatio, computeSpearman, testSpearman } from '#server/stats/spearman.ts';
import { expectClose } from './oracle.ts';

test('small samples agree with the exact distribution', () => {
  const result = testSpearman([1, 2, 3, 4, 5], [2, 1, 4, 3, 5]);
  expectClose(result?.rho, 0.8);
  expectClose(result?.pValue, 16 / 120);
  expect(testSpearman([1, 2, 3, 4], [9, 7, 5, 1])).toEqual({
    rho: -1,
    pValue: 2 / 24,
    attainablePValue: 2 / 24,
    n: 4,
  });
});

test('ties share their mean rank', () => {
  const tiedResult = testSpearman([1, 1, 2, 3], [10, 10, 20, 30]);
  expectClose(tiedResult?.rho, 1);
  expectClose(tiedResult?.pValue, 2 / 24);
});

test('larger samples are tested by t', () => {
  const x = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
  const result = testSpearman(x, [2, 1, 4, 3, 6, 5, 8, 7, 10, 9]);
  const rho = 1 - (6 * 10) / 990;
  expectClose(result?.rho, rho);
  // The two-sided tail of Student's t with 8 degrees of freedom at rho · √(8 / (1 − rho²)) is a polynomial.
  const rest = 1 - rho ** 2;
  const pValue = 1 - rho * (1 + rest / 2 + (3 * rest ** 2) / 8 + (5 * rest ** 3) / 16);
  expectClose(result?.pValue, pValue, 1e-11);
});

test('eight pairs are the most that are tested exactly', () => {
  const result = testSpearman([1, 2, 3, 4, 5, 6, 7, 8], [2, 1, 3, 4, 5, 6, 7, 8]);
  // Only the identity, the swaps of neighbours and their reversals are at least as extreme.
  expectClose(result?.pValue, (2 * (1 + 7)) / 40_320);
});

test('the p-value of a larger sample is at least the smallest that its orders allow', () => {
  const x = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  expectClose(testSpearman(x, x)?.pValue, 2 / 362_880);
  expectClose(testSpearman(x, x.toReversed())?.pValue, 2 / 362_880);
});

test('there is no correlation for fewer than four pairs or without variation', () => {
  expect(testSpearman([1, 2, 3], [1, 2, 3])).toBeNull();
  expect(testSpearman([1, 1, 1, 1], [1, 2, 3, 4])).toBeNull();
});

// Values from SciPy: spearmanr in permutation_test over all pairings of the most extreme order.
test.each([
  { x: [1, 2, 3, 4, 5], y: [2, 1, 4, 3, 5], attainablePValue: 2 / 120 },
  { x: [1, 1, 2, 3], y: [20, 10, 30, 20], attainablePValue: 1 / 3 },
  { x: [6, 5, 4, 3, 2, 1], y: [1, 2, 1, 3, 1, 2], attainablePValue: 1 / 30 },
  { x: [1, 2, 3, 4], y: [7, 9, 7, 7], attainablePValue: 1 / 2 },
  // Only descending orders reach a correlation of 1 in absolute value.
  { x: [1, 1, 2, 3], y: [10, 20, 30, 30], attainablePValue: 1 / 12 },
  { x: [1, 1, 1, 2, 3], y: [1, 2, 3, 3, 3], attainablePValue: 1 / 20 },
])('the smallest attainable p-value is that of the most extreme order: $x, $y', (sample) => {
  expectClose(testSpearman(sample.x, sample.y)?.attainablePValue, sample.attainablePValue);
});

test('the smallest attainable p-value of a larger sample is that of its most extreme order by t', () => {
  const x = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
  // Values of SciPy's spearmanr for the sorted samples.
  const tied = testSpearman(x, [1, 3, 1, 3, 2, 4, 2, 3, 1, 3]);
  expectClose(tied?.attainablePValue, 1.9396562720493868e-5, 1e-9);
  const single = testSpearman(x, [0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
  expectClose(single?.attainablePValue, 0.1215029188171132, 1e-9);
  expectClose(testSpearman(x, [...x.slice(1), 1])?.attainablePValue, 2 / 3_628_800);
});

test('the correlation without a test is the same, and has the same conditions', () => {
  // Values from SciPy's spearmanr.
  expectClose(computeSpearman([1, 1, 2, 3], [10, 20, 20, 30]), 0.8333333333333335);
  expectClose(computeSpearman([1, 2, 3, 4], [9, 7, 5, 1]), -1);
  expect(computeSpearman([1, 2, 3], [1, 2, 3])).toBeNull();
  expect(computeSpearman([1, 1, 1, 1], [1, 2, 3, 4])).toBeNull();
});

test('the correlation ratio is that of the ranks, adjusted for the number of groups', () => {
  // By hand: of 17.5, the sum of squares of the ranks, 13.5 are between the groups; 1 − 4 / 17.5 · 5 / 4 = 5 / 7.
  expectClose(
    computeCorrelationRatio([
      [1, 2, 3],
      [4, 5, 600],
    ]),
    Math.sqrt(5 / 7),
  );
  // Ties: ranks 1.5, 1.5, 3.5, 3.5 are all between the groups.
  expect(computeCorrelationRatio([[1, 1], [7, 7], []])).toBe(1);
  expect(
    computeCorrelationRatio([
      [1, 4],
      [2, 3],
    ]),
  ).toBe(0);
});

test('there is no correlation ratio without four values, two groups, a larger group and variation', () => {
  expect(computeCorrelationRatio([[1, 2], [3]])).toBeNull();
  expect(computeCorrelationRatio([[1, 2, 3, 4], []])).toBeNull();
  expect(computeCorrelationRatio([[1], [2], [3], [4]])).toBeNull();
  expect(
    computeCorrelationRatio([
      [1, 1],
      [1, 1],
    ]),
  ).toBeNull();
});
