import * as analysis from '#server/repositories/analysis.ts';
import type { AnalysedExperiment, AnalysedRun, Objective } from './model.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import type {
  ExperimentResult,
  InstanceParameters,
  ParametersQuery,
  VaryingParameter,
} from '#shared/schemas/analysis-parameters.ts';
import { ProblemError } from '#server/errors.ts';
import {
  getAllInstances,
  listRunsOnInstances,
  requireInstances,
  type ProblemInstance,
} from './across-instances.ts';
import {
  getCompletedBestFitness,
  summariseBestFitness,
  getErtMoverInterval,
  getOutcomes,
  isCompleted,
  summariseSuccess,
} from '#server/domain/outcome.ts';
import {
  getCondition,
  listDistinguishingConditions,
  selectAlgorithms,
  type Parameters,
} from './scope.ts';
import { getStartedRuns } from './guard-comparison.ts';
import { hasKnownEvaluations } from '#server/domain/claims/guard.ts';
import { getKeyOfRuns } from './memo.ts';
import { compareStoredTimes } from '#shared/syntax.ts';
import {
  loadExperiments,
  loadTraces,
  type AnalysisContext,
  getObjectiveOnInstance,
} from './load.ts';
import { computeMedian, getMaximum, getMinimum } from '#server/stats/descriptive.ts';
import {
  makeBudgetRangeNotes,
  makeNote,
  makeNoteIf,
  makeObjectiveNotes,
  makeRunNotes,
  makeStatedTargetGetter,
  makeTargetNotes,
} from './notes.ts';
import {
  compareNumbersThenTexts,
  isNumeric,
  getLabel,
  getParametersIn,
  isListedByDefault,
} from './groups.ts';
import { computeExpectedRuntime } from '#server/stats/runtime.ts';
import { adjustByHolm } from '#server/stats/pairwise-tests.ts';
import {
  computeCorrelationRatio,
  computeSpearman,
  testSpearman,
  type SpearmanTest,
} from '#server/stats/spearman.ts';

/**
 * An instance with its runs. `conditions` distinguish the instance from the other instances of its problem; see {@link
 * listDistinguishingConditions}.
 */
interface DescribedInstance extends ProblemInstance {
  runs: readonly analysis.RunRecord[];
  conditions: string[] | null;
}

/**
 * Returns the parameters that vary between the selected experiments on one instance, with the results of the runs for
 * each value. Throws NOT_FOUND for an unknown instance, and if there is no experiment.
 */
export async function describeParameters(
  context: AnalysisContext,
  query: ParametersQuery,
): Promise<InstanceParameters> {
  const problemInstance = await findInstance(context, query);
  const { id, label, problemType, objective, conditions, runs } = problemInstance;
  const experiments = Array.from(problemInstance.experiments.values(), (experiment) => [
    experiment.experimentId,
    experiment.configJson,
    getDisplayedLabel(experiment),
  ]);
  const facts = [
    id,
    label,
    problemType,
    objective,
    conditions,
    experiments,
    getKeyOfRuns(runs),
    query.allParameters,
  ];
  return context.memo.ensure(['parameters', facts], async () => {
    const tracedRuns = await loadTraces(context, runs, objective.direction);
    const parameters = new Map(
      Array.from(problemInstance.experiments, ([key, experiment]) => [
        key,
        getParametersIn(experiment),
      ]),
    );
    return makeInstanceParameters(problemInstance, parameters, tracedRuns, query.allParameters);
  });
}

/**
 * Returns the requested instance, by default the one with the most runs, with its experiments of the requested
 * algorithms. Throws NOT_FOUND for an unknown instance, and if there is no experiment.
 */
async function findInstance(
  { database }: AnalysisContext,
  query: ParametersQuery,
): Promise<DescribedInstance> {
  const allExperiments = await loadExperiments(database);
  const experiments = selectExperimentsOfProblem(allExperiments, query.instance);
  const results = await analysis.listResults(
    database,
    experiments.map(({ experimentId }) => experimentId),
  );
  const candidates = getAllInstances(experiments, results);
  const [completeInstance] = query.instance
    ? requireInstances(candidates, [query.instance])
    : candidates.toSorted((a, b) => b.runs.length - a.runs.length);
  if (!completeInstance) {
    throw new ProblemError(
      'NOT_FOUND',
      'There is no experiment to compare. Record or import an experiment first',
    );
  }
  const selectedExperiments = selectAlgorithms(
    [...completeInstance.experiments.values()],
    query.algorithm,
  );
  const experimentsOnInstance = new Map(
    selectedExperiments.map((experiment) => [experiment.experimentId, experiment]),
  );
  const [runs = []] = await listRunsOnInstances(database, [{ experiments: experimentsOnInstance }]);
  const problemInstance = { ...completeInstance, experiments: experimentsOnInstance, runs };
  return {
    ...problemInstance,
    objective: await getObjectiveOnInstance(database, query, { ...completeInstance, runs }),
    conditions: listDistinguishingConditions(
      problemInstance.id,
      allExperiments.filter(({ problemType }) => problemType === problemInstance.problemType),
    ),
  };
}

