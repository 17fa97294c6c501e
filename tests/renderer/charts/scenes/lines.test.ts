import { describe, expect, test } from 'vitest';
import { maximumTracePoints } from '#renderer/charts/drawable.ts';
import type { LineFigure, Series } from '#renderer/charts/figure.ts';
import { getAdaptiveTimeline } from '#renderer/charts/figures/adaptive-timeline.ts';
import { makeFitnessFigure } from '#renderer/charts/figures/fitness.ts';
import { getPixel } from '#renderer/charts/layout.ts';
import { makePlotlyDrawing, getTraceId } from '#renderer/charts/plotly.ts';
import { readScene, findRunAt, getStops } from '#renderer/charts/reading.ts';
import { sampleActions, sampleIterations } from '#renderer/pages/gallery/sample-data.ts';
import type { Choice } from '#renderer/charts/scene.ts';
import { getTable } from '#renderer/charts/table.ts';
import { getTextWidth } from '#renderer/charts/ticks.ts';
import {
  drawnMarks,
  getDrawn,
  namedTheme,
  pictureFor,
  pictureText,
  sceneFor,
} from '#tests/renderer/charts/scene-text.ts';

const run = { direction: 'min', targetFitness: 0.01, isRunning: true } as const;
const short = makeFitnessFigure(sampleIterations(3), run, 'evaluations');
const long = makeFitnessFigure(sampleIterations(50_000), run, 'evaluations');
const logY = { scales: { x: 'linear', y: 'log' } } as const;

function getFigure(series: Partial<Series>[], more: Partial<LineFigure> = {}): LineFigure {
  return {
    kind: 'lines',
    x: { title: 'evaluations' },
    y: { title: 'best so far' },
    series: series.map((one) => ({
      name: 'a',
      x: [1, 2],
      y: [3, 4],
      shape: 'step',
      paletteIndex: 0,
      ...one,
    })),
    references: [],
    empty: 'nothing',
    ...more,
  };
}

const curves = (figure: LineFigure, chosen: Partial<Choice> = {}) =>
  getDrawn('curve', figure, chosen);

const getRanges = (figure: LineFigure, chosen: Partial<Choice> = {}) => {
  const { x, y } = sceneFor(figure, chosen).axes;
  return { x: x.scale.range, y: y.scale.range };
};

describe('a curve that has reached 0 on a logarithmic axis', () => {
  const y = { title: 'best so far', reachesZero: true };
  const solved = getFigure([{ x: [1, 2, 3, 4], y: [100, 1e-3, 0, -7e-15] }], { y });

  test('falls to the lower edge, which the axis title states, and keeps its values in the table', () => {
    const [low] = getRanges(solved, logY).y;
    expect(low).toBeGreaterThan(1e-4);
    expect(low).toBeLessThan(1e-3);
    expect(curves(solved, logY)[0]?.y).toEqual([100, 1e-3, low, low]);
    expect(sceneFor(solved, logY).axes.y.label).toBe('best so far (≤ 0 at the edge), log');
    expect(getTable(sceneFor(solved, logY)).rows.map((row) => row[1])).toEqual([
      100, 1e-3, 0, -7e-15,
    ]);
  });

  test('is at 0 on a linear axis', () => {
    expect(curves(solved)[0]?.y).toEqual([100, 1e-3, 0, -7e-15]);
    expect(sceneFor(solved).axes.y.label).not.toContain('edge');
  });
});

