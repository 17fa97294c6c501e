import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import type { DirectionSource, Grouping, TargetSource } from '#shared/schemas/analysis.ts';
import type { ConfiguredBudget, StatedObjective } from '#server/domain/objective.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import type { InstanceKey } from '#server/domain/problem-instance.ts';
import type { RunRecord } from '#server/repositories/analysis.ts';
import type { RunTrace } from '#server/domain/trace.ts';

/** What the runs are judged by. */
export interface Objective {
  direction: ObjectiveDirection;
  directionSource: DirectionSource;
  targetFitness: number | null;
  targetSource: TargetSource;
  /** What has to be said of how direction and target were found. */
  notes?: readonly AnalysisNote[];
}

/** A run as the analyses need it: with its best so far. */
export interface AnalysedRun extends RunRecord {
  trace: RunTrace;
}

/** An experiment as the comparison of a problem needs it. */
export interface AnalysedExperiment extends StatedObjective {
  experimentId: string;
  problemType: string;
  runName: string | null;
  algorithmType: string;
  modelType: string;
  /** As stored, secrets included. */
  configJson: string;
  instance: InstanceKey;
  /** Equal for experiments with the same algorithm and parameters, whatever their seeds, names and budgets. */
  configurationId: string;
  /** What its configuration grants each run. */
  budget: ConfiguredBudget;
  /** What users named the groups that it belongs to; those without a name or mark are missing. */
  shown?: Partial<Record<Grouping, ShownGroup>>;
}

/** How a group is shown where a user named or marked it. */
export interface ShownGroup {
  label: string;
  isBaseline: boolean;
}
