import { describeCount } from '#shared/number-format.ts';
import { logarithmicSpread } from '#shared/words.ts';
import {
  getAxisTitle,
  describeBin,
  getExtent,
  isValue,
  type Axis,
  type BoxFigure,
  type BoxShape,
  type Cell,
  type Extent,
  type Figure,
  type HeatMapFigure,
  type HistogramFigure,
  type LineFigure,
  type PointsFigure,
  type Range,
  type RankFigure,
  type Reference,
  type Scales,
  type Series,
} from './figure.ts';
import { createScale, getRangeAbout, joinExtents, type Scale } from './scale.ts';
import {
  getColumnEdges,
  getValue,
  type BandMark,
  type Choice,
  type CurveMark,
  type Mark,
  type RuleMark,
  type Scene,
  type SceneAxis,
} from './scene.ts';

/** Columns of a figure that hold its numbers; a figure without a finite one is empty. */
function getValues(figure: Figure): readonly (readonly Cell[])[] {
  switch (figure.kind) {
    case 'lines':
      return getCurves(figure).map(({ y }) => y);
    case 'boxes':
      return figure.boxes.map(({ shape, values }) => [...getEdges(shape), ...values]);
    case 'histogram':
      return [figure.bins.map(({ count }) => count)];
    case 'heatmap':
      return figure.cells;
    case 'points':
      return figure.groups.map(({ points }) => points.map(({ y }) => y));
    default:
      return [figure.ranks.map(({ rank }) => rank)];
  }
}

/** Ends of the values on each axis that can be logarithmic; null for the others, such as those with names. */
function getLoggableExtents(figure: Figure): { x: Extent; y: Extent } {
  if (figure.kind === 'points') {
    const { x, y } = getLoggableExtents(getPointLines(figure));
    return { x: figure.x.categories ? null : x, y };
  }
  if (figure.kind === 'boxes')
    return { x: null, y: getExtentAboveZero(figure.y, getValues(figure)) };
  if (figure.kind !== 'lines') return { x: null, y: null };
  const startsAtZero = figure.series.some(({ stepExtent }) => stepExtent);
  return {
    x: getExtent(getCurves(figure).map(({ x }) => x)),
    y: figure.y.categories
      ? null
      : joinExtents(getExtentAboveZero(figure.y, getValues(figure)), startsAtZero ? [0, 0] : null),
  };
}

/** Returns whether a figure has no finite value. Its card then shows its `empty` sentence. */
export function isEmptyFigure(figure: Figure): boolean {
  return !getValues(figure).some((column) => column.some(isValue));
}

/**
 * Returns whether the values of each axis allow a logarithm: all are positive and there is at least one, except those
 * that have reached 0 where the figure allows it. Targets do not count (one at 0 has no place on a log axis, the curves
 * have), bands do not (they end where the axis begins).
 */
export function makeLoggableAxes(figure: Figure): { x: boolean; y: boolean } {
  const isPositive = (ends: Extent): boolean => ends !== null && ends[0] > 0;
  const { x, y } = getLoggableExtents(figure);
  const hasValues = !isEmptyFigure(figure);
  return { x: hasValues && isPositive(x), y: hasValues && isPositive(y) };
}

/** Minimum number of places along x for a logarithmic default: a few are read off more easily on a linear axis. */
const fewestLogPlaces = 5;

/**
 * Returns the default scales of a figure: logarithmic where all values are positive and span three decades; the x axis
 * only with five different places or more.
 */
export function getAutomaticScales(figure: Figure): Scales {
  const getKind = (ends: Extent) =>
    ends && ends[0] > 0 && ends[1] / ends[0] >= logarithmicSpread ? 'log' : 'linear';
  const { x, y } = getLoggableExtents(figure);
  return { x: hasManyPlaces(figure) ? getKind(x) : 'linear', y: getKind(y) };
}

function hasManyPlaces(figure: Figure): boolean {
  if (figure.kind === 'points') return hasManyPlaces(getPointLines(figure));
  if (figure.kind !== 'lines') return false;
  const places = new Set<number>();
  for (const { x } of getCurves(figure)) {
    for (const place of x) {
      places.add(place);
      if (places.size >= fewestLogPlaces) return true;
    }
  }
  return false;
}

/** Returns the chosen scales where the figure allows them, linear elsewhere. */
export function getAllowedScales(figure: Figure, scales: Scales): Scales {
  const loggable = makeLoggableAxes(figure);
  return { x: loggable.x ? scales.x : 'linear', y: loggable.y ? scales.y : 'linear' };
}

