import { expect, test } from 'vitest';

import type { Figure } from '#renderer/charts/figure.ts';
import { getTable } from '#renderer/charts/table.ts';
import { makeLoggableAxes } from '#renderer/charts/scenes.ts';
import { makeBestFitnessBoxes } from '#renderer/charts/figures/best-fitness-boxes.ts';
import { sampleBox } from '#renderer/pages/gallery/sample-analysis.ts';
import { sceneFor } from '#tests/renderer/charts/scene-text.ts';

const tableOfFigure = (figure: Figure) => getTable(sceneFor(figure));

const box = sampleBox(10);

test('box plots are the same picture for the same response', () => {
  expect(makeBestFitnessBoxes([{ name: 'umda', paletteIndex: 0, box }], 12)).toMatchSnapshot();
});

test('up to 2,000 values are drawn next to a box, or its outliers', () => {
  const many = Array.from({ length: 2_001 }, (_, index) => index);
  const [given, not, tooMany] = makeBestFitnessBoxes(
    [
      { name: 'a', paletteIndex: 0, box, values: [1, 2] },
      { name: 'b', paletteIndex: 1, box },
      { name: 'c', paletteIndex: 2, box, values: many },
    ],
    null,
  ).boxes;
  expect(given?.values).toEqual([1, 2]);
  expect(not?.values).toEqual(box.outliers);
  expect(tooMany?.values).toEqual(box.outliers);
});

test('its table has the numbers of each box, then its values', () => {
  const { columns, rows } = tableOfFigure(
    makeBestFitnessBoxes([{ name: 'a', paletteIndex: 0, box, values: [7.5] }], null),
  );
  expect(columns).toEqual([
    'group',
    'n',
    'lower whisker',
    'first quartile',
    'median',
    'third quartile',
    'upper whisker',
    'mean',
    'best fitness, point',
  ]);
  expect(rows).toEqual([
    ['a', 15, 8, 9, 10, 10.5, 11, 9.6, null],
    ['a', null, null, null, null, null, null, null, 7.5],
  ]);
});

test('a log axis is offered where box and values are positive, or have reached 0', () => {
  const getY = (values: number[], target: number | null) =>
    makeLoggableAxes(makeBestFitnessBoxes([{ name: 'a', paletteIndex: 0, box, values }], target)).y;
  expect(getY([1], 2)).toBe(true);
  expect(getY([0], 2)).toBe(true);
  expect(getY([-1], 2)).toBe(false);
  expect(getY([1], 0)).toBe(true);
});
