import type { BudgetShare, CurvePoint, DataProfileUnit } from '#shared/schemas/analysis.ts';
import type { Axis, LineFigure } from '#renderer/charts/figure.ts';

/** A curve of shares of one group. */
export interface ShareCurve {
  name: string;
  paletteIndex: number;
  points: readonly CurvePoint[];
  legendNote?: string;
  /** Place of the cross on the curve. */
  crossAt?: number | null;
}

/** Factor by which the x axis extends beyond the last step, to show the height of that step. */
const beyond = 1.1;

/** A share of 1 must not lie on the edge of the picture. */
const shareRange = [0, 1.03] as const;

/** First and last budget of some runs, in evaluations. */
export type BudgetRange = readonly [number, number];

/**
 * Runtime ECDFs: the share of runs that reached the target within a number of evaluations, as
 * right-continuous steps. Within `budgets` a curve is drawn from 0 and held to the end; null when nothing was
 * spent. A group that never reached the target stays at 0.
 */
export function makeEcdfFigure(
  curves: readonly ShareCurve[],
  options: {
    budgets: BudgetRange | null;
    of: 'all runs' | 'solved runs' | 'runs';
    hasTarget: boolean;
  },
): LineFigure {
  const [first, last] = options.budgets ?? [0, 0];
  return {
    ...makeShareFigure(
      curves,
      makeTimeAxis(options.hasTarget),
      options.budgets && [first, beyond * last],
    ),
    y: { title: `share of ${options.of}`, range: shareRange },
    empty: getNoTimeText(options.hasTarget),
  };
}

/**
 * Runtime ECDFs over several targets: the share of (run, target) pairs reached within a number of evaluations, with a
 * cross at the median budget of the runs that missed one. Drawn within `budgets`, as {@link makeEcdfFigure}.
 */
export function makeTargetsEcdfFigure(
  curves: readonly ShareCurve[],
  budgets: BudgetRange | null,
): LineFigure {
  const [first, last] = budgets ?? [0, 0];
  return {
    ...makeShareFigure(
      curves,
      { title: 'evaluations', isWhole: true },
      budgets && [first, beyond * last],
    ),
    y: { title: 'share of run-target pairs', range: shareRange },
    empty: 'No run reached any of these targets.',
  };
}

/** Returns the axis of the runtime: evaluations to the target, or of completed runs if there is no target. */
export function makeTimeAxis(hasTarget: boolean): Axis {
  return {
    title: hasTarget ? 'evaluations to target' : 'evaluations of completed runs',
    isWhole: true,
  };
}

/** Returns the text of the empty state of a chart of runtimes. */
export function getNoTimeText(hasTarget: boolean): string {
  return hasTarget
    ? 'No run reached the target, so there are no runtimes to show.'
    : 'No run has been completed, so there are no runtimes to show.';
}

/** Share of all runs that reached the target with its interval, at each of a grid of budgets; steps between them. */
export function makeSuccessVsBudgetFigure(points: readonly BudgetShare[]): LineFigure {
  const frame = makeShareFigure(
    [{ name: 'of all runs', paletteIndex: 0, points }],
    { title: 'budget', unit: 'evaluations' },
    points.length > 0 ? [points[0]?.x ?? 1, beyond * (points.at(-1)?.x ?? 1)] : null,
  );
  const band = {
    name: '95 % interval',
    lower: points.map(({ ciLower }) => ciLower),
    upper: points.map(({ ciUpper }) => ciUpper),
  };
  return {
    ...frame,
    series: frame.series.map((series) => ({ ...series, band })),
    y: { title: 'share of all runs', range: shareRange },
    empty: 'No run has spent any evaluations yet.',
  };
}

const unitTitles: Record<DataProfileUnit, Axis> = {
  evaluations: { title: 'evaluations' },
  evaluationsPerDimensionPlusOne: { title: 'evaluations / (dimension + 1)' },
};

/** Data profiles: the share of (run, level) pairs solved within a budget. Moré & Wild 2009. */
export function makeDataProfileFigure(
  curves: readonly ShareCurve[],
  unit: DataProfileUnit,
): LineFigure {
  return {
    ...makeShareFigure(curves, unitTitles[unit], getSpan(curves)),
    y: { title: 'share of run-level pairs', range: shareRange },
    empty: 'No run reached any accuracy level.',
  };
}

/**
 * Performance profiles: the share of levels solved within a ratio to the best ERT. Dolan & Moré 2002. Empty if no curve
 * has a solved level.
 */
export function makePerformanceProfileFigure(curves: readonly ShareCurve[]): LineFigure {
  const isSolved = curves.some(({ points }) => points.some(({ y }) => y > 0));
  const drawn = isSolved ? curves : curves.map((curve) => ({ ...curve, points: [] }));
  return {
    ...makeShareFigure(drawn, { title: 'ERT / best ERT' }, getSpan(drawn)),
    y: { title: 'share of levels', range: shareRange },
    // Of an experiment the others on its instance are not drawn, and may have solved levels.
    empty: 'None of these runs reached any accuracy level, so there are no ratios to show.',
  };
}

function makeShareFigure(
  curves: readonly ShareCurve[],
  x: Axis,
  stepExtent: BudgetRange | null,
): Omit<LineFigure, 'y' | 'empty'> {
  return {
    kind: 'lines',
    x,
    series: curves.map(({ name, paletteIndex, points, legendNote, crossAt }) => ({
      name,
      x: points.map((point) => point.x),
      y: points.map((point) => point.y),
      shape: 'step' as const,
      paletteIndex,
      ...(stepExtent && { stepExtent }),
      ...(legendNote !== undefined && { legendNote }),
      ...(typeof crossAt === 'number' && { crossAt }),
    })),
    references: [],
  };
}

function getSpan(curves: readonly ShareCurve[]): BudgetRange | null {
  const places = curves.flatMap(({ points }) => points.map(({ x }) => x));
  if (places.length === 0) return null;
  const [first, last] = [Math.min(...places), Math.max(...places)];
  return [first, first === last ? 2 * last : beyond * last];
}

/** Returns the first and last budget of convergence curves over a common grid; null if all are empty. */
export function getBudgets(curves: readonly (readonly { x: number }[])[]): BudgetRange | null {
  const ends = curves.flatMap((points) => {
    const [first, last] = [points[0], points.at(-1)];
    return first && last ? [first.x, last.x] : [];
  });
  return ends.length === 0 ? null : [Math.min(...ends), Math.max(...ends)];
}
