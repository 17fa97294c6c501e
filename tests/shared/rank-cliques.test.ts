import { describe, expect, it, test } from 'vitest';
import { barsOver, cliquesOf } from '#shared/rank-cliques.ts';

const pair = (a: string, b: string, significant: boolean) => ({ a, b, significant });

describe('barsOver', () => {
  it('joins groups that are not shown to differ, whichever comes first in their pair', () => {
    const pairs = [pair('b', 'a', false), pair('c', 'a', true), pair('b', 'c', true)];
    expect(barsOver(['a', 'b', 'c'], pairs)).toEqual([[0, 1]]);
  });

  it('joins groups far apart in rank, over others, and leaves out bars inside', () => {
    const pairs = [pair('a', 'b', true), pair('a', 'c', false), pair('b', 'c', false)];
    expect(barsOver(['a', 'b', 'c'], pairs)).toEqual([[0, 2]]);
  });

  it('draws no bar where every two groups differ, and joins those that were not tested', () => {
    expect(barsOver(['a', 'b'], [pair('a', 'b', true)])).toEqual([]);
    expect(barsOver(['a', 'b', 'c'], [])).toEqual([[0, 2]]);
  });
});

describe('cliquesOf', () => {
  test('joins ranks that differ by less than the critical difference', () => {
    expect(cliquesOf([1, 1.5, 3], 1)).toEqual([[0, 1]]);
    expect(cliquesOf([1, 1.8, 2.6], 1)).toEqual([
      [0, 1],
      [1, 2],
    ]);
  });

  test('leaves out sets inside others, and ranks that stand alone', () => {
    expect(cliquesOf([1, 1.2, 1.4, 1.6], 1)).toEqual([[0, 3]]);
    expect(cliquesOf([1, 3, 5], 1)).toEqual([]);
  });

  test('a difference that equals the critical one is a difference', () => {
    expect(cliquesOf([1, 2], 1)).toEqual([]);
  });
});
