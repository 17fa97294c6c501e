import { expect, test } from 'vitest';
import {
  getCellState,
  formatCell,
  describeCell,
  getSolvedShare,
} from '#renderer/pages/campaign/completeness-cells.ts';

const place = { optimizerId: 'es', functionId: 3, dimension: 5 };
const whole = { ...place, expected: 15, present: 15, failed: 0, reachedTargets: 9 };

test('a cell with all its trials shows their number and the share that reached the target', () => {
  expect([getCellState(whole), formatCell(whole), getSolvedShare(whole)]).toEqual([
    'whole',
    '15',
    0.6,
  ]);
  expect(describeCell(place, whole)).toBe(
    'es, f3, dimension 5: 15 trials of 15 planned, 9 reached their target',
  );
});

test('failed trials are counted separately from complete ones', () => {
  const failed = { ...whole, failed: 2 };
  expect([getCellState(failed), formatCell(failed)]).toEqual(['failed', '13/15 ✕2']);
  expect(describeCell(place, failed)).toContain('15 trials of 15 planned, 2 of them failed');
});

test('an incomplete cell, a cell beyond the plan and an empty cell have different texts', () => {
  const part = { ...whole, present: 4 };
  expect([getCellState(part), formatCell(part)]).toEqual(['part', '4/15']);
  const extra = { ...whole, expected: 0, present: 1 };
  expect([getCellState(extra), formatCell(extra)]).toEqual(['whole', '1']);
  expect(describeCell(place, extra)).toContain('1 trial, none planned');
  expect([getCellState(undefined), formatCell(undefined), getSolvedShare(undefined)]).toEqual([
    'none',
    '–',
    0,
  ]);
});
