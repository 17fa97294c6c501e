import { expect, test } from 'vitest';
import { getCondition } from '#renderer/features/explorer/param-condition.ts';

test.each([
  [' populationSize > 50 ', 'populationSize > 50'],
  ['model.alpha<=1e-3', 'model.alpha<=1e-3'],
  ['populationSize in 50, 100', 'populationSize = [50, 100]'],
  ['type IN umda, 2 "x"', 'type = ["umda", "2 \\"x\\""]'],
  ['rate in .05, 1., +2, 007, 1e-3', 'rate = [0.05, 1, 2, 7, 0.001]'],
  ['seed in 9007199254740993, 1e999, 5', 'seed = [9007199254740993, "1e999", 5]'],
  ['name ~ long in', 'name ~ long in'],
  ['learning rate in 0.1, 0.2', 'learning rate = [0.1, 0.2]'],
  ['max error in sample > 3', 'max error in sample > 3'],
])('sends %s as %s', (text, condition) => {
  expect(getCondition(text)).toEqual({ condition });
});

test.each([
  ['populationSize', 'The condition has no operator (= != < <= > >= ~) in "populationSize"'],
  ['populationSize >', 'The condition has no value after > in "populationSize >"'],
  ['> 50', 'The condition has no path before > in "> 50"'],
  ['a > many', 'The condition needs a finite number after >, not "many"'],
])('%s is invalid, with the reason', (text, error) => {
  expect(getCondition(text)).toEqual({ error });
});
