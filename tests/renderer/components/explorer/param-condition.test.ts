import { expect, test } from 'vitest';
import {
  formatParamCondition,
  parseParamCondition,
} from '#renderer/components/explorer/param-condition.ts';

test.each([
  ['populationSize > 50', 'populationSize', '>', '50'],
  ['model.params.alpha<=1e-3', 'model.params.alpha', '<=', '1e-3'],
  ['  selection = truncation 2 ', 'selection', '=', 'truncation 2'],
  ['seed != 9007199254740993', 'seed', '!=', '9007199254740993'],
  ['name ~ a=b', 'name', '~', 'a=b'],
])('%s is a condition', (text, path, operator, value) => {
  expect(parseParamCondition(text)).toEqual({ path, operator, value });
});

test.each([
  ['', /Write a parameter, one of <= >= != = < > ~, and a value/],
  ['populationSize', /Write a parameter/],
  ['> 50', /Write a parameter/],
  ['populationSize >', /The value is missing/],
  ['populationSize > many', /Only numbers are compared by >, and “many” is none/],
])('%s is none, and says why', (text, reason) => {
  const answer = parseParamCondition(text);
  expect('problem' in answer ? answer.problem : '').toMatch(reason);
});

test('a condition is written in one way', () => {
  const condition = parseParamCondition('a.b>=3');
  expect('path' in condition && formatParamCondition(condition)).toBe('a.b >= 3');
});
