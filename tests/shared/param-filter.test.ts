import { expect, test } from 'vitest';
import { parseParamFilter } from '#shared/param-filter.ts';

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
