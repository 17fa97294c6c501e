import * as analysis from '#server/repositories/analysis.ts';
import type { AnalysedExperiment, AnalysedRun, Objective } from './model.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import type {
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
  summariseSuccess,
} from '#server/domain/outcome.ts';
import { getCondition, getConditionsAmong, selectAlgorithms, type Parameters } from './scope.ts';
import { getKeyOfRuns } from './memo.ts';
import { loadExperiments, loadTraces, type AnalysisContext, getObjectiveAt } from './load.ts';
import { computeMedian } from '#server/stats/descriptive.ts';
import {
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
  getParametersIn,
  isListedByDefault,
} from './groups.ts';
import { adjustByHolm } from '#server/stats/pairwise-tests.ts';
import { computeSpearman, testSpearman, type SpearmanTest } from '#server/stats/spearman.ts';

/**
 * An instance with its runs, and its differences from the other instances of its problem; see
 * {@link getConditionsAmong}.
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
  const configurations = Array.from(
    problemInstance.experiments.values(),
    ({ experimentId, configJson }) => [experimentId, configJson] as const,
  );
  const facts = [
    id,
    label,
    problemType,
    objective,
    conditions,
    configurations,
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
    objective: await getObjectiveAt(database, query, { ...completeInstance, runs }),
    conditions: getConditionsAmong(
      problemInstance.id,
      allExperiments.filter(({ problemType }) => problemType === problemInstance.problemType),
    ),
  };
}

/** Returns the experiments on the problem of the requested instance; all experiments if it is unknown or undefined. */
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
  listsAll: boolean,
): InstanceParameters {
  const varyingPaths = getVaryingPaths(parameters);
  const listedPaths = listsAll ? varyingPaths : varyingPaths.filter(isListedByDefault);
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
    omittedParameters: varyingPaths.filter((path) => !listedPaths.includes(path)),
    notes: [
      ...makeObjectiveNotes(objective, runs),
      ...makeTargetNotes(runs, makeStatedTargetGetter(problemInstance), objective),
      ...makeAssociationNotes(varyingPaths, listedPaths, parameters),
      ...makeRunNotes(runs, objective.targetFitness !== null),
    ],
  };
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

/** A parameter whose correlation is not adjusted for other parameters. */
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
 * Returns the results of the runs for each value at this path: numbers first and ascending, experiments without the
 * parameter last. If all values are numbers, `spearman` is the rank correlation of the value with the median best
 * fitness, including infinite medians; null if {@link testSpearman} is. Otherwise it is null.
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
  const medians = entries.map(([value]) =>
    computeMedian(getCompletedBestFitness(runsByValue.get(value) ?? [])),
  );
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
  const spearman = hasOnlyNumbers ? correlateRanks(distinctValues, medians) : null;
  return { path, isNumeric: hasOnlyNumbers, values, spearman };
}

function correlateRanks(
  values: readonly (string | null)[],
  medians: readonly (number | null)[],
): SpearmanTest | null {
  const pairs = values.flatMap((value, index): [number, number][] => {
    const pairMedian = medians[index] ?? null;
    return value === null || pairMedian === null ? [] : [[Number(value), pairMedian]];
  });
  return testSpearman(
    pairs.map(([value]) => value),
    pairs.map(([, pairMedian]) => pairMedian),
  );
}

/**
 * Returns notes on parameters that split the experiments in the same way, and on pairs of other numeric parameters whose
 * values have a rank correlation of at least 0.5 in absolute value over at least 4 experiments with both, the strongest
 * first. No pair is in both. `paths` also contains the paths that are not listed, because a listed parameter may vary with
 * one of them; each note names a listed one.
 */
function makeAssociationNotes(
  paths: readonly string[],
  listedPaths: readonly string[],
  parameters: ParametersById,
): AnalysisNote[] {
  const allParameters = [...parameters.values()];
  const varyingParameters = paths.map((path) => {
    const values = allParameters.map((parametersOfExperiment) => parametersOfExperiment.get(path));
    return { path, values, split: values.map((value) => values.indexOf(value)).join() };
  });
  const confoundedNotes = [...Map.groupBy(varyingParameters, ({ split }) => split).values()]
    .filter(
      (confoundedParameters) =>
        confoundedParameters.length > 1 &&
        confoundedParameters.some(({ path }) => listedPaths.includes(path)),
    )
    .map((confoundedParameters) =>
      makeNote(
        'PARAMETERS_VARY_TOGETHER',
        confoundedParameters.map(({ path }) => path),
      ),
    );
  const numericParameters = varyingParameters.filter(({ values }) =>
    values.every((value) => value === undefined || value === null || isNumeric(value)),
  );
  const correlatedPairs = numericParameters
    .flatMap((a, index) =>
      numericParameters.slice(index + 1).flatMap((b) => {
        const isListed = listedPaths.includes(a.path) || listedPaths.includes(b.path);
        if (!isListed || a.split === b.split) return [];
        const rho = correlateValues(a.values, b.values);
        return rho !== null && Math.abs(rho) >= 0.5 ? { a: a.path, b: b.path, rho } : [];
      }),
    )
    .sort((first, second) => Math.abs(second.rho) - Math.abs(first.rho));
  return [
    ...confoundedNotes,
    ...makeNoteIf(correlatedPairs.length > 0, 'PARAMETERS_CORRELATED', correlatedPairs),
  ];
}

type ParameterTexts = readonly (string | null | undefined)[];

/** Returns {@link computeSpearman} of the numbers of two parameters, over the experiments that have both. */
function correlateValues(a: ParameterTexts, b: ParameterTexts): number | null {
  const pairs = a.flatMap((value, index): [number, number][] => {
    const valueOfB = b[index] ?? null;
    return value === undefined || value === null || valueOfB === null
      ? []
      : [[Number(value), Number(valueOfB)]];
  });
  return computeSpearman(
    pairs.map(([valueOfA]) => valueOfA),
    pairs.map(([, valueOfB]) => valueOfB),
  );
}
