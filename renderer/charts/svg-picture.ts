import { isValue, type Cell } from './figure.ts';
import { makeDrawableMarks, mostGappedRows, getOutlines } from './drawable.ts';
import { getPixel, type Picture } from './layout.ts';
import { getHeatColor } from './palette.ts';
import { makeRankNodes } from './rank-diagram.ts';
import {
  getColumnEdges,
  getMarks,
  type BandMark,
  type BoxMark,
  type CellsMark,
  type CurveMark,
  type Mark,
  type PointsMark,
  type Scene,
} from './scene.ts';
import type { SvgNode } from './svg.ts';
import {
  boxMean,
  getLabelColor,
  looks,
  getSeriesLook,
  getTextSizes,
  getThickness,
} from './theme.ts';
import type { Tick } from './ticks.ts';

/** Most points of one curve: more than a printed page can show. */
const mostPoints = 4000;

/** Returns a picture as SVG. */
export function makePictureSvg(picture: Picture): SvgNode {
  const { scene, theme, size } = picture;
  const [diagram] = getMarks(scene, 'ranks');
  return {
    tag: 'svg',
    attributes: {
      ...size,
      viewBox: `0 0 ${size.width} ${size.height}`,
      'font-family': theme.font,
    },
    children: diagram ? makeRankNodes(diagram.figure, theme, size) : makeChartNodes(picture),
  };
}

function makeChartNodes(picture: Picture): SvgNode[] {
  const { scene, area, theme } = picture;
  const marks = makeDrawableMarks(scene, {
    points: mostPoints,
    width: area.width,
    thickness: getThickness(theme),
  });
  const isBehind = ({ type }: Mark): boolean => type === 'area' || type === 'rule';
  // Infinite values are on the edge, which clips everything else.
  const isOnEdge = (mark: Mark): boolean => mark.type === 'points' && mark.symbol === 'infinite';
  const draw = (some: readonly Mark[]): SvgNode[] =>
    some.flatMap((mark) => makeMarkNodes(mark, picture));
  const inside = marks.filter((mark) => !isBehind(mark) && !isOnEdge(mark));
  const { left, top, width, height } = area;
  const clip = (children: SvgNode[]): SvgNode => ({
    tag: 'svg',
    attributes: {
      x: left,
      y: top,
      width,
      height,
      viewBox: `${left} ${top} ${width} ${height}`,
      overflow: 'hidden',
    },
    children,
  });
  return [
    ...makeGridNodes(picture),
    clip(draw(marks.filter(isBehind))),
    clip(draw(inside)),
    ...draw(marks.filter(isOnEdge)),
    ...makeAxisNodes(picture),
    ...makeLabelNodes(picture),
    ...(scene.colors ? makeColorBarNodes(scene.colors, picture) : []),
  ];
}

function makeGridNodes({ scene, area, theme, ticks, ...rest }: Picture): SvgNode[] {
  if (!scene.axes.y.hasGrid) return [];
  return ticks.y.map(({ value }) => {
    const y = round(getPixel({ scene, area, ...rest }, 'y', value));
    return makeLine(area.left, y, area.left + area.width, y, { stroke: theme.grid });
  });
}

function makeAxisNodes(picture: Picture): SvgNode[] {
  const { scene, area, theme, ticks, size } = picture;
  const { tick, title } = getTextSizes(theme);
  const { x, y } = scene.axes;
  const foot = area.top + area.height;
  const small = { fill: theme.muted, 'font-size': tick };
  const large = { fill: theme.muted, 'font-size': title, 'text-anchor': 'middle' };
  const middle = area.top + area.height / 2;
  return [
    ...ticks.x.flatMap((one) => {
      const at = getPixel(picture, 'x', one.value);
      return [
        makeLine(at, foot, at, foot + 5, { stroke: theme.axis }),
        makeTickNode(one, at, foot + 5 + tick * 1.05, { ...small, 'text-anchor': 'middle' }),
      ];
    }),
    ...ticks.y.map((one) =>
      makeTickNode(one, area.left - tick * 0.45, getPixel(picture, 'y', one.value) + tick * 0.35, {
        ...small,
        'text-anchor': 'end',
      }),
    ),
    ...(x.label === ''
      ? []
      : [makeTextNode(x.label, area.left + area.width / 2, size.height - title * 0.4, large)]),
    ...(y.label === ''
      ? []
      : [
          makeTextNode(y.label, title, middle, {
            ...large,
            transform: `rotate(-90 ${round(title)} ${round(middle)})`,
          }),
        ]),
  ];
}

