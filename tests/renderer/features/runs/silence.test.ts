import { describe, expect, test } from 'vitest';
import { isSilentAt } from '#renderer/features/runs/silence.ts';
import type { RunProgress } from '#shared/schemas/run.ts';

const lastActivityAt = '2026-11-21T10:00:00Z';
const lastMillis = Date.parse(lastActivityAt);

const progressWith = (changes: Partial<RunProgress>): RunProgress => ({
  iteration: 3,
  maxIterations: 10,
  evaluations: 30,
  bestSoFar: 1,
  meanFitness: 2,
  lastActivityAt,
  secondsPerIteration: 1,
  evaluationsPerSecond: null,
  grantedEvaluations: null,
  secondsLeft: null,
  silent: false,
  ...changes,
});

describe('a run that was not silent when it was fetched', () => {
  test.each([
    ['60 s after its last row', 1, 60_000, false],
    ['more than 60 s after it', 1, 62_000, true],
    ['before 20 of its gaps are over', 10, 199_000, false],
    ['when 20 of its gaps are over', 10, 202_000, true],
    ['with a single row', null, 62_000, true],
  ])('is silent only then by the clock: %s', (_, secondsPerIteration, later, expected) => {
    const progress = progressWith({ secondsPerIteration });
    expect(isSilentAt(progress, lastMillis + later)).toBe(expected);
  });

  test('without a time that can be read is never silent', () => {
    expect(isSilentAt(progressWith({ lastActivityAt: 'yesterday' }), lastMillis)).toBe(false);
  });
});

test('a run that the service called silent is silent until it is fetched again', () => {
  expect(isSilentAt(progressWith({ silent: true }), lastMillis)).toBe(true);
});
