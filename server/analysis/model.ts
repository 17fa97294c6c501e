import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import type { DirectionSource, Grouping, TargetSource } from '#shared/schemas/analysis.ts';
import type { ConfiguredBudget, StatedObjective } from '#server/domain/objective.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import type { InstanceKey } from '#server/domain/problem-instance.ts';
import type { RunRecord } from '#server/repositories/analysis.ts';
import type { RunTrace } from '#server/domain/trace.ts';

/** Direction and target of runs, with their sources. */
export interface Objective {
  direction: ObjectiveDirection;
  directionSource: DirectionSource;
  /** Fitness to reach; null without a target. */
  targetFitness: number | null;
  targetSource: TargetSource;
  /** Notes on different and missing targets, and on algorithms without runs. */
  notes?: readonly AnalysisNote[];
}

/** A run with its trace, as input of the analyses. */
export interface AnalysedRun extends RunRecord {
  trace: RunTrace;
}

/** An experiment as input of the analyses. */
export interface AnalysedExperiment extends StatedObjective {
  experimentId: string;
  problemType: string;
  /** Stored name of its runs, with masked secrets; null if it is missing. */
  runName: string | null;
  algorithmType: string;
  modelType: string;
  /** Text of the configuration as stored, including secrets. */
  configJson: string;
  instance: InstanceKey;
  /**
   * Id that is equal for experiments with the same algorithm and parameters; independent of seeds, names, problem
   * instances and budgets.
   */
  configurationId: string;
  /** Budget that the configuration grants to each run. */
  budget: ConfiguredBudget;
  /** Labels of its groups by grouping. A grouping without a {@link GroupLabel} is missing. */
  groupLabels?: Partial<Record<Grouping, GroupLabel>>;
}

/** Label of a group that a user named or marked, or of a configuration whose algorithm a user named. */
export interface GroupLabel {
  label: string;
  isBaseline: boolean;
}
