import type { StartedRun } from '#server/domain/claims/guard.ts';
import { isImportedRun } from '#server/domain/completeness.ts';
import { firstHit, reaches } from '#server/domain/trace.ts';
import type { AnalysedExperiment, AnalysedRun, Objective } from './model.ts';
import { budgetOf, isCompleted } from '#server/domain/outcome.ts';

/** What is known of the runs besides their rows. */
interface RunFacts {
  experiments: ReadonlyMap<string, AnalysedExperiment>;
  /** Ids of the silent runs. */
  silent: ReadonlySet<string>;
  objective: Pick<Objective, 'direction' | 'targetFitness'>;
}

/** Returns the runs as the guard needs them, in their order. */
export function startedRuns(runs: readonly AnalysedRun[], facts: RunFacts): StartedRun[] {
  const stating = new Set(runs.filter(statesSpent).map(({ experimentId }) => experimentId));
  return runs.map((run) => {
    const experiment = facts.experiments.get(run.experimentId);
    return {
      runId: run.runId,
      status: run.status,
      startTime: run.startTime,
      configuration: experiment?.configurationId ?? run.experimentId,
      granted: grantedBudget(run, experiment, facts.objective),
      spent: budgetOf(run),
      statesSpent: stating.has(run.experimentId),
      bestFitness: run.bestFitness,
      trace: run.trace,
      isSilent: facts.silent.has(run.runId),
    };
  });
}

/**
 * The loggers of others may write improvements only. A run that has used evaluations after its last improvement shows that
 * the data of its experiment state them.
 */
function statesSpent(run: AnalysedRun): boolean {
  return !isImportedRun(run) || budgetOf(run) > (run.trace.evaluations.at(-1) ?? 0);
}

/**
 * The evaluations that a run was granted by its trial or its configuration; null where nothing states them, and where the
 * run ended for another reason: its iterations were used up, or it reached the easier target of its configuration. A
 * trial that was imported states what the run used, and not what it was granted.
 */
function grantedBudget(
  run: AnalysedRun,
  experiment: AnalysedExperiment | undefined,
  { direction, targetFitness }: RunFacts['objective'],
): number | null {
  if (run.trialBudget !== null && run.trialBudget > 0 && !isImportedRun(run)) {
    return run.trialBudget;
  }
  const granted = experiment?.budget.evaluations ?? null;
  if (!experiment || granted === null || !isCompleted(run)) return granted;
  const { iterations } = experiment.budget;
  const isOutOfIterations =
    iterations !== null && (run.newestIteration ?? 0) >= iterations && budgetOf(run) < granted;
  const stated = experiment.statedTarget;
  const isEasier =
    stated !== null && (targetFitness === null || !reaches(stated, targetFitness, direction));
  return isOutOfIterations || (isEasier && stoppedAt(run, stated, direction)) ? null : granted;
}

/** Whether a run ended where it reached this target. */
function stoppedAt(run: AnalysedRun, target: number, direction: Objective['direction']): boolean {
  const hit = firstHit(run.trace, target);
  if (hit !== null) return hit >= run.trace.spent;
  return run.bestFitness !== null && reaches(run.bestFitness, target, direction);
}
