import { getInstanceLabels } from '#server/domain/problem-instance.ts';
import { maskedValue } from '#server/domain/secrets/secret-words.ts';
import type { RunRecord } from '#server/repositories/analysis.ts';
import { parseDecimal, maximumParamFilterLength, parseParamFilter } from '#shared/syntax.ts';
import { compareNaturally } from '#shared/natural-order.ts';
import type { ProblemInstance } from '#shared/schemas/analysis.ts';
import type { AnalysedExperiment, AnalysedRun } from './model.ts';

/** Experiments on one problem type, and the selected problem instance. */
export interface ComparisonScope {
  problemType: string;
  instances: ProblemInstance[];
  selectedInstance: ProblemInstance;
  /** Experiments on all instances, by id. */
  experiments: ReadonlyMap<string, AnalysedExperiment>;
  /**
   * Runs on all instances, because instances can be the blocks of a Friedman test. For an experiment without a
   * comparison, the list contains only the runs on the selected instance.
   */
  allRuns: readonly RunRecord[];
  /** Runs on the selected instance. They are the input of everything except the Friedman test. */
  runs: readonly RunRecord[];
}

/** A scope with the traces of the runs on its selected instance. */
export interface TracedScope extends ComparisonScope {
  runs: readonly AnalysedRun[];
}

/** Input of {@link selectScope}. */
export interface ScopeRequest {
  problemType: string;
  experiments: readonly AnalysedExperiment[];
  runs: readonly RunRecord[];
  /** Algorithm types, ignoring case; empty means all. */
  algorithms: readonly string[];
  /** Id of the requested instance; undefined for the default one. */
  instance?: string | undefined;
}

/**
 * Returns the scope with the requested instance; by default the first instance in the order of {@link
 * describeInstances}. Returns null if no experiment of the requested algorithms is on the requested instance, or if
 * there are no experiments of these algorithms.
 */
export function selectScope(request: ScopeRequest): ComparisonScope | null {
  const { problemType } = request;
  const experimentsInScope = selectAlgorithms(request.experiments, request.algorithms);
  const experiments = new Map(
    experimentsInScope.map((experiment) => [experiment.experimentId, experiment]),
  );
  const allRuns = request.runs.filter((run) => experiments.has(run.experimentId));
  const overview = describeInstances(experimentsInScope, allRuns, problemType);
  const chosenId = request.instance ?? overview[0]?.id;
  const selectedInstance = overview.find((entry) => entry.id === chosenId);
  if (!selectedInstance) return null;
  const instances = overview.map((entry) => ({ ...entry, selected: entry === selectedInstance }));
  const runs = allRuns.filter((run) => getInstanceId(run, experiments) === selectedInstance.id);
  return {
    problemType,
    instances,
    selectedInstance: { ...selectedInstance, selected: true },
    experiments,
    allRuns,
    runs,
  };
}

/** Returns the experiments with one of these algorithm types, ignoring case; all experiments for an empty list. */
export function selectAlgorithms(
  experiments: readonly AnalysedExperiment[],
  algorithms: readonly string[],
): readonly AnalysedExperiment[] {
  if (algorithms.length === 0) return experiments;
  const types = new Set(algorithms.map((algorithm) => algorithm.toLowerCase()));
  return experiments.filter(({ algorithmType }) => types.has(algorithmType.toLowerCase()));
}

/** Returns the id of the problem instance of a run; undefined if its experiment is not among `experiments`. */
export function getInstanceId(
  run: RunRecord,
  experiments: ReadonlyMap<string, AnalysedExperiment>,
): string | undefined {
  return experiments.get(run.experimentId)?.instance.id;
}

/**
 * Returns the instances of these experiments, none selected, with their numbers of algorithms and runs. The instances
 * are in descending order of the number of algorithms, then of the number of runs, then in the natural order of their
 * labels.
 */
export function describeInstances(
  experiments: readonly AnalysedExperiment[],
  runs: readonly Pick<RunRecord, 'experimentId'>[],
  problemType: string,
): ProblemInstance[] {
  const experimentsByInstance = Map.groupBy(experiments, ({ instance }) => instance.id);
  const keys = [...experimentsByInstance.values()].flatMap(
    ([firstExperiment]) => firstExperiment?.instance ?? [],
  );
  const labels = getInstanceLabels(keys, problemType);
  const runsPerExperiment = Map.groupBy(runs, (run) => run.experimentId);
  const entries = [...experimentsByInstance.values()].map((experimentsOnInstance, index) => ({
    id: keys[index]?.id ?? '',
    label: labels[index] ?? '',
    selected: false,
    dimension: keys[index]?.dimension ?? null,
    configJson: keys[index]?.configJson ?? '',
    algorithms: new Set(experimentsOnInstance.map(({ algorithmType }) => algorithmType)).size,
    runs: experimentsOnInstance.reduce(
      (count, { experimentId }) => count + (runsPerExperiment.get(experimentId)?.length ?? 0),
      0,
    ),
  }));
  return entries.sort(compareByUse);
}

function compareByUse(a: ProblemInstance, b: ProblemInstance): number {
  return b.algorithms - a.algorithms || b.runs - a.runs || compareNaturally(a.label, b.label);
}

/** Parameters of an experiment or a problem instance as texts, by path. */
export type Parameters = ReadonlyMap<string, string>;

/**
 * Returns the filter of the lists that matches the experiments with this value at this path, ignoring case. Returns
 * null if no filter can match the value: it is missing, has a masked part, is an array or a text that begins like one,
 * or is too long, or the filter would parse it differently.
 */
export function getCondition(path: string, value: string | null): string | null {
  if (value === null || value.includes(maskedValue) || value.startsWith('[')) return null;
  const condition = `${path} = ${parseDecimal(value) === undefined ? JSON.stringify(value) : value}`;
  const parsedFilter = parseParamFilter(condition);
  const isSame =
    typeof parsedFilter === 'object' &&
    parsedFilter.path === path &&
    parsedFilter.operator === '=' &&
    parsedFilter.values.length === 1 &&
    parsedFilter.values[0]?.text === value;
  return isSame && condition.length <= maximumParamFilterLength ? condition : null;
}

/**
 * Returns filters that distinguish an instance from the other instances of these experiments, in the order of the
 * parameters of the instance; null if no filters can distinguish it. Omits filters that exclude no further instance.
 */
export function listDistinguishingConditions(
  instanceId: string,
  experiments: readonly Pick<AnalysedExperiment, 'instance'>[],
): string[] | null {
  const instances = new Map(experiments.map(({ instance }) => [instance.id, instance.parameters]));
  const parameters = instances.get(instanceId) ?? new Map<string, string>();
  instances.delete(instanceId);
  const conditions: string[] = [];
  let remainingInstances = [...instances.values()];
  for (const [path, value] of parameters) {
    const equalInstances = remainingInstances.filter(
      (otherParameters) => otherParameters.get(path)?.toLowerCase() === value.toLowerCase(),
    );
    const condition =
      equalInstances.length < remainingInstances.length ? getCondition(path, value) : null;
    if (condition === null) continue;
    conditions.push(condition);
    remainingInstances = equalInstances;
  }
  return remainingInstances.length === 0 ? conditions : null;
}
