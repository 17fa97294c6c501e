import { expect, test } from 'vitest';
import { markBest, printNumber } from '#server/formats/table.ts';

const rows = [3, 1, 1, Infinity, null].map((ert) => ({ cells: { ert } }));
const marked = (best: 'min' | 'max', list = rows) =>
  markBest(Object.freeze(list), 'ert', best).map((row) => row.best ?? []);

test('every row that shares the best value is marked, but an infinite one is not', () => {
  expect(marked('min')).toEqual([[], ['ert'], ['ert'], [], []]);
  expect(marked('max')).toEqual([[], [], [], [], []]);
  expect(marked('max', rows.slice(0, 3))).toEqual([['ert'], [], []]);
});

test('a value beside infinite ones is the best of them', () => {
  expect(marked('min', rows.slice(2))).toEqual([['ert'], [], []]);
});

test('marks add up over columns', () => {
  const once = markBest([{ cells: { a: 1, b: 2 } }, { cells: { a: 2, b: 1 } }], 'a', 'min');
  expect(markBest(once, 'b', 'max')[0]?.best).toEqual(['a', 'b']);
});

test('nothing is marked where all values are equal, as a single one is', () => {
  expect(marked('min', rows.slice(1, 3))).toEqual([[], []]);
  expect(marked('min', rows.slice(3))).toEqual([[], []]);
  expect(marked('min', [...rows.slice(0, 1), ...rows.slice(4)])).toEqual([[], []]);
});

test('numbers are printed by the format of their column', () => {
  expect(printNumber(1234.4, 'count')).toBe('1\u2009234');
  expect(printNumber(16.884, 'runtime')).toBe('16.88');
  expect(printNumber(1e-40, 'pValue')).toBe('1e−40');
  expect(printNumber(0.8666, 'share')).toBe('86.7\u2009%');
  expect(printNumber(1 / 3, 'statistic')).toBe('0.3333');
  expect(printNumber(1 / 3, 'fitness')).toBe('0.333333');
  expect(printNumber(Infinity, 'count')).toBe('∞');
  expect(printNumber(null, 'text')).toBe('–');
});
