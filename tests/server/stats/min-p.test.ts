import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countHits, drawLabellings, listLabellings } from '#server/stats/labellings.ts';
import { testMannWhitney } from '#server/stats/mann-whitney.ts';
import { testMinP, type MinPTest } from '#server/stats/min-p.ts';
import { rankValues } from '#server/stats/rank-tests.ts';
import { createSeededRandom } from '#server/stats/seeded-random.ts';
import { expectAllClose, expectClose, loadOracle } from './oracle.ts';

const midRanks = (values: readonly number[]) => rankValues(values).ranks;
const getAdjusted = ({ measures }: MinPTest) => measures.map((measure) => measure.adjustedPValue);
const getPValues = ({ measures }: MinPTest) => measures.map((measure) => measure.pValue);

/** Lists every choice of `size` of the numbers below `total`. */
function listChoices(total: number, size: number): number[][] {
  if (size === 0) return [[]];
  if (total < size) return [];
  const withLast = listChoices(total - 1, size - 1).map((smallerNumbers) => [
    ...smallerNumbers,
    total - 1,
  ]);
  return [...listChoices(total - 1, size), ...withLast];
}

/** Reference implementation by the definition: p-values of every labelling, then the step-down minima. */
function computeByDefinition(scores: readonly (readonly number[])[], sizeA: number) {
  const total = scores[0]?.length ?? 0;
  const labellings = listChoices(total, sizeA);
  const observedIndex = labellings.findIndex((units) => units.every((unit) => unit < sizeA));
  const pValues = scores.map((values) => {
    const mean = (sizeA * values.reduce((a, b) => a + b, 0)) / total;
    const distances = labellings.map((units) =>
      Math.abs(units.reduce((sum, unit) => sum + (values[unit] ?? NaN), 0) - mean),
    );
    const descending = distances.toSorted((a, b) => b - a);
    const hitCounts = new Map<number, number>();
    for (const [index, distance] of descending.entries()) {
      hitCounts.set(Math.round(distance * 1e6), (index + 1) / labellings.length);
    }
    return distances.map((distance) => hitCounts.get(Math.round(distance * 1e6)) ?? NaN);
  });
  const order = [...scores.keys()].sort(
    (a, b) => pValues[a]![observedIndex]! - pValues[b]![observedIndex]!,
  );
  const getSmallestPValue = (measures: number[], labelling: number) =>
    Math.min(...measures.map((measure) => pValues[measure]![labelling]!));
  const adjusted: number[] = [];
  let runningMaximum = 0;
  for (const [index, measure] of order.entries()) {
    const remainingOrder = order.slice(index);
    const level = pValues[measure]![observedIndex]! + 1e-12;
    const beyond = labellings.filter(
      (_, labelling) => getSmallestPValue(remainingOrder, labelling) <= level,
    ).length;
    runningMaximum = Math.max(runningMaximum, beyond / labellings.length);
    adjusted[measure] = runningMaximum;
  }
  const minima = labellings.map((_, labelling) => getSmallestPValue(order, labelling));
  const minimum = Math.min(...minima) + 1e-12;
  return {
    pValues: pValues.map((values) => values[observedIndex]!),
    adjusted,
    attainable: minima.filter((value) => value <= minimum).length / labellings.length,
  };
}

/** Related measures of one pair: two continuous measures, one with ties, and a success of 0 or 1. */
function makeRelatedMeasures(sizes: readonly [number, number], shift: number, seed: string) {
  const random = createSeededRandom(seed);
  const latentValues = Array.from({ length: sizes[0] + sizes[1] }, (_, unit) => {
    const noise = Math.log(1 / (1 - random()) - 1);
    return noise + (unit < sizes[0] ? shift : 0);
  });
  return [
    midRanks(latentValues.map((value) => value + random())),
    midRanks(latentValues.map((value) => Math.round(value))),
    midRanks(latentValues.map((value) => Math.min(0.5, value))),
    midRanks(latentValues.map((value) => Number(value > 1))),
  ];
}

