import { expect, test } from 'vitest';
import { getEndTime, getRuntimeSoFar, getShortId, getShownResults } from '#shared/words.ts';

const stored = {
  bestFitness: 5,
  iterations: 50,
  evaluations: 500,
  endTime: '2026-11-21T10:55:00Z',
};
const progress = { bestSoFar: 3, iteration: 120, evaluations: 1200 };

test('a resumed run shows its progress, not the results of its earlier segment', () => {
  const run = { ...stored, status: 'RUNNING', progress };
  expect(getShownResults(run)).toEqual({ best: 3, iterations: 120, evaluations: 1200 });
  expect(getEndTime(run)).toBeNull();
});

test('an ended run, and a running one without iterations, show the stored results', () => {
  const results = { best: 5, iterations: 50, evaluations: 500 };
  const none = { bestSoFar: null, iteration: null, evaluations: null };
  expect(getShownResults({ ...stored, progress: null })).toEqual(results);
  expect(getShownResults({ ...stored, progress: none })).toEqual(results);
  expect(getEndTime({ ...stored, status: 'STOPPED' })).toBe(stored.endTime);
});

test('a RUNNING run has a runtime from its first iteration on, as on its own page', () => {
  const getRuntime = (status: string, iteration: number | null) => {
    const runProgress = { iteration, lastActivityAt: '2026-11-21T10:55:09Z' };
    const startTime = '2026-11-21T10:55:00Z';
    return getRuntimeSoFar({ status, startTime, runtimeMillis: 5, progress: runProgress });
  };
  expect(getRuntime('RUNNING', null)).toBeNull();
  expect(getRuntime('RUNNING', 0)).toBe(9000);
  expect(getRuntime('COMPLETED', null)).toBe(5);
});

test('64 hex characters are shown as the first 8, any other id whole', () => {
  expect(getShortId('0a45ee50'.repeat(8))).toBe('0a45ee50');
  expect(getShortId('onemax40-cga-r03')).toBe('onemax40-cga-r03');
  expect(getShortId('g'.repeat(64))).toBe('g'.repeat(64));
});