/** The labels of lines and stretches, each over a piece of the background. */
function makeLabelNodes({ labels, theme }: Picture): SvgNode[] {
  const { tick } = getTextSizes(theme);
  return labels.map(({ text: content, left, top, paletteIndex }) => ({
    ...makeTextNode(content, left, top + tick * 1.05, {
      fill: getLabelColor(theme, paletteIndex),
      'font-size': tick,
      stroke: theme.surface,
      'stroke-width': 3,
      'paint-order': 'stroke',
    }),
  }));
}

function makeMarkNodes(mark: Mark, picture: Picture): SvgNode[] {
  const { theme, area } = picture;
  switch (mark.type) {
    case 'curve':
      return makeCurveNodes(mark, picture);
    case 'band':
      return makeBandNodes(mark, picture);
    case 'runs': {
      const d = mark.runs.map(({ x, y }) => getLinePath(x, y, mark.shape, picture)).join('');
      const { color } = getSeriesLook(theme, mark.paletteIndex);
      return [makePathNode(d, { ...makeStroke(color, 1), 'stroke-opacity': looks.runOpacity })];
    }
    case 'points':
      return makePointNodes(mark, picture);
    case 'box':
      return makeBoxNodes(mark, picture);
    case 'bars': {
      const { color } = getSeriesLook(theme, mark.paletteIndex);
      return mark.bins.map(({ start, end, height }) => ({
        tag: 'rect',
        attributes: {
          ...getRectangle(picture, [start, end], [0, height]),
          fill: color,
          'fill-opacity': looks.barOpacity,
          stroke: color,
        },
      }));
    }
    case 'cells':
      return makeCellNodes(mark, picture);
    case 'rule': {
      const isBelow = picture.scene.axes.y.scale.kind === 'log' && mark.value <= 0;
      if (isBelow) return [];
      const y = round(getPixel(picture, 'y', mark.value));
      const dashes = { stroke: theme.muted, 'stroke-dasharray': '9 9' };
      return [makeLine(area.left, y, area.left + area.width, y, dashes)];
    }
    case 'area': {
      const [from, to] = [mark.from, mark.to].map((x) => getPixel(picture, 'x', x));
      return [
        {
          tag: 'rect',
          attributes: {
            x: round(from ?? 0),
            y: area.top,
            width: round((to ?? 0) - (from ?? 0)),
            height: area.height,
            fill: theme.accent,
            'fill-opacity': looks.areaOpacity,
            stroke: theme.accent,
            'stroke-opacity': looks.areaEdgeOpacity,
          },
        },
      ];
    }
    default:
      return [];
  }
}

function makeCurveNodes(mark: CurveMark, picture: Picture): SvgNode[] {
  const { theme } = picture;
  const { color, width, dashes } = getSeriesLook(theme, mark.paletteIndex);
  const nodes: SvgNode[] = [];
  if (mark.mode !== 'markers') {
    const dash = dashes.length > 0 ? { 'stroke-dasharray': dashes.join(' ') } : {};
    const look = { ...makeStroke(color, width), ...dash };
    nodes.push(makePathNode(getLinePath(mark.x, mark.y, mark.shape, picture), look));
  }
  if (mark.mode !== 'lines') {
    const size = 9 * (mark.symbolScale ?? 1);
    nodes.push(makeSymbolsNode(mark, picture, size, { stroke: theme.surface, 'stroke-width': 1 }));
  }
  return nodes;
}

function makePointNodes(mark: PointsMark, picture: Picture): SvgNode[] {
  const { theme } = picture;
  const thickness = getThickness(theme);
  const { color } = getSeriesLook(theme, mark.paletteIndex);
  if (mark.symbol === 'series')
    return [makeSymbolsNode(mark, picture, 6, { opacity: looks.valueOpacity })];
  const size = (mark.symbol === 'cross' ? 5 : 4.5) * thickness * (mark.symbolScale ?? 1);
  const shapeAt = (x: number, y: number): string =>
    mark.symbol === 'cross'
      ? `M${round(x - size)} ${round(y - size)}L${round(x + size)} ${round(y + size)}M${round(x - size)} ${round(y + size)}L${round(x + size)} ${round(y - size)}`
      : `M${round(x)} ${round(y - size)}L${round(x + size)} ${round(y + size * 0.6)}H${round(x - size)}Z`;
  const d = getPlaces(mark, picture).map(([x, y]) => shapeAt(x, y));
  return [
    makePathNode(d.join(''), makeStroke(color, (mark.symbol === 'cross' ? 2.5 : 1.5) * thickness)),
  ];
}