/** Tests two groups of 500 units on two untied measures. They differ on the first one. */
function testLargeGroups(shift: number) {
  const random = createSeededRandom('large');
  const drawScores = (difference: number) =>
    midRanks(Array.from({ length: 1000 }, (_, unit) => random() + (unit < 500 ? difference : 0)));
  const scores = [drawScores(shift), drawScores(0)] as const;
  const result = testMinP({ scores, sizeA: 500 });
  return { scores, result, smallestPValue: result.measures[0]?.pValue ?? NaN };
}

const twoGroups = fc
  .record({
    sizeA: fc.integer({ min: 1, max: 4 }),
    sizeB: fc.integer({ min: 1, max: 4 }),
    measures: fc.integer({ min: 1, max: 4 }),
  })
  .chain(({ sizeA, sizeB, measures }) =>
    fc.record({
      sizeA: fc.constant(sizeA),
      values: fc.array(
        fc.array(fc.integer({ min: 0, max: 5 }), {
          minLength: sizeA + sizeB,
          maxLength: sizeA + sizeB,
        }),
        { minLength: measures, maxLength: measures },
      ),
    }),
  );

describe('drawLabellings', () => {
  it('chooses every unit of large groups at most once', () => {
    const { indices } = drawLabellings(70_000, 35_000, 1);
    expect(new Set(indices).size).toBe(35_000);
    expect(indices.some((unit) => unit >= 65_536)).toBe(true);
  });
});

describe('countHits', () => {
  it('counts the labellings of each union separately, until its hits are sufficient', () => {
    // The sums of two of four units in lexicographic order: 1, 2, 3, 3, 4, 5.
    const measure = {
      integerScores: Int32Array.of(0, 1, 2, 3),
      minimumSum: 1,
      maximumSum: 5,
      mean: 3,
    };
    const allLabellings = listLabellings(4, 2)!;
    const count = (maximum: number) =>
      countHits(
        [
          [{ lower: 2, upper: Infinity, probability: 1 / 3 }],
          [{ lower: -1, upper: 4, probability: 1 / 3 }],
        ],
        [measure],
        { subsetSize: 2, maximum, sufficientHits: 2, getLabellingsUpTo: () => allLabellings },
      );
    expect(count(6)).toEqual([
      { count: 2, drawCount: 2 },
      { count: 2, drawCount: 6 },
    ]);
    expect(count(5)).toEqual([
      { count: 2, drawCount: 2 },
      { count: 1, drawCount: 5 },
    ]);
  });
});

