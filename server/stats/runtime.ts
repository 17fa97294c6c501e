import { mean } from './descriptive.ts';
import { sum } from './sum.ts';

/** What one run contributes to an expected runtime. */
export interface RunOutcome {
  solved: boolean;
  /** Evaluations when it was solved; null when it was not, or when they are unknown. */
  evaluationsToTarget: number | null;
  /** Evaluations it used in all, 0 when it used none; null = unknown, and the run is left out of all sums. */
  budget: number | null;
}

/**
 * Share of the runs that solved; runs of unknown budget count too. 0 for no runs.
 */
export function successRate(outcomes: readonly RunOutcome[]): number {
  if (outcomes.length === 0) return 0;
  return outcomes.filter((outcome) => outcome.solved).length / outcomes.length;
}

/**
 * Expected runtime: evaluations spent by all runs, those of a solved run only until its hit, over the
 * number of solved runs. Runs whose evaluations are unknown are in neither. Null when no run solved
 * (infinite). Auger & Hansen 2005; Hansen et al. 2016.
 */
export function expectedRuntime(outcomes: readonly RunOutcome[]): number | null {
  const known = outcomes.filter(hasKnownEffort);
  const solved = known.filter((outcome) => outcome.solved).length;
  return solved === 0 ? null : sum(known.map(effort)) / solved;
}

/**
 * SP1: mean evaluations to target of the solved runs over the success rate. Runs whose evaluations are
 * unknown are left out. Null when no run solved (infinite). Auger & Hansen 2005.
 */
export function successPerformance(outcomes: readonly RunOutcome[]): number | null {
  const known = outcomes.filter(hasKnownEffort);
  const solved = known.filter((outcome) => outcome.solved);
  const meanOfSolved = mean(solved.map(effort));
  return meanOfSolved === null ? null : meanOfSolved / (solved.length / known.length);
}

/** The evaluations that each run adds to an expected runtime; runs of unknown evaluations are left out. */
export function knownEfforts(
  outcomes: readonly RunOutcome[],
): { effort: number; solved: boolean }[] {
  return outcomes
    .filter(hasKnownEffort)
    .map((outcome) => ({ effort: effort(outcome), solved: outcome.solved }));
}

function hasKnownEffort(outcome: RunOutcome): boolean {
  return outcome.solved ? outcome.evaluationsToTarget !== null : outcome.budget !== null;
}

function effort(outcome: RunOutcome): number {
  return (outcome.solved ? outcome.evaluationsToTarget : outcome.budget) ?? 0;
}