/** Returns the experiments on the problem of the requested instance; all experiments for an unknown or undefined id. */
function selectExperimentsOfProblem(
  experiments: readonly AnalysedExperiment[],
  instance: string | undefined,
): readonly AnalysedExperiment[] {
  const requestedExperiment = experiments.find((experiment) => experiment.instance.id === instance);
  if (!requestedExperiment) return experiments;
  return experiments.filter(({ problemType }) => problemType === requestedExperiment.problemType);
}

function makeInstanceParameters(
  { objective, runs: _runs, ...problemInstance }: DescribedInstance,
  parameters: ParametersById,
  runs: readonly AnalysedRun[],
  hasAllPaths: boolean,
): InstanceParameters {
  const varyingPaths = getVaryingPaths(parameters);
  const listedPaths = hasAllPaths ? varyingPaths : varyingPaths.filter(isListedByDefault);
  const { experiments } = problemInstance;
  return {
    ...problemInstance,
    ...objective,
    instance: problemInstance.id,
    objectiveDirection: objective.direction,
    experiments: parameters.size,
    parameters: adjustOverParameters(
      listedPaths.map((path) =>
        describeParameter(path, objective, { parameters, experiments }, runs),
      ),
    ),
    experimentResults: describeExperiments([...experiments.values()], objective, runs),
    omittedParameters: varyingPaths.filter((path) => !listedPaths.includes(path)),
    notes: [
      ...makeObjectiveNotes(objective, runs),
      ...makeTargetNotes(runs, makeStatedTargetGetter(problemInstance), objective),
      ...makeAssociationNotes(varyingPaths, listedPaths, parameters),
      ...makeBudgetRangeNotes('RUNS_OF_BUDGETS', listBudgets(runs, experiments, objective)),
      ...makeShareNotes(runs),
      ...makeCountNotes(listedPaths, parameters, runs),
      ...makeRunNotes(runs, objective.targetFitness !== null),
    ],
  };
}

/** Returns the note that the shares of COMPLETED runs of the experiments differ; an empty list if they are equal. */
function makeShareNotes(runs: readonly AnalysedRun[]): AnalysisNote[] {
  const runsByExperiment = Map.groupBy(runs, ({ experimentId }) => experimentId);
  const shares = Array.from(
    runsByExperiment.values(),
    (experimentRuns) => experimentRuns.filter(isCompleted).length / experimentRuns.length,
  );
  const [smallestShare, largestShare] = [getMinimum(shares) ?? 0, getMaximum(shares) ?? 0];
  return makeNoteIf(
    smallestShare < largestShare,
    'COMPLETED_SHARES_DIFFER',
    smallestShare,
    largestShare,
  );
}

/**
 * Returns the known budgets of the COMPLETED runs; only the final fitness of these runs counts. The budget of a run is
 * its granted evaluations. Without granted evaluations, it is the known used evaluations of a run that missed the
 * target or has none. Omits all other runs.
 */
function listBudgets(
  runs: readonly AnalysedRun[],
  experiments: ProblemInstance['experiments'],
  objective: Objective,
): number[] {
  const completedRuns = runs.filter(isCompleted);
  const outcomes = getOutcomes(completedRuns, objective);
  const facts = { experiments, silentIds: new Set<string>(), objective };
  return getStartedRuns(completedRuns, facts).flatMap((run, index) => {
    const hasMissed = objective.targetFitness === null || outcomes[index]?.isSolved !== true;
    return (
      run.grantedEvaluations ?? (hasMissed && hasKnownEvaluations(run) ? run.usedEvaluations : [])
    );
  });
}

