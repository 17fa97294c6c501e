import { instanceLabels } from '#server/domain/problem-instance.ts';
import { maskedValue } from '#server/domain/secrets/secret-words.ts';
import type { RunRecord } from '#server/repositories/analysis.ts';
import { maximumParamFilterLength, parseParamFilter } from '#shared/param-filter.ts';
import type { ProblemInstance } from '#shared/schemas/analysis.ts';
import type { AnalysedExperiment, AnalysedRun } from './model.ts';

/** The experiments on one problem type, and the one problem instance to compare them on. */
export interface ComparisonScope {
  problemType: string;
  instances: ProblemInstance[];
  selected: ProblemInstance;
  /** Experiments on any of the instances, by id. */
  experiments: ReadonlyMap<string, AnalysedExperiment>;
  /** Runs on all instances: blocks of a Friedman test may be instances. */
  allRuns: readonly RunRecord[];
  /** Runs on the selected instance: everything else is computed from these. */
  runs: readonly RunRecord[];
}

/** A scope with the traces of the runs on its selected instance. */
export interface TracedScope extends ComparisonScope {
  runs: readonly AnalysedRun[];
}

/** What to make a scope of. */
export interface ScopeRequest {
  problemType: string;
  experiments: readonly AnalysedExperiment[];
  runs: readonly RunRecord[];
  /** Algorithm types to keep, in any case; empty = all. */
  algorithms: readonly string[];
  /** Id of the requested instance. */
  instance?: string | undefined;
}

/**
 * Chooses the instance to compare on: the requested one, else the one with the most algorithms, then the
 * most runs, then the smallest id. Null when the requested instance does not exist, or no experiment is left.
 */
export function selectScope(request: ScopeRequest): ComparisonScope | null {
  const { problemType } = request;
  const kept = ofAlgorithms(request.experiments, request.algorithms);
  const experiments = new Map(kept.map((experiment) => [experiment.experimentId, experiment]));
  const allRuns = request.runs.filter((run) => experiments.has(run.experimentId));
  const overview = describeInstances(kept, allRuns, problemType);
  const choice = request.instance ?? overview[0]?.id;
  const selected = overview.find((entry) => entry.id === choice);
  if (!selected) return null;
  const instances = overview.map((entry) => ({ ...entry, selected: entry === selected }));
  const runs = allRuns.filter((run) => instanceIdOf(run, experiments) === selected.id);
  return {
    problemType,
    instances,
    selected: { ...selected, selected: true },
    experiments,
    allRuns,
    runs,
  };
}

/** Returns the experiments with one of these algorithm types, ignoring case; all experiments without any type. */
export function ofAlgorithms(
  experiments: readonly AnalysedExperiment[],
  algorithms: readonly string[],
): readonly AnalysedExperiment[] {
  if (algorithms.length === 0) return experiments;
  const wanted = new Set(algorithms.map((algorithm) => algorithm.toLowerCase()));
  return experiments.filter(({ algorithmType }) => wanted.has(algorithmType.toLowerCase()));
}

/** Id of the problem instance that the run solved; undefined when its experiment is not among these. */
export function instanceIdOf(
  run: RunRecord,
  experiments: ReadonlyMap<string, AnalysedExperiment>,
): string | undefined {
  return experiments.get(run.experimentId)?.instance.id;
}

/**
 * The instances of these experiments, none selected, with what there is to compare on each: the most
 * algorithms first, then the most runs, then by label, numbers by their value.
 */
export function describeInstances(
  experiments: readonly AnalysedExperiment[],
  runs: readonly RunRecord[],
  problemType: string,
): ProblemInstance[] {
  const byInstance = Map.groupBy(experiments, ({ instance }) => instance.id);
  const keys = [...byInstance.values()].flatMap(([first]) => first?.instance ?? []);
  const labels = instanceLabels(keys, problemType);
  const runsPerExperiment = Map.groupBy(runs, (run) => run.experimentId);
  const entries = [...byInstance.values()].map((inside, index) => ({
    id: keys[index]?.id ?? '',
    label: labels[index] ?? '',
    selected: false,
    dimension: keys[index]?.dimension ?? null,
    configJson: keys[index]?.configJson ?? '',
    algorithms: new Set(inside.map(({ algorithmType }) => algorithmType)).size,
    runs: inside.reduce(
      (count, { experimentId }) => count + (runsPerExperiment.get(experimentId)?.length ?? 0),
      0,
    ),
  }));
  return entries.sort(mostComparedFirst);
}

const byNumber = new Intl.Collator('en', { numeric: true });

function mostComparedFirst(a: ProblemInstance, b: ProblemInstance): number {
  return (
    b.algorithms - a.algorithms ||
    b.runs - a.runs ||
    byNumber.compare(a.label, b.label) ||
    (a.id < b.id ? -1 : 1)
  );
}

/** Parameters of an experiment, or of a problem instance, by their paths, as text. */
export type Parameters = ReadonlyMap<string, string>;

/**
 * The filter of the lists that holds for the experiments with this value at this path. Null where no filter says it: for
 * none, a masked one, an array, and what would be read back as something else.
 */
export function conditionOf(path: string, value: string | null): string | null {
  if (value === null || value === maskedValue || value.startsWith('[')) return null;
  const isNumber = value !== '' && Number.isFinite(Number(value));
  const condition = `${path} = ${isNumber ? value : JSON.stringify(value)}`;
  const readBack = parseParamFilter(condition);
  const isSame =
    typeof readBack === 'object' &&
    readBack.path === path &&
    readBack.operator === '=' &&
    readBack.values.length === 1 &&
    readBack.values[0]?.text === value;
  return isSame && condition.length <= maximumParamFilterLength ? condition : null;
}

/**
 * The fewest filters, in the order of the paths, that tell an instance from the others that these experiments solved; null
 * where some of them cannot be distinguished from it.
 */
export function conditionsAmong(
  instanceId: string,
  experiments: readonly Pick<AnalysedExperiment, 'instance'>[],
): string[] | null {
  const instances = new Map(experiments.map(({ instance }) => [instance.id, instance.parameters]));
  const own = instances.get(instanceId) ?? new Map<string, string>();
  instances.delete(instanceId);
  const conditions: string[] = [];
  let left = [...instances.values()];
  for (const [path, value] of own) {
    const still = left.filter((other) => other.get(path)?.toLowerCase() === value.toLowerCase());
    const condition = still.length < left.length ? conditionOf(path, value) : null;
    if (condition === null) continue;
    conditions.push(condition);
    left = still;
  }
  return left.length === 0 ? conditions : null;
}
