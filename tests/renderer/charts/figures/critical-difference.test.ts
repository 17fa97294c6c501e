import { describe, expect, test } from 'vitest';
import { figureTable } from '#renderer/charts/figure-table.ts';
import {
  cliquesOf,
  criticalDifferenceFigure,
} from '#renderer/charts/figures/critical-difference.ts';
import { sampleRanks } from '#renderer/charts/sample-analysis.ts';

const look = (name: string) => ({ name, paletteIndex: 0 });

test('a diagram is the same picture for the same answer', () => {
  expect(criticalDifferenceFigure(sampleRanks, look)).toMatchSnapshot();
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

test('without a critical difference no bars are drawn', () => {
  const figure = criticalDifferenceFigure({ ...sampleRanks, criticalDifference: null }, look);
  expect(figure.cliques).toEqual([]);
  expect(figure.ranks).toHaveLength(5);
});

test('its table says the same as the bars', () => {
  const { columns, rows } = figureTable(criticalDifferenceFigure(sampleRanks, look));
  expect(columns.slice(0, 2)).toEqual(['name', 'average rank']);
  expect(rows.map((row) => row.slice(0, 3))).toEqual([
    ['cma-es', 1.4, 'yes'],
    ['umda', 2.1, 'yes'],
    ['pbil', 3.2, null],
    ['cga', 3.6, null],
    ['random', 4.7, null],
  ]);
});
