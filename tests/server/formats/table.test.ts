import { expect, test } from 'vitest';
import { printNumber } from '#server/formats/table.ts';

test('printNumber returns the text of a number in the format of its column', () => {
  expect(printNumber(1234.4, 'count')).toBe('1\u2009234');
  expect(printNumber(16.884, 'runtime')).toBe('16.88');
  expect(printNumber(1e-40, 'pValue')).toBe('1e−40');
  expect(printNumber(0.8666, 'share')).toBe('86.7\u2009%');
  expect(printNumber(1 / 2160, 'share')).toBe('< 0.1\u2009%');
  expect(printNumber(1 / 3, 'statistic')).toBe('0.3333');
  expect(printNumber(1 / 3, 'fitness')).toBe('0.333333');
  expect(printNumber(Infinity, 'count')).toBe('∞');
  expect(printNumber(null, 'text')).toBe('–');
});
