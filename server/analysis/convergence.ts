import type { RunRecord } from '#server/repositories/analysis.ts';
import type { ConvergencePoint, ProblemComparison } from '#shared/schemas/analysis.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import { isRunning } from '#shared/words.ts';
import { convergence, convergenceBudgets } from '#server/stats/convergence.ts';
import { finiteValues, maximum, minimum } from '#server/stats/descriptive.ts';
import { bestAt } from '#server/domain/trace.ts';
import type { RunGroup } from './groups.ts';
import { keyOfRuns } from './load.ts';
import type { Memo } from './memo.ts';
import type { AnalysedRun } from './model.ts';
import { budgetOf } from '#server/domain/outcome.ts';

/**
 * Returns the convergence of the runs at their own budgets: the same for all targets, and for an experiment and the comparison of
 * its problem where it is alone. `traced` returns the same runs with their traces.
 */
export function ensureConvergence(
  memo: Memo,
  direction: ObjectiveDirection,
  runs: readonly RunRecord[],
  traced: () => Promise<readonly AnalysedRun[]>,
): Promise<ConvergencePoint[]> {
  const facts = ['convergence', direction, keyOfRuns(runs)];
  return memo.ensure(facts, async () => convergenceOf(await traced()));
}

/** Convergence of the runs at these budgets, by default their own; runs without a value are not counted. */
export function convergenceOf(
  runs: readonly AnalysedRun[],
  budgets = budgetsOf(runs),
): ConvergencePoint[] {
  return convergence(
    budgets,
    runs.map((run) => bestOfRun(run, budgets)),
  );
}

/** Convergence of each group, all at the same budgets. */
export function groupConvergence(
  groups: readonly Pick<RunGroup, 'name' | 'runs'>[],
): ProblemComparison['convergence'] {
  const budgets = budgetsOf(groups.flatMap(({ runs }) => runs));
  return groups.map(({ name, runs }) => ({ name, points: convergenceOf(runs, budgets) }));
}

/** From the first evaluation to the largest budget of any of the runs. */
function budgetsOf(runs: readonly AnalysedRun[]): number[] {
  const first = minimum(finiteValues(runs.map(({ trace }) => trace.evaluations[0])));
  const last = maximum(runs.map(budgetOf));
  return first === null || last === null ? [] : convergenceBudgets(first, last);
}

/** Nobody knows how a RUNNING run goes on, so it has no value beyond its last point. */
function bestOfRun(run: AnalysedRun, budgets: readonly number[]): Float64Array {
  if (!isRunning(run)) return bestAt(run.trace, budgets);
  const reached = budgets.findLastIndex((budget) => budget <= run.trace.end) + 1;
  return bestAt(run.trace, budgets.slice(0, reached));
}