describe('testMinP', () => {
  it('agrees with the definition over all labellings, for any ties', () => {
    fc.assert(
      fc.property(twoGroups, ({ sizeA, values }) => {
        const scores = values.map(midRanks);
        const expected = computeByDefinition(scores, sizeA);
        const result = testMinP({ scores, sizeA });
        expectAllClose(getPValues(result), expected.pValues);
        expectAllClose(getAdjusted(result), expected.adjusted);
        expectClose(result.attainablePValue, expected.attainable);
        expectClose(result.pValue, Math.min(...expected.adjusted));
        expect(result.isExact).toBe(true);
      }),
    );
  });

  it.each([
    [5, 5],
    [15, 15],
    [12, 30],
    [49, 49],
    [60, 55],
  ] as const)('gives the rank-sum p-value for one measure of %i and %i units', (nA, nB) => {
    for (const scores of makeRelatedMeasures([nA, nB], 0.6, `one ${nA} ${nB}`)) {
      const result = testMinP({ scores: [scores], sizeA: nA });
      const { pValue, attainablePValue, method } = testMannWhitney(
        scores.slice(0, nA),
        scores.slice(nA),
      );
      if (method !== 'exact' && new Set(scores).size === 2) continue;
      expectClose(result.pValue, pValue);
      expectClose(getAdjusted(result)[0], pValue);
      if (method === 'exact') expectClose(result.attainablePValue, attainablePValue);
      expect(result.isExact).toBe(true);
      expect(result.labellingCount).toBe(nA === 5 ? 252 : 0);
    }
  });

  it.each([
    [6, 6],
    [15, 15],
    [10, 25],
  ] as const)('changes nothing for a repeated measure, of %i and %i units', (nA, nB) => {
    const scores = makeRelatedMeasures([nA, nB], 1.5, 'repeated');
    const reversedScores = (scores[0] ?? []).map((score) => nA + nB + 1 - score);
    const single = testMinP({ scores, sizeA: nA });
    const repeated = testMinP({ scores: [...scores, ...scores, reversedScores], sizeA: nA });
    expect(repeated.pValue).toBe(single.pValue);
    expect(repeated.attainablePValue).toBe(single.attainablePValue);
    expect(getAdjusted(repeated).slice(0, 4)).toEqual(getAdjusted(single));
    expect(getAdjusted(repeated)[8]).toBe(getAdjusted(single)[0]);
  });

  it.each([
    [5, 7, 1],
    [15, 15, 0.2],
    [15, 15, 2],
    [9, 30, 1.5],
    [60, 40, 0.8],
  ])('does not depend on the order of groups, units and measures: %i, %i, %f', (nA, nB, shift) => {
    const scores = makeRelatedMeasures([nA, nB], shift, 'order');
    const result = testMinP({ scores, sizeA: nA });
    const swappedScores = scores.map((values) => [...values.slice(nA), ...values.slice(0, nA)]);
    expect(testMinP({ scores: swappedScores, sizeA: nB })).toEqual(result);
    const rotatedScores = scores.map((values) => [
      ...values.slice(0, nA).reverse(),
      ...values.slice(nA).reverse(),
    ]);
    expect(testMinP({ scores: rotatedScores, sizeA: nA })).toEqual(result);
    const reorderedTest = testMinP({ scores: scores.toReversed(), sizeA: nA });
    expect(getAdjusted(reorderedTest)).toEqual(getAdjusted(result).reverse());
    expect(reorderedTest.pValue).toBe(result.pValue);
  });

  it('lies between the smallest p-value and that times the number of measures', () => {
    for (const shift of [0, 0.5, 1, 2, 4, 8]) {
      for (const sizes of [
        [15, 15],
        [20, 35],
        [80, 60],
      ] as const) {
        const scores = makeRelatedMeasures(sizes, shift, `bounds ${shift}`);
        const { pValue, measures, attainablePValue } = testMinP({ scores, sizeA: sizes[0] });
        const smallestPValue = Math.min(...measures.map((measure) => measure.pValue ?? NaN));
        expect(pValue).toBeGreaterThanOrEqual(smallestPValue);
        expect(pValue).toBeLessThanOrEqual(4 * smallestPValue * (1 + 1e-9));
        expect(attainablePValue).toBeLessThanOrEqual(pValue ?? NaN);
        const ascending = measures.toSorted((a, b) => (a.pValue ?? NaN) - (b.pValue ?? NaN));
        const adjusted = ascending.map((measure) => measure.adjustedPValue ?? NaN);
        expect(adjusted).toEqual(adjusted.toSorted((a, b) => a - b));
        expect(adjusted.at(-1)).toBeGreaterThanOrEqual(ascending.at(-1)?.pValue ?? NaN);
      }
    }
  });

  it.each([
    [2.5, false, 0.25],
    [2.5, true, 0.06],
    [1, false, 0.25],
    [1, true, 0.15],
  ])(
    'estimates p-values near those of all labellings: shift %f, precise: %s',
    (shift, isPrecise, error) => {
      // The 48,620 labellings of 9 and 9 are more than the limit of the enumeration. The tolerance is three standard errors.
      const scores = makeRelatedMeasures([9, 9], shift, 'precise');
      const expected = computeByDefinition(scores, 9);
      const result = testMinP({ scores, sizeA: 9, isPrecise });
      expect(result.isExact).toBe(false);
      for (const [index, adjusted] of getAdjusted(result).entries()) {
        expectClose(adjusted, expected.adjusted[index], error);
      }
    },
  );

  it.each([
    ['200 of them are as extreme', 0.035, 200],
    ['4,000, and adds the observed one', 0.045, 115],
  ])('counts random labellings of large groups until %s', (_name, shift, expectedHits) => {
    const { scores, result, smallestPValue } = testLargeGroups(shift);
    // Labellings choose from the units in the order of the measure with the smallest p-value. As no ranks are tied, its
    // p-value is as small as that of any measure whose rank sum is as far from the mean.
    const units = [...scores[0].keys()].sort((a, b) => scores[0][a]! - scores[0][b]!);
    const getDistance = (values: readonly number[], chosenUnits: readonly number[]) =>
      Math.abs(chosenUnits.reduce((total, unit) => total + values[unit]!, 0) - 250_250);
    const unitsOfA = Array.from({ length: 500 }, (_, unit) => unit);
    const observedDistance = getDistance(scores[0], unitsOfA);
    const { indices } = drawLabellings(1000, 500, 4000);
    let [hits, draws] = [0, 0];
    for (; hits < 200 && draws < 4000; draws += 1) {
      const chosenUnits = unitsOfA.map((index) => units[indices[500 * draws + index]!]!);
      if (scores.some((values) => getDistance(values, chosenUnits) >= observedDistance)) hits += 1;
    }
    expect(hits).toBe(expectedHits);
    expectClose(result.pValue, hits === 200 ? hits / draws : (hits + 1) / (draws + 1));
    expect(smallestPValue).toBeLessThan(result.pValue ?? NaN);
  });

  it('adds the small probabilities of the measures of large groups', () => {
    const { result, smallestPValue } = testLargeGroups(0.055);
    expect(result.pValue).toBe(2 * smallestPValue);
    expect(result.isExact).toBe(false);
  });

  it('estimates small p-values in groups with nearly 2^1024 labellings', () => {
    const scores = makeRelatedMeasures([315, 949], 0.3, 'many labellings');
    const { pValue, measures } = testMinP({ scores, sizeA: 315, isPrecise: true });
    // The share of 20,000 random labellings; four times the smallest p-value is 0.0238.
    expectClose(pValue, 0.0131, 0.15);
    expect(Math.min(...measures.map((measure) => measure.pValue ?? NaN))).toBeLessThan(0.006);
  });

  it('tests means of mid-ranks', () => {
    const scores = [
      [1.5, 2 + 1 / 3, 4, 7.25, 8, 9 + 1 / 7],
      [3 + 1 / 3, 3 + 1 / 3, 4, 4, 5, 5 + 2 / 7],
    ];
    const expected = computeByDefinition(scores, 3);
    const result = testMinP({ scores, sizeA: 3 });
    expectAllClose(getAdjusted(result), expected.adjusted);
  });

  it('gives p = 1 to a measure whose values are all equal, and lets the others decide', () => {
    const scores = [[3.5, 3.5, 3.5, 3.5, 3.5, 3.5], midRanks([1, 2, 3, 4, 5, 6])];
    const { pValue, measures } = testMinP({ scores, sizeA: 3 });
    expect(pValue).toBe(0.1);
    expect(measures).toEqual([
      { pValue: 1, adjustedPValue: 1, isExact: true },
      { pValue: 0.1, adjustedPValue: 0.1, isExact: true },
    ]);
    const constant = testMinP({ scores: [Array.from({ length: 40 }, () => 20.5)], sizeA: 20 });
    expect(constant).toMatchObject({ pValue: 1, attainablePValue: 1 });
  });

  it('can find nothing among four runs on four measures', () => {
    const scores = [
      midRanks([1, 2, 3, 4, 5, 6, 7, 8]),
      midRanks([2, 1, 3, 5, 4, 6, 8, 7]),
      midRanks([1, 3, 2, 5, 6, 4, 7, 8]),
      midRanks([1, 5, 2, 6, 3, 7, 4, 8]),
    ];
    expect(testMinP({ scores, sizeA: 4 }).attainablePValue).toBeGreaterThan(0.05);
  });

  it('has no p-values without measures and with an empty group', () => {
    const nothing = { pValue: null, attainablePValue: null, isExact: true, labellingCount: 0 };
    expect(testMinP({ scores: [], sizeA: 3 })).toEqual({ ...nothing, measures: [] });
    const emptyTest = {
      ...nothing,
      measures: [{ pValue: null, adjustedPValue: null, isExact: null }],
    };
    expect(testMinP({ scores: [[1, 2, 3]], sizeA: 0 })).toEqual(emptyTest);
    expect(testMinP({ scores: [[1, 2, 3]], sizeA: 3 })).toEqual(emptyTest);
    expect(testMinP({ scores: [[]], sizeA: 0 })).toEqual(emptyTest);
  });

  it('tests groups of one unit', () => {
    expect(testMinP({ scores: [[1, 2]], sizeA: 1 }).pValue).toBe(1);
    const scores = [midRanks(Array.from({ length: 41 }, (_, unit) => unit))];
    expect(testMinP({ scores, sizeA: 1 }).pValue).toBe(2 / 41);
  });

  it('refuses scores that are not numbers, and measures of different lengths', () => {
    expect(() => testMinP({ scores: [[1, NaN, 3]], sizeA: 1 })).toThrow(RangeError);
    expect(() =>
      testMinP({
        scores: [
          [1, 2, 3],
          [1, 2],
        ],
        sizeA: 1,
      }),
    ).toThrow(RangeError);
  });

  it('finds differences between identical groups in at most its level', () => {
    let significantCount = 0;
    const problems = 300;
    for (let problem = 0; problem < problems; problem += 1) {
      const scores = makeRelatedMeasures([10, 10], 0, `level ${problem}`);
      if ((testMinP({ scores, sizeA: 10 }).pValue ?? 1) <= 0.05) significantCount += 1;
    }
    // 5 % of 300 is 15; three standard deviations more are 26.
    expect(significantCount).toBeLessThanOrEqual(26);
    expect(significantCount).toBeGreaterThanOrEqual(5);
  });
});

