import { describe, expect, it } from 'vitest';
import {
  describeJoinedDifferences,
  findBars,
  isBeaten,
  isClearlyBest,
} from '#shared/claim-marks.ts';

const pair = (
  a: string,
  b: string,
  better: string,
  significant = true,
  pValue: number | null = 0.01,
) => ({
  a,
  b,
  better,
  significant,
  pValue,
});

describe('isClearlyBest', () => {
  it('is true only for a group that is significantly better in each of its tested pairs', () => {
    const pairs = [pair('a', 'b', 'a'), pair('c', 'a', 'a'), pair('b', 'c', 'b')];
    expect(['a', 'b', 'c'].filter((group) => isClearlyBest(group, pairs))).toEqual(['a']);
  });

  it('is false if a difference is not claimed or favours the other, and without tested pairs', () => {
    expect(isClearlyBest('a', [pair('a', 'b', 'a'), pair('a', 'c', 'a', false)])).toBe(false);
    expect(isClearlyBest('a', [pair('a', 'b', 'a'), pair('a', 'c', 'c')])).toBe(false);
    expect(isClearlyBest('a', [])).toBe(false);
    expect(isClearlyBest('a', [pair('a', 'b', 'none', false, null)])).toBe(false);
  });

  it('ignores pairs that are not tested', () => {
    expect(isClearlyBest('a', [pair('a', 'b', 'a'), pair('a', 'c', 'none', false, null)])).toBe(
      true,
    );
  });
});

describe('isBeaten', () => {
  it('is true if another group is significantly better, and null without tested pairs', () => {
    const pairs = [pair('a', 'b', 'a'), pair('b', 'c', 'c', false)];
    expect(['a', 'b', 'c', 'd'].map((group) => isBeaten(group, pairs))).toEqual([
      false,
      true,
      false,
      null,
    ]);
  });

  it('is false if the difference is not claimed, and null if no pair is tested', () => {
    expect(isBeaten('b', [pair('b', 'c', 'c', false)])).toBe(false);
    expect(isBeaten('b', [pair('b', 'c', 'none', false, null)])).toBeNull();
  });
});

describe('drawBars', () => {
  it('joins groups without a claimed difference, in either order of their pair', () => {
    const pairs = [pair('b', 'a', 'a', false), pair('c', 'a', 'a'), pair('b', 'c', 'b')];
    expect(findBars(['a', 'b', 'c'], pairs)).toEqual([[0, 1]]);
  });

  it('joins groups with distant ranks, and omits bars inside others', () => {
    const pairs = [pair('a', 'b', 'a'), pair('a', 'c', 'a', false), pair('b', 'c', 'b', false)];
    expect(findBars(['a', 'b', 'c'], pairs)).toEqual([[0, 2]]);
  });

  it('returns no bar if all groups differ, and joins groups that were not tested', () => {
    expect(findBars(['a', 'b'], [pair('a', 'b', 'a')])).toEqual([]);
    expect(findBars(['a', 'b', 'c'], [])).toEqual([[0, 2]]);
  });
});

describe('describeJoinedDifferences', () => {
  const getLabel = (group: string) => group.toUpperCase();

  it('names the pairs with a claimed difference inside one bar', () => {
    const pairs = [pair('b', 'a', 'a'), pair('a', 'c', 'a', false), pair('b', 'c', 'b', false)];
    expect(describeJoinedDifferences(['a', 'b', 'c'], pairs, getLabel)).toBe(
      'Groups with a common bar that differ significantly too: B and A.',
    );
    expect(describeJoinedDifferences(['a', 'c', 'b'], pairs, getLabel)).toBe('');
  });

  it('counts the pairs after the third', () => {
    const pairs = ['b', 'c', 'd', 'e'].map((other) => pair('a', other, 'a'));
    expect(describeJoinedDifferences(['a', 'b', 'c', 'd', 'e', 'f'], pairs, getLabel)).toBe(
      'Groups with a common bar that differ significantly too: A and B; A and C; A and D; and 1 more.',
    );
  });
});
