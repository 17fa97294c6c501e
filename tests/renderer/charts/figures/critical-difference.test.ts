import { expect, test } from 'vitest';
import { getTable } from '#renderer/charts/table.ts';
import { isEmptyFigure } from '#renderer/charts/scenes.ts';
import { makeCriticalDifferenceFigure } from '#renderer/charts/figures/critical-difference.ts';
import { sampleRanks } from '#renderer/pages/gallery/sample-analysis.ts';
import { sceneFor } from '#tests/renderer/charts/scene-text.ts';

const look = (name: string) => ({ name, paletteIndex: 0 });

test('a diagram is the same picture for the same response', () => {
  expect(makeCriticalDifferenceFigure(sampleRanks, sampleRanks.pairs, look)).toMatchSnapshot();
});

test('without blocks there is no diagram', () => {
  const figure = makeCriticalDifferenceFigure(
    { ...sampleRanks, criticalDifference: null },
    sampleRanks.pairs,
    look,
  );
  expect(isEmptyFigure(figure)).toBe(true);
  expect(figure.empty).toBe('No common blocks (instances or seeds), so there is no rank diagram.');
});

test('with pairs, the bars show the claims, independent of the critical difference', () => {
  const names = sampleRanks.ranks.map(({ algorithm }) => algorithm);
  const pairs = names.flatMap((a, index) =>
    names.slice(index + 1).map((b) => ({ a, b, significant: b === 'random' })),
  );
  expect(makeCriticalDifferenceFigure(sampleRanks, pairs, look).cliques).toEqual([[0, 3]]);
});

test('a single group has an empty figure', () => {
  const alone = { ranks: sampleRanks.ranks.slice(0, 1), criticalDifference: null };
  expect(isEmptyFigure(makeCriticalDifferenceFigure(alone, [], look))).toBe(true);
});

test('the table agrees with the bars', () => {
  const figure = makeCriticalDifferenceFigure(sampleRanks, sampleRanks.pairs, look);
  const { columns, rows } = getTable(sceneFor(figure));
  expect(columns.slice(0, 2)).toEqual(['name', 'average rank']);
  expect(rows.map((row) => row.slice(0, 3))).toEqual([
    ['cma-es', 1.4, 'yes'],
    ['umda', 2.1, 'yes'],
    ['pbil', 3.2, null],
    ['cga', 3.6, null],
    ['random', 4.7, null],
  ]);
});
