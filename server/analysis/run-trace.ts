import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import type { MeasurementPlan, RunMeasurement, TraceSummary } from './analysis-input.ts';
import { reaches } from '#server/stats/trace.ts';

/**
 * A trace without what repeats: the first iteration and each that improved on all before it, which decide
 * every first hit and every best so far.
 */
export interface RunTrace {
  summary: TraceSummary;
  /** Evaluations of the improvements, ascending. */
  evaluations: Float64Array;
  /** Best fitness so far from these evaluations on, each better than the one before. */
  best: Float64Array;
}

/**
 * The trace of a run from its iterations as [evaluations, fitness, evaluations, …] in their order; null
 * without iterations. Evaluations may fall behind (the trace is ordered by them, then by iteration).
 */
export function runTraceOf(pairs: Float64Array, direction: ObjectiveDirection): RunTrace | null {
  if (pairs.length === 0) return null;
  const ordered = isAscending(pairs) ? pairs : sortedPairs(pairs);
  return { summary: summaryOf(ordered), ...improvementsOf(ordered, direction) };
}

function isAscending(pairs: Float64Array): boolean {
  for (let at = 2; at < pairs.length; at += 2) {
    if ((pairs[at] ?? 0) < (pairs[at - 2] ?? 0)) return false;
  }
  return true;
}

function sortedPairs(pairs: Float64Array): Float64Array {
  const points = Array.from({ length: pairs.length / 2 }, (_, index) => [
    pairs[2 * index] ?? 0,
    pairs[2 * index + 1] ?? 0,
  ]);
  return Float64Array.from(points.sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0)).flat());
}

function summaryOf(ordered: Float64Array): TraceSummary {
  let [lowest, highest] = [Infinity, -Infinity];
  for (let at = 1; at < ordered.length; at += 2) {
    const fitness = ordered[at] ?? 0;
    if (fitness < lowest) lowest = fitness;
    if (fitness > highest) highest = fitness;
  }
  return {
    firstEvaluations: ordered[0] ?? 0,
    firstFitness: ordered[1] ?? 0,
    lastEvaluations: ordered.at(-2) ?? 0,
    lastFitness: ordered.at(-1) ?? 0,
    minFitness: lowest,
    maxFitness: highest,
  };
}

function improvementsOf(ordered: Float64Array, direction: ObjectiveDirection) {
  const evaluations = new Float64Array(ordered.length / 2);
  const best = new Float64Array(ordered.length / 2);
  let count = 0;
  for (let at = 0; at < ordered.length; at += 2) {
    const fitness = ordered[at + 1] ?? 0;
    const before = best[count - 1];
    const isWorse =
      before !== undefined && (direction === 'min' ? fitness >= before : fitness <= before);
    if (isWorse) continue;
    evaluations[count] = ordered[at] ?? 0;
    best[count] = fitness;
    count += 1;
  }
  return { evaluations: evaluations.slice(0, count), best: best.slice(0, count) };
}

/** Answers the plan for one run; the same as `measureRun` of all its iterations. */
export function measureTrace(trace: RunTrace, plan: MeasurementPlan): RunMeasurement {
  const { evaluations, best } = trace;
  return {
    hits: plan.targets.map((target) => {
      const hit = firstWhere(best, (value) => reaches(value, target, plan.direction));
      return evaluations[hit] ?? null;
    }),
    bestAtBudgets: bestUpTo(trace, plan.budgets),
  };
}

function bestUpTo({ evaluations, best }: RunTrace, budgets: readonly number[]): (number | null)[] {
  let passed = 0;
  return budgets.map((budget) => {
    while (passed < evaluations.length && (evaluations[passed] ?? Infinity) <= budget) passed += 1;
    return best[passed - 1] ?? null;
  });
}

/** Index of the first value that passes a test which all later ones pass too; the length when none does. */
function firstWhere(values: Float64Array, passes: (value: number) => boolean): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (passes(values[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Points of the trace for a chart: all improvements when they are at most `most`, else the first, the last
 * and evenly chosen ones, always with those of the `kept` evaluations. The last point carries the best to the
 * end of the run.
 */
export function chartPoints(
  { summary, evaluations, best }: RunTrace,
  most: number,
  kept: readonly number[],
): { x: number; y: number }[] {
  const isKept = new Set(kept);
  const last = evaluations.length - 1;
  const step = Math.max(1, last / Math.max(1, most - 1));
  const chosen = new Set(
    Array.from({ length: Math.floor(last / step) + 1 }, (_, n) => Math.round(n * step)),
  );
  chosen.add(last);
  const points = Array.from(evaluations, (x, index) => ({ x, y: best[index] ?? 0 })).filter(
    ({ x }, index) => chosen.has(index) || isKept.has(x),
  );
  const end = points.at(-1);
  if (end && summary.lastEvaluations > end.x) points.push({ x: summary.lastEvaluations, y: end.y });
  return points;
}
