import type { Grouping } from '#shared/schemas/analysis.ts';
import type { AnalysedExperiment, AnalysedRun } from './analysis-input.ts';
import type { ComparisonScope } from './comparison-scope.ts';
import { sampleOf } from './run-outcome.ts';

/** Runs on one problem instance that are compared as one. */
export interface RunGroup {
  name: string;
  label: string;
  runs: AnalysedRun[];
  /** Best fitness of its completed runs. */
  sample: number[];
  /** Number of distinct configurations that it pools. */
  configurations: number;
  /** Experiments that its runs are of, in code point order. */
  experimentIds: string[];
}

/** Name of the group that runs of the experiment belong to. */
export function groupName(experiment: AnalysedExperiment, groupBy: Grouping): string {
  if (groupBy === 'experiment') return experiment.experimentId;
  return groupBy === 'model' ? experiment.modelType : experiment.algorithmType;
}

/**
 * The groups of the selected instance, by name in code point order. An experiment without runs makes no
 * group of its own but counts among the configurations.
 */
export function groupRuns(scope: ComparisonScope, groupBy: Grouping): RunGroup[] {
  const byName = Map.groupBy(scope.runs, (run) => nameFor(run, scope, groupBy));
  const groups = Array.from(byName, ([name, runs]) => {
    const ids = new Set(runs.map((run) => run.experimentId));
    const experiments = [...ids].flatMap((id) => scope.experiments.get(id) ?? []);
    return {
      name,
      label: groupBy === 'experiment' ? experimentLabel(experiments[0], name) : name,
      runs,
      sample: sampleOf(runs),
      configurations: new Set(experiments.map(({ configurationId }) => configurationId)).size,
      experimentIds: [...ids].sort(),
    };
  });
  return groups.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function nameFor(run: AnalysedRun, scope: ComparisonScope, groupBy: Grouping): string {
  const experiment = scope.experiments.get(run.experimentId);
  return experiment ? groupName(experiment, groupBy) : run.experimentId;
}

function experimentLabel(experiment: AnalysedExperiment | undefined, name: string): string {
  const short = name.length > 12 ? name.slice(0, 8) : name;
  return experiment?.runName ? `${experiment.runName} (${short})` : short;
}
