import { describe, expect, test } from 'vitest';
import type { GroupSummary } from '#shared/schemas/analysis.ts';
import { groupLooks, runtimeOf } from '#renderer/features/analysis/group-looks.ts';

const group = (algorithm: string, ert: number | null = null) =>
  ({ algorithm, label: `${algorithm}!`, ert }) as GroupSummary;

describe('groupLooks', () => {
  test('an algorithm keeps its colour whichever others are chosen', () => {
    const known = ['cga', 'pbil', 'umda'];
    const all = groupLooks([group('cga'), group('pbil'), group('umda')], 'algorithm', known);
    const one = groupLooks([group('umda')], 'algorithm', known);
    expect(one('umda')).toEqual(all('umda'));
    expect(one('umda')).toEqual({ name: 'umda!', paletteIndex: 2 });
  });

  test('other groups are counted as they come', () => {
    const looks = groupLooks([group('m2'), group('m1')], 'model', ['cga']);
    expect([looks('m2').paletteIndex, looks('m1').paletteIndex]).toEqual([0, 1]);
  });

  test('a name that is no group is shown as it is', () => {
    expect(groupLooks([], 'algorithm', [])('ghost')).toEqual({ name: 'ghost', paletteIndex: 0 });
  });
});

test('an ERT is infinite when runs were there and none succeeded, else what it is', () => {
  expect(runtimeOf({ totalRuns: 3, successfulRuns: 0 }, null)).toBe(Infinity);
  expect(runtimeOf({ totalRuns: 0, successfulRuns: 0 }, null)).toBeNull();
  expect(runtimeOf({ totalRuns: 3, successfulRuns: 1 }, 120)).toBe(120);
});