describe('drawing', () => {
  test('band, curves, target, ticks', () => {
    expect(pictureText(short)).toMatchInlineSnapshot(`
      [
        "x 100 to 300: 100 | 150 | 200 | 250 | 300",
        "y 0 to 1182: 0 | 200 | 400 | 600 | 800 | 1 000",
        "rule at 0.01",
        "step lines best so far: 100 200 300 / 541.1 9.123 0.205",
        "line lines best: 100 200 300 / 541.1 9.123 0.205",
        "band mean ± std: 100 200 300 / 710.1 14.32 0.3039 / 1115 28.96 0.5761",
        "line lines mean: 100 200 300 / 912.4 21.64 0.44",
        "label target 0.01",
      ]
    `);
  });

  test('marks on rows of names', () => {
    const figure = getAdaptiveTimeline(sampleActions());
    expect(pictureText(figure)).toMatchInlineSnapshot(`
      [
        "x 1.01 to 35.99: 5 | 10 | 15 | 20 | 25 | 30 | 35",
        "y -0.6 to 1.6: entropy_collapse | stagnation_low_diversity",
        "points markers exploration_boost: 2 3 4 6 9 10 / 0 0 0 0 0 0",
        "points markers partial_restart: 24 35 / 1 1",
      ]
    `);
  });

  test('leaves room for the half of the last label that goes beyond its axis', () => {
    const wide = getFigure([{ x: [0, 1_000_000], y: [1, 2] }]);
    const { area, ticks, size } = pictureFor(wide);
    const last = ticks.x.at(-1);
    expect(last?.value).toBe(1_000_000);
    const room = size.width - area.left - area.width;
    expect(room).toBeGreaterThanOrEqual(Math.floor(getTextWidth(last?.label ?? '', 11) / 2));
  });

  test('uses only SVG traces, as the others need what the policy of the pages forbids', () => {
    const { data } = makePlotlyDrawing(pictureFor(short));
    expect(new Set(data.map(({ type }) => type))).toEqual(new Set(['scatter']));
  });

  test('puts at most 2 000 points of each trace on the screen, all traces at the same x', () => {
    const data = drawnMarks(long).flatMap((mark) =>
      mark.type === 'curve' || mark.type === 'band' ? [mark.x] : [],
    );
    expect(data).toHaveLength(4);
    for (const x of data) {
      expect(x.length).toBeLessThanOrEqual(maximumTracePoints);
      expect(x).toEqual(data[0]);
    }
  });

  test('draws every point of a part that is zoomed into', () => {
    const view = { x: [100_000, 100_500] } as const;
    expect(curves(long, { view })[0]?.x).toEqual([
      99_900, 100_000, 100_100, 100_200, 100_300, 100_400, 100_500, 100_600,
    ]);
  });

  test('puts a lone point into the middle, at the first iteration too', () => {
    const first = getFigure([{ x: [0], y: [3] }], { x: { title: 'iteration', isWhole: true } });
    expect(getRanges(first).x).toEqual([-0.5, 0.5]);
  });

  test('marks points between gaps, which make no line, in the legend neither where all are such', () => {
    const modes = (count: number) =>
      curves(makeFitnessFigure(sampleIterations(count), run, 'iteration')).map(
        ({ mode: drawn }) => drawn,
      );
    expect(new Set(modes(1))).toEqual(new Set(['markers']));
    const gaps = (y: (number | null)[]) => curves(getFigure([{ x: [1, 2, 3], y }]))[0]?.mode;
    expect(gaps([1, null, 3])).toBe('markers');
    expect(gaps([1, 2, null])).toBe('lines');
    expect(curves(getFigure([{ x: [1, 2, 3, 4], y: [1, 2, null, 3] }]))[0]?.mode).toBe(
      'lines+markers',
    );
    expect(new Set(modes(2))).toEqual(new Set(['lines']));
  });

  test('omits a series that is switched off, with its band', () => {
    const marks = drawnMarks(short, { hidden: new Set(['mean']) });
    expect(marks.map((mark) => ('series' in mark ? mark.series : mark.type))).toEqual([
      'rule',
      'best so far',
      'best',
    ]);
  });

  test('shows names from the database as text, not as markup', () => {
    const [trace] = makePlotlyDrawing(pictureFor(getFigure([{ name: '<a href="x">b</a>' }]))).data;
    expect(trace?.name).toBe('&lt;a href="x"&gt;b&lt;/a&gt;');
  });

  test.each(['Rastrigin 10, full', 'a.b#c', 'ä "quoted"', '{}', 'a b', 'a_20b'])(
    'makes a selector that Plotly can use of %j',
    (name) => {
      expect(getTraceId(name)).toMatch(/^[a-zA-Z0-9_]+$/);
      expect(getTraceId(name)).not.toBe(getTraceId(`${name} `));
    },
  );
});

