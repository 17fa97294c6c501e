import type { RunRecord } from '#server/repositories/analysis.ts';
import { performanceProfiles } from '#server/stats/profiles.ts';
import { expectedRuntime, type RunOutcome } from '#server/stats/runtime.ts';
import type { Grouping, Series } from '#shared/schemas/analysis.ts';
import type { AnalysedExperiment, AnalysedRun } from './model.ts';
import { completedBestFitness } from '#server/domain/outcome.ts';
import type { TracedScope } from './scope.ts';

/** Runs on one problem instance that are compared as one. */
export interface RunGroup {
  name: string;
  label: string;
  runs: readonly AnalysedRun[];
  /** Best fitness of its completed runs, infinite ones included. */
  sample: number[];
  /** Number of distinct configurations that it pools. */
  configurations: number;
  /** Experiments that its runs are of, in code point order. */
  experimentIds: string[];
}

/** A group with the outcomes of its runs, in their order. */
export interface JudgedGroup extends RunGroup {
  outcomes: RunOutcome[];
  /** At each level of the profiles. */
  levels: RunOutcome[][];
}

/** Name of the group that a run belongs to; its experiment's id when that is not among these. */
export function groupName(
  { experimentId }: RunRecord,
  experiments: ReadonlyMap<string, AnalysedExperiment>,
  groupBy: Grouping,
): string {
  const experiment = experiments.get(experimentId);
  if (!experiment || groupBy === 'experiment') return experimentId;
  if (groupBy === 'configuration') return experiment.configurationId;
  return groupBy === 'model' ? experiment.modelType : experiment.algorithmType;
}

/**
 * The groups of the selected instance, by name in code point order. An experiment without runs makes no
 * group of its own.
 */
export function groupRuns(
  { runs, experiments }: Pick<TracedScope, 'runs' | 'experiments'>,
  groupBy: Grouping,
): RunGroup[] {
  const byName = Map.groupBy(runs, (run) => groupName(run, experiments, groupBy));
  const groups = Array.from(byName, ([name, inside]) => {
    const ids = [...new Set(inside.map((run) => run.experimentId))].sort();
    const pooled = ids.flatMap((id) => experiments.get(id) ?? []);
    return {
      name,
      label: labelOf(name, pooled[0], groupBy),
      runs: inside,
      sample: completedBestFitness(inside),
      configurations: new Set(pooled.map(({ configurationId }) => configurationId)).size,
      experimentIds: ids,
    };
  });
  return groups.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function labelOf(
  name: string,
  experiment: AnalysedExperiment | undefined,
  groupBy: Grouping,
): string {
  if (groupBy === 'experiment') return experimentLabel(experiment, name);
  if (groupBy === 'configuration' && experiment) {
    return `${experiment.algorithmType} (${name.slice(0, 6)})`;
  }
  return name;
}

function experimentLabel(experiment: AnalysedExperiment | undefined, name: string): string {
  const short = name.length > 12 ? name.slice(0, 8) : name;
  return experiment?.runName ? `${experiment.runName} (${short})` : short;
}

/** Performance profiles of groups with their outcomes at each level: what each pays for it is its ERT there. */
export function groupProfiles(
  groups: readonly { name: string; levels: readonly (readonly RunOutcome[])[] }[],
): Series[] {
  return performanceProfiles(
    groups.map(({ name, levels }) => ({ name, costs: levels.map(expectedRuntime) })),
  );
}
