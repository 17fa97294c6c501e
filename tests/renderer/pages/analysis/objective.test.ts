import { describe, expect, test } from 'vitest';
import {
  askedObjective,
  directionSourceWords,
  targetProblem,
  targetWords,
} from '#renderer/pages/analysis/objective.ts';

describe('askedObjective', () => {
  test('reads direction and target of the address', () => {
    expect(askedObjective({ direction: 'MAX', target: ' 1e-3 ' })).toEqual({
      direction: 'max',
      target: 0.001,
    });
    expect(askedObjective({ target: '0' }).target).toBe(0);
  });

  test('leaves to the experiment what is absent or makes no sense', () => {
    const absent = { direction: undefined, target: undefined };
    expect(askedObjective({})).toEqual(absent);
    expect(askedObjective({ direction: 'up', target: 'low' })).toEqual(absent);
    expect(askedObjective({ direction: ['min', 'max'], target: 'Infinity' })).toEqual(absent);
  });
});

test('targetProblem refuses what is no finite decimal number', () => {
  for (const text of ['', '40', '-1.5', '.5', '1e-3', '+2']) {
    expect(targetProblem(text)).toBeUndefined();
  }
  for (const text of ['abc', '1e999', 'NaN', '0x10', '1,5']) {
    expect(targetProblem(text)).toBe('Not a number, such as 0.5 or 1e-3');
  }
});

const answer = {
  objectiveDirection: 'min',
  directionSource: 'problem',
  targetFitness: 0.001,
  targetSource: 'config',
} as const;

test('the words say where direction and target come from', () => {
  expect(directionSourceWords(answer)).toBe('from problem type');
  expect(directionSourceWords({ ...answer, directionSource: 'trace' })).toBe('from the traces');
  expect(targetWords(answer)).toEqual({ value: '0.001', source: 'from config' });
  expect(targetWords({ ...answer, targetSource: 'query' }).source).toBe('chosen here');
  expect(targetWords({ ...answer, targetFitness: null, targetSource: 'none' })).toEqual({
    value: 'none',
  });
});
