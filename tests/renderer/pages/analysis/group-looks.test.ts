import { describe, expect, test } from 'vitest';
import type { MeasuredPair } from '#shared/schemas/analysis-measures.ts';
import type { GroupSummary } from '#shared/schemas/analysis.ts';
import { groupLooks, runtimeOf, supportedBest } from '#renderer/pages/analysis/group-looks.ts';

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

describe('supportedBest', () => {
  const ert = (one: GroupSummary) => one.ert;
  const pair = (a: string, b: string, better: string, significant = true) =>
    ({ a, b, better, significant }) as MeasuredPair;
  const three = [group('a', 2), group('b', 1), group('c', 3)];

  test('has the best value where each difference to the others is supported', () => {
    const pairs = [pair('a', 'b', 'b'), pair('b', 'c', 'b'), pair('a', 'c', 'a', false)];
    expect([...supportedBest(three, ert, 'min', pairs)]).toEqual(['b']);
    expect(supportedBest(three, ert, 'min', pairs.slice(1)).size).toBe(0);
    expect(supportedBest(three, ert, 'max', pairs).size).toBe(0);
  });

  test('a missing value is worse than all, so that it needs a supported difference too', () => {
    const groups = [group('a', 2), group('b')];
    expect([...supportedBest(groups, ert, 'min', [pair('a', 'b', 'a')])]).toEqual(['a']);
    expect(supportedBest(groups, ert, 'min', [pair('a', 'b', 'a', false)]).size).toBe(0);
  });

  test('has none without tests, where all are equal, and where the best is infinite', () => {
    expect(supportedBest(three, ert, 'min', null).size).toBe(0);
    expect(supportedBest([group('a', 2), group('b', 2)], ert, 'min', []).size).toBe(0);
    expect(supportedBest([group('a'), group('b')], ert, 'min', []).size).toBe(0);
  });
});
