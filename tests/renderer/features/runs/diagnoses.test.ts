import { describe, expect, test } from 'vitest';
import {
  getDiagnosisName,
  getDiagnosisPath,
  getMarks,
  type Diagnoses,
} from '#renderer/features/runs/diagnoses.ts';

function found(more: Partial<Diagnoses[number]>): Diagnoses[number] {
  return {
    code: 'STAGNATION',
    severity: 'warning',
    fromIteration: 2,
    toIteration: 4,
    message: '',
    evidence: { tab: 'fitness', series: ['best'], value: 1, threshold: 1 },
    ...more,
  };
}

test('a code is read as words', () => {
  expect(getDiagnosisName('STILL_IMPROVING')).toBe('Still improving');
});

test('a finding marks the charts that draw what it rests on, in their own x', () => {
  const iterations = [0, 2, 4];
  expect(getMarks([found({})], ['best'], iterations)).toEqual([
    { label: 'Stagnation', from: 2, to: 4 },
  ]);
  expect(getMarks([found({})], ['best'], iterations, [0, 200, 400])).toEqual([
    { label: 'Stagnation', from: 200, to: 400 },
  ]);
  expect(getMarks([found({})], ['mean'], iterations)).toEqual([]);
});

test('a finding without an end marks one iteration, one without iterations has no mark', () => {
  expect(getMarks([found({ toIteration: null })], ['best'], [2, 4])).toEqual([
    { label: 'Stagnation', from: 2, to: 2 },
  ]);
  expect(getMarks([found({ fromIteration: null })], ['best'], [2, 4])).toEqual([]);
});

describe('the mark of a finding on a thinned chart', () => {
  const drawn = [0, 10, 20, 30];
  const mark = (fromIteration: number, toIteration: number, axis?: readonly (number | null)[]) =>
    getMarks([found({ fromIteration, toIteration })], ['best'], drawn, axis).map(({ from, to }) => [
      from,
      to,
    ]);

  test('covers the drawn points within the finding', () => {
    expect(mark(9, 30)).toEqual([[10, 30]]);
    expect(mark(10, 29)).toEqual([[10, 20]]);
    expect(mark(1, 99)).toEqual([[10, 30]]);
  });

  test('is on the nearest point when none within the finding is drawn', () => {
    expect(mark(12, 13)).toEqual([[10, 10]]);
    expect(mark(12, 19)).toEqual([[20, 20]]);
  });

  test('omits points without a place on the axis', () => {
    expect(mark(10, 30, [0, null, 200, null])).toEqual([[200, 200]]);
  });

  test('is absent when the finding is before or after all points', () => {
    expect(mark(40, 50)).toEqual([]);
    expect(getMarks([found({})], ['best'], [10, 20])).toEqual([]);
    expect(getMarks([found({})], ['best'], [])).toEqual([]);
  });
});

test('the path of a finding leads to the tab and the chart with its evidence', () => {
  const at = (tab: 'fitness' | 'events' | 'iterations', key: string) =>
    getDiagnosisPath('r 1', found({ evidence: { tab, series: [key], value: 1, threshold: 1 } }));
  expect(at('events', 'adaptive_event_count')).toBe(
    '/runs/r%201?finding=STAGNATION&tab=events&show=adaptive-actions',
  );
  expect(at('fitness', 'best')).toBe('/runs/r%201?finding=STAGNATION&show=fitness');
  expect(at('iterations', 'best')).toBe('/runs/r%201?finding=STAGNATION&tab=iterations');
});