/**
 * Returns a figure as a scene: both axes with the part of them that is visible, and all marks between them. `marks` are
 * those of the same figure, which need not be made again for another choice.
 */
export function getScene(figure: Figure, choice: Choice, marks = makeFigureMarks(figure)): Scene {
  return {
    axes: getAxes(figure, choice),
    marks,
    hidden: choice.hidden,
    ...(figure.kind === 'heatmap' && {
      colors: { title: figure.color.title, range: getColorRange(figure, choice.colorRange) },
    }),
  };
}

function getAxes(figure: Figure, choice: Choice): Scene['axes'] {
  switch (figure.kind) {
    case 'lines':
      return makeLineAxes(figure, choice);
    case 'boxes':
      return makeBoxAxes(figure, choice);
    case 'histogram':
      return makeHistogramAxes(figure, choice);
    case 'heatmap':
      return makeHeatMapAxes(figure, choice);
    case 'points':
      return makePointAxes(figure, choice);
    default:
      return makeRankAxes(figure);
  }
}

/** Returns the marks of a figure, those of all its series. */
export function makeFigureMarks(figure: Figure): readonly Mark[] {
  switch (figure.kind) {
    case 'lines':
      return [
        ...(figure.marks ?? []).map((area): Mark => ({ type: 'area', ...area })),
        ...getRules(figure.references),
        ...figure.series.flatMap(makeSeriesMarks),
        ...figure.series.flatMap(makeInfiniteMarks),
      ];
    case 'boxes':
      return [...getRules(figure.references), ...figure.boxes.flatMap(makeBoxMarks)];
    case 'histogram':
      return [
        {
          type: 'bars',
          name: figure.y.title,
          paletteIndex: figure.paletteIndex,
          bins: figure.bins.map(({ start, end, count }, index) => ({
            start,
            end,
            height: count,
            label: describeBin(figure, index),
          })),
        },
      ];
    case 'heatmap': {
      const { x, y, cells, values = cells } = figure;
      return [{ type: 'cells', x: x.values, rows: y.labels, colors: cells, values }];
    }
    case 'points':
      return figure.groups.map(({ name, paletteIndex, points }): Mark => ({
        type: 'cloud',
        series: name,
        paletteIndex,
        points,
        mode: 'markers',
        note: describeCount(points.length, figure.nouns.point),
        figure,
      }));
    default:
      return [{ type: 'ranks', figure }];
  }
}

function getAxis(
  axis: Axis,
  scale: Scale,
  { hasEdge = false, ...more }: Partial<SceneAxis> & { hasEdge?: boolean } = {},
): SceneAxis {
  const title = getAxisTitle(axis);
  return {
    title,
    label: `${title}${hasEdge ? ' (≤ 0 at the edge)' : ''}${scale.kind === 'log' ? ', log' : ''}`,
    scale,
    hasGrid: false,
    isFixed: false,
    isWhole: axis.isWhole === true,
    ...more,
  };
}

/** Share of the largest value below which a negative one is 0 except for rounding. */
const negligible = 1e-9;

/**
 * Returns the least and the largest value that an axis has to show on a logarithmic scale: without those that have
 * reached 0 where the axis allows them. If values are below 0 by more than rounding, or all are at most 0, it is their
 * whole extent, which no logarithm can show; null without any.
 */
function getExtentAboveZero({ reachesZero }: Axis, columns: readonly (readonly Cell[])[]): Extent {
  const all = getExtent(columns);
  if (reachesZero !== true || all === null || all[0] > 0) return all;
  const above = getExtent(columns, 0);
  return above !== null && -all[0] <= above[1] * negligible ? above : all;
}

/**
 * Returns the chosen range of an axis, by default the whole one. On a logarithmic axis, where a zoom of a linear one
 * may end at 0 or below, the range starts with the whole one.
 */
function getShownRange(
  chosen: Range | undefined,
  getWhole: () => Range,
  kind: 'linear' | 'log',
): Range {
  if (chosen && (kind === 'linear' || Math.min(...chosen) > 0)) return chosen;
  const whole = getWhole();
  const high = chosen ? Math.max(...chosen) : whole[1];
  return high > whole[0] ? [whole[0], high] : whole;
}

function hasReachedZero(figure: Figure): boolean {
  return (getExtent(getValues(figure))?.[0] ?? 1) <= 0;
}

function getRules(references: readonly Reference[]): RuleMark[] {
  return references.map(({ label, value }) => ({ type: 'rule', label, value }));
}