describe('what a band can be', () => {
  const band = { name: 'interval', lower: [-5, 1], upper: [9, 44] };

  test('it is not drawn beyond possible values, but the table has them', () => {
    const figure = getFigure([{ band: { ...band, possible: [0, 40] } }]);
    expect(getDrawn('band', figure)).toMatchObject([{ lower: [0, 1], upper: [9, 40] }]);
    expect(getTable(sceneFor(figure)).rows).toEqual([
      [1, 3, -5, 9],
      [2, 4, 1, 44],
    ]);
    expect(getRanges(figure).y[0]).toBe(0);
  });

  test('a band that is wide at first only does not press the curves to the edge', () => {
    const x = [1, 2, 3, 4, 5];
    const lower = [0, 2.9, 1.9, 0.9, 0.9];
    const upper = [400, 3.1, 2.1, 1.1, 1.1];
    const wide = getFigure([{ x, y: [10, 3, 2, 1, 1], band: { ...band, lower, upper } }]);
    expect(getRanges(wide).y[1]).toBeLessThan(20);
    const flat = getFigure([{ x, y: [4, 4, 4, 4, 4], band: { ...band, lower, upper } }]);
    expect(getRanges(flat).y[1]).toBeGreaterThan(4.2);
  });

  test('on a log axis it ends where the axis begins, at most a decade below the curves', () => {
    const figure = getFigure([{ band: { ...band, possible: [0, Infinity] } }]);
    const [low] = getRanges(figure, logY).y;
    expect(low).toBeGreaterThan(0.2);
    expect(getDrawn('band', figure, logY)[0]?.lower).toEqual([low, 1]);
  });
});

describe('the target', () => {
  test('on a log axis is at its value, with its label', () => {
    const text = pictureText(short, logY);
    expect(text).toContain('rule at 0.01');
    expect(text).toContain('label target 0.01');
  });

  test('of 0 has no place on a log axis and is named at its foot', () => {
    const figure = getFigure([{ y: [1e-9, 100] }], {
      references: [{ label: 'target 0', value: 0 }],
    });
    expect(makePlotlyDrawing(pictureFor(figure, logY)).layout.shapes).toEqual([]);
    expect(pictureText(figure, logY)).toContain('label target 0, below a log axis');
    expect(getRanges(figure, logY).y[0]).toBeGreaterThan(1e-12);
  });

  test('keeps its label clear of a step that falls through it, and of the end of a curve', () => {
    const labelLeft = (x: number[], y: number[]) => {
      const figure = getFigure(
        [
          { x, y, shape: 'step' },
          { name: 'b', x: [0, 100], y: [1, 1] },
        ],
        {
          references: [{ label: 'target 0.5', value: 0.5 }],
        },
      );
      return pictureFor(figure).labels[0]?.left ?? NaN;
    };
    const free = labelLeft([0, 10], [1, 0.9]);
    expect(labelLeft([0, 97, 99], [1, 0, 0])).toBeLessThan(free);
    expect(labelLeft([0, 97], [1, 0.45])).toBeLessThan(free);
  });

  test('keeps its label clear of a curve that runs along it', () => {
    const references = [{ label: 'target 0.5', value: 0.5 }];
    const x = [0, 60, 100];
    const along = getFigure(
      [
        { x, y: [0, 0.51, 0.51] },
        { name: 'b', x, y: [0, 0.49, 0.49] },
      ],
      {
        references,
      },
    );
    const left = (figure: LineFigure) => pictureFor(figure).labels[0]?.left ?? NaN;
    const free = left(getFigure([{ x, y: [0, 0.1, 1] }], { references }));
    expect(left(along)).toBeLessThan(free);
    // Nothing behind it, a grid line either, strikes it through.
    const [note] = makePlotlyDrawing(pictureFor(along)).layout.annotations ?? [];
    expect(note?.bgcolor).toBe(namedTheme.surface);
  });
});

describe('a step that is drawn to its ends', () => {
  const figure = getFigure(
    [
      { name: 'solved', x: [20, 50], y: [0.5, 1], stepExtent: [10, 100] },
      { name: 'never', x: [], y: [], stepExtent: [10, 100], paletteIndex: 1 },
    ],
    { y: { title: 'share', range: [0, 1.03] } },
  );

  test('begins at 0 and is held to the end', () => {
    expect(curves(figure)).toMatchObject([
      { x: [10, 20, 50, 100], y: [0, 0.5, 1, 1], mode: 'lines' },
      { x: [10, 100], y: [0, 0] },
    ]);
    expect(getRanges(figure)).toEqual({ x: [10, 100], y: [0, 1.03] });
  });

  test('has its band held to the ends too', () => {
    const band = { name: 'interval', lower: [0.2, 0.7], upper: [0.8, 1] };
    const banded = getFigure([{ x: [20, 50], y: [0.5, 1], stepExtent: [10, 100], band }]);
    expect(getDrawn('band', banded)).toMatchObject([
      { x: [10, 20, 50, 100], lower: [0.2, 0.2, 0.7, 0.7], upper: [0.8, 0.8, 1, 1] },
    ]);
    expect(curves(banded)).toMatchObject([{ x: [10, 20, 50, 100], y: [0, 0.5, 1, 1] }]);
  });

  test('has no ends in its table', () => {
    expect(getTable(sceneFor(figure)).rows).toEqual([
      [20, 0.5, null],
      [50, 1, null],
    ]);
  });

  test('reads 0 before its first point and its last value after the last', () => {
    const at = (x: number) => readScene(sceneFor(figure), { x }).rows.map(({ text }) => text);
    expect([at(15), at(30), at(90)]).toEqual([
      ['0', '0'],
      ['0.5', '0'],
      ['1', '0'],
    ]);
  });
});

