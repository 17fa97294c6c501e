import { expect, test } from 'vitest';
import { describeDirectionSource, describeTarget } from '#renderer/features/analysis/objective.ts';

const answer = {
  objectiveDirection: 'min',
  directionSource: 'problem',
  targetFitness: 0.001,
  targetSource: 'config',
} as const;

test('the text states the source of the direction and the target', () => {
  expect(describeDirectionSource(answer)).toBe('from problem type');
  expect(describeDirectionSource({ ...answer, directionSource: 'trace' })).toBe('from the traces');
  expect(describeTarget(answer)).toEqual({ value: '0.001', source: 'from config' });
  expect(describeTarget({ ...answer, targetSource: 'query' }).source).toBe('chosen here');
  expect(describeTarget({ ...answer, targetFitness: null, targetSource: 'none' })).toEqual({
    value: 'none',
  });
});
