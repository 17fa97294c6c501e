import { isBetter } from '#shared/words.ts';
import type { ConvergencePoint } from '#shared/schemas/analysis.ts';
import type { IterationRow, RunDetail } from '#shared/schemas/run.ts';
import { readNumber } from '#shared/syntax.ts';
import {
  getExtent,
  isValue,
  getTargetReference,
  type Cell,
  type LineFigure,
  type Mark,
  type Series,
} from '#renderer/charts/figure.ts';

/** Quantities on the x axis of the fitness of a run. */
export type ProgressAxis = 'iteration' | 'evaluations';

type FitnessRow = Pick<
  IterationRow,
  'iteration' | 'evaluations' | 'bestFitness' | 'meanFitness' | 'stdFitness'
>;

/**
 * Best so far (a step: it holds until something better comes), best and mean of each population, the mean with ± one
 * standard deviation, and the target as a line when the run has one. Without {@link hasPopulations} there is no mean.
 * `rows` are in order of iterations; a row without a value leaves a gap, except that the best so far carries on. Rows
 * that do not know their place on the axis are not drawn, but count for the best so far. `marks` are on that axis. Over
 * evaluations, the median and the quartiles of finished `siblings` are behind the run.
 */
export function makeFitnessFigure(
  rows: readonly FitnessRow[],
  run: Pick<RunDetail, 'direction' | 'targetFitness'> & { isRunning: boolean },
  axis: ProgressAxis,
  marks: readonly Mark[] = [],
  siblings: SiblingBand | null = null,
): LineFigure {
  const best = rows.map(({ bestFitness }) => bestFitness);
  const places = rows.map((row) => readNumber(row[axis]));
  const isPlaced = (_: unknown, index: number) => places[index] !== null;
  const soFar = getBestSoFar(best, run.direction).filter(isPlaced);
  const points = rows.filter(isPlaced);
  const x = places.filter((place) => place !== null);
  return {
    kind: 'lines',
    x: { title: axis, isWhole: true },
    y: { title: 'fitness', reachesZero: true },
    series: [
      ...makeSiblingSeries(siblings),
      { name: 'best so far', x, y: soFar, shape: 'step', paletteIndex: 0 },
      { name: 'best', x, y: best.filter(isPlaced), shape: 'line', paletteIndex: 1 },
      ...(hasPopulations(rows) ? [makeMeanSeries(points, x)] : []),
    ],
    references: getTargetReference(run.targetFitness),
    marks,
    empty: run.isRunning
      ? 'No iteration has been written yet: the first appears when the initial population is evaluated.'
      : 'No iterations recorded for this run.',
  };
}

/**
 * Returns whether a mean differs from the best of its row, or a standard deviation is not 0. Otherwise the run has no
 * populations: imports and recordings store the best as the mean, with the deviation 0, if a program states none.
 */
export function hasPopulations(rows: readonly FitnessRow[]): boolean {
  return rows.some(
    ({ bestFitness, meanFitness, stdFitness }) =>
      meanFitness !== bestFitness || (stdFitness ?? 0) !== 0,
  );
}

function makeMeanSeries(points: readonly FitnessRow[], x: readonly number[]): Series {
  return {
    name: 'mean',
    x,
    y: points.map(({ meanFitness }) => meanFitness),
    shape: 'line',
    paletteIndex: 2,
    band: { name: 'mean ± std', ...getMeanBand(points), possible: getPossibleValues(points) },
  };
}

/** Convergence of the finished runs of the same experiment. */
interface SiblingBand {
  runs: number;
  points: readonly Pick<ConvergencePoint, 'x' | 'q1' | 'median' | 'q3'>[];
}

function makeSiblingSeries(siblings: SiblingBand | null): Series[] {
  if (siblings === null) return [];
  const { runs, points } = siblings;
  return [
    {
      name: 'median of siblings',
      legendNote: `n = ${runs}`,
      x: points.map(({ x }) => x),
      y: points.map(({ median }) => median),
      shape: 'step',
      paletteIndex: 3,
      band: {
        name: 'quartiles of siblings',
        lower: points.map(({ q1 }) => q1),
        upper: points.map(({ q3 }) => q3),
      },
    },
  ];
}

/**
 * Best value up to and including each place, in the direction; null until the first finite value. Ties
 * and values that are missing change nothing.
 */
export function getBestSoFar(values: readonly Cell[], direction: 'min' | 'max'): Cell[] {
  let best: Cell = null;
  return values.map((value) => {
    if (isValue(value) && (best === null || isBetter(value, best, direction))) best = value;
    return best;
  });
}

function getMeanBand(rows: readonly FitnessRow[]): { lower: Cell[]; upper: Cell[] } {
  const at = (sign: number) =>
    rows.map(({ meanFitness, stdFitness }) =>
      isValue(meanFitness) && isValue(stdFitness) ? meanFitness + sign * stdFitness : null,
    );
  return { lower: at(-1), upper: at(1) };
}

/** Returns the possible values of the mean ± its standard deviation: not negative if no value of the run is. */
function getPossibleValues(rows: readonly FitnessRow[]): readonly [number, number] {
  const ends = getExtent(rows.map(({ bestFitness, meanFitness }) => [bestFitness, meanFitness]));
  return [ends && ends[0] >= 0 ? 0 : -Infinity, Infinity];
}
