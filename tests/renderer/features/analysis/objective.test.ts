import { expect, test } from 'vitest';
import { directionSourceWords, targetWords } from '#renderer/features/analysis/objective.ts';

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
