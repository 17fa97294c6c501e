import { describe, expect, test } from 'vitest';
import {
  chiSquaredUpperTail,
  fUpperTail,
  normalDensity,
  normalQuantile,
  normalUpperTail,
  studentTQuantile,
  studentTUpperTail,
} from '#server/stats/distributions.ts';
import { expectClose, loadOracle } from './oracle.ts';

type Name = 'normal' | 't' | 'chi2' | 'F';

interface DistributionOracle {
  cases: { dist: Name; args: number[]; cdf: number; sf: number }[];
  quantiles: { dist: Name; p: number; params: number[]; quantile: number }[];
}

const oracle = loadOracle('dist_cdf') as DistributionOracle;

const upperTail: Record<Name, (x: number, a: number, b: number) => number> = {
  normal: normalUpperTail,
  t: studentTUpperTail,
  chi2: chiSquaredUpperTail,
  F: fUpperTail,
};

const quantile: Partial<Record<Name, (p: number, a: number) => number>> = {
  normal: normalQuantile,
  t: studentTQuantile,
};

describe.each(['normal', 't', 'chi2', 'F'] as const)('distribution %s', (name) => {
  const tails = oracle.cases.filter((entry) => entry.dist === name);
  const quantiles = oracle.quantiles.filter((entry) => entry.dist === name && quantile[name]);

  test.each(tails)('has the upper tail $sf at $args', ({ args: [x = 0, a = 0, b = 0], sf }) => {
    expectClose(upperTail[name](x, a, b), sf);
  });

  test.each(quantiles)('has its quantile of $p at $quantile', ({ p, params, quantile: x }) => {
    expectClose(quantile[name]?.(p, params[0] ?? 0), x);
  });

  test('gives 0 beyond everything, and NaN for NaN', () => {
    expect(upperTail[name](Infinity, 3, 4)).toBe(0);
    expect(upperTail[name](NaN, 3, 4)).toBeNaN();
  });
});

test('the lower tails of the symmetric distributions are upper tails of the mirrored value', () => {
  for (const { dist, args, cdf } of oracle.cases) {
    const [x = 0, degrees = 0] = args;
    if (dist === 'normal') expectClose(normalUpperTail(-x), cdf);
    if (dist === 't') expectClose(studentTUpperTail(-x, degrees), cdf);
  }
});

test('a p-value of 1e-40 keeps its digits in every upper tail', () => {
  expectClose(normalUpperTail(-normalQuantile(1e-40)), 1e-40, 1e-11);
  expectClose(chiSquaredUpperTail(-2 * Math.log(1e-40), 2), 1e-40);
  // With 2 and 2 degrees of freedom the tail of F is 1 / (1 + x).
  expectClose(fUpperTail(1e40, 2, 2), 1e-40);
});

test('nothing is above the start of a distribution on positive numbers', () => {
  expect(chiSquaredUpperTail(0, 3)).toBe(1);
  expect(chiSquaredUpperTail(-1, 3)).toBe(1);
  expect(fUpperTail(0, 3, 4)).toBe(1);
});

test('the normal density is the usual bell', () => {
  expectClose(normalDensity(0), 0.3989422804014327);
  expectClose(normalDensity(-2), 0.05399096651318806);
  expect(normalDensity(Infinity)).toBe(0);
});

test('quantiles of impossible and certain events are infinite', () => {
  expect(normalQuantile(0)).toBe(-Infinity);
  expect(normalQuantile(1)).toBe(Infinity);
});