describe('reading at the cursor', () => {
  test('returns all shown series at one x, with band and note', () => {
    const { title, rows } = readScene(sceneFor(short, { hidden: new Set(['best']) }), { x: 200 });
    expect(title).toBe('evaluations 200');
    expect(rows.map(({ name }) => name)).toEqual(['best so far', 'mean']);
    expect(rows[1]?.text).toMatch(/^[\d.]+ \[[\d.]+, [\d.]+\]$/);
    const action = { iteration: 4, trigger: 'collapse', actionType: 'boost', reason: 'too early' };
    expect(readScene(sceneFor(getAdaptiveTimeline([action])), { x: 4 }).rows).toMatchObject([
      { name: 'boost', text: 'collapse · too early' },
    ]);
  });

  test('omits a curve that has ended or has a gap', () => {
    const figure = getFigure([
      { x: [1, 2] },
      { name: 'b', x: [1, 5], y: [null, 6], shape: 'line' },
    ]);
    const names = (x: number) => readScene(sceneFor(figure), { x }).rows.map(({ name }) => name);
    expect([names(1), names(2), names(5)]).toEqual([['a'], ['a'], ['b']]);
  });

  test('stops once at each x of any series', () => {
    const figure = getFigure([{ x: [1, 3] }, { name: 'b', x: [2, 3] }]);
    expect(getStops(sceneFor(figure))).toEqual({ x: [1, 2, 3], rows: 1 });
  });
});

describe('the x axis has room for the whole of a mark at its end', () => {
  const getRange = (...series: Partial<Series>[]) => getRanges(getFigure(series)).x;

  test('for the only point of a run that has just begun, at 0 too', () => {
    const longer = { name: 'b', x: [10, 100], y: [3, 2] };
    expect(getRange(longer)).toEqual([10, 100]);
    expect(getRange({ x: [10], y: [3] }, longer)[0]).toBeLessThan(9);
    expect(getRange({ x: [0], y: [3] }, longer)[0]).toBeLessThan(-2);
  });

  test('for a cross at the end of a curve, not for one on its way', () => {
    expect(getRange({ x: [10, 100], crossAt: 100 })[1]).toBeGreaterThan(102);
    expect(getRange({ x: [10, 100], crossAt: 50 })).toEqual([10, 100]);
  });
});

describe('single runs', () => {
  const runTraces = [
    { name: 'seed 1', x: [1, 2], y: [2, 5], href: '/runs/r1' },
    { name: 'seed 2', x: [1], y: [4] },
  ];
  const figure = getFigure([{ name: 'umda', runTraces }]);

  test('are thin curves behind their series and columns of their own in the table', () => {
    expect(drawnMarks(figure).map(({ type }) => type)).toEqual(['runs', 'curve']);
    expect(getDrawn('runs', figure)[0]?.runs).toMatchObject(runTraces);
    // A canvas draws them: hundreds of SVG paths would make each zoom slow.
    expect(makePlotlyDrawing(pictureFor(figure)).data).toHaveLength(1);
    expect(getTable(sceneFor(figure))).toEqual({
      columns: ['evaluations', 'umda', 'umda, seed 1', 'umda, seed 2'],
      rows: [
        [1, 3, 2, 4],
        [2, 4, 5, null],
      ],
    });
  });

  test('are found by a near pointer, unless their series is switched off', () => {
    const at = (value: number, hidden = new Set<string>()) => {
      const picture = pictureFor(figure, { hidden });
      return findRunAt(picture, 1, getPixel(picture, 'y', value) + 3)?.run.name;
    };
    expect([at(2), at(4), at(3)]).toEqual(['seed 1', 'seed 2', undefined]);
    expect(at(2, new Set(['umda']))).toBeUndefined();
  });
});
