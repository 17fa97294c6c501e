import { describe, expect, test } from 'vitest';
import {
  getCurrentForecast,
  describeHit,
  describePace,
} from '#renderer/pages/run/forecast-words.ts';
import type { RunProgress } from '#shared/schemas/run.ts';

const progressWith = (changes: Partial<RunProgress>): RunProgress => ({
  iteration: 2,
  maxIterations: null,
  evaluations: 300,
  bestSoFar: 3,
  meanFitness: 2,
  lastActivityAt: '2026-01-01T00:00:00Z',
  secondsPerIteration: 2,
  evaluationsPerSecond: 50,
  grantedEvaluations: null,
  secondsLeft: null,
  silent: false,
  ...changes,
});

describe('describePace', () => {
  test('names the evaluations left, the time, and the speed', () => {
    expect(describePace(progressWith({ grantedEvaluations: 1_000, secondsLeft: 14 }))).toBe(
      '700 of 1\u2009000 evaluations left (≈ 14.0 s at 50 per second)',
    );
  });

  test('names the iterations left without a budget of evaluations', () => {
    expect(describePace(progressWith({ maxIterations: 10, secondsLeft: 16 }))).toBe(
      '8 of 10 iterations left (≈ 16.0 s at 50 per second)',
    );
  });

  test('names the speed alone without a budget, and nothing without both', () => {
    expect(describePace(progressWith({}))).toBe('50 evaluations/s');
    expect(describePace(progressWith({ evaluationsPerSecond: null }))).toBeNull();
  });
});

describe('describeHit', () => {
  const hit = { siblings: 5, reached: 4, evaluations: { lower: 500, median: 600, upper: 700 } };

  test('returns the median, the time to it, the quartiles, and the number of siblings', () => {
    expect(describeHit(hit, progressWith({}))).toBe(
      'Target expected after 600, ≈ 6.0 s (quartiles 500 to 700, 5 runs)',
    );
  });

  test('omits the time while the speed is unknown, and marks a quartile beyond the budgets as not reached', () => {
    const open = { ...hit, evaluations: { lower: 500, median: 600, upper: null } };
    expect(describeHit(open, progressWith({ evaluationsPerSecond: null }))).toBe(
      'Target expected after 600 (quartiles 500 to not reached, 5 runs)',
    );
  });

  test('counts the siblings that reached it if fewer than half did', () => {
    const rare = {
      siblings: 9,
      reached: 2,
      evaluations: { lower: null, median: null, upper: null },
    };
    expect(describeHit(rare, progressWith({}))).toBe(
      '2 of 9 finished runs that missed the target up to here reached it later',
    );
    expect(describeHit({ ...rare, reached: 0 }, progressWith({}))).toBe(
      'None of 9 finished runs that missed the target up to here reached it later',
    );
  });
});

describe('getCurrentForecast', () => {
  const siblings = [400, 500, 600, 700, 800].map((evaluationsToTarget) => ({
    evaluationsToTarget,
    evaluations: 1_000,
  }));
  const forecast = { siblings, targetFitness: 8 };
  const run = (changes: Partial<RunProgress>) => ({
    direction: 'max' as const,
    progress: progressWith(changes),
  });

  test('follows the evaluations of the run', () => {
    expect(getCurrentForecast(run({}), forecast)?.evaluations.median).toBe(600);
    expect(getCurrentForecast(run({ evaluations: 450 }), forecast)).toBeNull();
  });

  test('is null for a silent run, at the target, and without target or siblings', () => {
    expect(getCurrentForecast(run({ silent: true }), forecast)).toBeNull();
    expect(getCurrentForecast(run({ bestSoFar: 8 }), forecast)).toBeNull();
    expect(getCurrentForecast(run({}), { ...forecast, targetFitness: null })).toBeNull();
    expect(getCurrentForecast(run({}), undefined)).toBeNull();
    expect(getCurrentForecast({ direction: 'max', progress: null }, forecast)).toBeNull();
  });
});
