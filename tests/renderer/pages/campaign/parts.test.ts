import { expect, test } from 'vitest';
import {
  getOptimizersByArea,
  getOptimizersByResult,
  getPalette,
} from '#renderer/pages/campaign/optimizer-palette.ts';
import { getFunctionGroups } from '#renderer/pages/campaign/function-groups.ts';
import { getNextChoice } from '#renderer/pages/campaign/stepper.ts';

test('the functions of bbob fall into its five groups, those without functions left out', () => {
  const all = Array.from({ length: 24 }, (_, index) => index + 1);
  expect(getFunctionGroups('bbob', all).map(({ id }) => id)).toEqual([
    'f1-5',
    'f6-9',
    'f10-14',
    'f15-19',
    'f20-24',
  ]);
  const [first, second, ...others] = getFunctionGroups('BBOB', [1, 3, 21]);
  expect(first).toMatchObject({ title: 'f1–f5, separable', functionId: ['1', '3'] });
  expect(second?.functionId).toEqual(['21']);
  expect(others).toEqual([]);
  expect(getFunctionGroups('bbob-noisy', [101, 130])).toHaveLength(2);
  expect(getFunctionGroups('PBO', all)).toEqual([]);
});

test('the groups of a selection contain only its functions', () => {
  const groups = getFunctionGroups('bbob', [1, 2, 3, 21], ['1', '3']);
  expect(groups.map(({ functionId }) => functionId)).toEqual([['1', '3']]);
});

test('steps go through all and each value in a ring; a choice of several counts as all', () => {
  const values = ['1', '8'];
  expect(getNextChoice(values, [], 1)).toEqual(['1']);
  expect(getNextChoice(values, ['1'], 1)).toEqual(['8']);
  expect(getNextChoice(values, ['8'], 1)).toEqual([]);
  expect(getNextChoice(values, [], -1)).toEqual(['8']);
  expect(getNextChoice(values, ['1', '8'], -1)).toEqual(['8']);
  expect(getNextChoice(values, ['99'], 1)).toEqual(['1']);
  expect(getNextChoice([], [], 1)).toEqual([]);
});

test('of more optimizers than colours only the emphasised ones have one', () => {
  const names = Array.from('abcdefghij');
  const palette = getPalette(names, ['b', 'j']);
  expect(['a', 'b', 'j'].map(palette)).toEqual([-1, 1, 2]);
  expect(['a', 'b', 'j'].map(getPalette(names, null))).toEqual([0, 1, 9]);
});

test('the optimizers with the best results are emphasised', () => {
  const row = (
    optimizerId: string,
    solvedFunctions: number,
    geometricMeanRatio: number | null,
  ) => ({
    optimizerId,
    solvedFunctions,
    geometricMeanRatio,
  });
  expect(
    getOptimizersByResult([row('a', 5, null), row('b', 5, 2), row('c', 3, 1), row('c', 6, 1)]),
  ).toEqual(['c', 'b', 'a']);
  const curve = (optimizer: string, area: number) => ({ optimizer, area });
  expect(getOptimizersByArea([curve('a', 0.6), curve('b', 0.5), curve('b', 0.4)])).toEqual([
    'b',
    'a',
  ]);
});