/** Returns the results of the runs of each experiment, in the order of the experiments. */
function describeExperiments(
  experiments: readonly AnalysedExperiment[],
  objective: Objective,
  runs: readonly AnalysedRun[],
): ExperimentResult[] {
  const runsByExperiment = Map.groupBy(runs, ({ experimentId }) => experimentId);
  return experiments.map((experiment) => {
    const { experimentId, algorithmType } = experiment;
    const runsOfExperiment = runsByExperiment.get(experimentId) ?? [];
    const outcomes = getOutcomes(runsOfExperiment, objective);
    return {
      experimentId,
      label: getDisplayedLabel(experiment),
      algorithm: algorithmType,
      totalRuns: runsOfExperiment.length,
      successfulRuns: outcomes.filter(({ isSolved }) => isSolved).length,
      ...summariseBestFitness(runsOfExperiment),
      ert: computeExpectedRuntime(outcomes),
    };
  });
}

/** Returns the name that a user gave an experiment, else its default label. */
function getDisplayedLabel(experiment: AnalysedExperiment): string {
  const { experimentId, groupLabels } = experiment;
  return groupLabels?.experiment?.label ?? getLabel(experimentId, experiment, 'experiment');
}

/** Parameters of each experiment, by its id. */
export type ParametersById = ReadonlyMap<string, Parameters>;

/**
 * Returns the paths at which the experiments differ, or that only some of them have, in the order of UTF-16 code units.
 */
function getVaryingPaths(parameters: ParametersById): string[] {
  const allParameters = [...parameters.values()];
  const paths = new Set(
    allParameters.flatMap((parametersOfExperiment) => [...parametersOfExperiment.keys()]),
  );
  return [...paths]
    .filter(
      (path) =>
        new Set(allParameters.map((parametersOfExperiment) => parametersOfExperiment.get(path)))
          .size > 1,
    )
    .sort();
}

/** A parameter before the adjustment of its p-value over all parameters. */
type UnadjustedParameter = Omit<VaryingParameter, 'spearman'> & { spearman: SpearmanTest | null };

/** Returns the parameters with Holm's adjustment of their p-values over the parameters that have a test. */
function adjustOverParameters(parameters: readonly UnadjustedParameter[]): VaryingParameter[] {
  const adjustedPValues = adjustByHolm(parameters.map(({ spearman }) => spearman?.pValue ?? null));
  return parameters.map(({ spearman, ...parameter }, index) => {
    const adjustedPValue = adjustedPValues[index] ?? null;
    return {
      ...parameter,
      spearman: spearman && adjustedPValue !== null ? { ...spearman, adjustedPValue } : null,
    };
  });
}

/**
 * Returns the results of the runs for each value at this path, in the order of {@link compareNumbersThenTexts}; null is
 * the value of experiments without the parameter. If all other values are numbers, `spearman` is the result of {@link
 * correlateWithMedians}. Otherwise it is null.
 */
function describeParameter(
  path: string,
  objective: Objective,
  {
    parameters,
    experiments,
  }: Pick<DescribedInstance, 'experiments'> & {
    parameters: ParametersById;
  },
  runs: readonly AnalysedRun[],
): UnadjustedParameter {
  const getValue = (experimentId: string) => parameters.get(experimentId)?.get(path) ?? null;
  const idsByValue = Map.groupBy(parameters.keys(), getValue);
  const runsByValue = Map.groupBy(runs, ({ experimentId }) => getValue(experimentId));
  const entries = [...idsByValue].sort(([a], [b]) => compareNumbersThenTexts(a, b));
  const values = entries.map(([value, experimentIds]) => {
    const runsWithValue = runsByValue.get(value) ?? [];
    const outcomes = getOutcomes(runsWithValue, objective);
    return {
      value,
      condition: getCondition(path, value),
      experiments: experimentIds.length,
      experimentIds: experimentIds.toSorted(),
      ...summariseBestFitness(runsWithValue),
      ...summariseSuccess(runsWithValue, outcomes),
      ertMoverInterval: getErtMoverInterval(
        runsWithValue,
        outcomes,
        ({ experimentId }) => experiments.get(experimentId),
        objective,
      ),
    };
  });
  const distinctValues = entries.map(([value]) => value);
  const hasOnlyNumbers = distinctValues.every((value) => value === null || isNumeric(value));
  const spearman = hasOnlyNumbers ? correlateWithMedians(getSamples(runsByValue)) : null;
  return { path, isNumeric: hasOnlyNumbers, values, spearman };
}

/**
 * A number as the value of a parameter, with the best fitness of the completed runs in the order of their start times.
 */
interface ValueSample {
  value: number;
  fitness: number[];
}

/**
 * Returns the samples of the values that have completed runs with a best fitness. Omits the value null. Returns an empty
 * list if another value is not a number, because such a parameter has no correlation.
 */