interface ReferenceCase {
  sizeA: number;
  measures: number[][];
  pValues: number[];
  adjusted: number[];
}

interface Reference {
  allLabellings: (ReferenceCase & { permutation: number[] })[];
  single: Omit<ReferenceCase, 'adjusted'>[];
  untied: (Omit<ReferenceCase, 'pValues'> & { resamples: number })[];
  tied: (ReferenceCase & { resamples: number })[];
}

describe('testMinP, against multtest, coin and SciPy', () => {
  const { allLabellings, single, untied, tied } = loadOracle('min_p') as Reference;
  const getTest = (
    { sizeA, measures }: Pick<ReferenceCase, 'sizeA' | 'measures'>,
    isPrecise = false,
  ) => testMinP({ scores: measures.map(midRanks), sizeA, isPrecise });

  it.each(allLabellings)('gives the step-down p-values of all labellings', (expected) => {
    const result = getTest(expected);
    expectAllClose(getPValues(result), expected.pValues, 1e-9);
    expectAllClose(getPValues(result), expected.permutation, 1e-9);
    expectAllClose(getAdjusted(result), expected.adjusted, 1e-9);
  });

  it.each(single)('gives the exact p-value of each tied measure', (expected) => {
    expectAllClose(getPValues(getTest(expected)), expected.pValues, 1e-9);
  });

  it.each([...untied, ...tied])(
    'estimates the adjusted p-values of many labellings',
    (expected) => {
      for (const isPrecise of [false, true]) {
        const adjusted = getAdjusted(getTest(expected, isPrecise));
        for (const [index, value] of expected.adjusted.entries()) {
          // Three standard errors of both estimates; random labellings end with 200 hits.
          const tolerance = value > 0.05 ? 0.08 : isPrecise ? 0.03 : 0.1;
          const error = Math.hypot(
            tolerance,
            Math.sqrt((1 - value) / (value * expected.resamples)),
          );
          expectClose(adjusted[index], value, 3 * error);
        }
      }
    },
  );
});
