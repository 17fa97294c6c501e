import { expect, test } from 'vitest';
import {
  isDecimal,
  listPowersOfTen,
  parseDecimal,
  parseParamFilter,
  parseTargets,
  readNumber,
} from '#shared/syntax.ts';

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

test('parseTargets accepts numbers and evenly spaced powers of ten, without duplicates, largest first', () => {
  expect(parseTargets(['1e-2, 10', '1'])).toEqual([10, 1, 0.01]);
  expect(parseTargets(['2..-8:51'])).toHaveLength(51);
  expect(parseTargets(['2..0:3', '1'])).toEqual([100, 10, 1]);
  expect(parseTargets([])).toEqual([]);
});

test('parseTargets returns null for invalid or too many targets', () => {
  for (const invalidText of ['x', '1,,2', '1..2', '2..-8:501', '1e999', '2..-8:0', '']) {
    expect(parseTargets([invalidText]), invalidText).toBeNull();
  }
});

test('listPowersOfTen includes both ends', () => {
  expect(listPowersOfTen(2, -2, 5)).toEqual([100, 10, 1, 0.1, 0.01]);
  expect(listPowersOfTen(2, -2, 1)).toEqual([100]);
});

const number = (value: number, text = String(value)) => ({ text, number: value });
const text = (value: string) => ({ text: value, number: null });

test.each([
  ['populationSize > 50', { path: 'populationSize', operator: '>', values: [number(50)] }],
  ['populationSize>=5e1', { path: 'populationSize', operator: '>=', values: [number(50, '5e1')] }],
  [' a.b = umda ', { path: 'a.b', operator: '=', values: [text('umda')] }],
  [
    'a = [50, 0.5, "x", true]',
    { path: 'a', operator: '=', values: [number(50), number(0.5), text('x'), text('true')] },
  ],
  ['a != ["x"]', { path: 'a', operator: '!=', values: [text('x')] }],
  ['a = "50"', { path: 'a', operator: '=', values: [text('50')] }],
  ['a = 7134074521766642662', { path: 'a', operator: '=', values: [text('7134074521766642662')] }],
  [
    'a != [7134074521766642662, 1]',
    { path: 'a', operator: '!=', values: [text('7134074521766642662'), number(1)] },
  ],
  ['a ~ "csv" = [', { path: 'a', operator: '~', values: [text('"csv" = [')] }],
  ['odd<key = x', { path: 'odd<key', operator: '=', values: [text('x')] }],
])('%s is parsed', (written, filter) => {
  expect(parseParamFilter(written)).toEqual(filter);
});

test.each([
  ['populationSize', 'has no operator (= != < <= > >= ~) in "populationSize"'],
  ['> 5', 'has no path before > in "> 5"'],
  ['a >= ', 'has no value after >= in "a >= "'],
  ['a < x', 'needs a finite number after <, not "x"'],
  ['a > 1e999', 'needs a finite number after >, not "1e999"'],
  [
    'a = [1,',
    'needs a list such as [50, 100] or ["a", "b"], or one text in double quotes, not [1,',
  ],
  ['a = []', 'needs a list such as [50, 100] or ["a", "b"], or one text in double quotes, not []'],
  [
    'a = [[1]]',
    'needs a list such as [50, 100] or ["a", "b"], or one text in double quotes, not [[1]]',
  ],
  [`a = [${'1,'.repeat(100)}1]`, 'takes at most 100 values after = and !='],
])('%s is refused with its invalid part', (written, sentence) => {
  expect(parseParamFilter(written)).toBe(sentence);
});
