import { describe, expect, test } from 'vitest';
import { getRuntime } from '#shared/group-metrics.ts';
import type { GroupSummary } from '#shared/schemas/analysis.ts';
import { getGroupLooks, getLabelsByResult } from '#renderer/features/analysis/group-looks.ts';

const group = (algorithm: string, ert: number | null = null) =>
  ({ algorithm, label: `${algorithm}!`, ert }) as GroupSummary;

describe('getGroupLooks', () => {
  test('an algorithm keeps its colour whichever others are chosen', () => {
    const known = ['cga', 'pbil', 'umda'];
    const all = getGroupLooks([group('cga'), group('pbil'), group('umda')], 'algorithm', known);
    const one = getGroupLooks([group('umda')], 'algorithm', known);
    expect(one('umda')).toEqual(all('umda'));
    expect(one('umda')).toEqual({ name: 'umda!', paletteIndex: 2 });
  });

  test('other groups are counted as they come', () => {
    const looks = getGroupLooks([group('m2'), group('m1')], 'model', ['cga']);
    expect([looks('m2').paletteIndex, looks('m1').paletteIndex]).toEqual([0, 1]);
  });

  test('a name that is no group is shown as it is', () => {
    expect(getGroupLooks([], 'algorithm', [])('ghost')).toEqual({ name: 'ghost', paletteIndex: 0 });
  });
});

test('with an emphasis, only the emphasised groups have a colour', () => {
  const known = Array.from('abcdefghi');
  const looks = getGroupLooks(
    known.map((name) => group(name)),
    'algorithm',
    known,
    ['b!', 'i!'],
  );
  expect(['a', 'b', 'c', 'i'].map((name) => looks(name).paletteIndex)).toEqual([-1, 1, -1, 0]);
});

describe('getLabelsByResult', () => {
  const result = (
    label: string,
    ert: number | null,
    successRate: number | null,
    medianBest: number | null,
  ) =>
    ({
      label,
      medianBest: 0,
      atCommonBudget: { ert, successRate, medianBest },
    }) as unknown as GroupSummary;
  const groups = [
    result('none', null, 0, 5),
    result('slow', 900, 1, 1),
    result('near', null, 0, 2),
    result('fast', 100, 0.5, 7),
    result('unknown', null, 0, null),
  ];

  test('sorts by ERT, then by median best fitness in the direction of the objective', () => {
    expect(getLabelsByResult({ algorithms: groups, objectiveDirection: 'min' })).toEqual([
      'fast',
      'slow',
      'near',
      'none',
      'unknown',
    ]);
    expect(getLabelsByResult({ algorithms: groups, objectiveDirection: 'max' })).toEqual([
      'fast',
      'slow',
      'none',
      'near',
      'unknown',
    ]);
  });
});

test('an ERT is infinite when runs were there and none succeeded, else what it is', () => {
  expect(getRuntime({ totalRuns: 3, successfulRuns: 0 }, null)).toBe(Infinity);
  expect(getRuntime({ totalRuns: 0, successfulRuns: 0 }, null)).toBeNull();
  expect(getRuntime({ totalRuns: 3, successfulRuns: 1 }, 120)).toBe(120);
});
