import { getProblemKey, updateBest, type Experiment } from './data-set.ts';
import type { listTrialsOfRuns } from '#server/repositories/data-sets.ts';

/** A trial that an earlier import wrote. */
export type StoredTrial = Awaited<ReturnType<typeof listTrialsOfRuns>>[number];

/**
 * Returns the experiments of a campaign with the targets of the whole data set, of which other parts may be stored. The
 * target of a problem without a precision is the best value of all its trials with the same direction.
 */
export function shareTargets(
  experiments: readonly Experiment[],
  storedTrials: readonly StoredTrial[],
): Experiment[] {
  const bestByProblem = new Map<string, number>();
  for (const experiment of experiments) {
    const { group, target } = experiment;
    if (group.precision === null)
      updateBest(bestByProblem, getProblem(experiment), target, group.direction);
  }
  for (const trial of storedTrials) {
    const problem = getProblemOfTrial(trial);
    if (problem === null || trial.direction === null) continue;
    updateBest(bestByProblem, problem, trial.best_fitness, trial.direction);
    // The run that gave a stored target may be deleted.
    updateBest(bestByProblem, problem, trial.target_value, trial.direction);
  }
  return experiments.map((experiment) => {
    const { group, target } = experiment;
    if (group.precision !== null) return experiment;
    return { ...experiment, target: bestByProblem.get(getProblem(experiment)) ?? target };
  });
}

/**
 * Returns the runs whose stored trials have another target than {@link shareTargets} sets for their problem, by target.
 * The new target is better, and none of these runs has reached it.
 */
export function listOutdatedTrials(
  experiments: readonly Experiment[],
  storedTrials: readonly StoredTrial[],
): { target: number; runIds: string[] }[] {
  const targets = new Map(
    experiments
      .filter(({ group }) => group.precision === null)
      .map((experiment) => [getProblem(experiment), experiment.target]),
  );
  const trialsByProblem = Map.groupBy(storedTrials, getProblemOfTrial);
  return [...targets].flatMap(([problem, target]) => {
    const trials = trialsByProblem.get(problem) ?? [];
    const outdatedTrials = trials.filter((trial) => trial.target_value !== target);
    const runIds = outdatedTrials.map((trial) => trial.run_id);
    return runIds.length === 0 ? [] : [{ target, runIds }];
  });
}

function getProblem({ group, functionNumber }: Experiment): string {
  return getProblemKey({ ...group, functionNumber });
}

/** Returns the problem of a trial; null if its direction is unknown. */
function getProblemOfTrial({ function_id, dimension, direction }: StoredTrial): string | null {
  return direction && getProblemKey({ functionNumber: function_id, dimension, direction });
}

/**
 * The repetitions of trials. A campaign has one trial for each repetition of an instance, but several runs may be the
 * first repetition of the unknown instance 0 with their seeds, or of several settings of an algorithm.
 */
export class TrialRepetitions {
  readonly #repetitionsByRun = new Map<string, number>();
  /** The used repetitions of each cell. */
  readonly #cells = new Map<string, { used: Set<number>; highest: number }>();

  constructor(storedTrials: readonly StoredTrial[]) {
    for (const trial of storedTrials) {
      const { campaign_id, optimizer_id, function_id, dimension, instance_id } = trial;
      const cell = JSON.stringify([campaign_id, optimizer_id, function_id, dimension, instance_id]);
      this.#use(cell, trial.run_id, trial.repetition);
    }
  }

  /**
   * Returns the repetition of the trial of a run: the one that the run already has, else that of the run, or the next
   * unused one of the cell if another run has it.
   */
  assign(
    campaignId: string,
    { group, functionNumber }: Experiment,
    run: Experiment['runs'][number],
  ): number {
    const { algorithm, dimension } = group;
    const cell = JSON.stringify([
      campaignId,
      algorithm,
      functionNumber,
      dimension ?? 0,
      run.instance,
    ]);
    const previousRepetition = this.#repetitionsByRun.get(`${cell} ${run.runId}`);
    if (previousRepetition !== undefined) return previousRepetition;
    const { used, highest } = this.#cells.get(cell) ?? { used: new Set(), highest: 0 };
    const repetition = used.has(run.repetition) ? highest + 1 : run.repetition;
    this.#use(cell, run.runId, repetition);
    return repetition;
  }

  #use(cell: string, runId: string, repetition: number): void {
    const entry = this.#cells.get(cell) ?? { used: new Set(), highest: 0 };
    entry.used.add(repetition);
    entry.highest = Math.max(entry.highest, repetition);
    this.#cells.set(cell, entry);
    this.#repetitionsByRun.set(`${cell} ${runId}`, repetition);
  }
}