function getSamples(
  runsByValue: ReadonlyMap<string | null, readonly AnalysedRun[]>,
): ValueSample[] {
  if (runsByValue.keys().some((value) => value !== null && !isNumeric(value))) return [];
  return [...runsByValue].flatMap(([value, runs]) => {
    if (value === null) return [];
    const orderedRuns = runs.toSorted((a, b) => compareStoredTimes(a.startTime, b.startTime));
    const fitness = getCompletedBestFitness(orderedRuns);
    return fitness.length === 0 ? [] : { value: Number(value), fitness };
  });
}

/** Returns whether the numbers of runs are correlated with the values; see {@link isCorrelated}. */
function hasDependentCounts(samples: readonly ValueSample[]): boolean {
  return isCorrelated(
    computeSpearman(
      samples.map(({ value }) => value),
      samples.map(({ fitness }) => fitness.length),
    ),
  );
}

/**
 * Returns the result of {@link testSpearman} for the values and their median fitness. If {@link hasDependentCounts} is
 * true, each median is over equally many runs, the first ones. Medians of fewer runs vary more, so with all runs the
 * extreme medians would be at one end of the values even without an effect.
 */
function correlateWithMedians(samples: readonly ValueSample[]): SpearmanTest | null {
  const count = hasDependentCounts(samples)
    ? Math.min(...samples.map(({ fitness }) => fitness.length))
    : Infinity;
  return testSpearman(
    samples.map(({ value }) => value),
    samples.map(({ fitness }) => computeMedian(fitness.slice(0, count)) ?? NaN),
  );
}

/**
 * Returns the note on the listed parameters for which {@link hasDependentCounts} is true; an empty list without such
 * parameters.
 */
function makeCountNotes(
  listedPaths: readonly string[],
  parameters: ParametersById,
  runs: readonly AnalysedRun[],
): AnalysisNote[] {
  const dependentParameters = listedPaths.flatMap((path) => {
    const runsByValue = Map.groupBy(
      runs,
      ({ experimentId }) => parameters.get(experimentId)?.get(path) ?? null,
    );
    const samples = getSamples(runsByValue);
    if (!hasDependentCounts(samples)) return [];
    const counts = samples.map(({ fitness }) => fitness.length);
    return { path, smallest: Math.min(...counts), largest: Math.max(...counts) };
  });
  return makeNoteIf(dependentParameters.length > 0, 'RUNS_DEPEND_ON_VALUE', dependentParameters);
}

/** Minimum number of different configurations for which ranks can distinguish numeric parameters. */
const minimumConfigurations = 4;

/** A parameter that varies, with its values in the order of the experiments; undefined for experiments without it. */
interface ParameterColumn {
  path: string;
  values: ParameterTexts;
  isNumeric: boolean;
}

/**
 * Returns the notes on associations between parameters. The first notes name the groups of parameters that vary
 * together; see {@link findConfoundedParameters}. The next note names pairs of other numeric parameters with a rank
 * correlation of at least 0.5 in absolute value over at least 4 experiments with both. The last note names listed
 * numeric parameters that depend on a parameter with texts, such as the algorithm; see {@link correlateWithTexts}. Both
 * notes begin with the strongest pair. No pair is in two notes. `paths` also contains unlisted paths, because a listed
 * parameter may vary with an unlisted one. Each group and each pair contains a listed parameter.
 */
function makeAssociationNotes(
  paths: readonly string[],
  listedPaths: readonly string[],
  parameters: ParametersById,
): AnalysisNote[] {
  const allParameters = [...parameters.values()];
  const columns = paths.map((path): ParameterColumn => {
    const values = allParameters.map((parametersOfExperiment) => parametersOfExperiment.get(path));
    const isNumericColumn = values.every((value) => value === undefined || isNumeric(value));
    return { path, values, isNumeric: isNumericColumn };
  });
  const confoundedGroups = findConfoundedParameters(columns);
  const confoundedNotes = confoundedGroups
    .filter((group) => group.some(({ path }) => listedPaths.includes(path)))
    .map((group) =>
      makeNote(
        'PARAMETERS_VARY_TOGETHER',
        group.map(({ path }) => path),
      ),
    );
  const numericColumns = columns.filter((column) => column.isNumeric);
  const correlatedPairs = numericColumns
    .flatMap((a, index) =>
      numericColumns.slice(index + 1).flatMap((b) => {
        const isListed = listedPaths.includes(a.path) || listedPaths.includes(b.path);
        const isConfounded = confoundedGroups.some(
          (group) => group.includes(a) && group.includes(b),
        );
        if (!isListed || isConfounded) return [];
        const rho = correlateValues(a.values, b.values);
        return isCorrelated(rho) ? { a: a.path, b: b.path, rho } : [];
      }),
    )
    .sort((first, second) => Math.abs(second.rho) - Math.abs(first.rho));
  const nestedPairs = numericColumns
    .filter(({ path }) => listedPaths.includes(path))
    .flatMap((numericColumn) =>
      columns.flatMap((column) => {
        const isConfounded = confoundedGroups.some(
          (group) => group.includes(numericColumn) && group.includes(column),
        );
        if (column.isNumeric || isConfounded) return [];
        const eta = correlateWithTexts(numericColumn.values, column.values);
        return isCorrelated(eta) ? { path: numericColumn.path, textPath: column.path, eta } : [];
      }),
    )
    .sort((first, second) => second.eta - first.eta);
  return [
    ...confoundedNotes,
    ...makeNoteIf(correlatedPairs.length > 0, 'PARAMETERS_CORRELATED', correlatedPairs),
    ...makeNoteIf(nestedPairs.length > 0, 'PARAMETERS_NESTED', nestedPairs),
  ];
}

