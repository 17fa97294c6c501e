import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { computeVarghaDelaney } from '#server/stats/effect-size.ts';
import { computeU, testMannWhitney } from '#server/stats/mann-whitney.ts';
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
  }[];
}

interface TiesOracle {
  cases: {
    name: string;
    x: number[];
    y: number[];
    U1: number;
    method: 'exact' | 'asymptotic';
    p: number;
    p_smallest_given_ties: number | null;
    A12_larger: number;
    A12_smaller: number;
  }[];
}

/** Exact p-values of the tied cases of the other files, by their index there. */
interface ExistingOracle {
  cases: {
    file: string;
    index: number;
    U1: number;
    p_exact: number;
    p_smallest_given_ties: number;
  }[];
}

const { cases } = loadOracle('mannwhitney') as MannWhitneyOracle;
const ties = loadOracle('ranksum_exact_ties') as TiesOracle;
const existingOracle = loadOracle('ranksum_exact_ties_existing') as ExistingOracle;
const getExact = (file: string, index: number) =>
  existingOracle.cases.find((entry) => entry.file === file && entry.index === index);

describe.each(cases.map((entry, index) => ({ ...entry, index })))(
  'of the case $name',
  (expected) => {
    const result = testMannWhitney(expected.x, expected.y);
    const isExact = expected.x.length < 50 && expected.y.length < 50;
    const tiedCase = getExact('mannwhitney.json', expected.index);

    test('U, method and p-value agree with the reference', () => {
      expect(result.u).toBe(expected.U1);
      expect(result.method).toBe(isExact ? 'exact' : 'asymptotic');
      const expectedPValue = expected.has_ties ? tiedCase?.p_exact : expected.p_exact;
      expectClose(result.pValue, isExact ? expectedPValue : expected.p_asymptotic_continuity);
      if (isExact && tiedCase) expectClose(result.attainablePValue, tiedCase.p_smallest_given_ties);
    });

    test('the effect size agrees with the reference in both directions', () => {
      const sizes = [expected.x.length, expected.y.length] as const;
      expectClose(computeVarghaDelaney(result.u ?? NaN, ...sizes, 'max'), expected.A12);
      expectClose(computeVarghaDelaney(result.u ?? NaN, ...sizes, 'min'), 1 - expected.A12);
    });
  },
);

test.each(ties.cases)('of the tied case $name, all values agree with the reference', (expected) => {
  const { u, method, pValue, attainablePValue } = testMannWhitney(expected.x, expected.y);
  const sizes = [expected.x.length, expected.y.length] as const;
  expect([u, method]).toEqual([expected.U1, expected.method]);
  expectClose(pValue, expected.p);
  if (expected.method === 'exact') expectClose(attainablePValue, expected.p_smallest_given_ties);
  expectClose(computeVarghaDelaney(u ?? NaN, ...sizes, 'max'), expected.A12_larger);
  expectClose(computeVarghaDelaney(u ?? NaN, ...sizes, 'min'), expected.A12_smaller);
});

test('runtimes of real algorithms, failures as infinite, agree with the reference', () => {
  const { trials, pairwise_ranksum: pairs, meta } = loadOracle('coco-real') as PairOracle;
  const findTrials = (algorithm: string, pair: (typeof pairs)[number]) =>
    trials
      .find(
        (trial) =>
          trial.algorithm === algorithm &&
          trial.function === pair.function &&
          trial.dimension === pair.dimension,
      )
      ?.evals_to_target[meta.targets.indexOf(pair.target)]?.map((time) => time ?? Infinity) ?? [];
  const realCases = existingOracle.cases.filter(({ file }) => file === 'coco-real.json');
  expect(realCases).toHaveLength(pairs.length);
  for (const expected of realCases) {
    const pair = pairs[expected.index]!;
    const result = testMannWhitney(findTrials(pair.a, pair), findTrials(pair.b, pair));
    expect([result.u, result.method]).toEqual([expected.U1, 'exact']);
    expectClose(result.pValue, expected.p_exact);
    expectClose(result.attainablePValue, expected.p_smallest_given_ties);
  }
});

test('an empty sample cannot be tested', () => {
  expect(testMannWhitney([], [1, 2])).toEqual({
    u: null,
    pValue: null,
    attainablePValue: null,
    method: null,
    sampleSizeA: 0,
    sampleSizeB: 2,
  });
  expect(testMannWhitney([null, NaN], [1]).pValue).toBeNull();
});

test('equal values everywhere give p = 1, also for infinities', () => {
  expect(testMannWhitney([3, 3], [3, 3, 3]).pValue).toBe(1);
  expect(testMannWhitney([Infinity], [Infinity, Infinity]).pValue).toBe(1);
});

test('completely separated samples of 49 have the exact p-value 2 / C(98, 49)', () => {
  const a = Array.from({ length: 49 }, (_, index) => index);
  const b = a.map((value) => value + 100);
  expectClose(testMannWhitney(a, b).pValue, 2 / 2.547761225898086e28, 1e-13);
});

