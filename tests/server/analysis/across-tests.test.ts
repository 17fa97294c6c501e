import { describe, expect, test } from 'vitest';
import { rankAcross, testPairs } from '#server/analysis/across-tests.ts';
import type { CellMeasure } from '#shared/schemas/analysis-across.ts';

type ScoredInstance = Parameters<typeof testPairs>[1][number];

const makeScoredInstance = (
  label: string,
  values: (number | null)[],
  fields: Partial<ScoredInstance> = {},
): ScoredInstance => ({
  label,
  block: label,
  optimum: null,
  results: makeResults(values),
  ...fields,
});

const makeResults = (values: readonly (number | null)[]) =>
  values.map((value) => ({ n: value === null ? 0 : 5, value }));

const query = { measure: 'ert', missing: 'shared', blocks: 'function' } as const;
const twoGroups = ['a', 'b'];

/** Instances on which group a is better than group b, by decreasing ratios. */
const instancesWonByA = [1, 2, 3, 4, 5, 6].map((index) =>
  makeScoredInstance(`f${index}`, [100, 100 * (8 - index)]),
);

describe('testPairs', () => {
  test('tests the log10 ratio of ERT, which does not depend on the size of the instance', () => {
    const { scale, pairs } = testPairs(twoGroups, instancesWonByA, query, false);
    expect(scale).toBe('log10Ert');
    expect(pairs).toHaveLength(1);
    expect(pairs[0]).toMatchObject({
      blocks: 6,
      wins: 6,
      losses: 0,
      pValue: 2 / 64,
      holmAdjustedPValue: 2 / 64,
      attainablePValue: 2 / 64,
      better: 'a',
      significant: true,
    });
    expect(pairs[0]?.medianDifference).toBeCloseTo((Math.log10(5) + Math.log10(4)) / 2, 12);
    const scaledInstances = instancesWonByA.map((scoredInstance, index) => ({
      ...scoredInstance,
      results: scoredInstance.results.map((result) => ({
        ...result,
        value: (result.value ?? 0) * 10 ** index,
      })),
    }));
    const scaledPair = testPairs(twoGroups, scaledInstances, query, false).pairs[0];
    expect(scaledPair?.pValue).toBe(2 / 64);
    expect(scaledPair?.medianDifference).toBeCloseTo(pairs[0]?.medianDifference ?? NaN, 12);
    const instancesWithOptimum = instancesWonByA.map((instance) => ({ ...instance, optimum: 99 }));
    const pairWithOptimum = testPairs(twoGroups, instancesWithOptimum, query, false).pairs[0];
    expect(pairWithOptimum?.medianDifference).toBe(pairs[0]?.medianDifference);
  });

  test('states no smallest possible p-value above the adjusted one of a significant pair', () => {
    // Groups a and b tie, so that there are two tested pairs; a lacks two instances.
    const instances = [1, 2, 3, 4, 5, 6, 7, 8].map((index) =>
      makeScoredInstance(`f${index}`, [index > 6 ? null : 100, 100, 100 * (10 - index)]),
    );
    const pairwiseQuery = { ...query, missing: 'pairwise' } as const;
    const { pairs } = testPairs(['a', 'b', 'c'], instances, pairwiseQuery, false);
    expect(pairs).toMatchObject([
      { a: 'a', b: 'b', pValue: null, attainablePValue: null },
      { holmAdjustedPValue: 2 / 64, attainablePValue: 2 / 64, significant: true },
      { holmAdjustedPValue: 2 * (2 / 256), attainablePValue: 2 * (2 / 256), significant: true },
    ]);
  });

  test('compares equally many runs of both groups on an instance', () => {
    const instances = [1, 2, 3, 4, 5, 6].map((index) => ({
      ...makeScoredInstance(`f${index}`, []),
      results: [
        { n: 5, value: 100 },
        { n: 25, value: 200, valuesByRunCount: new Map([[5, 100]]) },
        { n: 25, value: 200, valuesByRunCount: new Map([[5, 300]]) },
      ],
    }));
    expect(testPairs(['a', 'b', 'c'], instances, query, false).pairs).toMatchObject([
      { a: 'a', b: 'b', wins: 0, ties: 6, losses: 0 },
      { a: 'a', b: 'c', wins: 6, ties: 0, losses: 0 },
      { a: 'b', b: 'c', wins: 0, ties: 6, losses: 0 },
    ]);
  });

  test('counts two instances of different functions with the same label as two blocks', () => {
    const instances = [1, 2].map((index) =>
      makeScoredInstance('sphere, dimension 2', [10, 20], { block: `f${index}` }),
    );
    for (const blocks of ['instance', 'function'] as const) {
      const { pairs } = testPairs(twoGroups, instances, { ...query, blocks }, false);
      expect(pairs).toMatchObject([{ blocks: 2, wins: 2 }]);
    }
  });

  test('claims nothing for a group that pools configurations on an instance of the tests', () => {
    const poolOnFirst = (name: string) =>
      instancesWonByA.map((scoredInstance, index) =>
        index === 0 ? { ...scoredInstance, pooledGroups: new Set([name]) } : scoredInstance,
      );
    const getPair = (name: string) =>
      testPairs(twoGroups, poolOnFirst(name), query, false).pairs[0];
    expect(getPair('b')).toMatchObject({ better: 'a', significant: false });
    expect(getPair('another')).toMatchObject({ better: 'a', significant: true });
  });

  test('claims nothing while a run is RUNNING, and turns with the groups', () => {
    const interimTests = testPairs(twoGroups, instancesWonByA, query, true);
    expect(interimTests).toMatchObject({
      isInterim: true,
      pairs: [{ significant: false, better: 'a' }],
    });
    const turnedInstances = instancesWonByA.map((scoredInstance) => ({
      ...scoredInstance,
      results: scoredInstance.results.toReversed(),
    }));
    expect(testPairs(twoGroups, turnedInstances, query, false).pairs[0]).toMatchObject({
      better: 'b',
      significant: true,
      wins: 0,
      losses: 6,
    });
  });

  test('uses the distance to the optimum for fitness, and omits instances without a known optimum', () => {
    const fitness = { ...query, measure: 'median' } as const;
    const values = [1e-3, 1e-1];
    const instances = [
      ...[1, 2, 3].map((index) => makeScoredInstance(`f${index}`, values, { optimum: 0 })),
      makeScoredInstance('shifted', [7.001, 7.1], { optimum: 7 }),
      makeScoredInstance('unknown', [9, 1]),
    ];
    const { scale, unscaled, pairs } = testPairs(twoGroups, instances, fitness, false);
    expect([scale, unscaled]).toEqual(['log10Precision', ['unknown']]);
    expect(pairs[0]).toMatchObject({ blocks: 4, wins: 4, better: 'a' });
    expect(pairs[0]?.medianDifference).toBeCloseTo(2, 9);
    // A maximised fitness is below its optimum.
    const [shiftedPair] = testPairs(
      twoGroups,
      [makeScoredInstance('maximised', [39.75, 15], { optimum: 40 })],
      fitness,
      false,
    ).pairs;
    expect(shiftedPair).toMatchObject({ wins: 1, medianDifference: 2 });
    const solvedInstances = [
      makeScoredInstance('f', [0, 1e-9], { optimum: 0 }),
      makeScoredInstance('g', [0, 0], { optimum: 0 }),
    ];
    expect(testPairs(twoGroups, solvedInstances, fitness, false).pairs[0]).toMatchObject({
      wins: 1,
      ties: 1,
    });
  });

  test('uses success rates and anytime performance unchanged, and larger is better', () => {
    for (const measure of ['success', 'anytime'] satisfies CellMeasure[]) {
      const instances = [makeScoredInstance('f', [0.9, 0.4]), makeScoredInstance('g', [0.5, 0.5])];
      const { scale, pairs } = testPairs(twoGroups, instances, { ...query, measure }, false);
      expect(scale).toBe({ success: 'successRate', anytime: 'anytime' }[measure]);
      expect(pairs[0]).toMatchObject({ better: 'a', wins: 1, ties: 1, medianDifference: 0.25 });
    }
  });

  test('ties equal differences of success rates, whose last digits may differ', () => {
    // Tenths: their differences are 0.1 or −0.1, but none is exact, and they differ by up to 1.1e-16.
    const rates = [
      [10, 9],
      [3, 2],
      [4, 3],
      [6, 5],
      [2, 1],
      [8, 9],
    ] as const;
    const instances = rates.map(([a, b], index) =>
      makeScoredInstance(`f${index}`, [a / 10, b / 10]),
    );
    const bySuccess = { ...query, measure: 'success' } as const;
    const [pair] = testPairs(twoGroups, instances, bySuccess, false).pairs;
    // The sign test of 5 wins and 1 loss.
    expect(pair?.pValue).toBeCloseTo((2 * 7) / 64, 12);
    const opposite = [
      makeScoredInstance('f d2', [0.3, 0.2], { block: 'f' }),
      makeScoredInstance('f d5', [0.8, 0.9], { block: 'f' }),
    ];
    expect(testPairs(twoGroups, opposite, bySuccess, false).pairs[0]).toMatchObject({
      blocks: 1,
      ties: 1,
      better: 'none',
    });
  });

  test('averages the dimensions of a function, unless instances are blocks', () => {
    const instances = [
      makeScoredInstance('f d2', [10, 1_000], { block: 'f' }),
      makeScoredInstance('f d5', [10, 10], { block: 'f' }),
      makeScoredInstance('g d2', [10, 1], { block: 'g' }),
    ];
    const [pair] = testPairs(twoGroups, instances, query, false).pairs;
    expect(pair).toMatchObject({ blocks: 2, wins: 1, losses: 1, medianDifference: 0 });
    const [instancePair] = testPairs(
      twoGroups,
      instances,
      { ...query, blocks: 'instance' },
      false,
    ).pairs;
    expect(instancePair).toMatchObject({ blocks: 3, wins: 1, ties: 1, losses: 1 });
  });

  test('ranks infinite ERT worst: equal values tie, and so do opposite values within a function', () => {
    const instances = [
      makeScoredInstance('both', [Infinity, Infinity]),
      makeScoredInstance('one', [10, Infinity]),
      makeScoredInstance('f d2', [10, Infinity], { block: 'f' }),
      makeScoredInstance('f d5', [Infinity, 10], { block: 'f' }),
    ];
    const [pair] = testPairs(twoGroups, instances, query, false).pairs;
    expect(pair).toMatchObject({ blocks: 3, wins: 1, ties: 2, losses: 0 });
    // A dimension in which both are infinite counts as 0 in the mean of the function.
    const functionInstances = [
      makeScoredInstance('f d2', [Infinity, Infinity], { block: 'f' }),
      makeScoredInstance('f d5', [10, 1_000], { block: 'f' }),
    ];
    expect(testPairs(twoGroups, functionInstances, query, false).pairs[0]).toMatchObject({
      wins: 1,
      medianDifference: 1,
    });
    const onlyPair = testPairs(twoGroups, [makeScoredInstance('one', [10, Infinity])], query, false)
      .pairs[0];
    expect(onlyPair).toMatchObject({ medianDifference: null, better: 'a', pValue: 1 });
  });

  test('drops, ranks worst, or pairs without the instances on which a group has no results', () => {
    const groups = ['a', 'b', 'c'];
    const instances = [
      makeScoredInstance('all', [1, 2, 3]),
      makeScoredInstance('lacking', [1, 2, null]),
      makeScoredInstance('more', [2, 1, null]),
      makeScoredInstance('without a', [null, 1, 2]),
    ];
    const getBlocks = (missing: 'shared' | 'worst' | 'pairwise') =>
      testPairs(groups, instances, { ...query, missing }, false).pairs.map(
        ({ a, b, blocks, wins, losses }) => [`${a}${b}`, blocks, wins, losses],
      );
    expect(getBlocks('shared')).toEqual([
      ['ab', 1, 1, 0],
      ['ac', 1, 1, 0],
      ['bc', 1, 1, 0],
    ]);
    expect(getBlocks('worst')).toEqual([
      ['ab', 4, 2, 2],
      ['ac', 4, 3, 1],
      ['bc', 4, 4, 0],
    ]);
    expect(getBlocks('pairwise')).toEqual([
      ['ab', 3, 2, 1],
      ['ac', 1, 1, 0],
      ['bc', 2, 2, 0],
    ]);
  });

  test('adjusts over the pairs that can be tested', () => {
    const groups = ['a', 'b', 'c'];
    const instances = instancesWonByA.map((scoredInstance) => ({
      ...scoredInstance,
      results: [...scoredInstance.results, ...scoredInstance.results.slice(0, 1)],
    }));
    const pairs = testPairs(groups, instances, query, false).pairs;
    expect(pairs.map(({ pValue, holmAdjustedPValue }) => [pValue, holmAdjustedPValue])).toEqual([
      [2 / 64, 4 / 64],
      [null, null],
      [2 / 64, 4 / 64],
    ]);
    expect(pairs.map(({ significant, better }) => [significant, better])).toEqual([
      [false, 'a'],
      [false, 'none'],
      [false, 'c'],
    ]);
    expect(pairs.map(({ attainablePValue }) => attainablePValue)).toEqual([4 / 64, null, 4 / 64]);
    const oneInstance = [makeScoredInstance('f', [1, 2, 3])];
    const pairsOnOne = testPairs(groups, oneInstance, query, false).pairs;
    expect(pairsOnOne.map(({ attainablePValue }) => attainablePValue)).toEqual([1, 1, 1]);
    expect(testPairs(twoGroups, [], query, false).pairs[0]).toMatchObject({
      blocks: 0,
      pValue: null,
    });
  });
});

