import { describe, expect, test } from 'vitest';
import { getRunProgress } from '#renderer/pages/run/run-progress.ts';
import { computeMillisBetween } from '#shared/syntax.ts';

const unfinished = {
  bestFitness: null,
  iterations: null,
  evaluations: null,
  runtimeMillis: null,
  status: 'RUNNING',
  direction: 'min',
  startTime: '2026-11-21T10:55:00Z',
  progress: null,
} as const;

function row(iteration: number, bestFitness: number | null) {
  return {
    iteration,
    evaluations: 100 * (iteration + 1),
    bestFitness,
    meanFitness: null,
    stdFitness: null,
    createdAt: `2026-11-21T10:55:0${iteration}.5Z`,
    populationSize: null,
    eliteSize: null,
    adaptiveActions: null,
  };
}

describe('getRunProgress', () => {
  test('takes a running run’s progress from its iterations, best so far in its direction', () => {
    const rows = [row(0, 5), row(1, 3), row(2, 4)];
    expect(getRunProgress(unfinished, rows)).toEqual({
      best: 3,
      iterations: 2,
      evaluations: 300,
      runtimeMillis: 2500,
      isFromIterations: true,
    });
    expect(getRunProgress({ ...unfinished, direction: 'max' }, rows).best).toBe(5);
  });

  test('takes the results of a finished run as they are stored', () => {
    const finished = {
      ...unfinished,
      bestFitness: 2,
      iterations: 9,
      evaluations: '9007199254740993',
      runtimeMillis: 85,
      status: 'COMPLETED',
    };
    expect(getRunProgress(finished, [row(0, 1)])).toEqual({
      best: 2,
      iterations: 9,
      evaluations: '9007199254740993',
      runtimeMillis: 85,
      isFromIterations: false,
    });
  });

  test('takes the progress of a resumed run from its iterations, not from its earlier segment', () => {
    const results = { bestFitness: 4, iterations: 0, evaluations: 100, runtimeMillis: 85 };
    const resumed = { ...unfinished, ...results };
    expect(getRunProgress(resumed, [row(0, 5), row(1, 3)])).toEqual({
      best: 3,
      iterations: 1,
      evaluations: 200,
      runtimeMillis: 1500,
      isFromIterations: true,
    });
    expect(getRunProgress({ ...resumed, status: 'FAILED' }, [row(0, 5)])).toEqual({
      best: 4,
      iterations: 0,
      evaluations: 100,
      runtimeMillis: 85,
      isFromIterations: false,
    });
  });

  test('takes the progress of a resumed run from its response while its iterations are loading', () => {
    const resumed = {
      ...unfinished,
      bestFitness: 4,
      iterations: 0,
      evaluations: 100,
      runtimeMillis: 85,
      progress: {
        bestSoFar: 3,
        iteration: 1,
        evaluations: 200,
        lastActivityAt: '2026-11-21T10:55:01.5Z',
      },
    };
    expect(getRunProgress(resumed, [])).toEqual(getRunProgress(resumed, [row(0, 5), row(1, 3)]));
    expect(getRunProgress(resumed, [])).toMatchObject({ best: 3, isFromIterations: true });
  });

  test('has only null values for a run without results and iterations', () => {
    expect(getRunProgress(unfinished, [])).toEqual({
      best: null,
      iterations: null,
      evaluations: null,
      runtimeMillis: null,
      isFromIterations: false,
    });
  });
});

test('the time between two stored times is null when one is no time or they are in reverse', () => {
  expect(computeMillisBetween('2026-11-21T10:55:00Z', '2026-11-21T10:55:01.25Z')).toBe(1250);
  expect(computeMillisBetween('2026-11-21T10:55:01Z', '2026-11-21T10:55:00Z')).toBeNull();
  expect(computeMillisBetween('soon', '2026-11-21T10:55:00Z')).toBeNull();
});