/** The extent of the targets that an axis can show. */
function getTargetsIn(references: readonly Reference[], kind: 'linear' | 'log'): Extent {
  const targets = references.map(({ value }) => value);
  return getExtent([kind === 'log' ? targets.filter((value) => value > 0) : targets]);
}

// Curves, steps and points over a common x axis.

function getCurves({ series }: LineFigure) {
  return series.flatMap((one) => [one, ...(one.runTraces ?? [])]);
}

function makeLineAxes(figure: LineFigure, { scales, view, hidden }: Choice): Scene['axes'] {
  const filtered = { ...figure, series: figure.series.filter(({ name }) => !hidden.has(name)) };
  const visible = filtered.series.length > 0 ? filtered : figure;
  const { x, y } = figure;
  const xRange = getShownRange(view.x, () => getWholeX(visible, scales.x), scales.x);
  const xScale = createScale(scales.x, xRange, {
    isWhole: x.isWhole === true,
    ...(x.ticks && { ticks: x.ticks }),
  });
  const yRange = getShownRange(view.y, () => getWholeY(visible, scales.y), scales.y);
  const yScale = createScale(scales.y, yRange, {
    isWhole: y.isWhole === true,
    ...(y.categories && { names: y.categories }),
  });
  const hasEdge = scales.y === 'log' && hasReachedZero(filtered);
  return {
    x: getAxis(x, xScale, { tickValues: x.ticks }),
    y: getAxis(y, yScale, { hasGrid: true, hasEdge, names: y.categories }),
  };
}

/** The marks of one series, from back to front: band, single runs, curve, cross. */
function makeSeriesMarks(one: Series): Mark[] {
  const { name, paletteIndex, x, y, shape, band, runTraces, crossAt, stepExtent } = one;
  const own = { series: name, paletteIndex };
  const curve: CurveMark = {
    type: 'curve',
    ...own,
    x,
    y,
    shape,
    mode: getCurveMode(one),
    note: one.legendNote,
    ends: stepExtent,
    hoverNotes: one.hoverNotes,
  };
  const region: BandMark | undefined = band && {
    type: 'band',
    ...own,
    name: band.name,
    x,
    lower: band.lower,
    upper: band.upper,
    shape,
    possible: band.possible ?? [-Infinity, Infinity],
    ends: stepExtent,
  };
  return [
    ...(region ? [region] : []),
    ...(runTraces ? [{ type: 'runs', ...own, runs: runTraces, shape } as const] : []),
    curve,
    ...(crossAt === undefined
      ? []
      : [
          {
            type: 'points',
            ...own,
            name: `${name}, cross`,
            symbol: 'cross',
            x: [crossAt],
            y: [getValue(curve, crossAt)],
            spread: 0,
          } as const,
        ]),
  ];
}

/** Infinite values are in front of all curves, at the upper edge. */
function makeInfiniteMarks({ name, paletteIndex, infiniteAt = [] }: Series): Mark[] {
  if (infiniteAt.length === 0) return [];
  return [
    {
      type: 'points',
      series: name,
      paletteIndex,
      name: `${name}, infinite`,
      symbol: 'infinite',
      x: infiniteAt,
      y: infiniteAt.map(() => Infinity),
      spread: 0,
    },
  ];
}

/**
 * Returns how a series is drawn. A point between gaps makes no line: it is a symbol, and where all are such, as the
 * only one of a run that has just begun, there is no line.
 */
export function getCurveMode({ shape, y, stepExtent }: Series): CurveMark['mode'] {
  if (shape === 'points') return 'markers';
  if (stepExtent) return 'lines';
  const isAlone = (value: Cell, index: number): boolean =>
    isValue(value) && !isValue(y[index - 1]) && !isValue(y[index + 1]);
  if (!y.some(isAlone)) return 'lines';
  return y.every((value, index) => !isValue(value) || isAlone(value, index))
    ? 'markers'
    : 'lines+markers';
}

/** Share of the axis added beyond its ends, so that symbols there are not clipped. */
const symbolRoom = 0.03;

function getWholeX({ series, x }: LineFigure, kind: 'linear' | 'log'): Range {
  if (x.range && kind === 'linear') return x.range;
  const columns = series.flatMap((one) => [one.x, one.stepExtent ?? []]);
  const ends = getExtent(columns, kind === 'log' ? 0 : -Infinity);
  const isEnd = (place: number | undefined): boolean =>
    place !== undefined && ends !== null && ends.includes(place);
  const hasSymbols = series.some(
    (one) => one.infiniteAt || getCurveMode(one) !== 'lines' || isEnd(one.crossAt),
  );
  const [low, high] = getRangeAbout(ends, kind, hasSymbols ? symbolRoom : 0);
  // The edge would clip a symbol at 0 too; a single one is in the middle.
  const isClipped = hasSymbols && ends?.[0] === 0 && kind === 'linear';
  return isClipped ? [-(ends[1] > 0 ? high * symbolRoom : high), high] : [low, high];
}