/** The symbol of a series at each of its points. */
function makeSymbolsNode(
  mark: CurveMark | PointsMark,
  picture: Picture,
  size: number,
  look: SvgNode['attributes'],
): SvgNode {
  const { color, mark: d } = getSeriesLook(picture.theme, mark.paletteIndex);
  const scale = (size / 9) * getThickness(picture.theme);
  return {
    tag: 'g',
    attributes: { fill: color, ...look },
    children: getPlaces(mark, picture).map(([x, y]) => ({
      tag: 'path',
      attributes: {
        d,
        transform: `translate(${round(x - 6 * scale)} ${round(y - 6 * scale)}) scale(${round(scale)})`,
      },
    })),
  };
}

function getPlaces(
  { x, y }: { x: readonly number[]; y: readonly Cell[] },
  picture: Picture,
): [number, number][] {
  return x.flatMap((place, index): [number, number][] => {
    const value = y[index];
    return isValue(value) ? [[getPixel(picture, 'x', place), getPixel(picture, 'y', value)]] : [];
  });
}

/** The path of a line with gaps; a point in the same tenth of a pixel as the one before adds nothing. */
function getLinePath(
  x: readonly number[],
  y: readonly Cell[],
  shape: CurveMark['shape'],
  picture: Picture,
): string {
  let d = '';
  let before: readonly [number, number] | undefined;
  for (const [index, place] of x.entries()) {
    const value = y[index];
    if (!isValue(value)) {
      before = undefined;
      continue;
    }
    const here = [
      round(getPixel(picture, 'x', place)),
      round(getPixel(picture, 'y', value)),
    ] as const;
    if (!before) d += `M${here[0]} ${here[1]}`;
    else if (here[0] !== before[0] || here[1] !== before[1]) {
      d += shape === 'step' ? `H${here[0]}V${here[1]}` : `L${here[0]} ${here[1]}`;
    }
    before = here;
  }
  return d;
}

/** A band as one closed path for each stretch without a gap. */
function makeBandNodes(mark: BandMark, picture: Picture): SvgNode[] {
  const { color } = getSeriesLook(picture.theme, mark.paletteIndex);
  const d = getOutlines(mark)
    .map((outline) => {
      const points = outline.map(
        ([x, y]) => `${round(getPixel(picture, 'x', x))} ${round(getPixel(picture, 'y', y))}`,
      );
      return `M${points.join('L')}Z`;
    })
    .join('');
  return [makePathNode(d, { fill: color, 'fill-opacity': picture.theme.bandOpacity })];
}

function makeBoxNodes({ at, width, shape, paletteIndex }: BoxMark, picture: Picture): SvgNode[] {
  const { q1, median, q3, mean, whiskerLow, whiskerHigh } = shape;
  if (!isValue(q1) || !isValue(median) || !isValue(q3)) return [];
  const { color } = getSeriesLook(picture.theme, paletteIndex);
  const look = makeStroke(color, 1.5);
  const x = (place: number) => getPixel(picture, 'x', place);
  const y = (value: number) => getPixel(picture, 'y', value);
  const across = (value: number, half: number, more = {}): SvgNode =>
    makeLine(x(at - half), y(value), x(at + half), y(value), { ...look, ...more });
  const whisker = (from: number, to: number): SvgNode[] => [
    makeLine(x(at), y(from), x(at), y(to), look),
    across(to, width / 4),
  ];
  return [
    {
      tag: 'rect',
      attributes: {
        ...getRectangle(picture, [at - width / 2, at + width / 2], [q1, q3]),
        ...look,
        fill: color,
        'fill-opacity': looks.boxOpacity,
      },
    },
    across(median, width / 2),
    across(mean ?? median, width / 2, { 'stroke-dasharray': boxMean }),
    ...whisker(q1, whiskerLow ?? q1),
    ...whisker(q3, whiskerHigh ?? q3),
  ];
}

/**
 * Returns the cells as one path for each colour: neighbours of one colour are one rectangle. Omits cells below half a
 * pixel.
 */
