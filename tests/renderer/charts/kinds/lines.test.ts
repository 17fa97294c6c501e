import { describe, expect, test } from 'vitest';
import { maximumTracePoints } from '#renderer/charts/downsample.ts';
import type { LineFigure, Series } from '#renderer/charts/figure.ts';
import { adaptiveTimeline } from '#renderer/charts/figures/adaptive-timeline.ts';
import { fitnessFigure } from '#renderer/charts/figures/fitness.ts';
import { lines } from '#renderer/charts/kinds/lines.ts';
import { runTraceAt } from '#renderer/charts/kinds/line-reading.ts';
import { pixelOf, traceId, type PlotlyDrawing, type Setting } from '#renderer/charts/picture.ts';
import { sampleActions, sampleIterations } from '#renderer/charts/sample-data.ts';
import { textWidth } from '#renderer/charts/ticks.ts';
import { pictureText, setting } from '#tests/renderer/charts/picture-text.ts';

const run = { direction: 'min', targetFitness: 0.01, isRunning: true } as const;
const short = fitnessFigure(sampleIterations(3), run, 'evaluations');
const long = fitnessFigure(sampleIterations(50_000), run, 'evaluations');
const logY = { scales: { x: 'linear', y: 'log' } } as const;

function figureOf(series: Partial<Series>[], more: Partial<LineFigure> = {}): LineFigure {
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

interface Drawn {
  x: number[];
  y: (number | null)[];
  mode: string;
  name: string;
  uid: string;
}

function traces(figure: LineFigure, chosen: Partial<Setting> = {}): Drawn[] {
  return (lines.draw(figure, setting(chosen)).drawing as PlotlyDrawing).data as unknown as Drawn[];
}

describe('a curve that has reached 0 on a logarithmic axis', () => {
  const y = { title: 'best so far', reachesZero: true };
  const solved = figureOf([{ x: [1, 2, 3, 4], y: [100, 1e-3, 0, -7e-15] }], { y });

  test('falls to its lower edge, which the title says; its numbers stay', () => {
    const picture = lines.draw(solved, setting(logY));
    const [low] = picture.ranges.y;
    expect(low).toBeGreaterThan(1e-4);
    expect(low).toBeLessThan(1e-3);
    expect(traces(solved, logY)[0]?.y).toEqual([100, 1e-3, low, low]);
    const { layout } = picture.drawing as PlotlyDrawing;
    expect(JSON.stringify(layout.yaxis?.title)).toContain('best so far (≤ 0 at the edge), log');
    expect(lines.values(solved)).toEqual([[100, 1e-3, 0, -7e-15]]);
  });

  test('stands at 0 on a linear one', () => {
    expect(traces(solved)[0]?.y).toEqual([100, 1e-3, 0, -7e-15]);
    const { layout } = lines.draw(solved, setting()).drawing as PlotlyDrawing;
    expect(JSON.stringify(layout.yaxis?.title)).not.toContain('edge');
  });
});

describe('drawing', () => {
  test('band, curves, target, ticks', () => {
    expect(pictureText(lines.draw(short, setting()))).toMatchInlineSnapshot(`
      [
        "x 100 to 300: 100 | 150 | 200 | 250 | 300",
        "y 0 to 1182: 0 | 200 | 400 | 600 | 800 | 1 000",
        "scatter lines best so far: 100 200 300 / 541.1 9.123 0.205",
        "scatter lines best: 100 200 300 / 541.1 9.123 0.205",
        "scatter lines mean ± std, lower: 100 200 300 / 710.1 14.32 0.3039",
        "scatter lines mean ± std, upper: 100 200 300 / 1115 28.96 0.5761",
        "scatter lines mean: 100 200 300 / 912.4 21.64 0.44",
        "line at 0.01",
        "label target 0.01",
      ]
    `);
  });

  test('marks on rows of names', () => {
    const figure = adaptiveTimeline(sampleActions());
    expect(pictureText(lines.draw(figure, setting()))).toMatchInlineSnapshot(`
      [
        "x 1.01 to 35.99: 5 | 10 | 15 | 20 | 25 | 30 | 35",
        "y -0.6 to 1.6: entropy_collapse | stagnation_low_diversity",
        "scatter markers exploration_boost: 2 3 4 6 9 10 / 0 0 0 0 0 0",
        "scatter markers partial_restart: 24 35 / 1 1",
      ]
    `);
  });

  test('leaves room for the half of the last label that goes beyond its axis', () => {
    const wide = figureOf([{ x: [0, 1_000_000], y: [1, 2] }]);
    const { area, drawing } = lines.draw(wide, setting());
    const { xaxis } = (drawing as PlotlyDrawing).layout;
    expect(xaxis?.tickvals?.at(-1)).toBe(1_000_000);
    const room = setting().size.width - area.left - area.width;
    const label = String(xaxis?.ticktext?.at(-1));
    expect(room).toBeGreaterThanOrEqual(Math.floor(textWidth(label, 11) / 2));
  });

  test('uses only SVG traces, as the others need what the policy of the pages forbids', () => {
    const { drawing } = lines.draw(short, setting());
    expect(drawing.by === 'plotly' && new Set(drawing.data.map(({ type }) => type))).toEqual(
      new Set(['scatter']),
    );
  });

  test('puts at most 2 000 points of each trace on the screen, all traces at the same x', () => {
    const data = traces(long);
    expect(data).toHaveLength(5);
    for (const trace of data) {
      expect(trace.x.length).toBeLessThanOrEqual(maximumTracePoints);
      expect(trace.x).toEqual(data[0]?.x);
    }
  });

  test('draws every point of a part that is zoomed into', () => {
    const view = { x: [100_000, 100_500] } as const;
    expect(traces(long, { view })[0]?.x).toEqual([
      99_900, 100_000, 100_100, 100_200, 100_300, 100_400, 100_500, 100_600,
    ]);
  });

  test('puts a lone point into the middle, at the first iteration too', () => {
    const first = figureOf([{ x: [0], y: [3] }], { x: { title: 'iteration', whole: true } });
    expect(lines.draw(first, setting()).ranges.x).toEqual([-0.5, 0.5]);
  });

  test('marks points between gaps, which make no line, in the legend neither where all are such', () => {
    const modes = (count: number) =>
      traces(fitnessFigure(sampleIterations(count), run, 'iteration'))
        .filter(({ name }) => !name.includes('±'))
        .map(({ mode }) => mode);
    expect(new Set(modes(1))).toEqual(new Set(['markers']));
    const gaps = (y: (number | null)[]) => traces(figureOf([{ x: [1, 2, 3], y }]))[0]?.mode;
    expect(gaps([1, null, 3])).toBe('markers');
    expect(gaps([1, 2, null])).toBe('lines');
    expect(traces(figureOf([{ x: [1, 2, 3, 4], y: [1, 2, null, 3] }]))[0]?.mode).toBe(
      'lines+markers',
    );
    expect(new Set(modes(2))).toEqual(new Set(['lines']));
  });

  test('leaves a series that is switched off out, with its band', () => {
    const names = traces(short, { hidden: new Set(['mean']) }).map(({ name }) => name);
    expect(names).toEqual(['best so far', 'best']);
  });

  test('shows names from the database as text, not as markup', () => {
    const [trace] = traces(figureOf([{ name: '<a href="x">b</a>' }]));
    expect(trace?.name).toBe('&lt;a href="x"&gt;b&lt;/a&gt;');
  });

  test.each(['Rastrigin 10, full', 'a.b#c', 'ä "quoted"', '{}', 'a b', 'a_20b'])(
    'makes a selector that Plotly can use of %j',
    (name) => {
      for (const { uid } of traces(figureOf([{ name }]))) expect(uid).toMatch(/^[a-zA-Z0-9_]+$/);
      expect(traceId(name)).not.toBe(traceId(`${name} `));
    },
  );
});

describe('what a band can be', () => {
  const band = { name: 'interval', lower: [-5, 1], upper: [9, 44] };

  test('it is not drawn beyond possible values, but the table has them', () => {
    const figure = figureOf([{ band: { ...band, possible: [0, 40] } }]);
    expect(traces(figure).map(({ y }) => y)).toEqual([
      [0, 1],
      [9, 40],
      [3, 4],
    ]);
    expect(lines.table(figure).rows).toEqual([
      [1, 3, -5, 9],
      [2, 4, 1, 44],
    ]);
    expect(lines.draw(figure, setting()).ranges.y[0]).toBe(0);
  });

  test('a band that is wide at first only does not press the curves to the edge', () => {
    const x = [1, 2, 3, 4, 5];
    const lower = [0, 2.9, 1.9, 0.9, 0.9];
    const upper = [400, 3.1, 2.1, 1.1, 1.1];
    const wide = figureOf([{ x, y: [10, 3, 2, 1, 1], band: { ...band, lower, upper } }]);
    expect(lines.draw(wide, setting()).ranges.y[1]).toBeLessThan(20);
    const flat = figureOf([{ x, y: [4, 4, 4, 4, 4], band: { ...band, lower, upper } }]);
    expect(lines.draw(flat, setting()).ranges.y[1]).toBeGreaterThan(4.2);
  });

  test('on a log axis it ends where the axis begins, at most a decade below the curves', () => {
    const figure = figureOf([{ band: { ...band, possible: [0, Infinity] } }]);
    const { ranges } = lines.draw(figure, setting(logY));
    expect(ranges.y[0]).toBeGreaterThan(0.2);
    expect(traces(figure, logY)[0]?.y).toEqual([ranges.y[0], 1]);
  });
});

describe('the target', () => {
  test('on a log axis stands at its value, its label beside it', () => {
    const text = pictureText(lines.draw(short, setting(logY)));
    expect(text).toContain('line at 0.01');
    expect(text).toContain('label target 0.01');
  });

  test('of 0 has no place on a log axis and is named at its foot', () => {
    const figure = figureOf([{ y: [1e-9, 100] }], {
      references: [{ label: 'target 0', value: 0 }],
    });
    const text = pictureText(lines.draw(figure, setting(logY)));
    expect(text.filter((line) => line.startsWith('line'))).toEqual([]);
    expect(text).toContain('label target 0, below a log axis');
    expect(lines.draw(figure, setting(logY)).ranges.y[0]).toBeGreaterThan(1e-12);
  });

  test('keeps its label clear of a step that falls through it, and of the end of a curve', () => {
    const labelLeft = (x: number[], y: number[]) => {
      const figure = figureOf(
        [
          { x, y, shape: 'step' },
          { name: 'b', x: [0, 100], y: [1, 1] },
        ],
        {
          references: [{ label: 'target 0.5', value: 0.5 }],
        },
      );
      const { drawing } = lines.draw(figure, setting());
      return Number((drawing as PlotlyDrawing).layout.annotations?.[0]?.x);
    };
    const free = labelLeft([0, 10], [1, 0.9]);
    expect(labelLeft([0, 97, 99], [1, 0, 0])).toBeLessThan(free);
    expect(labelLeft([0, 97], [1, 0.45])).toBeLessThan(free);
  });

  test('keeps its label clear of a curve that runs along it', () => {
    const references = [{ label: 'target 0.5', value: 0.5 }];
    const x = [0, 60, 100];
    const along = figureOf(
      [
        { x, y: [0, 0.51, 0.51] },
        { name: 'b', x, y: [0, 0.49, 0.49] },
      ],
      {
        references,
      },
    );
    const label = (figure: LineFigure) => {
      const { drawing } = lines.draw(figure, setting());
      const [note] = (drawing as PlotlyDrawing).layout.annotations ?? [];
      return { x: Number(note?.x), bgcolor: note?.bgcolor };
    };
    const free = label(figureOf([{ x, y: [0, 0.1, 1] }], { references }));
    expect(label(along).x).toBeLessThan(free.x);
    // Nothing behind it, a grid line either, strikes it through.
    expect(label(along).bgcolor).toBe('--surface');
  });
});

describe('a step that is drawn to its ends', () => {
  const figure = figureOf(
    [
      { name: 'solved', x: [20, 50], y: [0.5, 1], stepExtent: [10, 100] },
      { name: 'never', x: [], y: [], stepExtent: [10, 100], paletteIndex: 1 },
    ],
    { y: { title: 'share', range: [0, 1.03] } },
  );

  test('begins at 0 and is held to the end', () => {
    expect(traces(figure)).toMatchObject([
      { x: [10, 20, 50, 100], y: [0, 0.5, 1, 1], mode: 'lines' },
      { x: [10, 100], y: [0, 0] },
    ]);
    expect(lines.draw(figure, setting()).ranges).toEqual({ x: [10, 100], y: [0, 1.03] });
  });

  test('has its band held to the ends too', () => {
    const band = { name: 'interval', lower: [0.2, 0.7], upper: [0.8, 1] };
    const banded = figureOf([{ x: [20, 50], y: [0.5, 1], stepExtent: [10, 100], band }]);
    expect(traces(banded).map(({ x, y }) => [x, y])).toEqual([
      [
        [10, 20, 50, 100],
        [0.2, 0.2, 0.7, 0.7],
      ],
      [
        [10, 20, 50, 100],
        [0.8, 0.8, 1, 1],
      ],
      [
        [10, 20, 50, 100],
        [0, 0.5, 1, 1],
      ],
    ]);
  });

  test('has no ends in its table', () => {
    expect(lines.table(figure).rows).toEqual([
      [20, 0.5, null],
      [50, 1, null],
    ]);
  });

  test('reads 0 before its first point and its last value after the last', () => {
    const at = (x: number) => lines.read(figure, { x }, new Set()).rows.map(({ text }) => text);
    expect([at(15), at(30), at(90)]).toEqual([
      ['0', '0'],
      ['0.5', '0'],
      ['1', '0'],
    ]);
  });
});

describe('reading at the cursor', () => {
  test('gives all shown series at one x, with band and note', () => {
    const { title, rows } = lines.read(short, { x: 200 }, new Set(['best']));
    expect(title).toBe('evaluations 200');
    expect(rows.map(({ name }) => name)).toEqual(['best so far', 'mean']);
    expect(rows[1]?.text).toMatch(/^[\d.]+ \[[\d.]+, [\d.]+\]$/);
    const action = { iteration: 4, trigger: 'collapse', actionType: 'boost', reason: 'too early' };
    expect(lines.read(adaptiveTimeline([action]), { x: 4 }, new Set()).rows).toMatchObject([
      { name: 'boost', text: 'collapse · too early' },
    ]);
  });

  test('says nothing of a curve that has ended or has a gap', () => {
    const figure = figureOf([{ x: [1, 2] }, { name: 'b', x: [1, 5], y: [null, 6], shape: 'line' }]);
    const names = (x: number) => lines.read(figure, { x }, new Set()).rows.map(({ name }) => name);
    expect([names(1), names(2), names(5)]).toEqual([['a'], ['a'], ['b']]);
  });

  test('stops once at each x of any series', () => {
    const figure = figureOf([{ x: [1, 3] }, { name: 'b', x: [2, 3] }]);
    expect(lines.stops(figure)).toEqual({ x: [1, 2, 3], rows: 1 });
  });
});

describe('the x axis has room for the whole of a mark at its end', () => {
  const rangeOf = (...series: Partial<Series>[]) =>
    lines.draw(figureOf(series), setting()).ranges.x;

  test('for the only point of a run that has just begun, at 0 too', () => {
    const longer = { name: 'b', x: [10, 100], y: [3, 2] };
    expect(rangeOf(longer)).toEqual([10, 100]);
    expect(rangeOf({ x: [10], y: [3] }, longer)[0]).toBeLessThan(9);
    expect(rangeOf({ x: [0], y: [3] }, longer)[0]).toBeLessThan(-2);
  });

  test('for a cross at the end of a curve, not for one on its way', () => {
    expect(rangeOf({ x: [10, 100], crossAt: 100 })[1]).toBeGreaterThan(102);
    expect(rangeOf({ x: [10, 100], crossAt: 50 })).toEqual([10, 100]);
  });
});

describe('single runs', () => {
  const runTraces = [
    { name: 'seed 1', x: [1, 2], y: [2, 5], href: '/runs/r1' },
    { name: 'seed 2', x: [1], y: [4] },
  ];
  const figure = figureOf([{ name: 'umda', runTraces }]);

  test('are thin curves behind their series and columns of their own in the table', () => {
    const data = traces(figure);
    expect(data.map(({ name }) => name)).toEqual(['umda, each', 'umda']);
    expect(data[0]).toMatchObject({ x: [1, 2, 2, 1, 1], y: [2, 5, null, 4, null] });
    expect(lines.table(figure)).toEqual({
      columns: ['evaluations', 'umda', 'umda, seed 1', 'umda, seed 2'],
      rows: [
        [1, 3, 2, 4],
        [2, 4, 5, null],
      ],
    });
  });

  test('are found by a pointer that comes near, unless their series is switched off', () => {
    const picture = lines.draw(figure, setting());
    const { scales } = setting();
    const at = (value: number, hidden = new Set<string>()) => {
      const top = pixelOf(picture, 'y', value, 'linear') + 3;
      return runTraceAt(figure, picture, scales, { x: 1, top, hidden })?.trace.name;
    };
    expect([at(2), at(4), at(3)]).toEqual(['seed 1', 'seed 2', undefined]);
    expect(at(2, new Set(['umda']))).toBeUndefined();
  });
});
