import { describe, expect, test } from 'vitest';
import { drawFigure, exportedLayout } from '#renderer/charts/draw-figure.ts';
import { drawHeatMap } from '#renderer/charts/draw-heat-map.ts';
import { drawLines } from '#renderer/charts/draw-lines.ts';
import { maximumTracePoints } from '#renderer/charts/downsample.ts';
import { plainDrawing } from '#renderer/charts/drawing.ts';
import type { HeatMapFigure } from '#renderer/charts/figure.ts';
import { adaptiveTimeline } from '#renderer/charts/figures/adaptive-timeline.ts';
import { fitnessFigure } from '#renderer/charts/figures/fitness.ts';
import { metricHeatMap } from '#renderer/charts/figures/metric-heat-map.ts';
import { sampleActions, sampleIterations, sampleMetrics } from '#renderer/charts/sample-data.ts';
import { themeFrom } from '#renderer/charts/theme.ts';

const theme = themeFrom((name) => (name === '--band' ? '0.2' : `#${name}`));
const run = { direction: 'min', targetFitness: 0.01, isRunning: true } as const;
const short = fitnessFigure(sampleIterations(3), run, 'evaluations');
const long = fitnessFigure(sampleIterations(50_000), run, 'evaluations');

describe('drawing lines', () => {
  test('gives the same data and layout for the same figure', () => {
    expect(drawLines(short, theme, plainDrawing)).toMatchSnapshot();
    expect(drawLines(adaptiveTimeline(sampleActions()), theme, plainDrawing)).toMatchSnapshot();
  });

  test('uses only SVG traces, as the others need what the policy of the pages forbids', () => {
    expect(new Set(drawLines(short, theme, plainDrawing).data.map(({ type }) => type))).toEqual(
      new Set(['scatter']),
    );
  });

  test('puts at most 2 000 points of each trace on the screen, all traces at the same x', () => {
    const { data } = drawLines(long, theme, plainDrawing);
    expect(data).toHaveLength(5);
    for (const trace of data) {
      expect(trace.x.length).toBeLessThanOrEqual(maximumTracePoints);
      expect(trace.x).toEqual(data[0]?.x);
    }
  });

  test('draws every point of a part that is zoomed into', () => {
    const view = { x: [100_000, 100_500] } as const;
    const { data, layout } = drawLines(long, theme, { ...plainDrawing, view });
    expect(data[0]?.x).toEqual([
      99_900, 100_000, 100_100, 100_200, 100_300, 100_400, 100_500, 100_600,
    ]);
    expect(layout.xaxis).toMatchObject({ range: [100_000, 100_500], autorange: false });
  });

  test('draws a part of a log axis from its values', () => {
    const options = {
      ...plainDrawing,
      scales: { x: 'log', y: 'linear' },
      view: { x: [100, 1000] },
    } as const;
    expect(drawLines(long, theme, options).data[0]?.x).toEqual([
      100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100,
    ]);
  });

  test('cuts a band on a log axis at the smallest value drawn', () => {
    const rows = [{ iteration: 1, evaluations: 9, bestFitness: 2, meanFitness: 3, stdFitness: 5 }];
    const figure = fitnessFigure(
      rows,
      { direction: 'min', targetFitness: null, isRunning: true },
      'iteration',
    );
    const options = { ...plainDrawing, scales: { x: 'linear', y: 'log' } } as const;
    const lower = drawLines(figure, theme, options).data.find(
      ({ name }) => name === 'mean ± std, lower',
    );
    expect(lower?.y).toEqual([2]);
    const linear = drawLines(figure, theme, plainDrawing).data.find(
      ({ name }) => name === 'mean ± std, lower',
    );
    expect(linear?.y).toEqual([-2]);
  });

  test('puts the label of a target on a log axis at its exponent and the line at its value', () => {
    const options = { ...plainDrawing, scales: { x: 'linear', y: 'log' } } as const;
    const { layout } = drawLines(short, theme, options);
    expect(layout.annotations[0]).toMatchObject({ text: 'target 0.01', y: -2 });
    expect(layout.shapes[0]).toMatchObject({ y0: 0.01, y1: 0.01 });
  });

  test('marks points between gaps, which make no line', () => {
    const modes = (count: number) =>
      drawLines(fitnessFigure(sampleIterations(count), run, 'iteration'), theme, plainDrawing)
        .data.filter(({ hoverinfo }) => hoverinfo !== 'skip')
        .map(({ mode }) => mode);
    expect(new Set(modes(1))).toEqual(new Set(['lines+markers']));
    expect(new Set(modes(2))).toEqual(new Set(['lines']));
  });

  test('puts ticks at whole iterations only, also when zoomed in', () => {
    const figure = fitnessFigure(sampleIterations(100), run, 'iteration');
    const step = (view: object) =>
      drawLines(figure, theme, { ...plainDrawing, view }).layout.xaxis.dtick;
    expect(step({})).toBeUndefined();
    expect(step({ x: [2.5, 5] })).toBe(1);
  });

  test('switches a series off together with its band', () => {
    const { data } = drawLines(short, theme, { ...plainDrawing, hidden: new Set(['mean']) });
    expect(data.map(({ name, visible }) => [name, visible])).toEqual([
      ['best so far', true],
      ['best', true],
      ['mean ± std, lower', false],
      ['mean ± std, upper', false],
      ['mean', false],
    ]);
  });

  test('shows names from the database as text, not as markup', () => {
    const action = {
      iteration: 1,
      trigger: 't',
      actionType: '<a href="x">b</a>',
      reason: '1 < 2 & 3',
    };
    const [trace] = drawLines(adaptiveTimeline([action]), theme, plainDrawing).data;
    expect(trace?.name).toBe('&lt;a href="x"&gt;b&lt;/a&gt;');
    expect(trace?.customdata).toEqual(['t · 1 &lt; 2 &amp; 3']);
  });
});

