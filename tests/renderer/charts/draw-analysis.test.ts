import { describe, expect, test } from 'vitest';
import { drawFigure } from '#renderer/charts/draw-figure.ts';
import { drawBoxes } from '#renderer/charts/draw-boxes.ts';
import { describeBin } from '#renderer/charts/draw-histogram.ts';
import { drawLines } from '#renderer/charts/draw-lines.ts';
import { plainDrawing, traceId } from '#renderer/charts/drawing.ts';
import type { LineFigure } from '#renderer/charts/figure.ts';
import { figureTable } from '#renderer/charts/figure-table.ts';
import { bestFitnessBoxes } from '#renderer/charts/figures/best-fitness-boxes.ts';
import { criticalDifferenceFigure } from '#renderer/charts/figures/critical-difference.ts';
import { bestFitnessHistogramFigure } from '#renderer/charts/figures/histograms.ts';
import { sampleBins, sampleBox, sampleRanks } from '#renderer/charts/sample-analysis.ts';
import { themeFrom } from '#renderer/charts/theme.ts';

const theme = themeFrom((name) => (name === '--band' ? '0.2' : `#${name}`));
const histogram = bestFitnessHistogramFigure(sampleBins([3, 0, 1]), 0);
const boxes = bestFitnessBoxes([{ name: '<b>umda', paletteIndex: 0, box: sampleBox(10) }], 12);
const ranks = criticalDifferenceFigure(sampleRanks, (name) => ({ name, paletteIndex: 1 }));

test('histogram, boxes and ranks give the same data and layout for the same figure', () => {
  for (const figure of [histogram, boxes, ranks]) {
    expect(drawFigure(figure, theme, plainDrawing)).toMatchSnapshot();
  }
});

test('a bin is named with its edges, closed at the end where it holds it', () => {
  expect(describeBin(histogram, 0)).toBe('[200, 250): 3');
  expect(describeBin(histogram, 2)).toBe('[300, 350]: 1');
});

test('names are shown as they are, never as markup', () => {
  const { data, layout } = drawBoxes(boxes, theme, plainDrawing);
  const texts = data.map((trace) => (trace.type === 'box' ? trace.name : trace.customdata));
  expect(JSON.stringify([texts, layout])).not.toContain('<b>umda');
  expect(layout.xaxis.ticktext).toEqual(['&lt;b&gt;umda']);
});

test('whatever a series is named, what Plotly makes a selector of is one', () => {
  const names = ['Rastrigin 10, full', 'a.b#c', 'ä "quoted"', '{}', 'a b', 'a_20b'];
  const ids = names.map(traceId);
  for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_]+$/);
  expect(new Set(ids).size).toBe(names.length);
  for (const figure of [histogram, boxes, ranks]) {
    const { data } = drawFigure(figure, theme, plainDrawing);
    for (const { uid } of data) expect(uid).toMatch(/^[a-zA-Z0-9_]+$/);
  }
});

describe('a step with a reach', () => {
  const figure: LineFigure = {
    kind: 'lines',
    x: { title: 'evaluations' },
    y: { title: 'share', range: [0, 1.03] },
    series: [
      {
        name: 'solved',
        x: [20, 50],
        y: [0.5, 1],
        shape: 'step',
        paletteIndex: 0,
        stepExtent: [10, 100],
      },
      { name: 'never', x: [], y: [], shape: 'step', paletteIndex: 1, stepExtent: [10, 100] },
    ],
    references: [],
    empty: 'nothing',
  };

  test('is drawn from 0 and held to the end', () => {
    const { data, layout } = drawLines(figure, theme, plainDrawing);
    expect(data[0]).toMatchObject({ x: [10, 20, 50, 100], y: [0, 0.5, 1, 1], mode: 'lines' });
    expect(data[0]?.customdata).toEqual(['0', '0.5', '1', '1']);
    expect(data[1]).toMatchObject({ x: [10, 100], y: [0, 0] });
    expect(layout.yaxis).toMatchObject({ range: [0, 1.03], autorange: false });
  });

  test('has no ends in its table', () => {
    expect(figureTable(figure).rows).toEqual([
      [20, 0.5, null],
      [50, 1, null],
    ]);
  });
});

test('single runs are one thin trace behind their series and columns of their own in the table', () => {
  const figure: LineFigure = {
    kind: 'lines',
    x: { title: 'evaluations' },
    y: { title: 'best so far' },
    series: [
      {
        name: 'umda',
        x: [1, 2],
        y: [3, 4],
        shape: 'step',
        paletteIndex: 0,
        runTraces: [
          { name: 'r1', x: [1, 2], y: [2, 5] },
          { name: 'r2', x: [1], y: [4] },
        ],
      },
    ],
    references: [],
    empty: 'nothing',
  };
  const { data } = drawLines(figure, theme, plainDrawing);
  expect(data.map(({ name }) => name)).toEqual(['umda, each', 'umda']);
  expect(data[0]).toMatchObject({ x: [1, 2, 2, 1, 1], y: [2, 5, null, 4, null] });
  expect(figureTable(figure)).toEqual({
    columns: ['evaluations', 'umda', 'r1', 'r2'],
    rows: [
      [1, 3, 2, 4],
      [2, 4, 5, null],
    ],
  });
});
