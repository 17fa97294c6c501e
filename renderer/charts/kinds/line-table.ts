import { axisTitle, type Cell, type LineFigure, type Series } from '#renderer/charts/figure.ts';
import type { FigureTable } from './kind.ts';

interface Column {
  name: string;
  cellAt(index: number): Cell | string;
}

/**
 * x, then each series with the two edges of its band, its notes and its single runs. Targets become columns of one
 * repeated value. Series with different x share rows where their x agree; several points of one series at one x keep
 * their order.
 */
export function lineTable({ x, y, series: drawn, references }: LineFigure): FigureTable {
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

function runTracesOf({ name, runTraces = [], shape, paletteIndex }: Series): Series[] {
  return runTraces.map((trace) => ({
    name: `${name}, ${trace.name}`,
    x: trace.x,
    y: trace.y,
    shape,
    paletteIndex,
  }));
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
    columns.push({ name: `${name}, note`, cellAt: (index) => hoverNotes[index] ?? null });
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
