import { formatCount, formatFitness } from '#shared/number-format.ts';
import {
  axisTitle,
  extent,
  isValue,
  type BoxFigure,
  type BoxShape,
  type Cell,
  type Extent,
  type Scale,
} from '#renderer/charts/figure.ts';
import {
  escapeMarkup,
  frameOf,
  pixelOf,
  planOf,
  plotted,
  traceId,
  type Picture,
  type Setting,
} from '#renderer/charts/picture.ts';
import { joined, rangeAbout } from '#renderer/charts/ranges.ts';
import { raised, scaledExtent, withEdge } from '#renderer/charts/reached-zero.ts';
import { seriesLook, withOpacity, type ChartTheme } from '#renderer/charts/theme.ts';
import { fractionOf, type Range } from '#renderer/charts/view.ts';
import type { Data } from 'plotly.js-dist-min';
import type { FigureTable, Kind, Place, Reading } from './kind.ts';
import { drawReferences } from './references.ts';
import { swarm } from './swarm.ts';

/** Box plots side by side at 0, 1, 2, …, each with single values over it. One that is switched off keeps its place. */
export const boxes: Kind<BoxFigure> = {
  values: (figure) => figure.boxes.map(({ shape, values }) => [...edgesOf(shape), ...values]),
  extents: (figure) => ({ x: null, y: scaledExtent(figure.y, boxes.values(figure)) }),
  draw,
  table,
  stops: (figure) => ({ x: figure.boxes.map((_, place) => place), rows: 1 }),
  read,
};

const boxWidth = 0.36;

function edgesOf({ whiskerLow, q1, median, q3, whiskerHigh }: BoxShape) {
  return [whiskerLow, q1, median, q3, whiskerHigh];
}

/** The figure over a logarithmic axis that begins at `floor`: what has reached 0 lies there, as the title says. */
export function atEdge(figure: BoxFigure, floor: number): BoxFigure {
  if ((extent(boxes.values(figure))?.[0] ?? 1) > 0) return figure;
  const onAxis = (value: Cell): Cell => raised(value, floor);
  return {
    ...figure,
    y: withEdge(figure.y),
    boxes: figure.boxes.map((box) => ({
      ...box,
      shape: {
        n: box.shape.n,
        q1: onAxis(box.shape.q1),
        median: onAxis(box.shape.median),
        q3: onAxis(box.shape.q3),
        mean: onAxis(box.shape.mean),
        whiskerLow: onAxis(box.shape.whiskerLow),
        whiskerHigh: onAxis(box.shape.whiskerHigh),
      },
      values: box.values.map((value) => raised(value, floor)),
    })),
  };
}

function valueExtent(figure: BoxFigure, scale: Scale): Extent {
  const columns = boxes.values(figure);
  return scale === 'log' ? scaledExtent(figure.y, columns) : extent(columns);
}

/** The figure with nothing drawn of the boxes in `hidden`. */
function withoutHidden(figure: BoxFigure, hidden: ReadonlySet<string>): BoxFigure {
  const isShown = ({ name }: OneBox): boolean => !hidden.has(name);
  return {
    ...figure,
    boxes: figure.boxes.map((box) => (isShown(box) ? box : { ...box, shape: noShape, values: [] })),
  };
}

const noShape: BoxShape = {
  n: 0,
  q1: null,
  median: null,
  q3: null,
  mean: null,
  whiskerLow: null,
  whiskerHigh: null,
};

function draw(all: BoxFigure, setting: Setting): Picture {
  const { theme, scales, view, hidden } = setting;
  const shown = withoutHidden(all, hidden);
  const targets = all.references.map(({ value }) => value);
  const seen = scales.y === 'log' ? targets.filter((value) => value > 0) : targets;
  const ranges: { x: Range; y: Range } = {
    x: [-0.5, all.boxes.length - 0.5],
    y: view.y ?? rangeAbout(joined(valueExtent(shown, scales.y), extent([seen])), scales.y, 0.08),
  };
  const figure = scales.y === 'log' ? atEdge(shown, ranges.y[0]) : shown;
  const frame = frameOf(setting, {
    x: planOf({ title: '' }, ranges.x, {
      ticks: figure.boxes.map(({ name }, value) => ({ value, label: name })),
      isNamed: true,
      hasGrid: false,
      isFixed: true,
    }),
    y: planOf(figure.y, ranges.y, { scale: scales.y }),
  });
  const picture = { area: frame.area, ranges };
  const taken = (left: number): Range[] => boxAt(figure, picture, setting, left);
  const data = figure.boxes.flatMap((box, place) => drawBox(box, place, theme, ranges.y, setting));
  const references = drawReferences(figure.references, picture, scales.y, theme, taken);
  return plotted(frame, ranges, data, references);
}

