import { describe, expect, test } from 'vitest';
import {
  getAttainableFisherPValue,
  testFisherExact,
  computeNewcombeInterval,
} from '#server/stats/fisher-exact.ts';
import { makeSuccessPair } from '#server/stats/pairwise-tests.ts';
import { expectClose, loadOracle } from './oracle.ts';

interface Case {
  name: string;
  solved1: number;
  n1: number;
  solved2: number;
  n2: number;
  p: number;
  difference: number;
  lower: number;
  upper: number;
  A12: number;
  A12_lower: number | null;
  A12_upper: number | null;
  p_smallest_given_n: number | null;
}

describe('comparisons of success rates agree with the reference', () => {
  const { cases } = loadOracle('fisher_newcombe') as { cases: Case[] };

  test.each(cases)('$name', (expected) => {
    const pair = makeSuccessPair(
      { name: 'a', successes: expected.solved1, trials: expected.n1 },
      { name: 'b', successes: expected.solved2, trials: expected.n2 },
    );
    const isHard = expected.n1 + expected.n2 > 300 || expected.p < 1e-12;
    expectClose(pair?.pValue, expected.p, isHard ? 1e-10 : 1e-12);
    const { effectSize, effectInterval, differenceInterval } = pair ?? {};
    const comparedValues = [
      [pair?.difference, expected.difference],
      [differenceInterval?.lower, expected.lower],
      [differenceInterval?.upper, expected.upper],
      [effectSize, expected.A12],
      [effectInterval?.lower ?? null, expected.A12_lower],
      [effectInterval?.upper ?? null, expected.A12_upper],
    ];
    for (const [actual, value] of comparedValues) expectAbsolute(actual, value);
    if (expected.p_smallest_given_n !== null) {
      expectClose(pair?.attainablePValue, expected.p_smallest_given_n);
    }
  });
});

function expectAbsolute(actual: number | null | undefined, expected: number | null | undefined) {
  if (expected === null || expected === undefined) expect(actual).toBe(expected);
  else expect(Math.abs((actual ?? NaN) - expected)).toBeLessThanOrEqual(1e-12);
}

test('a group without trials cannot be compared', () => {
  const [noSuccesses, someSuccesses] = [
    { successes: 0, trials: 0 },
    { successes: 1, trials: 2 },
  ];
  expect(testFisherExact(noSuccesses, someSuccesses)).toBeNull();
  expect(getAttainableFisherPValue(2, 0)).toBeNull();
  expect(computeNewcombeInterval(someSuccesses, noSuccesses)).toBeNull();
});

test('thousands of trials neither overflow nor lose the tail', () => {
  const p = testFisherExact(
    { successes: 1_500, trials: 2_000 },
    { successes: 1_000, trials: 2_000 },
  );
  expect(p).toBeGreaterThan(1e-70);
  expect(p).toBeLessThan(1e-50);
  expectClose(
    testFisherExact({ successes: 900, trials: 2_000 }, { successes: 900, trials: 2_000 }),
    1,
    1e-12,
  );
});
