import { expect, test } from 'vitest';
import { getCounterParts, formatCounters } from '#renderer/features/runs/run-counters.ts';

const none = {
  totalRuns: 0,
  completedRuns: 0,
  failedRuns: 0,
  stoppedRuns: 0,
  runningRuns: 0,
  silentRuns: 0,
};

test('the parts add up to the total, with runs of an unknown status as others', () => {
  const counts = { ...none, totalRuns: 9, completedRuns: 4, runningRuns: 2, stoppedRuns: 1 };
  expect(getCounterParts(counts)).toEqual([
    { word: 'completed', count: 4 },
    { word: 'running', count: 2 },
    { word: 'stopped', count: 1 },
    { word: 'other', count: 2 },
  ]);
  expect(formatCounters(counts)).toBe('9 runs: 4 completed, 2 running, 1 stopped, 2 other');
});

test('a silent run counts as silent and not as running', () => {
  const counts = { ...none, totalRuns: 4, completedRuns: 1, runningRuns: 3, silentRuns: 2 };
  expect(getCounterParts(counts)).toEqual([
    { word: 'completed', count: 1 },
    { word: 'running', count: 1 },
    { word: 'silent', count: 2 },
  ]);
  expect(formatCounters(counts)).toBe('4 runs: 1 completed, 1 running, 2 silent');
  expect(formatCounters({ ...none, totalRuns: 2, runningRuns: 2, silentRuns: 2 })).toBe(
    '2 runs: 2 silent',
  );
});

test('an experiment without runs has no parts', () => {
  expect(getCounterParts(none)).toEqual([]);
  expect(formatCounters(none)).toBe('no runs');
});

test('one run is one run', () => {
  expect(formatCounters({ ...none, totalRuns: 1, failedRuns: 1 })).toBe('1 run: 1 failed');
});
