import { expect, test } from 'vitest';
import { isDecimal, readNumber, parseDecimal } from '#shared/decimal.ts';

test('readNumber parses numbers, and returns null for other values', () => {
  expect([3, 0, -0.5, '12', ' 12 ', '1e-3'].map(readNumber)).toEqual([3, 0, -0.5, 12, 12, 0.001]);
  const nonNumbers = [
    '',
    ' ',
    '\t\n',
    'twelve',
    '1,5',
    '0x10',
    '0b1',
    'Infinity',
    NaN,
    Infinity,
    null,
    undefined,
  ];
  expect(nonNumbers.map(readNumber)).toEqual(nonNumbers.map(() => null));
});

test('isDecimal accepts digits with an optional point, exponent and sign', () => {
  for (const text of ['40', '-1.5', '.5', '1.', '1e-3', '+2', '1e999']) {
    expect(isDecimal(text), text).toBe(true);
  }
  for (const text of ['', ' ', 'abc', 'NaN', 'Infinity', '0x10', '1,5', '1 2', 'e3']) {
    expect(isDecimal(text), text).toBe(false);
  }
});

test('parseDecimal returns finite numbers, and undefined for other texts', () => {
  expect(parseDecimal(' 1e-3 ')).toBe(0.001);
  expect(parseDecimal('0')).toBe(0);
  for (const text of ['', '1e999', 'low', '0x10']) expect(parseDecimal(text), text).toBeUndefined();
});
