import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { varghaDelaney } from '#server/stats/effect-size.ts';
import { mannWhitney } from '#server/stats/mann-whitney.ts';
import { expectClose, loadOracle } from './oracle.ts';

interface MannWhitneyOracle {
  cases: {
    name: string;
    x: (number | null)[];
    y: (number | null)[];
    U1: number;
    has_ties: boolean;
    A12: number;
    p_asymptotic_continuity: number;
    p_exact?: number | null;
    R_auto_method: string;
  }[];
}

interface PairOracle {
  trials: {
    algorithm: string;
    function: number;
    dimension: number;
    evals_to_target: (number | null)[][];
  }[];
  meta: { targets: number[] };
  pairwise_ranksum: {
    a: string;
    b: string;
    function: number;
    dimension: number;
    target: number;
    runtime_mannwhitney_p_failures_as_inf: number;
    runtime_U_a: number | null;
  }[];
}

const { cases } = loadOracle('mannwhitney') as MannWhitneyOracle;

describe.each(cases)('of the case $name', (expected) => {
  const result = mannWhitney(expected.x, expected.y);
  const isSmall = expected.x.length < 50 && expected.y.length < 50;
  const isExact = !expected.has_ties && isSmall;

  test('U, method and p-value agree with the reference', () => {
    expect(result.u).toBe(expected.U1);
    expect(result.method).toBe(isExact ? 'exact' : 'asymptotic');
    expectClose(result.pValue, isExact ? expected.p_exact : expected.p_asymptotic_continuity);
  });

  test('the effect size agrees with the reference in both directions', () => {
    const sizes = [expected.x.length, expected.y.length] as const;
    expectClose(varghaDelaney(result.u ?? NaN, ...sizes, 'max'), expected.A12);
    expectClose(varghaDelaney(result.u ?? NaN, ...sizes, 'min'), 1 - expected.A12);
  });
});

test('runtimes of real algorithms, failures as infinite, agree with the asymptotic reference', () => {
  const { trials, pairwise_ranksum: pairs, meta } = loadOracle('coco-real') as PairOracle;
  const find = (algorithm: string, pair: (typeof pairs)[number]) =>
    trials
      .find(
        (trial) =>
          trial.algorithm === algorithm &&
          trial.function === pair.function &&
          trial.dimension === pair.dimension,
      )
      ?.evals_to_target[meta.targets.indexOf(pair.target)]?.map((time) => time ?? Infinity) ?? [];
  let compared = 0;
  for (const pair of pairs) {
    const result = mannWhitney(find(pair.a, pair), find(pair.b, pair));
    // The reference gives no U where all runs of both failed.
    if (pair.runtime_U_a !== null) expect(result.u).toBe(pair.runtime_U_a);
    if (result.method === 'exact') continue;
    expectClose(result.pValue, pair.runtime_mannwhitney_p_failures_as_inf);
    compared += 1;
  }
  expect(compared).toBeGreaterThan(500);
});

test('an empty sample cannot be tested', () => {
  expect(mannWhitney([], [1, 2])).toEqual({
    u: null,
    pValue: null,
    method: null,
    sampleSizeA: 0,
    sampleSizeB: 2,
  });
  expect(mannWhitney([null, NaN], [1]).pValue).toBeNull();
});

test('equal values everywhere give p = 1, also for infinities', () => {
  expect(mannWhitney([3, 3], [3, 3, 3]).pValue).toBe(1);
  expect(mannWhitney([Infinity], [Infinity, Infinity]).pValue).toBe(1);
});

test('completely separated samples of 49 have the exact p-value 2 / C(98, 49)', () => {
  const a = Array.from({ length: 49 }, (_, index) => index);
  const b = a.map((value) => value + 100);
  expectClose(mannWhitney(a, b).pValue, 2 / 2.547761225898086e28, 1e-13);
});

test('from 50 values on, and with ties, the test is asymptotic', () => {
  const fifty = Array.from({ length: 50 }, (_, index) => index);
  expect(mannWhitney(fifty, [0.5]).method).toBe('asymptotic');
  expect(mannWhitney([1, 2], [2, 3]).method).toBe('asymptotic');
  expect(mannWhitney(fifty.slice(1), [0.5]).method).toBe('exact');
});

test('very distant large samples keep a p-value far below 1e-16', () => {
  const a = Array.from({ length: 400 }, (_, index) => index);
  const { pValue } = mannWhitney(
    a,
    a.map((value) => value + 1000),
  );
  expect(pValue).toBeGreaterThan(1e-140);
  expect(pValue).toBeLessThan(1e-120);
});

const sample = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 20 });

test('swapping the samples mirrors U and leaves the p-value', () => {
  fc.assert(
    fc.property(sample, sample, (a, b) => {
      const forth = mannWhitney(Object.freeze(a), Object.freeze(b));
      const back = mannWhitney(b, a);
      expect(back.pValue).toBe(forth.pValue);
      expect((forth.u ?? NaN) + (back.u ?? NaN)).toBe(a.length * b.length);
      expect(forth.pValue).toBeLessThanOrEqual(1);
    }),
  );
});

test('order, shift and scale of the values do not matter', () => {
  fc.assert(
    fc.property(sample, sample, (a, b) => {
      const moved = (values: number[]) => values.toReversed().map((value) => 4 * value - 7);
      expect(mannWhitney(moved(a), moved(b))).toEqual(mannWhitney(a, b));
    }),
  );
});
