import type { Direction } from './objective.ts';

/**
 * Trace of a run: its improvements, which include the first point with a finite fitness. The improvements decide every
 * first hit and every best so far.
 */
export interface RunTrace {
  direction: Direction;
  /** Evaluations of the improvements, in ascending order. Several may be equal. */
  evaluations: Float64Array;
  /** Best so far from each improvement on, which is better than at the previous improvement. */
  best: Float64Array;
  /** Evaluations of the last point with a finite fitness; 0 if there is none. */
  end: number;
  /** Used evaluations: the maximum over all points, including points without a finite fitness; 0 without points. */
  usedEvaluations: number;
  /** Whether an iteration has fewer evaluations than an earlier iteration. */
  isDecreasing: boolean;
}

/** Returns whether `fitness` is at least as good as `target`; false for NaN. */
export function hasReached(fitness: number, target: number, direction: Direction): boolean {
  return direction === 'min' ? fitness <= target : fitness >= target;
}

/** Returns the best value in this direction; null without values, NaN if a value is NaN. */
export function getBest(values: readonly number[], direction: Direction): number | null {
  const getBetter = direction === 'min' ? Math.min : Math.max;
  return values.length === 0 ? null : values.reduce((a, b) => getBetter(a, b));
}

/**
 * Returns the trace of a run. `pairs` contains its iterations in order, as [evaluations, fitness, evaluations, …];
 * {@link orderPairs} sorts them by evaluations. A fitness that is not finite is never an improvement. If the pairs are
 * the improvements of a trace in this direction, the result has the same improvements.
 */
export function getTrace(
  pairs: Float64Array,
  direction: Direction,
  { isResumed }: { isResumed: boolean } = { isResumed: false },
): RunTrace {
  const orderedPairs = orderPairs(pairs, isResumed);
  const improvements = new Float64Array(orderedPairs.length);
  const count = writeImprovements(orderedPairs, direction, improvements, 0);
  return {
    direction,
    evaluations: improvements.subarray(0, count),
    best: improvements.subarray(count, 2 * count),
    end: getEnd(orderedPairs),
    usedEvaluations: orderedPairs.at(-2) ?? 0,
    isDecreasing: orderedPairs !== pairs,
  };
}

/**
 * Returns points, as [evaluations, fitness, …], in ascending order of evaluations. The sort is stable. If the points of
 * a resumed run are not in this order, {@link createRestartCounter} first converts their evaluations. Returns the same
 * array if it is already sorted.
 */
export function orderPairs(pairs: Float64Array, isResumed: boolean): Float64Array {
  if (isAscending(pairs)) return pairs;
  return sortPairs(isResumed ? addEarlierEvaluations(pairs) : pairs);
}

function addEarlierEvaluations(pairs: Float64Array): Float64Array {
  const addEarlierCount = createRestartCounter();
  return pairs.map((value, index) => (index % 2 === 0 ? addEarlierCount(value) : value));
}

/**
 * Returns a function that receives the evaluations of each iteration of a resumed run in order, and returns them as a
 * count over the whole run. Evaluations cannot decrease, so a smaller number than in the previous iteration means that
 * the count restarted. The function then adds the number of the previous iteration to this number and to all later
 * ones. It returns NaN for NaN, which does not affect later results.
 */
export function createRestartCounter(): (evaluations: number) => number {
  let [previousEvaluations, earlierEvaluations] = [0, 0];
  return (evaluations) => {
    if (evaluations < previousEvaluations) earlierEvaluations += previousEvaluations;
    if (!Number.isNaN(evaluations)) previousEvaluations = evaluations;
    return earlierEvaluations + evaluations;
  };
}

/**
 * Writes the improvements among sorted points into `output` from `index` on: first their evaluations, then their
 * fitness. Ignores fitness that is not finite. Returns the number of improvements. `output` must have space for all
 * points.
 */
export function writeImprovements(
  orderedPairs: Float64Array,
  direction: Direction,
  output: Float64Array,
  index: number,
): number {
  const sign = direction === 'min' ? 1 : -1;
  const fitnessIndex = index + orderedPairs.length / 2;
  let [count, lowestCost] = [0, Infinity];
  for (let point = 0; point < orderedPairs.length; point += 2) {
    const fitness = orderedPairs[point + 1] ?? NaN;
    const cost = sign * fitness;
    if (!(cost < lowestCost) || cost === -Infinity) continue;
    lowestCost = cost;
    output[index + count] = orderedPairs[point] ?? 0;
    output[fitnessIndex + count] = fitness;
    count += 1;
  }
  output.copyWithin(index + count, fitnessIndex, fitnessIndex + count);
  return count;
}

/** Returns the evaluations of the last sorted point with a finite fitness; 0 if there is none. */
export function getEnd(orderedPairs: Float64Array): number {
  let point = orderedPairs.length - 2;
  while (point >= 0 && !Number.isFinite(orderedPairs[point + 1])) point -= 2;
  return orderedPairs[point] ?? 0;
}

/** Returns whether the evaluations of points as [evaluations, fitness, …] never decrease. */
export function isAscending(pairs: Float64Array): boolean {
  for (let index = 2; index < pairs.length; index += 2) {
    if ((pairs[index] ?? 0) < (pairs[index - 2] ?? 0)) return false;
  }
  return true;
}

