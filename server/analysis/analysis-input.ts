import type { AnalysisNote, DirectionSource, TargetSource } from '#shared/schemas/analysis.ts';
import type { WireInteger } from '#shared/schemas/common.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import type { InstanceKey } from '#server/rules/problem-instance.ts';

/** What the runs are judged by. */
export interface Objective {
  direction: ObjectiveDirection;
  directionSource: DirectionSource;
  targetFitness: number | null;
  targetSource: TargetSource;
  /** What whoever chose direction and target has to say about it. */
  notes?: readonly AnalysisNote[];
}

/** A trace in six numbers; all of them are of iterations whose fitness is finite. */
export interface TraceSummary {
  firstEvaluations: number;
  firstFitness: number;
  lastEvaluations: number;
  lastFitness: number;
  minFitness: number;
  maxFitness: number;
}

/** A run as the analyses need it. */
export interface AnalysedRun {
  runId: string;
  experimentId: string;
  seed: WireInteger | null;
  status: string;
  /** `runs.evaluations`; null while the run has no result. */
  evaluations: number | null;
  /** `runs.best_fitness`; values that are not finite are left out of every sample. */
  bestFitness: number | null;
  runtimeMillis: number | null;
  /** Null for a run without iterations. */
  trace: TraceSummary | null;
}

/** An experiment as the comparison of a problem needs it. */
export interface AnalysedExperiment {
  experimentId: string;
  runName: string | null;
  algorithmType: string;
  modelType: string;
  instance: InstanceKey;
  /** Equal for experiments that differ only in how they were named, stored or reported. */
  configurationId: string;
}

/** What the traces of runs have to be asked for. */
export interface MeasurementPlan {
  direction: ObjectiveDirection;
  /** Fitness to find the first hit of: the target if there is one, then the levels of the profiles. */
  targets: number[];
  /** The levels of the profiles, the last entries of `targets`; empty when no run has a value. */
  levels: number[];
  /** Ascending budgets to read the best so far at. */
  budgets: number[];
}

/** The answers for one run. */
export interface RunMeasurement {
  /** For each of the plan's targets the evaluations of the first iteration that reaches it, or null. */
  hits: readonly (number | null)[];
  /** For each of the plan's budgets the best so far, null before the first iteration. */
  bestAtBudgets: readonly (number | null)[];
}

/** Measurements by run id; a run without iterations need not be among them. */
export type Measurements = ReadonlyMap<string, RunMeasurement>;
