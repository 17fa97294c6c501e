import { describe, expect, test } from 'vitest';
import {
  computeBinomial,
  computeChiSquaredUpperTail,
  computeFUpperTail,
  computeNormalDensity,
  computeNormalQuantile,
  computeNormalUpperTail,
  computeStudentisedRangeQuantile,
  computeStudentisedRangeUpperTail,
  computeStudentTQuantile,
  computeStudentTUpperTail,
  computeUpperGammaOfLargeShape,
} from '#server/stats/distributions.ts';
import { expectClose, loadOracle } from './oracle.ts';

type Name = 'normal' | 't' | 'chi2' | 'F';

interface DistributionOracle {
  cases: { dist: Name; args: number[]; cdf: number; sf: number }[];
  quantiles: { dist: Name; p: number; params: number[]; quantile: number }[];
}

const oracle = loadOracle('dist_cdf') as DistributionOracle;

const upperTail: Record<Name, (x: number, a: number, b: number) => number> = {
  normal: computeNormalUpperTail,
  t: computeStudentTUpperTail,
  chi2: computeChiSquaredUpperTail,
  F: computeFUpperTail,
};

const quantile: Partial<Record<Name, (p: number, a: number) => number>> = {
  normal: computeNormalQuantile,
  t: computeStudentTQuantile,
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
    if (dist === 'normal') expectClose(computeNormalUpperTail(-x), cdf);
    if (dist === 't') expectClose(computeStudentTUpperTail(-x, degrees), cdf);
  }
});

test('a p-value of 1e-40 keeps its digits in every upper tail', () => {
  expectClose(computeNormalUpperTail(-computeNormalQuantile(1e-40)), 1e-40, 1e-11);
  expectClose(computeChiSquaredUpperTail(-2 * Math.log(1e-40), 2), 1e-40);
  // With 2 and 2 degrees of freedom the tail of F is 1 / (1 + x).
  expectClose(computeFUpperTail(1e40, 2, 2), 1e-40);
});

test('the upper tail of a distribution on positive numbers is 1 at its start', () => {
  expect(computeChiSquaredUpperTail(0, 3)).toBe(1);
  expect(computeChiSquaredUpperTail(-1, 3)).toBe(1);
  expect(computeFUpperTail(0, 3, 4)).toBe(1);
});

test('the normal density agrees with its formula, and is 0 at infinity', () => {
  expectClose(computeNormalDensity(0), 0.3989422804014327);
  expectClose(computeNormalDensity(-2), 0.05399096651318806);
  expect(computeNormalDensity(Infinity)).toBe(0);
});

test('quantiles of impossible and certain events are infinite', () => {
  expect(computeNormalQuantile(0)).toBe(-Infinity);
  expect(computeNormalQuantile(1)).toBe(Infinity);
});

test.each([
  [1264, 315],
  [1280, 311],
  [1029, 514],
])('the binomial coefficient of %i and %i is finite, although its numerator overflows', (n, k) => {
  let expected = 1n;
  for (let index = 1; index <= k; index += 1)
    expected = (expected * BigInt(n - k + index)) / BigInt(index);
  expectClose(computeBinomial(n, k), Number(expected));
});

describe('computeUpperGammaOfLargeShape', () => {
  // By the finite sum for whole degrees of freedom, in 60-digit arithmetic.
  const reference: [x: number, degrees: number, tail: number][] = [
    [150.5, 201, 0.9968642800180025],
    [201, 201, 0.48673432806026745],
    [350, 201, 3.7091537991438944e-10],
    [480.5, 500, 0.7269767066473806],
    [500, 500, 0.491589373031009],
    [900, 500, 2.838947955130477e-25],
    [700, 999, 0.9999999999999654],
    [1000, 1000, 0.49405285382923964],
    [1500, 1000, 1.0454640385979658e-22],
    [2695.75, 1000, 1.3600426115911075e-155],
    [4999, 5000, 0.5013300011962059],
    [5000, 5000, 0.4973403788923451],
    [6000, 5000, 2.5217184417547448e-21],
    [9000, 5000, 3.896252492263359e-233],
    [25000, 20000, 3.681519716987669e-119],
  ];

  describe('χ² with many degrees of freedom', () => {
    test.each(reference)('has above %d with %d degrees the tail %d', (x, degrees, tail) => {
      expectClose(computeChiSquaredUpperTail(x, degrees), tail);
    });

    test('agrees with the library at the limit between both', () => {
      for (const x of [120, 200, 300, 600]) {
        const [tailBelow, tailAbove] = [200, 200.000001].map((degrees) =>
          computeChiSquaredUpperTail(x, degrees),
        );
        expectClose(tailAbove, tailBelow, 1e-5);
        expectClose(computeUpperGammaOfLargeShape(100, x / 2), tailBelow);
      }
    });
  });

  test('the tail is 0 at infinity, 1 at 0, and NaN for NaN', () => {
    expect(computeUpperGammaOfLargeShape(200, 0)).toBe(1);
    expect(computeUpperGammaOfLargeShape(200, -1)).toBe(1);
    expect(computeUpperGammaOfLargeShape(200, 1e6)).toBe(0);
    expect(computeUpperGammaOfLargeShape(200, NaN)).toBeNaN();
  });
});

describe('Studentised range', () => {
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
        const q = computeStudentisedRangeQuantile(tail, k) / Math.SQRT2;
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
      const actual = computeStudentisedRangeUpperTail(Math.SQRT2 * z, k);
      expect(Math.abs(actual - p)).toBeLessThanOrEqual(1e-10 * Math.max(p, 1e-3));
    }
    expect(pairs.length).toBeGreaterThan(80);
  });

  test('the range of two values is √2 times a half-normal, far into the tail', () => {
    for (const q of [0.01, 1, 5, 20, 40]) {
      expectClose(
        computeStudentisedRangeUpperTail(q, 2),
        2 * computeNormalUpperTail(q / Math.SQRT2),
        1e-12,
      );
    }
  });

  test('quantile and tail stay accurate for very many groups', () => {
    for (const groups of [100, 1000]) {
      expectClose(
        computeStudentisedRangeUpperTail(computeStudentisedRangeQuantile(0.05, groups), groups),
        0.05,
      );
    }
  });

  test.each([1e-100, 1e-12, 0.999])('the quantile of the tail %d has that tail', (tail) => {
    for (const groups of [2, 10, 50]) {
      const q = computeStudentisedRangeQuantile(tail, groups);
      expectClose(computeStudentisedRangeUpperTail(q, groups), tail, 1e-10);
    }
  });

  test('everything is above a range of 0, nothing above an infinite one, and NaN stays NaN', () => {
    expect(computeStudentisedRangeUpperTail(0, 5)).toBe(1);
    expect(computeStudentisedRangeUpperTail(-1, 5)).toBe(1);
    expect(computeStudentisedRangeUpperTail(1e-9, 5)).toBeCloseTo(1, 12);
    expect(computeStudentisedRangeUpperTail(Infinity, 5)).toBe(0);
    expect(computeStudentisedRangeUpperTail(NaN, 5)).toBeNaN();
  });
});
