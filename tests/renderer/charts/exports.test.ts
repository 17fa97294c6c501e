import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { getCaption } from '#renderer/charts/chart-entry.ts';
import type { Figure } from '#renderer/charts/figure.ts';
import { getPicture, getPixel } from '#renderer/charts/layout.ts';
import { makePlotlyDrawing } from '#renderer/charts/plotly.ts';
import { getLegendLabel, type Scene } from '#renderer/charts/scene.ts';
import { getAllowedScales, getAutomaticScales } from '#renderer/charts/scenes.ts';
import { makePictureSvg } from '#renderer/charts/svg-picture.ts';
import type { SvgNode } from '#renderer/charts/svg.ts';
import { makeTexFile } from '#renderer/charts/tex.ts';
import { getSeriesLook, readTheme } from '#renderer/charts/theme.ts';
import { makeGalleryEntries } from '#renderer/pages/gallery/gallery-entries.ts';
import { sceneFor } from '#tests/renderer/charts/scene-text.ts';

const tokens = readFileSync(
  new URL('../../../renderer/public/tokens.css', import.meta.url),
  'utf8',
);
const theme = readTheme((name) => new RegExp(`${name}: ([^;]+);`).exec(tokens)?.[1] ?? '', 13);
const size = { width: 600, height: 400 };
const entries = makeGalleryEntries(() => 40);

/** Eleven charts, at least one of each kind; the LaTeX export has no heat map. */
const charts =
  'fitness actions ecdf decades histogram boxes points names ratios handle metrics'.split(' ');
const curveCharts = 'fitness actions ecdf decades ratios handle'.split(' ');

test('a caption begins with the subject of the figure, if it has one', () => {
  const entry = { describe: () => 'Median best so far', notes: () => ['Two runs failed.'] };
  expect(getCaption('sphere, dimension 8', entry)).toBe(
    'sphere, dimension 8. Median best so far. Two runs failed.',
  );
  expect(getCaption('', { describe: entry.describe })).toBe('Median best so far.');
});

function sceneOfChart(id: string): Scene {
  const figure: Figure = entries.find((entry) => entry.id === id)!.figure();
  return sceneFor(figure, { scales: getAllowedScales(figure, getAutomaticScales(figure)) });
}

interface Trace {
  type: string;
  name: string;
  mode: string;
  x: number[];
  y: (number | null)[];
  q1: number[];
  line: { color: string; dash: string; width: number; shape: string };
  marker: { color: string; size: number; line: { color: string } };
  width: number[];
  z: (number | null)[][];
}

/** What the screen draws of a chart. */
function onScreen(id: string) {
  const picture = getPicture(sceneOfChart(id), theme, size);
  const { data, layout } = makePlotlyDrawing(picture);
  return { picture, layout, traces: data as unknown as Trace[] };
}

/** The curves on the screen, without the edges of bands and symbols without a line. */
function curvesOnScreen(id: string): Trace[] {
  return onScreen(id).traces.filter(
    ({ mode, line, name }) =>
      mode?.includes('lines') && line.width > 0 && !/,.*(lower|upper)$/.test(name),
  );
}

function allNodes(node: SvgNode): SvgNode[] {
  return [node, ...(node.children ?? []).flatMap(allNodes)];
}

function svgNodes(id: string): SvgNode[] {
  return allNodes(makePictureSvg(onScreen(id).picture));
}

/** The corners of a path that has only absolute moves and lines. */
function getCorners(path: string): [number, number][] {
  const corners: [number, number][] = [];
  let [x, y] = [0, 0];
  for (const [, command, one, other] of path.matchAll(/([MLHV])(-?[\d.]+)(?: (-?[\d.]+))?/g)) {
    if (command === 'V') y = Number(one);
    else x = Number(one);
    if (command === 'M' || command === 'L') y = Number(other);
    corners.push([x, y]);
  }
  return corners;
}

const getTex = (id: string) =>
  makeTexFile(sceneOfChart(id), theme, '178 mm', { title: id, caption: '' }) ?? '';

/** The tables of the curves in a LaTeX file, in order. */
function tablesIn(source: string): { look: string; x: number[]; y: (number | null)[] }[] {
  const plots = source.matchAll(/\\addplot\[([^\]]*)\] table\[row sep=\\\\\] \{\n([^}]*)\}/g);
  return [...plots].map(([, look = '', rows = '']) => {
    const cells = rows
      .trim()
      .split('\n')
      .map((row) => row.replace('\\\\', '').split(' ').map(Number));
    return {
      look,
      x: cells.map(([x]) => x ?? NaN),
      y: cells.map(([, y]) => (y === undefined || Number.isNaN(y) ? null : y)),
    };
  });
}

