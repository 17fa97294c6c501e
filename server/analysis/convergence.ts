import type { ConvergencePoint } from '#shared/schemas/analysis.ts';
import { isRunning } from '#shared/words.ts';
import { convergence, convergenceBudgets } from '#server/stats/convergence.ts';
import { finiteValues, maximum, minimum } from '#server/stats/descriptive.ts';
import { bestAt } from '#server/stats/trace.ts';
import type { AnalysedRun } from './model.ts';
import { budgetOf } from './outcomes.ts';

/** The budgets to show these runs at: from the first evaluation of any to the largest budget of any. */
export function budgetsOf(runs: readonly AnalysedRun[]): number[] {
  const first = minimum(finiteValues(runs.map(({ trace }) => trace.evaluations[0])));
  const last = maximum(runs.map(budgetOf));
  return first === null || last === null ? [] : convergenceBudgets(first, last);
}

/** Convergence of the runs at these budgets; runs without a value are not counted. */
export function convergenceOf(
  runs: readonly AnalysedRun[],
  budgets: readonly number[],
): ConvergencePoint[] {
  return convergence(
    budgets,
    runs.map((run) => bestOfRun(run, budgets)),
  );
}

/** Nobody knows how a RUNNING run goes on, so it has no value beyond its last point. */
function bestOfRun(run: AnalysedRun, budgets: readonly number[]): (number | null)[] {
  if (!isRunning(run)) return bestAt(run.trace, budgets);
  const reached = budgets.findLastIndex((budget) => budget <= run.trace.end) + 1;
  return bestAt(run.trace, budgets.slice(0, reached));
}