function getWholeY(figure: LineFigure, kind: 'linear' | 'log'): Range {
  const { y, references } = figure;
  if (y.categories) return [-0.6, y.categories.length - 0.4];
  if (y.range && kind === 'linear') return y.range;
  const columns = getValues(figure);
  const values = kind === 'log' ? getExtentAboveZero(y, columns) : getExtent(columns);
  const curves = joinExtents(values, getNearBand(figure, values, kind));
  const yValues = joinExtents(curves, getTargetsIn(references, kind));
  return getRangeAbout(joinExtents(yValues, getExtent([[y.includedValue ?? null]])), kind, 0.06);
}

function getBandExtent({ series }: LineFigure): Extent {
  return series.reduce<Extent>((before, { band }) => {
    if (!band) return before;
    const [low, high] = band.possible ?? [-Infinity, Infinity];
    const ends = getExtent([band.lower, band.upper]);
    return joinExtents(before, ends && [Math.max(ends[0], low), Math.min(ends[1], high)]);
  }, null);
}

/**
 * Returns the part of the band that the axis shows initially: beyond the curves up to half their height, or twice the
 * median width of bands; on a log axis up to a decade. A wider one, such as the first interval of two runs, would
 * flatten the curves. Null without a band or values.
 */
function getNearBand(figure: LineFigure, values: Extent, kind: 'linear' | 'log'): Extent {
  const band = getBandExtent(figure);
  if (!band || !values) return null;
  const room = Math.max((values[1] - values[0]) / 2, 2 * getMedianWidth(figure));
  const [low, high] =
    kind === 'log' ? [values[0] / 10, values[1] * 10] : [values[0] - room, values[1] + room];
  return [Math.max(band[0], low), Math.max(values[1], Math.min(band[1], high))];
}

/** The median distance between the edges of all bands; 0 without any. */
function getMedianWidth({ series }: LineFigure): number {
  const widths = series.flatMap(({ band }) =>
    (band?.upper ?? []).flatMap((high, index) => {
      const low = band?.lower[index];
      return isValue(high) && isValue(low) ? [high - low] : [];
    }),
  );
  return widths.sort((one, other) => one - other)[widths.length >> 1] ?? 0;
}

// Points of groups.

/** The points with a place as curves, which have the same axes. */
function getPointLines({ x, y, groups, empty }: PointsFigure): LineFigure {
  return {
    kind: 'lines',
    x,
    y,
    series: groups.map(({ name, paletteIndex, points }): Series => {
      const placed = points.filter((point) => point.y !== null);
      return {
        name,
        paletteIndex,
        shape: 'points',
        x: placed.map((point) => point.x),
        y: placed.map((point) => point.y),
      };
    }),
    references: [],
    empty,
  };
}

function makePointAxes(figure: PointsFigure, choice: Choice): Scene['axes'] {
  const lines = getPointLines(figure);
  const axes = makeLineAxes(lines, choice);
  const names = figure.x.categories;
  if (names) {
    const range = choice.view.x ?? [-0.5, names.length - 0.5];
    return { ...axes, x: getAxis(figure.x, createScale('linear', range, { names }), { names }) };
  }
  const visible = lines.series.filter(({ name }) => !choice.hidden.has(name));
  const places = (visible.length > 0 ? visible : lines.series).flatMap(({ x }) => x);
  const kind = choice.scales.x;
  const range = getShownRange(choice.view.x, () => getRangeOfPoints(places, kind), kind);
  return { ...axes, x: getAxis(figure.x, createScale(kind, range)) };
}

/** Largest share of the axis added beyond its ends, where few numbers have points next to each other. */
const crowdRoom = 0.12;

/** The range of points along x: no symbol is clipped. Numbers that are never negative get no tick below 0. */
function getRangeOfPoints(places: readonly number[], kind: 'linear' | 'log'): Range {
  const ends = getExtent([places]);
  const margin = Math.max(symbolRoom, Math.min(crowdRoom, 0.5 / new Set(places).size));
  const range = getRangeAbout(ends, kind, margin);
  if (kind === 'log' || !ends || ends[0] < 0 || ends[0] === ends[1]) return range;
  const length = ends[1] - ends[0];
  const start = Math.max(ends[0] - margin * length, -symbolRoom * length);
  return Number.isFinite(range[1] - start) ? [start, range[1]] : range;
}

