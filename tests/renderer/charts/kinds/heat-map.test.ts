import { expect, test } from 'vitest';
import type { HeatMapFigure } from '#renderer/charts/figure.ts';
import { metricHeatMap } from '#renderer/charts/figures/metric-heat-map.ts';
import { describeCell, heatMap, wholeRanges } from '#renderer/charts/kinds/heat-map.ts';
import type { PlotlyDrawing, Setting } from '#renderer/charts/picture.ts';
import { sampleMetrics } from '#renderer/charts/sample-data.ts';
import { pictureText, setting } from '#tests/renderer/charts/picture-text.ts';

const { figure } = metricHeatMap(sampleMetrics(4));

function cells(map: HeatMapFigure, chosen: Partial<Setting> = {}) {
  const { drawing } = heatMap.draw(map, setting(chosen));
  return (drawing as PlotlyDrawing).data[0] as { z: unknown; zmin: number; zmax: number };
}

test('rows are named beside their cells, the first on top', () => {
  expect(pictureText(heatMap.draw(figure, setting()))).toMatchInlineSnapshot(`
    [
      "x -0.5 to 3.5: 0 | 1 | 2 | 3",
      "y 2.5 to -0.5: entropy | diversity | drift_l2",
      "heatmap : 0 1 2 3 / 0 1 2",
    ]
  `);
  expect(wholeRanges(figure)).toEqual({ x: [-0.5, 3.5], y: [2.5, -0.5] });
});

test('the cells are drawn as they are, without a copy or a text for each', () => {
  expect(cells(figure).z).toBe(figure.cells);
  expect(cells(figure)).toMatchObject({ hoverongaps: false, hoverinfo: 'skip' });
  expect(cells(figure)).not.toHaveProperty('customdata');
});

test('the scale of the colours stands as many pixels beside the cells in a wide picture as in a narrow one', () => {
  const barOf = (width: number) => {
    const { area, drawing } = heatMap.draw(figure, setting({ size: { width, height: 300 } }));
    const { colorbar } = (drawing as PlotlyDrawing).data[0] as {
      colorbar: { x: number; xpad: number };
    };
    const beside = (colorbar.x - 1) * area.width + colorbar.xpad;
    return [beside, width - area.left - area.width];
  };
  expect(barOf(1600)).toEqual(barOf(400));
});

test('a cell is read when it is pointed at: the number behind its colour, or that it has none', () => {
  expect(describeCell(figure, { x: 0, row: 2 })).toBe('drift_l2 · iteration 0 · no value');
  const scaled: HeatMapFigure = { ...figure, cells: [[0.5]], values: [[1234.5]] };
  expect(describeCell(scaled, { x: 0, row: 0 })).toBe('entropy · iteration 0 · 1234.5');
  expect(heatMap.read(figure, { x: 2, row: 1 }, new Set()).outline).toEqual({
    x: [1.5, 2.5],
    y: [0.5, 1.5],
  });
});

test('the ends of the colours are those of the reader, the figure, or the cells', () => {
  const { range: _, ...color } = figure.color;
  const own: HeatMapFigure = { ...figure, color, cells: [[2, null, 8]] };
  const ends = (map: HeatMapFigure, colorRange: Setting['colorRange']) => {
    const { zmin, zmax } = cells(map, { colorRange });
    return [zmin, zmax];
  };
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
  const named = (view: Setting['view']) => {
    const { drawing } = heatMap.draw(many, setting({ view }));
    return (drawing as PlotlyDrawing).layout.yaxis?.ticktext as string[];
  };
  expect(named({}).slice(0, 3)).toEqual(['bit 0', 'bit 10', 'bit 20']);
  expect(named({ y: [12.5, 8.5] })).toEqual(['bit 9', 'bit 10', 'bit 11', 'bit 12']);
});
