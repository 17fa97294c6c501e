import { expect, test } from 'vitest';
import { getPageNumbers, getShownRange } from '#renderer/features/explorer/page-numbers.ts';

test('up to seven pages are all offered', () => {
  expect(getPageNumbers(1, 1)).toEqual([1]);
  expect(getPageNumbers(3, 7)).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test('of many pages the ends and the neighbours are offered, gaps marked', () => {
  expect(getPageNumbers(1, 20)).toEqual([1, 2, 3, 4, null, 20]);
  expect(getPageNumbers(10, 20)).toEqual([1, null, 9, 10, 11, null, 20]);
  expect(getPageNumbers(20, 20)).toEqual([1, null, 17, 18, 19, 20]);
});

test('a gap of one page is that page', () => {
  expect(getPageNumbers(4, 9)).toEqual([1, 2, 3, 4, 5, null, 9]);
});

test('the range counts from one and stops at the total', () => {
  expect(getShownRange(1, 25, 111)).toBe('1–25');
  expect(getShownRange(5, 25, 111)).toBe('101–111');
  expect(getShownRange(1, 25, 0)).toBe('0');
});