// Box plots next to each other at 0, 1, 2, …; one that is switched off keeps its place.

/** Width of a box; they are 1 apart. */
const boxWidth = 0.36;

function getEdges({ whiskerLow, q1, median, q3, whiskerHigh }: BoxShape) {
  return [whiskerLow, q1, median, q3, whiskerHigh];
}

function makeBoxAxes(figure: BoxFigure, { scales, view, hidden }: Choice): Scene['axes'] {
  const visible = { ...figure, boxes: figure.boxes.filter(({ name }) => !hidden.has(name)) };
  const names = figure.boxes.map(({ name }) => name);
  const columns = getValues(visible);
  const values = scales.y === 'log' ? getExtentAboveZero(figure.y, columns) : getExtent(columns);
  const range = getRangeAbout(
    joinExtents(values, getTargetsIn(figure.references, scales.y)),
    scales.y,
    0.08,
  );
  const hasEdge = scales.y === 'log' && hasReachedZero(visible);
  const places = createScale('linear', [-0.5, names.length - 0.5], { names });
  const heights = createScale(
    scales.y,
    getShownRange(view.y, () => range, scales.y),
  );
  return {
    x: getAxis(figure.x, places, { label: '', isFixed: true, names }),
    y: getAxis(figure.y, heights, { hasGrid: true, hasEdge }),
  };
}

/** The box of a group, with its single values in front of it. */
function makeBoxMarks(
  { name, paletteIndex, shape, values }: BoxFigure['boxes'][number],
  at: number,
): Mark[] {
  const own = { series: name, paletteIndex };
  return [
    { type: 'box', ...own, at, width: boxWidth, shape, values },
    {
      type: 'points',
      ...own,
      name: `${name}, values`,
      symbol: 'series',
      x: values.map(() => at),
      y: values,
      spread: boxWidth * 0.45,
    },
  ];
}

function makeHistogramAxes(figure: HistogramFigure, { view }: Choice): Scene['axes'] {
  const { bins, x, y } = figure;
  const highest = Math.max(1, ...bins.map(({ count }) => count));
  // A single bar that filled the whole picture would not be recognised as one.
  const margin = bins.length === 1 ? 1 : 0.02;
  const ends = getExtent(bins.map(({ start, end }) => [start, end]));
  const across = createScale('linear', view.x ?? getRangeAbout(ends, 'linear', margin), {
    isWhole: x.isWhole === true || figure.isWhole === true,
  });
  const up = createScale('linear', view.y ?? [0, highest * 1.06], { isWhole: y.isWhole === true });
  return { x: getAxis(x, across), y: getAxis(y, up, { hasGrid: true }) };
}

/**
 * Returns the ends of the colour scale: the reader's, else the figure's, else those of the cells; [0, 1] without any.
 */
export function getColorRange(
  figure: HeatMapFigure,
  range: Choice['colorRange'],
): [number, number] {
  const [minimum, maximum] = figure.color.range ?? getExtent(figure.cells) ?? [0, 1];
  return [range.minimum ?? minimum, range.maximum ?? maximum];
}

/** Returns the ranges that show all columns and rows, the first row on top. */
export function getWholeRanges({ x, y }: HeatMapFigure): { x: Range; y: Range } {
  return {
    x: [getColumnEdges(x.values, 0)[0], getColumnEdges(x.values, x.values.length - 1)[1]],
    y: [y.labels.length - 0.5, -0.5],
  };
}

function makeHeatMapAxes(figure: HeatMapFigure, { view }: Choice): Scene['axes'] {
  const { x, y } = figure;
  const whole = getWholeRanges(figure);
  return {
    x: getAxis(x, createScale('linear', view.x ?? whole.x, { isWhole: true })),
    y: getAxis(y, createScale('linear', view.y ?? whole.y, { names: y.labels })),
  };
}

/** The diagram is drawn below its axis, in lines of text. */
function makeRankAxes({ ranks }: RankFigure): Scene['axes'] {
  const x = createScale('linear', [1, Math.max(2, ranks.length)]);
  return {
    x: getAxis({ title: 'average rank' }, x, { isFixed: true }),
    y: getAxis({ title: '' }, createScale('linear', [1, 0]), { isFixed: true }),
  };
}