test('from 50 values on the test is asymptotic, below exact with and without ties', () => {
  const fiftyValues = Array.from({ length: 50 }, (_, index) => index);
  expect(testMannWhitney(fiftyValues, [0.5]).method).toBe('asymptotic');
  expect(testMannWhitney([1, 2], [2, 3]).method).toBe('exact');
  expect(testMannWhitney(fiftyValues.slice(1), [0.5]).method).toBe('exact');
});

test('zeros of both signs are a tie, and values that differ by one ulp are not', () => {
  expect(testMannWhitney([0, 1], [-0, 2]).u).toBe(1.5);
  expect(testMannWhitney([1, 1 + Number.EPSILON], [1 + 2 * Number.EPSILON, 2]).pValue).toBeCloseTo(
    1 / 3,
  );
});

test('no arrangement of the same values has a smaller p-value than the attainable p-value', () => {
  const small = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(small, small, (a, b) => {
      const pooled = [...a, ...b];
      const results = listChoices(pooled.length, a.length).map((indices) =>
        testMannWhitney(
          pooled.filter((_, index) => indices.includes(index)),
          pooled.filter((_, index) => !indices.includes(index)),
        ),
      );
      const smallestPValue = Math.min(...results.map(({ pValue }) => pValue ?? NaN));
      for (const { attainablePValue } of results) expectClose(attainablePValue, smallestPValue);
    }),
    { numRuns: 30 },
  );
});

function listChoices(things: number, count: number): number[][] {
  if (count === 0) return [[]];
  return Array.from({ length: things }, (_, index) => index).flatMap((largest) =>
    listChoices(largest, count - 1).map((smallerNumbers) => [...smallerNumbers, largest]),
  );
}

test('the normal approximation has a smallest p-value too, also with many ties', () => {
  const [a, b] = [Array.from({ length: 50 }, () => 0), Array.from({ length: 50 }, () => 0)];
  expect(testMannWhitney(a, b)).toMatchObject({ pValue: 1, attainablePValue: 1 });
  a.splice(0, 2, 1, 1);
  b.splice(0, 1, 1);
  const { pValue, attainablePValue } = testMannWhitney(a, b);
  expect(attainablePValue).toBeLessThan(pValue ?? NaN);
  b.splice(0, 1, 0);
  a.splice(0, 3, 1, 1, 1);
  const extremeResult = testMannWhitney(a, b);
  expect(extremeResult.pValue).toBe(attainablePValue);
  const untiedValues = Array.from({ length: 50 }, (_, index) => index);
  expectClose(testMannWhitney(untiedValues, [0.5, 0.7]).attainablePValue, 2 / 1326);
  // The ties are all at one end, so that only the other end is extreme.
  for (const extremes of [
    [1, 2],
    [8, 9],
  ]) {
    const oneSidedResult = testMannWhitney(
      extremes,
      Array.from({ length: 50 }, () => 5),
    );
    expect(oneSidedResult.attainablePValue).toBe(oneSidedResult.pValue);
    expect(oneSidedResult.pValue).toBeLessThan(1e-5);
  }
});

test('the normal approximation near the mean has the continuity correction of one half, at most to the mean', () => {
  const untiedValues = Array.from({ length: 50 }, (_, index) => index);
  expect(testMannWhitney(untiedValues, [24.5]).pValue).toBe(1);
  // erfc(0.5 / sqrt(50 / 12 * 52) / sqrt(2))
  expectClose(testMannWhitney(untiedValues, [25.5]).pValue, 0.9729024202503425);
});

test('U is available without the test', () => {
  expect(computeU([1, 3], [2, 3])).toBe(1.5);
  expect([computeU([], [1]), computeU([1], [])]).toEqual([null, null]);
});

test('very distant large samples keep a p-value far below 1e-16', () => {
  const a = Array.from({ length: 400 }, (_, index) => index);
  const { pValue } = testMannWhitney(
    a,
    a.map((value) => value + 1000),
  );
  expect(pValue).toBeGreaterThan(1e-140);
  expect(pValue).toBeLessThan(1e-120);
});

const sample = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 20 });

test('swapping the samples mirrors U and does not change the p-value', () => {
  fc.assert(
    fc.property(sample, sample, (a, b) => {
      const result = testMannWhitney(Object.freeze(a), Object.freeze(b));
      const swappedResult = testMannWhitney(b, a);
      expect(swappedResult.pValue).toBe(result.pValue);
      expect((result.u ?? NaN) + (swappedResult.u ?? NaN)).toBe(a.length * b.length);
      expect(result.pValue).toBeLessThanOrEqual(1);
    }),
  );
});

test('order, shift and scale of the values do not matter', () => {
  fc.assert(
    fc.property(sample, sample, (a, b) => {
      const transform = (values: number[]) => values.toReversed().map((value) => 4 * value - 7);
      expect(testMannWhitney(transform(a), transform(b))).toEqual(testMannWhitney(a, b));
    }),
  );
});