function getHex(source: string, name: string): string | undefined {
  return new RegExp(`\\\\definecolor\\{${name}\\}\\{HTML\\}\\{(\\w+)\\}`).exec(source)?.[1];
}

const rounded = (values: readonly (number | null)[]) =>
  values.map((value) => (value === null ? null : Number(value.toPrecision(9))));

describe('the SVG export of a chart', () => {
  test.each(curveCharts)('%s has the curves of the screen: places, colours, dashes', (id) => {
    const { picture } = onScreen(id);
    const paths = svgNodes(id).filter(
      ({ tag, attributes }) => tag === 'path' && attributes['stroke-width'] === 2,
    );
    const curves = curvesOnScreen(id);
    expect(paths).toHaveLength(curves.length);
    for (const [index, { x, y, line }] of curves.entries()) {
      const { d, stroke, ...rest } = paths[index]!.attributes;
      expect(stroke).toBe(line.color);
      const dashes = line.dash === 'solid' ? undefined : line.dash.replaceAll('px', '');
      expect(rest['stroke-dasharray']).toBe(dashes);
      const corners = new Set(getCorners(String(d)).map(String));
      for (const [at, value] of y.entries()) {
        if (value === null) continue;
        const pixels = [getPixel(picture, 'x', x[at]!), getPixel(picture, 'y', value)];
        expect(corners).toContain(pixels.map((pixel) => Math.round(pixel * 10) / 10).join(','));
      }
    }
  });

  test.each(charts)('%s has the titles, ticks and labels of the screen', (id) => {
    const { layout } = onScreen(id);
    const texts = svgNodes(id).flatMap(({ tag, text, children = [] }) =>
      tag === 'text' ? [`${text}${children.map((one) => `<sup>${one.text}</sup>`).join('')}`] : [],
    );
    const title = (axis: { title?: unknown } = {}) => (axis.title as { text: string }).text;
    const onTheScreen = [
      ...(layout.xaxis?.ticktext ?? []),
      ...(layout.yaxis?.ticktext ?? []),
      ...(layout.annotations ?? []).map(({ text }) => text),
      title(layout.xaxis),
      title(layout.yaxis),
    ];
    expect(texts).toEqual(expect.arrayContaining(onTheScreen.filter(Boolean)));
  });

  test.each(['points', 'names'])('%s has the symbols of the screen: places and colours', (id) => {
    const { picture, traces } = onScreen(id);
    const symbols = svgNodes(id).filter(({ tag, attributes }) => tag === 'g' && attributes['fill']);
    const finite = traces.filter(({ name }) => !name.endsWith('infinite'));
    expect(finite.map(({ marker }) => marker.color)).toEqual(theme.series.slice(0, 3));
    expect(symbols).toHaveLength(3);
    for (const [index, { x, y, marker }] of finite.entries()) {
      const { attributes, children = [] } = symbols[index]!;
      expect(attributes['fill']).toBe(marker.color);
      const half = (6 * marker.size) / 9;
      const places = children.map(({ attributes: own }) =>
        [...String(own['transform']).matchAll(/-?[\d.]+/g)].slice(0, 2).map(Number),
      );
      expect(places).toHaveLength(16);
      for (const [at, [left = 0, top = 0]] of places.entries()) {
        expect(left + half).toBeCloseTo(getPixel(picture, 'x', x[at]!), 0);
        expect(top + half).toBeCloseTo(getPixel(picture, 'y', y[at]!), 0);
      }
    }
    const edges = traces.filter(({ name }) => name.endsWith('infinite'));
    expect(edges.flatMap(({ x }) => x)).toHaveLength(12);
  });

  test('boxes, bars and cells have the places and colours of the screen', () => {
    const boxes = onScreen('boxes');
    const rects = svgNodes('boxes').filter(({ tag }) => tag === 'rect');
    const drawn = boxes.traces.filter(({ type }) => type === 'box');
    expect(rects).toHaveLength(drawn.length);
    for (const [index, { q1, line }] of drawn.entries()) {
      const { y, height, stroke } = rects[index]!.attributes;
      expect(Number(y) + Number(height)).toBeCloseTo(getPixel(boxes.picture, 'y', q1[0]!), 0);
      expect(stroke).toBe(line.color);
    }
    const bars = onScreen('histogram');
    const columns = svgNodes('histogram').filter(({ tag }) => tag === 'rect');
    const [trace] = bars.traces;
    expect(columns.map(({ attributes }) => attributes['stroke'])).toEqual(
      trace!.y.map(() => trace!.marker.line.color),
    );
    for (const [index, { attributes }] of columns.entries()) {
      const left = getPixel(bars.picture, 'x', trace!.x[index]! - trace!.width[index]! / 2);
      expect(Number(attributes['x'])).toBeCloseTo(left, 0);
      const top = getPixel(bars.picture, 'y', trace!.y[index]!);
      expect(Number(attributes['y'])).toBeCloseTo(top, 0);
    }
    const cells = onScreen('metrics')
      .traces[0]!.z.flat()
      .filter((value) => value !== null);
    const rectangles = svgNodes('metrics')
      .filter(({ attributes }) => attributes['shape-rendering'] && attributes['d'])
      .map(({ attributes }) => String(attributes['d']).split('M').length - 1);
    const count = rectangles.reduce((sum, one) => sum + one, 0);
    expect(count).toBeGreaterThan(cells.length / 2);
    expect(count).toBeLessThanOrEqual(cells.length);
  });
});

