import {
  axisTitle,
  type BoxFigure,
  type Cell,
  type Figure,
  type HeatMapFigure,
  type HistogramFigure,
  type LineFigure,
  type RankFigure,
  type Series,
} from './figure.ts';

/** The numbers of a picture as a table: all points, none thinned. */
export interface FigureTable {
  columns: readonly string[];
  /** One row per x, in rising order; null where a series has no value there. */
  rows: readonly (readonly (Cell | string)[])[];
}

/**
 * The plotted numbers at full precision: x, then each series (with the two edges of its band and its
 * hoverNotes), or x, then each row of a heat map with the numbers behind its colours. References become
 * columns of one repeated value. Series with different x share rows where their x agree; several points
 * of one series at one x keep their order. The single curves behind a series follow it as columns. A
 * histogram gives its bins, box plots one row per box and then one per value, ranks one row each. A figure
 * without points gives no rows.
 */
export function figureTable(figure: Figure): FigureTable {
  switch (figure.kind) {
    case 'lines':
      return lineTable(figure);
    case 'heatmap':
      return heatMapTable(figure);
    case 'histogram':
      return histogramTable(figure);
    case 'boxes':
      return boxTable(figure);
    default:
      return rankTable(figure);
  }
}

function histogramTable({ x, y, bins }: HistogramFigure): FigureTable {
  const title = axisTitle(x);
  return {
    columns: [`${title}, from`, `${title}, to`, axisTitle(y)],
    rows: bins.map(({ start, end, count }) => [start, end, count]),
  };
}

const boxColumns = [
  ['n', 'n'],
  ['lower whisker', 'whiskerLow'],
  ['first quartile', 'q1'],
  ['median', 'median'],
  ['third quartile', 'q3'],
  ['upper whisker', 'whiskerHigh'],
  ['mean', 'mean'],
] as const;

function boxTable({ x, y, boxes }: BoxFigure): FigureTable {
  const blank = boxColumns.map(() => null);
  return {
    columns: [x.title, ...boxColumns.map(([title]) => title), `${axisTitle(y)}, point`],
    rows: boxes.flatMap(({ name, shape, values }) => [
      [name, ...boxColumns.map(([, key]) => shape[key]), null],
      ...values.map((value) => [name, ...blank, value]),
    ]),
  };
}

function rankTable({ ranks, cliques }: RankFigure): FigureTable {
  const bars = cliques.map((_, index) => `not told apart, set ${index + 1}`);
  return {
    columns: ['name', 'average rank', ...bars],
    rows: ranks.map(({ name, rank }, index) => [
      name,
      rank,
      ...cliques.map(([first, last]) => (index >= first && index <= last ? 'yes' : null)),
    ]),
  };
}

function heatMapTable({ x, y, cells, values }: HeatMapFigure): FigureTable {
  const shown = values ?? cells;
  return {
    columns: [axisTitle(x), ...y.labels],
    rows: x.values.map((value, column) => [value, ...shown.map((row) => row[column] ?? null)]),
  };
}

interface Column {
  name: string;
  cellAt(index: number): Cell | string;
}

function lineTable({ x, y, series: drawn, references }: LineFigure): FigureTable {
  const series = drawn.flatMap((one) => [one, ...runTracesOf(one)]);
  const columnsOfSeries = series.map((one) => columnsOf(one, y.categories));
  const targets = references.map(({ value }) => value);
  const rows = mergedPlaces(series).map(({ x: place, indices }) => {
    const cells = columnsOfSeries.flatMap((columns, position) => {
      const index = indices[position];
      return columns.map((column) => (index === undefined ? null : column.cellAt(index)));
    });
    return [place as Cell | string].concat(cells, targets);
  });
  const names = columnsOfSeries.flat().map(({ name }) => name);
  return { columns: [axisTitle(x), ...names, ...references.map(({ label }) => label)], rows };
}

function runTracesOf({ runTraces = [], shape, paletteIndex }: Series): Series[] {
  return runTraces.map(({ name, x, y }) => ({ name, x, y, shape, paletteIndex }));
}

function columnsOf(
  { name, y, band, hoverNotes }: Series,
  categories?: readonly string[],
): Column[] {
  const nameOfCategory = (value: Cell | undefined) => categories?.[value ?? -1] ?? value ?? null;
  const columns: Column[] = [{ name, cellAt: (index) => nameOfCategory(y[index]) }];
  if (band) {
    columns.push({ name: `${band.name}, lower`, cellAt: (index) => band.lower[index] ?? null });
    columns.push({ name: `${band.name}, upper`, cellAt: (index) => band.upper[index] ?? null });
  }
  if (hoverNotes)
    columns.push({ name: `${name}, remark`, cellAt: (index) => hoverNotes[index] ?? null });
  return columns;
}

interface Place {
  x: number;
  /** Index of the point of each series that stands here. */
  indices: (number | undefined)[];
}

/** The places of all series in order of x; the n-th point at one x of each series shares a place. */
function mergedPlaces(series: readonly Series[]): Place[] {
  const places = new Map<number, Place[]>();
  for (const [position, { x }] of series.entries()) {
    let occurrence = 0;
    for (const [index, value] of x.entries()) {
      occurrence = index > 0 && x[index - 1] === value ? occurrence + 1 : 0;
      const here = places.get(value) ?? [];
      const place = here[occurrence] ?? { x: value, indices: [] };
      place.indices[position] = index;
      here[occurrence] = place;
      places.set(value, here);
    }
  }
  return [...places.values()].flat().sort((first, second) => first.x - second.x);
}
