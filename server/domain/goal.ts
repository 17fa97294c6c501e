import type { ConfiguredBudget, Direction } from './objective.ts';

/** What decides whether a run is solved, and when it was bound to end. */
export interface RunGoal {
  direction: Direction;
  target: number | null;
  /** The best fitness that the problem allows; null where it is unknown. */
  optimum: number | null;
  budget: ConfiguredBudget;
}

/** A run as its row in `runs` states it. */
export interface RunResult {
  status: string;
  /** Whether an import has written it: its rows are improvements, and its end is the end of the data. */
  isImported: boolean;
  /** `runs.iterations`; null while the run has no result. */
  iterations: number | null;
  /** `runs.evaluations`; null while the run has no result. */
  evaluations: number | null;
  /** `runs.best_fitness`; null while the run has no result. */
  bestFitness: number | null;
}