/**
 * Returns the groups of at least two parameters that split the experiments in the same way, in the order of the first
 * parameter with each split. Numeric parameters that have a different value in each of at least 4 configurations, as in
 * a random search, always split the experiments in the same way. These parameters are in one group only if their rank
 * correlations are at least 0.5 in absolute value, or if a parameter with texts varies with them, because texts have no
 * order.
 */
function findConfoundedParameters(columns: readonly ParameterColumn[]): ParameterColumn[][] {
  const configurations = splitBy(
    (columns[0]?.values ?? []).map((_value, index) =>
      JSON.stringify(columns.map(({ values }) => values[index] ?? null)),
    ),
  );
  const hasEnoughConfigurations = new Set(configurations).size >= minimumConfigurations;
  const splitOfConfigurations = configurations.join();
  return [...Map.groupBy(columns, ({ values }) => splitBy(values).join())]
    .flatMap(([split, group]) => {
      const isUninformative =
        hasEnoughConfigurations &&
        split === splitOfConfigurations &&
        group.every((column) => column.isNumeric);
      return isUninformative ? groupCorrelatedParameters(group) : [group];
    })
    .filter((group) => group.length > 1);
}

/** Returns for each value the index of the first equal value. */
function splitBy(values: ParameterTexts): number[] {
  const firstIndexes = new Map<string | undefined, number>();
  return values.map((value, index) => {
    const firstIndex = firstIndexes.get(value) ?? index;
    firstIndexes.set(value, firstIndex);
    return firstIndex;
  });
}

/**
 * Returns groups of numeric parameters in which all pairs are correlated; see {@link isCorrelated}. A group may contain
 * only one parameter.
 */
function groupCorrelatedParameters(columns: readonly ParameterColumn[]): ParameterColumn[][] {
  const groups: ParameterColumn[][] = [];
  for (const column of columns) {
    const correlatedGroup = groups.find((group) =>
      group.every(({ values }) => isCorrelated(correlateValues(values, column.values))),
    );
    if (correlatedGroup) correlatedGroup.push(column);
    else groups.push([column]);
  }
  return groups;
}

/** Returns whether a rank correlation or a correlation ratio is at least 0.5 in absolute value; false for null. */
function isCorrelated(coefficient: number | null): coefficient is number {
  return coefficient !== null && Math.abs(coefficient) >= 0.5;
}

type ParameterTexts = readonly (string | undefined)[];

/**
 * Returns the result of {@link computeSpearman} for the numbers of two parameters, over the experiments that have both.
 */
function correlateValues(a: ParameterTexts, b: ParameterTexts): number | null {
  const pairs = a.flatMap((value, index): [number, number][] => {
    const valueOfB = b[index];
    return value === undefined || valueOfB === undefined ? [] : [[Number(value), Number(valueOfB)]];
  });
  return computeSpearman(
    pairs.map(([valueOfA]) => valueOfA),
    pairs.map(([, valueOfB]) => valueOfB),
  );
}

/**
 * Returns the result of {@link computeCorrelationRatio} for the numbers of one parameter, grouped by the values of
 * another one, over the experiments that have the number. Experiments without the other parameter form one group.
 */
function correlateWithTexts(numbers: ParameterTexts, texts: ParameterTexts): number | null {
  const groups = Map.groupBy(numbers.keys(), (index) => texts[index]);
  return computeCorrelationRatio(
    Array.from(groups.values(), (indices) =>
      indices.flatMap((index) => {
        const value = numbers[index];
        return value === undefined ? [] : Number(value);
      }),
    ),
  );
}
