import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import type {
  AnalysedRun,
  MeasurementPlan,
  Measurements,
  Objective,
  RunMeasurement,
  TraceSummary,
} from './analysis-input.ts';
import { convergenceBudgets } from '#server/stats/convergence.ts';
import { finiteValues, maximum, minimum } from '#server/stats/descriptive.ts';
import { convergenceLevels } from '#server/stats/profiles.ts';
import { median } from '#server/stats/quantile.ts';
import { budgetOf, outcomeForTarget, outcomeWithoutTarget } from './run-outcome.ts';
import type { RunOutcome } from '#server/stats/runtime.ts';
import {
  bestAtBudgets,
  bestOf,
  firstHit,
  type IterationPoint,
  traceOf,
} from '#server/stats/trace.ts';

/**
 * What to ask the traces of these runs for: the first hits of the target and of the levels of the
 * profiles, and the best so far at the budgets of the convergence curve. Runs without iterations add no
 * budgets; when no run has a value there are no levels.
 */
export function planMeasurements(
  runs: readonly AnalysedRun[],
  objective: Pick<Objective, 'direction' | 'targetFitness'>,
): MeasurementPlan {
  const { direction, targetFitness } = objective;
  const levels = levelsOf(runs, targetFitness, direction);
  const first = minimum(runs.flatMap((run) => (run.trace ? [run.trace.firstEvaluations] : [])));
  const last = maximum(runs.map(budgetOf));
  return {
    direction,
    targets: targetFitness === null ? levels : [targetFitness, ...levels],
    levels,
    budgets: first === null || last === null ? [] : convergenceBudgets(first, last),
  };
}

function levelsOf(
  runs: readonly AnalysedRun[],
  target: number | null,
  direction: ObjectiveDirection,
): number[] {
  const start = median(finiteValues(runs.map((run) => run.trace?.firstFitness)));
  const best = target ?? bestOf(finiteValues(runs.flatMap(extremes)), direction);
  return start === null || best === null ? [] : convergenceLevels(start, best, direction);
}

function extremes(run: AnalysedRun): (number | null | undefined)[] {
  return [run.bestFitness, run.trace?.minFitness, run.trace?.maxFitness];
}

/**
 * Outcome of each run for the target of the objective, in order; by completion when it has none.
 */
export function outcomesOf(
  runs: readonly AnalysedRun[],
  objective: Pick<Objective, 'direction' | 'targetFitness'>,
  measurements: Measurements,
): RunOutcome[] {
  const { direction, targetFitness } = objective;
  if (targetFitness === null) return runs.map(outcomeWithoutTarget);
  return runs.map((run) => {
    const hit = measurements.get(run.runId)?.hits[0] ?? null;
    return outcomeForTarget(run, hit, targetFitness, direction);
  });
}

/** Outcomes of the runs at each level of the plan: one list per level, in the order of the runs. */
export function outcomesPerLevel(
  runs: readonly AnalysedRun[],
  plan: MeasurementPlan,
  measurements: Measurements,
): RunOutcome[][] {
  const offset = plan.targets.length - plan.levels.length;
  return plan.levels.map((level, index) =>
    runs.map((run) => {
      const hit = measurements.get(run.runId)?.hits[offset + index] ?? null;
      return outcomeForTarget(run, hit, level, plan.direction);
    }),
  );
}

/** Best so far of each run at the budgets of the plan; runs without iterations are left out. */
export function bestByRun(
  runs: readonly AnalysedRun[],
  measurements: Measurements,
): (readonly (number | null)[])[] {
  return runs.flatMap((run) => {
    const measurement = measurements.get(run.runId);
    return measurement ? [measurement.bestAtBudgets] : [];
  });
}

/** A trace in six numbers; null without iterations of finite fitness. */
export function summariseTrace(iterations: readonly IterationPoint[]): TraceSummary | null {
  const ordered = iterations
    .flatMap(({ evaluations, iteration, fitness }) =>
      fitness !== null && Number.isFinite(fitness) ? [{ evaluations, iteration, fitness }] : [],
    )
    .sort((a, b) => a.evaluations - b.evaluations || a.iteration - b.iteration);
  const [first, last] = [ordered[0], ordered.at(-1)];
  if (!first || !last) return null;
  const fitness = ordered.map((point) => point.fitness);
  return {
    firstEvaluations: first.evaluations,
    firstFitness: first.fitness,
    lastEvaluations: last.evaluations,
    lastFitness: last.fitness,
    minFitness: bestOf(fitness, 'min') ?? first.fitness,
    maxFitness: bestOf(fitness, 'max') ?? first.fitness,
  };
}

/** Answers the plan for one run from its iterations, for data small enough to have them all. */
export function measureRun(
  iterations: readonly IterationPoint[],
  plan: MeasurementPlan,
): RunMeasurement {
  const trace = traceOf(iterations, plan.direction);
  return {
    hits: plan.targets.map((target) => firstHit(trace, target, plan.direction)),
    bestAtBudgets: bestAtBudgets(trace, plan.budgets),
  };
}
