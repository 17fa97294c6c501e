import { describe, expect, test } from 'vitest';
import { cliquesOf } from '#shared/rank-cliques.ts';

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
