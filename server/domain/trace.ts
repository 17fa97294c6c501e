import type { Direction } from './objective.ts';

/**
 * Best so far of a run: only its improvements, including the first point with a value. These points decide every first
 * hit and every best so far.
 */
export interface RunTrace {
  direction: Direction;
  /** Evaluations of the improvements, ascending; equal ones are possible. */
  evaluations: Float64Array;
  /** Best fitness from these evaluations on, each better than the previous one. */
  best: Float64Array;
  /** Evaluations of the last point with a value; 0 if there is none. */
  end: number;
  /** Used evaluations: the maximum over all points, including those without a value; 0 without points. */
  usedEvaluations: number;
  /** Whether the evaluations of an iteration are less than those of an earlier one. */
  isDecreasing: boolean;
}

/** Returns whether `fitness` is at least as good as `target`; false for NaN. */
export function hasReached(fitness: number, target: number, direction: Direction): boolean {
  return direction === 'min' ? fitness <= target : fitness >= target;
}

/** Returns the best value; null without values, NaN if one is NaN. */
export function getBest(values: readonly number[], direction: Direction): number | null {
  const getBetter = direction === 'min' ? Math.min : Math.max;
  return values.length === 0 ? null : values.reduce((a, b) => getBetter(a, b));
}

/**
 * Returns the trace of a run from its iterations as [evaluations, fitness, evaluations, …], in the order of {@link
 * orderPairs}. Ignores fitness that is not finite. If the pairs are the improvements of a trace in this direction, the
 * result has the same improvements.
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
 * Returns points as [evaluations, fitness, …], sorted by evaluations; the sort is stable. The points of a resumed run
 * first get the evaluations of {@link createRestartCounter}. Returns the same array if it is already sorted.
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
 * Returns a function that takes the evaluations of the iterations of a resumed run one after the other, and returns
 * them as a count over the whole run. Evaluations cannot decrease, so a smaller number than in the previous iteration
 * means that the count restarted: the function then adds the number of the previous iteration to all later ones. NaN
 * remains NaN.
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

/** Returns the evaluations of the last sorted point with a finite value; 0 if there is none. */
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

/** Returns the evaluations of the first point of the trace that reaches the target; null if there is none. */
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

/** The improvements from index `from` up to but not including `to`; by default all of them. */
export interface Improvements extends Pick<RunTrace, 'direction' | 'evaluations' | 'best'> {
  from?: number;
  to?: number;
}

/**
 * Returns the result of {@link getFirstHit} for each target, Infinity for unreached targets. The targets must be in
 * descending order.
 */
export function getFirstHits(improvements: Improvements, targets: readonly number[]): Float64Array {
  // The easiest target comes first; it is the last of the targets if a value is maximised.
  const hits = new Float64Array(targets.length).fill(Infinity);
  let hitCount = 0;
  visitFirstHits(improvements, targets, (evaluations, reachedCount) => {
    hits.fill(evaluations, hitCount, hitCount + reachedCount);
    hitCount += reachedCount;
  });
  return improvements.direction === 'min' ? hits : hits.reverse();
}

/**
 * Calls `visit` for each improvement that is the first to reach some of the targets, in ascending order: with its
 * evaluations and the number of these targets. The targets must be in descending order.
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
    // After the last target, the cost is NaN and the comparison is false.
    while (cost <= nextCost) {
      index += step;
      nextCost = getNextCost();
    }
    visit(evaluations[point] ?? Infinity, Math.abs(index - previousIndex));
  }
}

/**
 * Returns the best so far at each of the ascending budgets: the value of the last point within the budget; NaN before
 * the first point, and the last value after the end.
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

/** Returns the best so far at one budget: the value of the last improvement within it; null before the first one. */
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
 * Returns points of the trace for a chart: all improvements if there are at most `maximum`, else the first, the last
 * and those at evenly spaced indices. Always includes the improvements at `requiredEvaluations`. If the last point with
 * a value is later than the last improvement, an additional point extends the best value to it. Returns an empty list
 * without improvements.
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