function sortPairs(pairs: Float64Array): Float64Array {
  const points = Array.from({ length: pairs.length / 2 }, (_, index) => [
    pairs[2 * index] ?? 0,
    pairs[2 * index + 1] ?? NaN,
  ]);
  return Float64Array.from(points.sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0)).flat());
}

/** Returns the evaluations of the first improvement that reaches the target; null if there is none. */
export function getFirstHit(
  { evaluations, best, direction }: RunTrace,
  target: number,
): number | null {
  let [start, end] = [0, best.length];
  while (start < end) {
    const middle = (start + end) >>> 1;
    if (hasReached(best[middle] ?? NaN, target, direction)) end = middle;
    else start = middle + 1;
  }
  return evaluations[start] ?? null;
}

/** Improvements of a trace from index `from` up to but not including `to`; by default all of them. */
export interface Improvements extends Pick<RunTrace, 'direction' | 'evaluations' | 'best'> {
  from?: number;
  to?: number;
}

/**
 * Returns, for each target, the evaluations of the first of these improvements that reaches the target; Infinity if
 * none reaches it. The targets must be in descending order.
 */
export function getFirstHits(improvements: Improvements, targets: readonly number[]): Float64Array {
  // In `hits`, the easiest target is first. In `targets`, it is last if the fitness is maximised.
  const hits = new Float64Array(targets.length).fill(Infinity);
  let hitCount = 0;
  visitFirstHits(improvements, targets, (evaluations, reachedCount) => {
    hits.fill(evaluations, hitCount, hitCount + reachedCount);
    hitCount += reachedCount;
  });
  return improvements.direction === 'min' ? hits : hits.reverse();
}

/**
 * Calls `visit` for each improvement that is the first to reach one or more targets, in ascending order. The arguments
 * are the evaluations of the improvement, and the number of these targets. The targets must be in descending order.
 */
export function visitFirstHits(
  { evaluations, best, direction, from = 0, to = best.length }: Improvements,
  targets: readonly number[],
  visit: (evaluations: number, reachedCount: number) => void,
): void {
  const sign = direction === 'min' ? 1 : -1;
  const [firstIndex, step] = direction === 'min' ? [0, 1] : [targets.length - 1, -1];
  let index = firstIndex;
  const getNextCost = () => sign * (targets[index] ?? NaN);
  let nextCost = getNextCost();
  for (let point = from; point < to; point += 1) {
    const cost = sign * (best[point] ?? NaN);
    if (!(cost <= nextCost)) continue;
    const previousIndex = index;
    // After the last target, `nextCost` is NaN, so the comparison is false.
    while (cost <= nextCost) {
      index += step;
      nextCost = getNextCost();
    }
    visit(evaluations[point] ?? Infinity, Math.abs(index - previousIndex));
  }
}

/**
 * Returns the best so far at each of the ascending budgets: the fitness of the last improvement within the budget; NaN
 * if there is none. For a budget after the end of the run, it is the fitness of the last improvement of the run.
 */
export function getBestAt(
  { evaluations, best }: Pick<RunTrace, 'evaluations' | 'best'>,
  budgets: readonly number[],
): Float64Array {
  const values = new Float64Array(budgets.length);
  let passedCount = 0;
  for (const [index, budget] of budgets.entries()) {
    while (passedCount < evaluations.length && (evaluations[passedCount] ?? Infinity) <= budget)
      passedCount += 1;
    values[index] = best[passedCount - 1] ?? NaN;
  }
  return values;
}

/**
 * Returns the best so far at one budget: the fitness of the last improvement within the budget; null if there is none.
 */
export function getBestBy({ evaluations, best }: RunTrace, budget: number): number | null {
  let [start, end] = [0, evaluations.length];
  while (start < end) {
    const middle = (start + end) >>> 1;
    if ((evaluations[middle] ?? Infinity) <= budget) start = middle + 1;
    else end = middle;
  }
  return best[start - 1] ?? null;
}

/**
 * Returns points of the trace for a chart: all improvements if there are at most `maximum`. If there are more, returns
 * the first one, the last one and improvements at evenly spaced indices between them. Always includes the improvements
 * at `requiredEvaluations`. If the last point with a finite fitness is later than the last improvement, an additional
 * point extends the best value to it. Returns an empty list without improvements.
 */
export function getChartPoints(
  { evaluations, best, end }: RunTrace,
  maximum: number,
  requiredEvaluations: readonly number[],
): { x: number; y: number }[] {
  const requiredEvaluationSet = new Set(requiredEvaluations);
  const lastIndex = evaluations.length - 1;
  const step = Math.max(1, lastIndex / Math.max(1, maximum - 1));
  const indices = new Set(
    Array.from({ length: Math.floor(lastIndex / step) + 1 }, (_, n) => Math.round(n * step)),
  );
  indices.add(lastIndex);
  const points = Array.from(evaluations, (x, index) => ({ x, y: best[index] ?? NaN })).filter(
    ({ x }, index) => indices.has(index) || requiredEvaluationSet.has(x),
  );
  const lastPoint = points.at(-1);
  if (lastPoint && end > lastPoint.x) points.push({ x: end, y: lastPoint.y });
  return points;
}
