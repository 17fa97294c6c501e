import { finiteValues, maximum } from '#server/stats/descriptive.ts';
import { boxSummary } from '#server/stats/box.ts';
import { ecdfOfAllRuns, ecdfOfSuccessfulRuns } from '#server/stats/ecdf.ts';
import { evaluationsHistogram, fitnessHistogram } from '#server/stats/histogram.ts';
import type { RunOutcome } from '#server/stats/runtime.ts';
import { successVsBudget } from '#server/stats/success-vs-budget.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import type { CurvePoint, ExperimentAnalysis, SeveralTargets } from '#shared/schemas/analysis.ts';
import { isRunning } from '#shared/words.ts';
import type { AnalysedRun, Objective } from './model.ts';
import { noteIf } from './notes.ts';
import { objectiveNotes } from './objective.ts';
import {
  budgetOf,
  completedBestFitness,
  dataProfileOf,
  dataProfileUnitFor,
  levelsOf,
  outcomesOf,
  outcomesOfLevels,
  summariseSuccess,
} from '#server/domain/outcome.ts';
import { runNotes } from './run-notes.ts';
import { targetNotes } from './target-notes.ts';

/** All that the figures of one experiment are computed from. */
export interface ExperimentFiguresInput {
  objective: Objective;
  /** Number of variables of the problem; null = unknown. */
  dimension: number | null;
  /** Target that its configuration states; null for none. */
  statedTarget: number | null;
  /** By start time. */
  runs: readonly AnalysedRun[];
  /** Its curve among all experiments on the same problem instance. */
  performanceProfile: CurvePoint[];
}

/** The figures of an experiment, without what identifies it and its problem, its convergence and ECDFs over several targets. */
export type ExperimentFigures = Omit<
  ExperimentAnalysis,
  | 'experimentId'
  | 'problemType'
  | 'problemInstance'
  | 'convergence95Ci'
  | 'sameProblem'
  | keyof SeveralTargets
>;

/** Fewest values whose quartiles and intervals say something. */
const smallSample = 5;

/** All figures of the runs of one experiment. Without runs: zero counts, null figures and empty curves. */
export function experimentFigures(input: ExperimentFiguresInput): ExperimentFigures {
  const { objective, runs, dimension } = input;
  const outcomes = outcomesOf(runs, objective);
  const levels = outcomesOfLevels(runs, levelsOf(runs, objective), objective);
  const { notes: _notes, direction, ...sources } = objective;
  return {
    objectiveDirection: direction,
    ...sources,
    ...summariseSuccess(runs, outcomes),
    ...samples(runs),
    ...runtimeCurves(runs, outcomes),
    dataProfile: dataProfileOf(levels, dimension),
    dataProfileUnit: dataProfileUnitFor(dimension),
    performanceProfile: input.performanceProfile,
    notes: experimentNotes(input),
  };
}

function samples(runs: readonly AnalysedRun[]) {
  const bestFitnessValues = finiteValues(completedBestFitness(runs));
  const ended = runs.filter((run) => !isRunning(run));
  return {
    bestFitnessBox: boxSummary(bestFitnessValues),
    bestFitnessValues,
    bestFitnessHistogram: fitnessHistogram(bestFitnessValues),
    runtimeMillisBox: boxSummary(runs.map((run) => run.runtimeMillis)),
    evaluationsBox: boxSummary(ended.map(budgetOf).filter((budget) => budget > 0)),
  };
}

function runtimeCurves(runs: readonly AnalysedRun[], outcomes: readonly RunOutcome[]) {
  const times = outcomes.map((outcome) => outcome.evaluationsToTarget);
  return {
    successVsBudget: successVsBudget(times, maximum(runs.map(budgetOf)) ?? 0),
    timeToTargetHistogram: evaluationsHistogram(times.filter((time) => time !== null)),
    ecdfTotalRuns: ecdfOfAllRuns(times),
    ecdfSuccessfulRuns: ecdfOfSuccessfulRuns(times),
  };
}

function experimentNotes(input: ExperimentFiguresInput): AnalysisNote[] {
  const { runs, objective, dimension, statedTarget } = input;
  const sampleSize = completedBestFitness(runs).length;
  return [
    ...objectiveNotes(objective, runs),
    ...targetNotes(runs, () => statedTarget, objective),
    ...noteIf(runs.length === 0, 'NO_RUNS'),
    ...runNotes(runs, objective.targetFitness !== null),
    ...noteIf(sampleSize > 0 && sampleSize < smallSample, 'SMALL_SAMPLE', sampleSize),
    ...noteIf(dimension === null, 'DIMENSION_UNKNOWN'),
  ];
}