/** The pixels that the box at a column of the picture takes: labels are not to cover it. */
function boxAt(
  figure: BoxFigure,
  picture: Pick<Picture, 'area' | 'ranges'>,
  { scales }: Setting,
  left: number,
): Range[] {
  const place = (left - picture.area.left) / picture.area.width;
  const x = picture.ranges.x[0] + place * (picture.ranges.x[1] - picture.ranges.x[0]);
  const index = Math.round(x);
  const box = figure.boxes[index];
  if (!box || Math.abs(x - index) > boxWidth / 2) return [];
  const ends = extent([[...edgesOf(box.shape), ...box.values]]);
  if (!ends) return [];
  const [low, high] = ends;
  return [[pixelOf(picture, 'y', high, scales.y), pixelOf(picture, 'y', low, scales.y)]];
}

type OneBox = BoxFigure['boxes'][number];

function drawBox(
  { name, paletteIndex, shape, values }: OneBox,
  place: number,
  theme: ChartTheme,
  range: Range,
  { scales }: Setting,
): Data[] {
  const { color, symbol } = seriesLook(theme, paletteIndex);
  const { q1, median, q3, mean, whiskerLow, whiskerHigh } = shape;
  const data: Data[] = [];
  if (isValue(q1) && isValue(median) && isValue(q3)) {
    data.push({
      type: 'box',
      uid: traceId(`${name}, box`),
      name: escapeMarkup(name),
      x: [place],
      q1: [q1],
      median: [median],
      q3: [q3],
      mean: [mean ?? median],
      lowerfence: [whiskerLow ?? q1],
      upperfence: [whiskerHigh ?? q3],
      boxmean: true,
      width: boxWidth,
      line: { color, width: 1.5 },
      fillcolor: withOpacity(color, 0.16),
      showlegend: false,
    });
  }
  if (values.length > 0) {
    const heights = values.map((value) => fractionOf(value, range, scales.y));
    data.push({
      type: 'scatter',
      uid: traceId(`${name}, values`),
      name: escapeMarkup(`${name}, values`),
      x: swarm(heights, boxWidth * 0.45).map((offset) => place + offset),
      y: [...values],
      mode: 'markers',
      marker: { color, size: 6, symbol, opacity: 0.65 },
      showlegend: false,
    });
  }
  return data;
}

function read({ boxes: all }: BoxFigure, { x }: Place, hidden: ReadonlySet<string>): Reading {
  const box = all[Math.round(x)];
  if (!box) return { title: '', rows: [] };
  if (hidden.has(box.name)) return { title: `${box.name}, switched off`, rows: [] };
  const { n, q1, median, q3, mean, whiskerLow, whiskerHigh } = box.shape;
  const { paletteIndex } = box;
  const between = (low: number | null, high: number | null) =>
    `${formatFitness(low)} and ${formatFitness(high)}`;
  return {
    title: `${box.name}, n = ${formatCount(n)}`,
    rows: [
      {
        name: 'median',
        text: formatFitness(median),
        paletteIndex,
        ...(isValue(median) && { y: median }),
      },
      { name: 'mean', text: formatFitness(mean) },
      { name: 'quartiles', text: between(q1, q3) },
      { name: 'whiskers', text: between(whiskerLow, whiskerHigh) },
    ],
  };
}

const columns = [
  ['n', 'n'],
  ['lower whisker', 'whiskerLow'],
  ['first quartile', 'q1'],
  ['median', 'median'],
  ['third quartile', 'q3'],
  ['upper whisker', 'whiskerHigh'],
  ['mean', 'mean'],
] as const;

/** One row per box, then one per single value of it. */
function table({ x, y, boxes: all }: BoxFigure): FigureTable {
  const blank = columns.map(() => null);
  return {
    columns: [x.title, ...columns.map(([title]) => title), `${axisTitle(y)}, point`],
    rows: all.flatMap(({ name, shape, values }) => [
      [name, ...columns.map(([, key]) => shape[key]), null],
      ...values.map((value) => [name, ...blank, value]),
    ]),
  };
}
