import { describe, expect, test } from 'vitest';
import { experimentAnalysisQuery, problemComparisonQuery } from '#shared/schemas/analysis-query.ts';

describe('the query of an experiment analysis', () => {
  const usualQuery = {
    sameProblem: true,
    targets: [],
    effect: '0.71',
    failed: 'include',
    silent: 'running',
    stopped: 'include',
  };

  test('accepts a direction in any case and a finite target', () => {
    expect(experimentAnalysisQuery.parse({ direction: ' MAX ', target: '1e-3' })).toEqual({
      ...usualQuery,
      direction: 'max',
      target: 0.001,
    });
  });

  test('accepts absent and blank parameters, and includes the comparison by default', () => {
    const blankQuery = { direction: ' ', target: '', sameProblem: ' ' };
    expect(experimentAnalysisQuery.parse({})).toEqual(usualQuery);
    expect(experimentAnalysisQuery.parse(blankQuery)).toEqual(usualQuery);
    expect(experimentAnalysisQuery.parse({ sameProblem: 'False' }).sameProblem).toBe(false);
  });

  test.each([
    [{ direction: 'up' }, 'must be min or max'],
    [{ target: 'NaN' }, 'must be a finite number'],
    [{ sameProblem: 'no' }, 'must be true or false'],
    [{ target: 'Infinity' }, 'must be a finite number'],
  ])('refuses %j', (query, message) => {
    const result = experimentAnalysisQuery.safeParse(query);
    expect(result.error?.issues[0]?.message).toBe(message);
  });
});

describe('the query of a problem comparison', () => {
  test('accepts one algorithm or several, without duplicates', () => {
    const algorithms = (algorithm: unknown) =>
      problemComparisonQuery.parse({ algorithm }).algorithm;
    expect(algorithms(undefined)).toEqual([]);
    expect(algorithms('umda')).toEqual(['umda']);
    expect(algorithms(['umda', ' pbil ', 'umda', ''])).toEqual(['umda', 'pbil']);
  });

  test('groups by algorithm by default', () => {
    expect(problemComparisonQuery.parse({}).groupBy).toBe('algorithm');
    expect(problemComparisonQuery.parse({ groupBy: 'experiment' }).groupBy).toBe('experiment');
    expect(problemComparisonQuery.safeParse({ groupBy: 'seed' }).success).toBe(false);
  });
});
