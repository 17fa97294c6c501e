import type { CurvePoint } from '#shared/schemas/analysis.ts';
import type { CampaignEcdf } from '#shared/schemas/coco-analysis.ts';
import { findFirstIndex, type LineFigure, type Range } from '#renderer/charts/figure.ts';

/** Factor by which the x axis extends beyond the largest budget, to show the ends of curves. */
const beyond = 1.15;

/**
 * Runtime ECDF over targets, a curve for each optimizer with a cross at the median budget of the trials that missed a
 * target. Drawn from the first evaluation per dimension, or the first step where that is less, to beyond the largest
 * budget. The legend shows the notes of `getNote` after the names. Without a `dimension` the curves are of several
 * dimensions.
 */
export function makeTargetEcdfFigure(
  ecdf: Pick<CampaignEcdf, 'curves' | 'largestBudget'> & { dimension?: number | undefined },
  getPalette: (optimizer: string) => number,
  getNote: (optimizer: string) => string | undefined = () => undefined,
): LineFigure {
  const [first, last] = getBudgetRange(ecdf);
  return {
    kind: 'lines',
    x: { title: getBudgetUnit(ecdf.dimension) },
    y: { title: 'share of trial-target pairs', range: [0, 1.03] },
    series: ecdf.curves.map(({ optimizer, label, points, crossAt }) => {
      const note = getNote(optimizer);
      return {
        name: label ?? optimizer,
        x: points.map(({ x }) => x),
        y: points.map(({ y }) => y),
        shape: 'step' as const,
        paletteIndex: getPalette(optimizer),
        stepExtent: [first, beyond * last] as const,
        ...(crossAt !== null && { crossAt }),
        ...(note !== undefined && { legendNote: note }),
      };
    }),
    references: [],
    empty:
      'No trial of this choice has the iterations of a run, or none reached any of these targets.',
  };
}

/** Returns the unit of budgets: plain evaluations in the unknown dimension, 0. */
export function getBudgetUnit(dimension: number | undefined): string {
  return dimension === 0 ? 'evaluations' : 'evaluations / dimension';
}

/** Returns the range of budgets of the curves of a response. */
export function getBudgetRange({
  curves,
  largestBudget,
}: Pick<CampaignEcdf, 'curves' | 'largestBudget'>): Range {
  const firsts = curves.flatMap(({ points }) => points[0]?.x ?? []);
  const lasts = curves.flatMap(({ points }) => points.at(-1)?.x ?? []);
  const first = Math.min(1, ...firsts);
  return [first, Math.max(2 * first, largestBudget ?? 0, ...lasts)];
}

/** Returns the share of pairs that a right-continuous curve has at x; 0 before its first step. */
export function getShareAt(points: readonly CurvePoint[], x: number): number {
  const past = findFirstIndex(getPlaces(points), (place) => place > x);
  return points[past - 1]?.y ?? 0;
}

/**
 * Returns the share of pairs solved, averaged over the logarithm of x from 1 to the budget; for a budget of at most 1
 * the share at it. Thinned points change it by at most 0.002.
 */
export function getAreaUpTo(points: readonly CurvePoint[], budget: number): number {
  const width = Math.log(budget);
  if (width <= 0) return getShareAt(points, budget);
  let [area, from, share] = [0, 0, 0];
  for (const { x, y } of points) {
    if (x > budget) break;
    const place = Math.max(0, Math.log(x));
    area += share * (place - from);
    [from, share] = [place, y];
  }
  return (area + share * (width - from)) / width;
}

const cachedPlaces = new WeakMap<readonly CurvePoint[], number[]>();

/** Returns the x of points. Cached, because a dragged handle requests it at each position. */
function getPlaces(points: readonly CurvePoint[]): number[] {
  const budgets = cachedPlaces.get(points) ?? points.map(({ x }) => x);
  cachedPlaces.set(points, budgets);
  return budgets;
}
