import { expect, test } from 'vitest';
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

test('what no drawn iteration shows has no mark; an open end marks the one iteration', () => {
  expect(getMarks([found({ fromIteration: null })], ['best'], [2, 4])).toEqual([]);
  expect(getMarks([found({ fromIteration: 3 })], ['best'], [2, 4])).toEqual([]);
  expect(getMarks([found({ toIteration: null })], ['best'], [2, 4])).toEqual([
    { label: 'Stagnation', from: 2, to: 2 },
  ]);
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
