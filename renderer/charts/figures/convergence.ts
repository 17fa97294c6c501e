import { formatCount } from '#shared/number-format.ts';
import type { Box, ConvergencePoint, ExperimentTraces } from '#shared/schemas/analysis.ts';
import {
  getExtent,
  getTargetReference,
  type Band,
  type Cell,
  type LineFigure,
  type RunTrace,
} from '#renderer/charts/figure.ts';

/** Average of the runs that a chart draws: the mean with its interval, or the median with the quartiles or its interval. */
export type Average = 'mean' | 'median' | 'median-interval';

/** Fewest runs whose mean has an informative t-interval: of two runs it extends 13 standard errors to either side. */
const fewestForMean = 5;

/** Factor between positive means from which an interval that reaches 0 is not informative. */
const wideSpread = 1000;

/**
 * Returns the initial average: the mean if each group has enough runs for its interval, and the axis of the means can
 * show the intervals; else the median. A group of one run, which has no interval, or of none does not count. Of
 * positive means over three decades, an interval that reaches 0 has no lower end on a logarithm. An interval that
 * exceeds the possible values would be clipped at a line; quartiles never are.
 */
export function getUsualAverage(
  curves: readonly Pick<ConvergenceGroup, 'points' | 'box'>[],
  targetFitness: Cell,
): Average {
  const groups = curves.map(({ points }) => points);
  const isSmall = (points: readonly ConvergencePoint[]): boolean => {
    const runs = getLargestSample(points);
    return runs > 1 && runs < fewestForMean;
  };
  if (groups.some(isSmall)) return 'median';
  const [low, high] = getPossibleValues(curves, targetFitness);
  const isClipped = ({ ciLower, ciUpper }: ConvergencePoint): boolean =>
    isBelow(ciLower, low) || isBelow(high, ciUpper);
  if (groups.some((points) => points.some(isClipped))) return 'median';
  const means = getExtent(groups.map((points) => points.map(({ mean }) => mean)));
  if (!means || means[0] < 0 || means[1] < wideSpread * means[0]) return 'mean';
  const hasNoEnd = ({ mean, ciLower }: ConvergencePoint): boolean =>
    mean > 0 && ciLower !== null && ciLower <= 0;
  return groups.some((points) => points.some(hasNoEnd)) ? 'median' : 'mean';
}

/** Returns whether one value is less than another by more than rounding; false if one of them is null. */
function isBelow(one: Cell, other: Cell): boolean {
  if (one === null || other === null) return false;
  return one < other - 1e-9 * Math.max(Math.abs(one), 1);
}

/** A group of runs with its convergence over a grid of budgets. */
export interface ConvergenceGroup {
  name: string;
  paletteIndex: number;
  points: readonly ConvergencePoint[];
  /** Least and largest best fitness of its runs. */
  box?: Pick<Box, 'min' | 'max'>;
  /** Its single runs, drawn thin behind it; absent unless requested. */
  runTraces?: readonly RunTrace[];
}

/**
 * Best so far against evaluations, one step curve per group: the mean with its 95 % t-interval, or the median with its
 * quartiles or its 95 % interval. No band is drawn where no value can be. The target is a line when there is one. A
 * group whose runs have no iterations has no curve.
 */
export function makeConvergenceFigure(
  groups: readonly ConvergenceGroup[],
  options: { average: Average; targetFitness: Cell },
): LineFigure {
  const { average, targetFitness } = options;
  const possible = getPossibleValues(groups, targetFitness);
  return {
    kind: 'lines',
    x: { title: 'evaluations', isWhole: true },
    y: { title: 'best so far', reachesZero: true },
    series: groups.map(({ name, paletteIndex, points, runTraces }) => ({
      name,
      x: points.map(({ x }) => x),
      y: points.map(({ mean, median }) => (average === 'mean' ? mean : median)),
      shape: 'step' as const,
      paletteIndex,
      ...(points.length > 0 && { legendNote: describeSamples(points) }),
      band: { ...getBand(name, points, average), possible },
      ...(runTraces && { runTraces }),
    })),
    references: getTargetReference(targetFitness),
    empty: 'No run has written an iteration with a fitness yet.',
  };
}

/**
 * Returns the largest number of runs at a budget; 0 without points. RUNNING runs count only up to their own end, so the
 * last budget may have far fewer.
 */
function getLargestSample(points: readonly ConvergencePoint[]): number {
  return points.reduce((most, { samples }) => Math.max(most, samples), 0);
}

function describeSamples(points: readonly ConvergencePoint[]): string {
  const most = getLargestSample(points);
  const last = points.at(-1)?.samples ?? most;
  const end = last === most ? '' : `, ${formatCount(last)} at the end`;
  return `n = ${formatCount(most)}${end}`;
}

function getBand(name: string, points: readonly ConvergencePoint[], average: Average): Band {
  if (average === 'mean') {
    return {
      name: `${name}, 95 % interval`,
      lower: points.map(({ ciLower }) => ciLower),
      upper: points.map(({ ciUpper }) => ciUpper),
    };
  }
  if (average === 'median') {
    return {
      name: `${name}, quartiles`,
      lower: points.map(({ q1 }) => q1),
      upper: points.map(({ q3 }) => q3),
    };
  }
  const level = getLargestSample(points) === 5 ? '93.8 %' : '95 %';
  return {
    name: `${name}, ${level} interval of the median`,
    lower: points.map(({ medianCiLower }) => medianCiLower),
    upper: points.map(({ medianCiUpper }) => medianCiUpper),
  };
}

/**
 * Returns the least and the largest possible best so far, as far as the runs show: not negative if none of them is, and
 * not beyond a target that runs reached exactly and none passed, such as the number of ones of a bit string.
 */
function getPossibleValues(
  groups: readonly Pick<ConvergenceGroup, 'points' | 'box'>[],
  targetFitness: Cell,
): readonly [number, number] {
  const ends = getExtent(
    groups.flatMap(({ points, box }) => [
      points.map(({ mean }) => mean),
      points.map(({ median }) => median),
      [box?.min ?? null, box?.max ?? null],
    ]),
  );
  if (!ends) return [-Infinity, Infinity];
  const [low, high] = ends;
  const floor = low >= 0 ? 0 : -Infinity;
  return [low === targetFitness ? low : floor, high === targetFitness ? high : Infinity];
}

/**
 * The traces of runs as thin curves, named by seed or id and leading to the pages of their runs; none without traces.
 */
export function getRunTraces(
  traces: ExperimentTraces | undefined,
  getPath: (runId: string) => string,
  getShownId: (runId: string) => string,
): RunTrace[] {
  return (traces?.runs ?? []).map(({ runId, seed, points }) => ({
    name: seed === null ? `run ${getShownId(runId)}` : `seed ${seed}`,
    x: points.map(({ x }) => x),
    y: points.map(({ y }) => y),
    href: getPath(runId),
  }));
}
