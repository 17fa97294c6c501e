import type { ObjectiveDirection } from '#shared/schemas/run.ts';

/** One iteration as the runner wrote it: `fitness` is the best of that population only. */
export interface IterationPoint {
  evaluations: number;
  iteration: number;
  fitness: number | null;
}

/** A point of a trace: the best fitness that the run had found with so many evaluations. */
export interface TracePoint {
  evaluations: number;
  best: number;
}

/** Whether `fitness` is at least as good as `target`. */
export function reaches(fitness: number, target: number, direction: ObjectiveDirection): boolean {
  return direction === 'min' ? fitness <= target : fitness >= target;
}

/** The better of two fitness values. */
export function better(a: number, b: number, direction: ObjectiveDirection): number {
  return direction === 'min' ? Math.min(a, b) : Math.max(a, b);
}

/** The best of the values; null for none. */
export function bestOf(values: readonly number[], direction: ObjectiveDirection): number | null {
  return values.length === 0 ? null : values.reduce((a, b) => better(a, b, direction));
}

/**
 * Trace of a run: its iterations by evaluations, then iteration, with the best fitness so far.
 * Iterations whose fitness is missing or not finite are left out. No iterations: no points.
 */
export function traceOf(
  iterations: readonly IterationPoint[],
  direction: ObjectiveDirection,
): TracePoint[] {
  const ordered = [...iterations].sort(
    (a, b) => a.evaluations - b.evaluations || a.iteration - b.iteration,
  );
  const trace: TracePoint[] = [];
  for (const { evaluations, fitness } of ordered) {
    if (fitness === null || !Number.isFinite(fitness)) continue;
    const before = trace.at(-1)?.best ?? fitness;
    trace.push({ evaluations, best: better(before, fitness, direction) });
  }
  return trace;
}

/** Evaluations of the first point of the trace that reaches the target; null when none does. */
export function firstHit(
  trace: readonly TracePoint[],
  target: number,
  direction: ObjectiveDirection,
): number | null {
  const hit = trace.find((point) => reaches(point.best, target, direction));
  return hit?.evaluations ?? null;
}

/**
 * Best so far at each of the ascending budgets: that of the last point not beyond it, so null before the
 * first point and the last value carried forward after the end.
 */
export function bestAtBudgets(
  trace: readonly TracePoint[],
  budgets: readonly number[],
): (number | null)[] {
  let passed = 0;
  return budgets.map((budget) => {
    while (passed < trace.length && (trace[passed]?.evaluations ?? Infinity) <= budget) passed += 1;
    return trace[passed - 1]?.best ?? null;
  });
}

/**
 * The same from the best fitness inside each interval of budgets (after the budget before, up to and with
 * this one; null = no iteration in it), which is what a database can group by.
 */
export function carryForward(
  bestPerInterval: readonly (number | null)[],
  direction: ObjectiveDirection,
): (number | null)[] {
  let best: number | null = null;
  return bestPerInterval.map((value) => {
    if (value !== null) best = best === null ? value : better(best, value, direction);
    return best;
  });
}
