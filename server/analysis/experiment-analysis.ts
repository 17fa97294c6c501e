import type { AnalysisNote, CurvePoint, ExperimentAnalysis } from '#shared/schemas/analysis.ts';
import type { AnalysedRun, Objective } from './analysis-input.ts';
import { counted, noteIf, objectiveNotes, runNotes } from './analysis-notes.ts';
import { boxSummary } from '#server/stats/box.ts';
import { convergence } from '#server/stats/convergence.ts';
import { maximum } from '#server/stats/descriptive.ts';
import { ecdfOfAllRuns, ecdfOfSuccessfulRuns } from '#server/stats/ecdf.ts';
import { evaluationsHistogram, fitnessHistogram } from '#server/stats/histogram.ts';
import { bestByRun, outcomesOf } from './measurement.ts';
import { performanceProfiles } from '#server/stats/profiles.ts';
import { budgetOf, isRunning, sampleOf } from './run-outcome.ts';
import {
  dataProfileUnitFor,
  expectedRuntimes,
  type MeasuredRuns,
  runsDataProfile,
} from './run-profiles.ts';
import type { RunOutcome } from '#server/stats/runtime.ts';
import { summariseSuccess } from './success-summary.ts';
import { successVsBudget } from '#server/stats/success-vs-budget.ts';

/** All that the analysis of one experiment is computed from. */
export interface ExperimentAnalysisInput {
  experimentId: string;
  objective: Objective;
  /** Number of variables of the problem; null = unknown. */
  dimension: number | null;
  /** The runs of the experiment, by start time. */
  own: MeasuredRuns;
  /** The runs of all experiments on the same problem instance, these among them. */
  sameInstance: MeasuredRuns;
}

/** Fewest values whose quartiles and intervals say something. */
const smallSample = 5;

/**
 * All figures of one experiment but the comparison with others. Without runs: zero counts, null figures
 * and empty curves.
 */
export function analyseExperiment(
  input: ExperimentAnalysisInput,
): Omit<ExperimentAnalysis, 'sameProblem'> {
  const { objective, own } = input;
  const outcomes = outcomesOf(own.runs, objective, own.measurements);
  const { notes: _notes, direction, ...sources } = objective;
  return {
    experimentId: input.experimentId,
    objectiveDirection: direction,
    ...sources,
    ...summariseSuccess(own.runs, outcomes),
    ...samples(own.runs),
    convergence95Ci: convergence(own.plan.budgets, bestByRun(own.runs, own.measurements)),
    ...runtimeCurves(own.runs, outcomes),
    dataProfile: runsDataProfile(own, input.dimension),
    dataProfileUnit: dataProfileUnitFor(input.dimension),
    performanceProfile: profileAmongExperiments(input),
    notes: experimentNotes(input),
  };
}

function samples(runs: readonly AnalysedRun[]) {
  const bestFitnessValues = sampleOf(runs);
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

function profileAmongExperiments(input: ExperimentAnalysisInput): CurvePoint[] {
  const { sameInstance, experimentId } = input;
  const byExperiment = Map.groupBy(sameInstance.runs, (run) => run.experimentId);
  const solvers = Array.from(byExperiment, ([name, runs]) => ({
    name,
    costs: expectedRuntimes({ ...sameInstance, runs }),
  }));
  return performanceProfiles(solvers).find(({ name }) => name === experimentId)?.points ?? [];
}

function experimentNotes(input: ExperimentAnalysisInput): AnalysisNote[] {
  const { runs } = input.own;
  const sampleSize = sampleOf(runs).length;
  return [
    ...objectiveNotes(input.objective),
    ...noteIf(runs.length === 0, 'NO_RUNS', 'The experiment has no runs.'),
    ...runNotes(runs),
    ...noteIf(
      sampleSize > 0 && sampleSize < smallSample,
      'SMALL_SAMPLE',
      `Best fitness of ${counted(sampleSize, 'run')} only: quartiles and intervals say little.`,
    ),
    ...noteIf(
      input.dimension === null,
      'DIMENSION_UNKNOWN',
      'The configuration does not tell the dimension: the data profile counts plain evaluations.',
    ),
  ];
}
