import { expect, test } from 'vitest';
import { pageNumbers, shownRange } from '#renderer/features/explorer/page-numbers.ts';

test('up to seven pages are all offered', () => {
  expect(pageNumbers(1, 1)).toEqual([1]);
  expect(pageNumbers(3, 7)).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test('of many pages the ends and the neighbours are offered, gaps marked', () => {
  expect(pageNumbers(1, 20)).toEqual([1, 2, 3, 4, null, 20]);
  expect(pageNumbers(10, 20)).toEqual([1, null, 9, 10, 11, null, 20]);
  expect(pageNumbers(20, 20)).toEqual([1, null, 17, 18, 19, 20]);
});

test('a gap of one page is that page', () => {
  expect(pageNumbers(4, 9)).toEqual([1, 2, 3, 4, 5, null, 9]);
});

test('the range counts from one and stops at the total', () => {
  expect(shownRange(1, 25, 111)).toBe('1–25');
  expect(shownRange(5, 25, 111)).toBe('101–111');
  expect(shownRange(1, 25, 0)).toBe('0');
});
