import { formatCount, formatFitness, noValue } from '#shared/number-format.ts';
import type { Cell } from './figure.ts';
import {
  getMarks,
  type BandMark,
  type BoxMark,
  type CellsMark,
  type CloudMark,
  type CurveMark,
  type Scene,
} from './scene.ts';

/** The numbers of a scene as a table: all points, none thinned, those of switched-off series too. */
export interface FigureTable {
  columns: readonly string[];
  /** One row per x or point, in rising order of x; null where a series has no value there. */
  rows: readonly (readonly (Cell | string)[])[];
}

/** Returns the numbers of a scene at full precision; a scene without points gives no rows. */
export function getTable(scene: Scene): FigureTable {
  const { x, y } = scene.axes;
  const [cells] = getMarks(scene, 'cells');
  if (cells) return makeCellsTable(cells, x.title);
  const [bars] = getMarks(scene, 'bars');
  if (bars) {
    return {
      columns: [`${x.title}, from`, `${x.title}, to`, y.title],
      rows: bars.bins.map(({ start, end, height }) => [start, end, height]),
    };
  }
  const [diagram] = getMarks(scene, 'ranks');
  if (diagram) {
    const { ranks, cliques } = diagram.figure;
    return {
      columns: [
        'name',
        'average rank',
        ...cliques.map((_, index) => `no claimed difference, set ${index + 1}`),
      ],
      rows: ranks.map(({ name, rank }, index) => [
        name,
        rank,
        ...cliques.map(([first, last]) => (index >= first && index <= last ? 'yes' : null)),
      ]),
    };
  }
  const clouds = getMarks(scene, 'cloud');
  const [cloud] = clouds;
  if (cloud) return makePointTable(cloud, clouds, scene);
  const boxes = getMarks(scene, 'box');
  return boxes.length > 0 ? makeBoxTable(boxes, scene) : makeCurveTable(scene);
}

function makeCellsTable({ x, rows, values }: CellsMark, title: string): FigureTable {
  return {
    columns: [title, ...rows],
    rows: x.map((place, column) => [place, ...values.map((row) => row[column] ?? null)]),
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

/** One row per box, then one per single value of it. */
function makeBoxTable(boxes: readonly BoxMark[], { axes }: Scene): FigureTable {
  const blank = boxColumns.map(() => null);
  return {
    columns: [axes.x.title, ...boxColumns.map(([title]) => title), `${axes.y.title}, point`],
    rows: boxes.flatMap(({ series, shape, values }) => [
      [series, ...boxColumns.map(([, key]) => shape[key]), null],
      ...values.map((value) => [series, ...blank, value]),
    ]),
  };
}

/** One row per point, those without a value too; points at one x in the order of their groups. */
function makePointTable(
  { figure }: CloudMark,
  clouds: readonly CloudMark[],
  { axes }: Scene,
): FigureTable {
  const { nouns, counts } = figure;
  const points = clouds.flatMap(({ series, points: own }) =>
    own.map((point) => ({ series, ...point })),
  );
  return {
    columns: [nouns.point, nouns.group, axes.x.title, axes.y.title, ...counts],
    rows: points
      .sort((one, other) => one.x - other.x)
      .map(({ name, series, x, y, counts: own }) => [
        name,
        series,
        axes.x.names?.[x] ?? x,
        y,
        ...own,
      ]),
  };
}

interface Column {
  name: string;
  getCell: (index: number) => Cell | string;
}

/** Columns that share their x. */
interface Columns {
  x: readonly number[];
  columns: readonly Column[];
}

/**
 * Returns the table of curves: x, then each series with the two edges of its band, its notes and its single runs.
 * Targets become columns of one repeated value. Series with different x share rows where their x agree; several points
 * of one series at one x keep their order.
 */
function makeCurveTable(scene: Scene): FigureTable {
  const { x, y } = scene.axes;
  const sets = getMarks(scene, 'curve').flatMap((curve): Columns[] => {
    const band = getMarks(scene, 'band').find(({ series }) => series === curve.series);
    const runs = getMarks(scene, 'runs').find(({ series }) => series === curve.series)?.runs ?? [];
    return [
      { x: curve.x, columns: getColumns(curve, band, y.names) },
      ...runs.map((run) => ({
        x: run.x,
        columns: [
          { name: `${curve.series}, ${run.name}`, getCell: (at: number) => run.y[at] ?? null },
        ],
      })),
    ];
  });
  const rules = getMarks(scene, 'rule');
  const targets = rules.map(({ value }) => value);
  const rows = getMergedPlaces(sets).map(({ place, indices }) => {
    const cells = sets.flatMap(({ columns }, position) => {
      const index = indices[position];
      return columns.map((column) => (index === undefined ? null : column.getCell(index)));
    });
    return [place as Cell | string].concat(cells, targets);
  });
  const names = sets.flatMap(({ columns }) => columns.map(({ name }) => name));
  return { columns: [x.title, ...names, ...rules.map(({ label }) => label)], rows };
}

function getColumns(
  { series, y, hoverNotes }: CurveMark,
  band: BandMark | undefined,
  names: readonly string[] | undefined,
): Column[] {
  const getName = (value: Cell | undefined) => names?.[value ?? -1] ?? value ?? null;
  const columns: Column[] = [{ name: series, getCell: (index) => getName(y[index]) }];
  if (band) {
    columns.push({ name: `${band.name}, lower`, getCell: (index) => band.lower[index] ?? null });
    columns.push({ name: `${band.name}, upper`, getCell: (index) => band.upper[index] ?? null });
  }
  if (hoverNotes)
    columns.push({ name: `${series}, note`, getCell: (index) => hoverNotes[index] ?? null });
  return columns;
}

interface MergedPlace {
  place: number;
  /** Index of the point of each set that is here. */
  indices: (number | undefined)[];
}

/** The places of all sets in order of x; the n-th point at one x of each set shares a place. */
function getMergedPlaces(sets: readonly Columns[]): MergedPlace[] {
  const places = new Map<number, MergedPlace[]>();
  for (const [position, { x }] of sets.entries()) {
    let occurrence = 0;
    for (const [index, value] of x.entries()) {
      occurrence = index > 0 && x[index - 1] === value ? occurrence + 1 : 0;
      const here = places.get(value) ?? [];
      const merged = here[occurrence] ?? { place: value, indices: [] };
      merged.indices[position] = index;
      here[occurrence] = merged;
      places.set(value, here);
    }
  }
  return [...places.values()].flat().sort((first, second) => first.place - second.place);
}

/** Returns the text of a cell on the page; a whole number, such as one of evaluations, with all digits. */
export function formatTableCell(cell: Cell | string): string {
  if (cell === null) return noValue;
  if (typeof cell === 'string') return cell;
  return Number.isSafeInteger(cell) ? formatCount(cell) : formatFitness(cell);
}