function makeCellNodes({ x, colors, rows }: CellsMark, picture: Picture): SvgNode[] {
  const paths = new Map<string, string>();
  const [least, most] = picture.scene.colors?.range ?? [0, 1];
  const gap = rows.length <= mostGappedRows ? 1 : 0;
  const spans = getSpans(
    x.map((_, column) => getColumnEdges(x, column).map((edge) => getPixel(picture, 'x', edge))),
  );
  const lines = getSpans(
    rows.map((_, row) => [row - 0.5, row + 0.5].map((edge) => getPixel(picture, 'y', edge))),
  );
  for (const { index: row, from: top, to: bottom } of lines) {
    let start = spans[0]?.from ?? 0;
    for (const [at, { index: column, to }] of spans.entries()) {
      const color = getColor(colors[row]?.[column], least, most);
      const next = spans[at + 1];
      if (next && getColor(colors[row]?.[next.index], least, most) === color) continue;
      if (color !== undefined) {
        const d = `M${round(start)} ${round(top)}H${round(to)}V${round(bottom - gap)}H${round(start)}Z`;
        paths.set(color, (paths.get(color) ?? '') + d);
      }
      start = to;
    }
  }
  return [...paths].map(([fill, d]) => makePathNode(d, { fill, 'shape-rendering': 'crispEdges' }));
}

/** Rows or columns in pixels, without those that end less than half a pixel after the one before. */
function getSpans(edges: readonly number[][]): { index: number; from: number; to: number }[] {
  const spans: { index: number; from: number; to: number }[] = [];
  for (const [index, [one = 0, other = 0]] of edges.entries()) {
    const from = spans.at(-1)?.to ?? Math.min(one, other);
    const to = Math.max(one, other);
    if (to - from >= 0.5) spans.push({ index, from, to });
  }
  return spans;
}

function getColor(value: Cell | undefined, least: number, most: number): string | undefined {
  return isValue(value)
    ? getHeatColor(most > least ? (value - least) / (most - least) : 0)
    : undefined;
}

const barSteps = 64;

function makeColorBarNodes(
  { title, range }: NonNullable<Scene['colors']>,
  picture: Picture,
): SvgNode[] {
  const { area, theme, colorTicks, size } = picture;
  const { tick } = getTextSizes(theme);
  const left = area.left + area.width + Math.round(0.8 * tick);
  const [least, most] = range;
  const slice = area.height / barSteps;
  const y = (value: number) => area.top + (1 - (value - least) / (most - least)) * area.height;
  const look = { fill: theme.muted, 'font-size': tick };
  const [across, middle] = [size.width - tick * 0.4, area.top + area.height / 2];
  return [
    ...Array.from({ length: barSteps }, (_, step): SvgNode => ({
      tag: 'rect',
      attributes: {
        x: left,
        y: round(area.top + area.height - (step + 1) * slice),
        width: Math.round(tick),
        height: round(slice + 0.3),
        fill: getHeatColor((step + 0.5) / barSteps),
        'shape-rendering': 'crispEdges',
      },
    })),
    ...colorTicks.map((one) =>
      makeTickNode(one, left + Math.round(tick) + tick * 0.4, y(one.value) + tick * 0.35, look),
    ),
    makeTextNode(title, across, middle, {
      ...look,
      'text-anchor': 'middle',
      transform: `rotate(-90 ${round(across)} ${round(middle)})`,
    }),
  ];
}

function getRectangle(picture: Picture, x: readonly number[], y: readonly number[]) {
  const [left = 0, right = 0] = x.map((value) => getPixel(picture, 'x', value));
  const [one = 0, other = 0] = y.map((value) => getPixel(picture, 'y', value));
  return {
    x: round(Math.min(left, right)),
    y: round(Math.min(one, other)),
    width: round(Math.abs(right - left)),
    height: round(Math.abs(other - one)),
  };
}

function makeStroke(stroke: string, width: number): SvgNode['attributes'] {
  return { fill: 'none', stroke, 'stroke-width': round(width) };
}

function makePathNode(d: string, attributes: SvgNode['attributes']): SvgNode {
  return { tag: 'path', attributes: { d, ...attributes } };
}

function makeLine(
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  attributes: SvgNode['attributes'],
): SvgNode {
  const ends = { x1: round(x1), y1: round(y1), x2: round(x2), y2: round(y2) };
  return { tag: 'line', attributes: { ...ends, ...attributes } };
}

function makeTextNode(
  content: string,
  x: number,
  y: number,
  attributes: SvgNode['attributes'],
): SvgNode {
  return { tag: 'text', attributes: { x: round(x), y: round(y), ...attributes }, text: content };
}

function makeTickNode(
  { label, exponent }: Tick,
  x: number,
  y: number,
  attributes: SvgNode['attributes'],
): SvgNode {
  const node = makeTextNode(label, x, y, attributes);
  if (exponent === undefined) return node;
  const superscript = { dy: '-0.45em', 'font-size': '75%' };
  return { ...node, children: [{ tag: 'tspan', attributes: superscript, text: exponent }] };
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