describe('rankAcross', () => {
  const makeInstance = (block: string, ...values: (number | null)[]) => ({
    instance: `${block} ${values.join()}`,
    block,
    direction: 'min' as const,
    worstValue: null,
    results: values.map((value) => ({ n: 5, value })),
  });
  const dimensions = [
    makeInstance('f1', 1, 2, 3),
    makeInstance('f1', 1, 2, 3),
    makeInstance('f1', 3, 1, 2),
    makeInstance('f2', 3, 2, 1),
  ];
  const rankBlocks = (blocks: 'function' | 'instance') =>
    rankAcross(['a', 'b', 'c'], dimensions, 0, { missing: 'shared', blocks });

  test('ranks a function once, by the mean of the ranks in its dimensions', () => {
    const { friedman, averageRanks, versusControl } = rankBlocks('function');
    // Mean ranks on f1: a 5/3, b 5/3, c 8/3; on f2: 3, 2, 1.
    expect(friedman).toMatchObject({ blocks: 2, blockBy: 'function' });
    expect(averageRanks.map(({ averageRank }) => averageRank)).toEqual([2.25, 1.75, 2]);
    expect(versusControl?.[0]?.z).toBeCloseTo(-0.5 / Math.sqrt(12 / 12), 12);
  });

  test('uses each dimension as a block if blocks are instances', () => {
    const { friedman, averageRanks } = rankBlocks('instance');
    expect(friedman).toMatchObject({
      blocks: 4,
      blockBy: 'instance',
      algorithms: 3,
      ranks: [
        { algorithm: 'b', averageRank: 1.75 },
        { algorithm: 'a', averageRank: 2 },
        { algorithm: 'c', averageRank: 2.25 },
      ],
    });
    expect(averageRanks.map(({ averageRank }) => averageRank)).toEqual([2, 1.75, 2.25]);
  });

  test('ranks a group without a result worst, or compares each pair on its own instances', () => {
    const instances = [
      makeInstance('f1', 1, 2, 3),
      makeInstance('f2', 2, 1, null),
      makeInstance('f3', null, null, 1),
    ];
    const rank = (missing: 'shared' | 'worst' | 'pairwise') => {
      const { averageRanks, winsTiesLosses } = rankAcross(['a', 'b', 'c'], instances, null, {
        missing,
        blocks: 'instance',
      });
      return [
        averageRanks.map(({ averageRank }) => averageRank),
        winsTiesLosses.map(({ wins, ties, losses }) => [wins, ties, losses]),
      ];
    };
    expect([rank('shared'), rank('worst'), rank('pairwise')]).toEqual([
      [
        [1, 2, 3],
        [
          [1, 0, 0],
          [1, 0, 0],
          [1, 0, 0],
        ],
      ],
      [
        [5.5 / 3, 5.5 / 3, 7 / 3],
        [
          [1, 1, 1],
          [2, 0, 1],
          [2, 0, 1],
        ],
      ],
      [
        [],
        [
          [1, 0, 1],
          [1, 0, 0],
          [1, 0, 0],
        ],
      ],
    ]);
  });
});
