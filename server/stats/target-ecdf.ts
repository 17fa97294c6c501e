import type { CurvePoint } from '#shared/schemas/analysis.ts';
import type { EcdfCurve } from '#shared/schemas/coco-analysis.ts';
import { median } from './descriptive.ts';
import { seededRandom } from './seeded-random.ts';
import { stepsOf } from './ecdf.ts';

/** First hits of one trial, for each target of a set. */
export interface TargetHits {
  dimension: number;
  /** Evaluations of the first hit per target, Infinity = not reached. */
  hits: Float64Array;
  /** Evaluations it used in all. */
  budget: number;
  /** Share of its problem instance that it represents; 1 unless given. */
  weight?: number;
}

/** Share of (trial, target) pairs solved within x = evaluations / dimension. */
type TargetSteps = Pick<EcdfCurve, 'pairs' | 'solvedPairs' | 'points'>;

/**
 * Runtime ECDF over a set of targets: right-continuous steps at evaluations / dimension over all pairs of a trial and a
 * target; pairs that are not solved stay in the denominator. Of more than {@link mostPoints} steps those are left that
 * are 2 % of x apart, each with its own value. No trials: no points. Hansen et al. 2016.
 */
export function targetSteps(trials: readonly TargetHits[]): TargetSteps {
  return stepsOver(sortedCosts(trials), pairsOf(trials));
}

/**
 * Like {@link targetSteps}, with weighted trials: y is the weight of the solved pairs divided by `cells` times the number
 * of targets, where `cells` is the weight of all trials plus that of the cells without any. `area` is the share solved,
 * averaged over log x from 1 to `budget` (evaluations / dimension); 0 without cells or targets.
 */
export function targetEcdf(
  trials: readonly TargetHits[],
  { budget, cells, targets }: { budget: number; cells: number; targets: number },
): TargetSteps & Pick<EcdfCurve, 'area'> {
  const total = cells * targets;
  const classes = Array.from(
    Map.groupBy(trials, ({ weight }) => weight ?? 1),
    ([weight, own]) => ({ weight, costs: sortedCosts(own) }),
  );
  const areas = classes.map(({ weight, costs }) => weight * areaUpTo(costs, budget));
  const [only] = classes;
  const points =
    classes.length === 1 && only
      ? stepsOf(only.costs, total / only.weight)
      : weightedSteps(classes, total);
  return {
    pairs: pairsOf(trials),
    solvedPairs: classes.reduce((sum, { costs }) => sum + costs.length, 0),
    points: thinned(points),
    area: total === 0 ? 0 : areas.reduce((sum, area) => sum + area, 0) / total,
  };
}

interface WeightClass {
  weight: number;
  /** Ascending. */
  costs: Float64Array;
}

/** One point for each distinct cost, y = weight of all costs up to and including it, over the total. */
function weightedSteps(classes: readonly WeightClass[], total: number): CurvePoint[] {
  const steps = classes.flatMap(({ weight, costs }) =>
    Array.from(stepsOf(costs, 1), ({ x, y }) => ({ x, weight, count: y })),
  );
  steps.sort((one, other) => one.x - other.x);
  const counts = new Map<number, number>();
  const points: CurvePoint[] = [];
  for (const [index, { x, weight, count }] of steps.entries()) {
    counts.set(weight, count);
    if (steps[index + 1]?.x === x) continue;
    let solved = 0;
    for (const [own, times] of counts) solved += own * times;
    points.push({ x, y: solved / total });
  }
  return points;
}

function stepsOver(costs: Float64Array, pairs: number): TargetSteps {
  return { pairs, solvedPairs: costs.length, points: thinned(stepsOf(costs, pairs)) };
}

function pairsOf(trials: readonly TargetHits[]): number {
  return trials.reduce((sum, { hits }) => sum + hits.length, 0);
}

/** Evaluations / dimension of every pair that was solved, ascending. */
function sortedCosts(trials: readonly TargetHits[]): Float64Array {
  const costs = new Float64Array(pairsOf(trials));
  let end = 0;
  for (const { hits, dimension } of trials) {
    for (let target = 0; target < hits.length; target += 1) {
      const hit = hits[target] ?? Infinity;
      if (hit === Infinity) continue;
      costs[end] = hit / dimension;
      end += 1;
    }
  }
  return costs.subarray(0, end).sort();
}

const mostPoints = 500;

function thinned(points: CurvePoint[]): CurvePoint[] {
  if (points.length <= mostPoints) return points;
  const binOf = ({ x }: CurvePoint) => Math.floor(Math.log(x) / Math.log(1.02));
  return points.filter((point, index) => {
    const next = points[index + 1];
    return next === undefined || binOf(next) !== binOf(point);
  });
}

/** Median budget of the trials that missed a target, over the dimension; null when none did. */
export function budgetCrossOf(trials: readonly TargetHits[]): number | null {
  const unsolved = trials.filter(({ hits }) => hits.includes(Infinity));
  return median(unsolved.map(({ budget, dimension }) => budget / dimension));
}

/**
 * Sum over ascending costs of their part of the area over log x from 1 to the budget, each in [0, 1]: a cost of at most 1
 * counts whole, one beyond the budget not at all. Where the budget is at most 1: how many costs are within it.
 */
function areaUpTo(costs: Float64Array, budget: number): number {
  const width = Math.log(budget);
  let area = 0;
  for (let index = 0; index < costs.length; index += 1) {
    const cost = costs[index] ?? Infinity;
    if (cost > budget) break;
    area += cost <= 1 || width <= 0 ? 1 : 1 - Math.log(cost) / width;
  }
  return area;
}

/**
 * The trials of one optimizer, function and dimension with simulated restarts: where one missed a target that another
 * reached, trials drawn at random follow, each with all its evaluations, until one reaches it. Targets that none reached
 * stay so. The draws depend on the seed text only. Hansen et al. 2016.
 */
export function withRestarts(trials: readonly TargetHits[], seed: string): TargetHits[] {
  const random = seededRandom(seed);
  const isReached = (target: number) => trials.some(({ hits }) => hits[target] !== Infinity);
  const reached = Array.from(trials[0]?.hits ?? [], (_, target) => isReached(target));
  return trials.map((trial) => ({
    ...trial,
    hits: trial.hits.map((hit, target) => {
      if (hit !== Infinity || reached[target] !== true) return hit;
      let spent = trial.budget;
      for (;;) {
        const drawn = trials[Math.floor(random() * trials.length)];
        const drawnHit = drawn?.hits[target] ?? Infinity;
        if (drawnHit !== Infinity) return spent + drawnHit;
        spent += drawn?.budget ?? 0;
      }
    }),
  }));
}
