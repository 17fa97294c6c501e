import { expect, test } from 'vitest';
import { computeCompleteness, type CountedTrials } from '#server/domain/completeness.ts';

const plan = {
  campaignId: 'imp-0123456789abcdef',
  dimensionsJson: '[2,5,40]',
  functionsJson: '[1,2,20]',
  instancesJson: '[1,2,3,4,5,71,72,73]',
};

const cell = (
  optimizerId: string,
  [functionId, dimension]: [number, number],
  present: number,
  more: Partial<CountedTrials> = {},
): CountedTrials => ({
  optimizerId,
  functionId,
  dimension,
  present,
  failed: 0,
  reachedTargets: 0,
  repetitions: 1,
  instances: present,
  ...more,
});

const listExpectedTrials = (counts: readonly CountedTrials[], optimizers: readonly string[] = []) =>
  computeCompleteness(plan, optimizers, counts).cells.map((result) => [
    `${result.optimizerId} f${result.functionId} d${result.dimension}`,
    result.expected,
    result.present,
  ]);

test('the expected trials of each optimizer come from its own data set', () => {
  const counts = [
    cell('a', [1, 2], 5),
    cell('a', [2, 2], 5),
    cell('b', [20, 40], 25, { instances: 5, repetitions: 5 }),
  ];
  expect(computeCompleteness(plan, [], counts).planSource).toBe('data');
  expect(listExpectedTrials(counts)).toEqual([
    ['a f1 d2', 5, 5],
    ['a f2 d2', 5, 5],
    ['b f20 d40', 25, 25],
  ]);
});

test('computeCompleteness reports missing trials of a data set that has more on its other functions', () => {
  const counts = [cell('a', [1, 2], 5), cell('a', [1, 5], 5), cell('a', [2, 2], 3)];
  expect(listExpectedTrials(counts)).toEqual([
    ['a f1 d2', 5, 5],
    ['a f2 d2', 5, 3],
    ['a f1 d5', 5, 5],
    ['a f2 d5', 5, 0],
  ]);
});

test('computeCompleteness reports no missing trials because of an extra run, or a run of an unknown instance', () => {
  const counts = [
    cell('a', [1, 2], 6, { instances: 5, repetitions: 2 }),
    cell('a', [2, 2], 5),
    cell('a', [20, 2], 6, { instances: 5 }),
  ];
  expect(listExpectedTrials(counts)).toEqual([
    ['a f1 d2', 6, 6],
    ['a f2 d2', 5, 5],
    ['a f20 d2', 6, 6],
  ]);
  const repeatedCounts = [
    cell('a', [1, 2], 10, { instances: 5, repetitions: 2 }),
    cell('a', [2, 2], 5),
  ];
  expect(listExpectedTrials(repeatedCounts)).toEqual([
    ['a f1 d2', 10, 10],
    ['a f2 d2', 5, 5],
  ]);
  const unknownInstances = [cell('a', [1, 2], 3, { instances: 0, repetitions: 3 })];
  expect(listExpectedTrials(unknownInstances)).toEqual([['a f1 d2', 3, 3]]);
});

test('the plan of a campaign decides the expected trials, also for an optimizer without trials', () => {
  const statedPlan = { ...plan, campaignId: 'mine', dimensionsJson: '[2]', functionsJson: '[1]' };
  const { planSource, cells } = computeCompleteness(statedPlan, ['a', 'b'], [cell('a', [1, 2], 5)]);
  expect(planSource).toBe('campaign');
  expect(cells.map(({ expected, present }) => [expected, present])).toEqual([
    [8, 5],
    [8, 0],
  ]);
});

test('the plan of a campaign expects all repetitions in its cells, and no trial in other cells', () => {
  const statedPlan = {
    ...plan,
    campaignId: 'mine',
    dimensionsJson: '[5, "x"]',
    functionsJson: '[1]',
  };
  const counts = [
    cell('a', [1, 5], 10, { repetitions: 2 }),
    cell('a', [1, 2], 3, { failed: 1 }),
    cell('a', [2, 5], 4),
  ];
  const { dimensions, repetitions, cells } = computeCompleteness(statedPlan, [], counts);
  expect({ dimensions, repetitions }).toEqual({ dimensions: [2, 5], repetitions: 2 });
  expect(cells).toMatchObject([
    { dimension: 2, functionId: 1, expected: 0, present: 3, failed: 1 },
    { dimension: 5, functionId: 1, expected: 16, present: 10, failed: 0 },
    { dimension: 5, functionId: 2, expected: 0, present: 4 },
  ]);
});
