import { describe, expect, test } from 'vitest';
import { normalUpperTail } from '#server/stats/distributions.ts';
import {
  studentizedRangeQuantile,
  studentizedRangeUpperTail,
} from '#server/stats/studentized-range.ts';
import { expectClose, loadOracle } from './oracle.ts';

interface NemenyiOracle {
  cases: { k: number; alpha: number[]; q_over_sqrt2: number[]; mpmath?: number[] }[];
}

interface FriedmanOracle {
  cases: {
    name: string;
    N: number;
    k: number;
    pairs: { z: number; p_nemenyi: number }[];
  }[];
}

const { cases } = loadOracle('nemenyi_q') as NemenyiOracle;

describe.each(cases)('of $k groups', ({ k, alpha, q_over_sqrt2: reference, mpmath }) => {
  test('the quantiles agree with the reference to 1e-10, and to 1e-12 with its 30 digits', () => {
    alpha.forEach((tail, index) => {
      const q = studentizedRangeQuantile(tail, k) / Math.SQRT2;
      expectClose(q, reference[index], 1e-10);
      if (mpmath) expectClose(q, mpmath[index], 1e-12);
    });
  });
});

const pairs = (loadOracle('friedman') as FriedmanOracle).cases.flatMap(
  ({ name, k, pairs: inner }) => inner.map(({ z, p_nemenyi: p }) => ({ name, k, z, p })),
);

test('the tails agree with the Nemenyi p-values of the reference to 1e-10', () => {
  for (const { k, z, p } of pairs) {
    const actual = studentizedRangeUpperTail(Math.SQRT2 * z, k);
    expect(Math.abs(actual - p)).toBeLessThanOrEqual(1e-10 * Math.max(p, 1e-3));
  }
  expect(pairs.length).toBeGreaterThan(80);
});

test('the range of two values is √2 times a half-normal, far into the tail', () => {
  for (const q of [0.01, 1, 5, 20, 40]) {
    expectClose(studentizedRangeUpperTail(q, 2), 2 * normalUpperTail(q / Math.SQRT2), 1e-12);
  }
});

test('a great many groups do not spoil the accuracy of quantile and tail together', () => {
  for (const groups of [100, 1000]) {
    expectClose(studentizedRangeUpperTail(studentizedRangeQuantile(0.05, groups), groups), 0.05);
  }
});

test.each([1e-100, 1e-12, 0.999])('the quantile of the tail %d has that tail', (tail) => {
  for (const groups of [2, 10, 50]) {
    const q = studentizedRangeQuantile(tail, groups);
    expectClose(studentizedRangeUpperTail(q, groups), tail, 1e-10);
  }
});

test('everything is above a range of 0, nothing above an infinite one, and NaN stays NaN', () => {
  expect(studentizedRangeUpperTail(0, 5)).toBe(1);
  expect(studentizedRangeUpperTail(-1, 5)).toBe(1);
  expect(studentizedRangeUpperTail(1e-9, 5)).toBeCloseTo(1, 12);
  expect(studentizedRangeUpperTail(Infinity, 5)).toBe(0);
  expect(studentizedRangeUpperTail(NaN, 5)).toBeNaN();
});