describe('the LaTeX export of a chart', () => {
  test.each(curveCharts)(
    '%s has the curves of the screen: values, colours, dashes, ranges',
    (id) => {
      const source = getTex(id);
      const { picture } = onScreen(id);
      const { x, y } = picture.scene.axes;
      expect(source).toContain(
        `xmin=${Number(x.scale.range[0].toPrecision(9))}, xmax=${Number(x.scale.range[1].toPrecision(9))}`,
      );
      expect(source).toContain(
        `ymin=${Number(y.scale.range[0].toPrecision(9))}, ymax=${Number(y.scale.range[1].toPrecision(9))}`,
      );
      expect(source.includes('xmode=log')).toBe(x.scale.kind === 'log');
      expect(source.includes('ymode=log')).toBe(y.scale.kind === 'log');
      const plots = tablesIn(source).filter(
        ({ look }) =>
          /thick, |only marks, mark=.*1\.6pt/.test(look) && !look.includes('forget plot'),
      );
      const curves = picture.scene.marks.filter((mark) => mark.type === 'curve');
      expect(plots).toHaveLength(curves.length);
      const traces = onScreen(id).traces;
      for (const [index, curve] of curves.entries()) {
        const plot = plots[index]!;
        const trace = traces.find(({ name }) => name === getLegendLabel(curve))!;
        expect(plot.x).toEqual(rounded(trace.x));
        expect(plot.y).toEqual(rounded(trace.y));
        const name = plot.look.split(',')[0]!;
        const { color, dashes } = getSeriesLook(theme, curve.paletteIndex);
        expect(`#${getHex(source, name)}`.toLowerCase()).toBe(color.toLowerCase());
        const pattern = dashes.map((length) => Number((length * 0.6).toPrecision(9)));
        const inSource = [...plot.look.matchAll(/(?:on|off) ([\d.]+)pt/g)].map(([, one]) =>
          Number(one),
        );
        if (curve.mode !== 'markers') expect(inSource).toEqual(pattern);
      }
    },
  );

  test('boxes and bars have the values of the screen', () => {
    for (const { type, x, q1 } of onScreen('boxes').traces) {
      if (type === 'box')
        expect(getTex('boxes')).toContain(
          `(axis cs:${Number((x[0]! - 0.18).toPrecision(9))},${q1[0]})`,
        );
    }
    const [bars] = onScreen('histogram').traces;
    for (const [index, height] of bars!.y.entries()) {
      const end = bars!.x[index]! + bars!.width[index]! / 2;
      expect(getTex('histogram')).toContain(`rectangle (axis cs:${end},${height})`);
    }
  });

  test.each(charts.filter((id) => id !== 'metrics'))('%s has the titles of the screen', (id) => {
    const { x, y } = onScreen(id).picture.scene.axes;
    const plain = (text: string) => text.replace('≤', '$\\leq$').replaceAll('_', '\\_');
    expect(getTex(id)).toContain(`xlabel={${plain(x.label)}}`);
    expect(getTex(id)).toContain(`ylabel={${plain(y.label)}}`);
  });
});
