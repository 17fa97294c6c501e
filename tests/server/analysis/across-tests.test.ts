import { describe, expect, test } from 'vitest';
import { rankAcross, testPairs } from '#server/analysis/across-tests.ts';
import type { CellMeasure } from '#shared/schemas/analysis-across.ts';

type ScoredInstance = Parameters<typeof testPairs>[1][number];

const on = (
  label: string,
  values: (number | null)[],
  more: Partial<ScoredInstance> = {},
): ScoredInstance => ({ label, block: label, optimum: null, values, ...more });

const query = { measure: 'ert', missing: 'shared', blocks: 'function' } as const;
const two = ['a', 'b'];

/** Instances on which group a is better than group b, by less and less. */
const sixOfA = [1, 2, 3, 4, 5, 6].map((place) => on(`f${place}`, [100, 100 * (8 - place)]));

describe('testPairs', () => {
  test('tests the log10 ratio of ERT, in which the size of the instance has no part', () => {
    const { scale, pairs } = testPairs(two, sixOfA, query, false);
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
    const scaled = sixOfA.map((one, place) => ({
      ...one,
      values: one.values.map((value) => (value ?? 0) * 10 ** place),
    }));
    const other = testPairs(two, scaled, query, false).pairs[0];
    expect(other?.pValue).toBe(2 / 64);
    expect(other?.medianDifference).toBeCloseTo(pairs[0]?.medianDifference ?? NaN, 12);
  });

  test('claims nothing while a run is RUNNING, and turns with the groups', () => {
    const interim = testPairs(two, sixOfA, query, true);
    expect(interim).toMatchObject({
      isInterim: true,
      pairs: [{ significant: false, better: 'a' }],
    });
    const turned = sixOfA.map((one) => ({ ...one, values: one.values.toReversed() }));
    expect(testPairs(two, turned, query, false).pairs[0]).toMatchObject({
      better: 'b',
      significant: true,
      wins: 0,
      losses: 6,
    });
  });

  test('takes fitness as the distance to the optimum, and leaves out instances without a known one', () => {
    const fitness = { ...query, measure: 'median' } as const;
    const values = [1e-3, 1e-1];
    const instances = [
      ...[1, 2, 3].map((place) => on(`f${place}`, values, { optimum: 0 })),
      on('shifted', [7.001, 7.1], { optimum: 7 }),
      on('unknown', [9, 1]),
    ];
    const { scale, unscaled, pairs } = testPairs(two, instances, fitness, false);
    expect([scale, unscaled]).toEqual(['log10Precision', ['unknown']]);
    expect(pairs[0]).toMatchObject({ blocks: 4, wins: 4, better: 'a' });
    expect(pairs[0]?.medianDifference).toBeCloseTo(2, 9);
    const solved = [on('f', [0, 1e-9], { optimum: 0 }), on('g', [0, 0], { optimum: 0 })];
    expect(testPairs(two, solved, fitness, false).pairs[0]).toMatchObject({ wins: 1, ties: 1 });
  });

  test('takes success rates and anytime performance as they are, larger being better', () => {
    for (const measure of ['success', 'anytime'] satisfies CellMeasure[]) {
      const instances = [on('f', [0.9, 0.4]), on('g', [0.5, 0.5])];
      const [pair] = testPairs(two, instances, { ...query, measure }, false).pairs;
      expect(pair).toMatchObject({ better: 'a', wins: 1, ties: 1, medianDifference: 0.25 });
    }
  });

  test('averages the dimensions of a function, unless instances are blocks', () => {
    const instances = [
      on('f d2', [10, 1_000], { block: 'f' }),
      on('f d5', [10, 10], { block: 'f' }),
      on('g d2', [10, 1], { block: 'g' }),
    ];
    const [pair] = testPairs(two, instances, query, false).pairs;
    expect(pair).toMatchObject({ blocks: 2, wins: 1, losses: 1, medianDifference: 0 });
    const [each] = testPairs(two, instances, { ...query, blocks: 'instance' }, false).pairs;
    expect(each).toMatchObject({ blocks: 3, wins: 1, ties: 1, losses: 1 });
  });

  test('takes infinite ERT as worst: equal ones tie, and opposite ones inside a function too', () => {
    const instances = [
      on('both', [Infinity, Infinity]),
      on('one', [10, Infinity]),
      on('f d2', [10, Infinity], { block: 'f' }),
      on('f d5', [Infinity, 10], { block: 'f' }),
    ];
    const [pair] = testPairs(two, instances, query, false).pairs;
    expect(pair).toMatchObject({ blocks: 3, wins: 1, ties: 2, losses: 0 });
    const only = testPairs(two, [on('one', [10, Infinity])], query, false).pairs[0];
    expect(only).toMatchObject({ medianDifference: null, better: 'a', pValue: 1 });
  });

  test('drops, ranks worst, or pairs without the instances on which a group has no results', () => {
    const groups = ['a', 'b', 'c'];
    const instances = [on('all', [1, 2, 3]), on('lacking', [1, 2, null]), on('more', [2, 1, null])];
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
      ['ab', 3, 2, 1],
      ['ac', 3, 3, 0],
      ['bc', 3, 3, 0],
    ]);
    expect(getBlocks('pairwise')).toEqual([
      ['ab', 3, 2, 1],
      ['ac', 1, 1, 0],
      ['bc', 1, 1, 0],
    ]);
  });

  test('adjusts over the pairs that can be tested', () => {
    const groups = ['a', 'b', 'c'];
    const instances = sixOfA.map((one) => ({
      ...one,
      values: [...one.values, one.values[0] ?? null],
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
    expect(pairs[0]?.attainablePValue).toBe(4 / 64);
    expect(testPairs(two, [], query, false).pairs[0]).toMatchObject({ blocks: 0, pValue: null });
  });
});

describe('rankAcross', () => {
  const instance = (block: string, ...values: number[]) => ({
    instance: `${block} ${values.join()}`,
    block,
    direction: 'min' as const,
    worstValue: null,
    results: values.map((value) => ({ n: 5, value })),
  });
  const dimensions = [
    instance('f1', 1, 2, 3),
    instance('f1', 1, 2, 3),
    instance('f1', 3, 1, 2),
    instance('f2', 3, 2, 1),
  ];
  const ranked = (blocks: 'function' | 'instance') =>
    rankAcross(['a', 'b', 'c'], dimensions, 0, { missing: 'shared', blocks });

  test('ranks a function once, by the mean of the ranks in its dimensions', () => {
    const { friedman, averageRanks, versusControl } = ranked('function');
    // Mean ranks on f1: a 5/3, b 5/3, c 8/3; on f2: 3, 2, 1.
    expect(friedman).toMatchObject({ blocks: 2, blockBy: 'function' });
    expect(averageRanks.map(({ averageRank }) => averageRank)).toEqual([2.25, 1.75, 2]);
    expect(versusControl?.[0]?.z).toBeCloseTo(-0.5 / Math.sqrt(12 / 12), 12);
  });

  test('takes each dimension as a block where instances are chosen', () => {
    const { friedman, averageRanks } = ranked('instance');
    expect(friedman).toMatchObject({ blocks: 4, blockBy: 'instance' });
    expect(averageRanks.map(({ averageRank }) => averageRank)).toEqual([2, 1.75, 2.25]);
  });
});
