import { expect, test } from 'vitest';
import type { HeatMapFigure } from '#renderer/charts/figure.ts';
import { makeMetricHeatMap } from '#renderer/charts/figures/metric-heat-map.ts';
import { makePlotlyDrawing } from '#renderer/charts/plotly.ts';
import { describeCell, readScene } from '#renderer/charts/reading.ts';
import { sampleMetrics } from '#renderer/pages/gallery/sample-data.ts';
import type { Choice } from '#renderer/charts/scene.ts';
import { getWholeRanges } from '#renderer/charts/scenes.ts';
import { getDrawn, pictureFor, pictureText, sceneFor } from '#tests/renderer/charts/scene-text.ts';

const { figure } = makeMetricHeatMap(sampleMetrics(4));

test('rows are named next to their cells, the first on top', () => {
  expect(pictureText(figure)).toMatchInlineSnapshot(`
    [
      "x -0.5 to 3.5: 0 | 1 | 2 | 3",
      "y 2.5 to -0.5: entropy | diversity | drift_l2",
      "cells: 0 1 2 3 / entropy diversity drift_l2",
    ]
  `);
  expect(getWholeRanges(figure)).toEqual({ x: [-0.5, 3.5], y: [2.5, -0.5] });
});

test('the cells are drawn as they are, without a copy or a text for each', () => {
  expect(getDrawn('cells', figure)[0]?.colors).toBe(figure.cells);
  const [trace] = makePlotlyDrawing(pictureFor(figure)).data;
  expect(trace).toMatchObject({ z: figure.cells, hoverongaps: false, hoverinfo: 'skip' });
  expect(trace).not.toHaveProperty('customdata');
});

test('the colour scale is as many pixels from the cells in a wide picture as in a narrow one', () => {
  const getBar = (width: number) => {
    const { area } = pictureFor(figure, {}, { width, height: 300 });
    return width - area.left - area.width;
  };
  expect(getBar(1600)).toEqual(getBar(400));
});

test('a cell is read when it is pointed at: the number behind its colour, or that it has none', () => {
  expect(describeCell(sceneFor(figure), { x: 0, row: 2 })).toBe(
    'drift_l2 · iteration 0 · no value',
  );
  const scaled: HeatMapFigure = { ...figure, cells: [[0.5]], values: [[1234.5]] };
  expect(describeCell(sceneFor(scaled), { x: 0, row: 0 })).toBe('entropy · iteration 0 · 1234.5');
  expect(readScene(sceneFor(figure), { x: 2, row: 1 }).outline).toEqual({
    x: [1.5, 2.5],
    y: [0.5, 1.5],
  });
});

test('the ends of the colours are those of the reader, the figure, or the cells', () => {
  const { range: _, ...color } = figure.color;
  const own: HeatMapFigure = { ...figure, color, cells: [[2, null, 8]] };
  const ends = (map: HeatMapFigure, colorRange: Choice['colorRange']) =>
    sceneFor(map, { colorRange }).colors?.range;
  expect(ends(figure, {})).toEqual([0, 1]);
  expect(ends(own, {})).toEqual([2, 8]);
  expect(ends(own, { maximum: 5 })).toEqual([2, 5]);
  expect(ends({ ...own, cells: [[null]] }, {})).toEqual([0, 1]);
});

test('as many rows are named as have room, more of them in a part that is zoomed into', () => {
  const labels = Array.from({ length: 100 }, (_, row) => `bit ${row}`);
  const many: HeatMapFigure = {
    ...figure,
    y: { title: 'bit', labels },
    cells: labels.map(() => [1]),
  };
  const named = (view: Choice['view']) =>
    pictureFor(many, { view }).ticks.y.map(({ label }) => label);
  expect(named({}).slice(0, 3)).toEqual(['bit 0', 'bit 10', 'bit 20']);
  expect(named({ y: [12.5, 8.5] })).toEqual(['bit 9', 'bit 10', 'bit 11', 'bit 12']);
});