describe('drawing a heat map', () => {
  const { figure } = metricHeatMap(sampleMetrics(4));

  test('gives the same data and layout for the same figure', () => {
    expect(drawHeatMap(figure, theme, plainDrawing)).toMatchSnapshot();
  });

  test('leaves missing cells blank and says so on hover', () => {
    const [trace] = drawHeatMap(figure, theme, plainDrawing).data;
    expect(trace?.z[2]?.slice(0, 2)).toEqual([null, null]);
    expect(trace?.hoverongaps).toBe(false);
    expect(trace?.customdata[2]?.[0]).toBe('drift_l2 · iteration 0 · no value');
  });

  test('shows the numbers behind scaled colours on hover', () => {
    const scaled: HeatMapFigure = { ...figure, cells: [[0.5]], values: [[1234.5]] };
    expect(drawHeatMap(scaled, theme, plainDrawing).data[0]?.customdata).toEqual([
      ['entropy · iteration 0 · 1234.5'],
    ]);
  });

  test('takes the ends of the colours from the reader, the figure, or the cells', () => {
    const { range: _, ...color } = figure.color;
    const cells: HeatMapFigure = { ...figure, color, cells: [[2, null, 8]] };
    const ends = (map: HeatMapFigure, colorRange: { minimum?: number; maximum?: number }) => {
      const [trace] = drawHeatMap(map, theme, { ...plainDrawing, colorRange }).data;
      return [trace?.zmin, trace?.zmax];
    };
    expect(ends(figure, {})).toEqual([0, 1]);
    expect(ends(cells, {})).toEqual([2, 8]);
    expect(ends(cells, { maximum: 5 })).toEqual([2, 5]);
    expect(ends({ ...cells, cells: [[null]] }, {})).toEqual([0, 1]);
  });

  test('outlines and labels the pinned cell', () => {
    const { layout } = drawHeatMap(figure, theme, {
      ...plainDrawing,
      pinned: { row: 1, column: 2 },
    });
    expect(layout.shapes).toMatchObject([{ x0: 1.5, x1: 2.5, y0: 0.5, y1: 1.5 }]);
    expect(layout.annotations[0]?.text).toMatch(/^diversity · iteration 2 · 0\.\d+$/);
  });

  test('keeps at most 30 row labels', () => {
    const labels = Array.from({ length: 100 }, (_, row) => `bit ${row}`);
    const many: HeatMapFigure = {
      ...figure,
      y: { title: 'bit', labels },
      cells: labels.map(() => [1]),
    };
    const { yaxis } = drawHeatMap(many, theme, plainDrawing).layout;
    expect(yaxis.ticktext).toHaveLength(25);
    expect(yaxis.ticktext?.slice(0, 2)).toEqual(['bit 0', 'bit 4']);
  });
});

test('what the reader did to a picture survives each update: its revision never changes', () => {
  const first = drawFigure(short, theme, plainDrawing).layout;
  const second = drawFigure(long, theme, plainDrawing).layout;
  expect(first.uirevision).toBe(second.uirevision);
  expect(first.xaxis.uirevision).toBe(second.xaxis.uirevision);
});

test('a log scale that the values forbid is drawn linear', () => {
  const iterations = fitnessFigure(sampleIterations(3), run, 'iteration');
  const { layout } = drawFigure(iterations, theme, {
    ...plainDrawing,
    scales: { x: 'log', y: 'log' },
  });
  expect([layout.xaxis.type, layout.yaxis.type]).toEqual(['linear', 'log']);
});

test('an exported picture carries its title and legend', () => {
  const { layout } = drawFigure(short, theme, plainDrawing);
  const exported = exportedLayout(layout, theme, 'a < b');
  expect(exported.title.text).toBe('a &lt; b');
  expect([layout.showlegend, exported.showlegend]).toEqual([false, true]);
});
