import { ProblemError } from '#server/errors.ts';
import * as analysis from '#server/repositories/analysis.ts';
import { parametersOf } from '#server/rules/problem-instance.ts';
import { maskText } from '#server/rules/secrets/mask-text.ts';
import { finiteValues } from '#server/stats/descriptive.ts';
import { median } from '#server/stats/quantile.ts';
import { spearman } from '#server/stats/spearman.ts';
import { writeAnswer } from '#server/write-answer.ts';
import { endpoints } from '#shared/api.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import type {
  InstanceParameters,
  ParametersQuery,
  ParameterValue,
  VaryingParameter,
} from '#shared/schemas/analysis-parameters.ts';
import { allPlaces, requirePlaces, type Place } from './across-places.ts';
import { ensureText, KeptAnswer, keyOfRuns } from './kept-answer.ts';
import { loadExperiments, loadTraces, type AnalysisContext } from './load.ts';
import type { AnalysedRun } from './model.ts';
import { note } from './notes.ts';
import { commonObjective, nothingAsked, objectiveNotes } from './objective.ts';
import { completedBestFitness, outcomesOf, summariseSuccess } from './outcomes.ts';
import { runNotes } from './run-notes.ts';

/** Parameters of an experiment by their paths, as text. */
type Parameters = ReadonlyMap<string, string>;

/**
 * The parameters that vary between the experiments on one instance, and how the runs with each of their values
 * did. Throws NOT_FOUND for an instance that is not there.
 */
export async function describeParameters(
  context: AnalysisContext,
  { instance }: ParametersQuery,
): Promise<KeptAnswer> {
  const { database, memory } = context;
  const experiments = await loadExperiments(database);
  const runs = await analysis.listRunsOf(
    database,
    experiments.map(({ experimentId }) => experimentId),
  );
  const places = allPlaces(experiments, runs);
  const [place] = instance
    ? requirePlaces(places, [instance])
    : places.toSorted((a, b) => b.runs.length - a.runs.length);
  if (!place) throw new ProblemError('NOT_FOUND', 'There is no experiment to compare');
  const inside = [...place.experiments.values()];
  const objective = await commonObjective(database, nothingAsked, inside);
  const ids = new Set(inside.map(({ experimentId }) => experimentId));
  const rows = (await analysis.listProblemExperiments(database, place.problemType)).filter(
    ({ experimentId }) => ids.has(experimentId),
  );
  const facts = [place.id, place.label, objective, rows, keyOfRuns(place.runs)];
  const text = await ensureText(memory, ['parameters', facts], async () => {
    const traced = await loadTraces(context, place.runs, objective.direction);
    const parameters = new Map(
      rows.map(({ experimentId, configJson }) => [
        experimentId,
        parametersOf(maskText(configJson)),
      ]),
    );
    return writeAnswer(
      endpoints.describeParameters,
      parametersAnswer({ ...place, objective }, parameters, traced),
    );
  });
  return new KeptAnswer([text]);
}

function parametersAnswer(
  place: Place,
  parameters: ReadonlyMap<string, Parameters>,
  runs: readonly AnalysedRun[],
): InstanceParameters {
  const { objective } = place;
  const varying = varyingPaths([...parameters.values()]);
  return {
    instance: place.id,
    label: place.label,
    problemType: place.problemType,
    objectiveDirection: objective.direction,
    targetFitness: objective.targetFitness,
    experiments: parameters.size,
    parameters: varying.map((path) => describeParameter(path, place, parameters, runs)),
    notes: [
      ...objectiveNotes(objective),
      ...confoundedNotes(varying, [...parameters.values()]),
      ...runNotes(runs),
    ],
  };
}

/** The paths at which not all experiments have the same, by code point. */
function varyingPaths(all: readonly Parameters[]): string[] {
  const paths = new Set(all.flatMap((parameters) => [...parameters.keys()]));
  return [...paths]
    .filter((path) => new Set(all.map((parameters) => parameters.get(path))).size > 1)
    .sort();
}

function describeParameter(
  path: string,
  { objective }: Place,
  parameters: ReadonlyMap<string, Parameters>,
  runs: readonly AnalysedRun[],
): VaryingParameter {
  const valueOf = (experimentId: string) => parameters.get(experimentId)?.get(path) ?? null;
  const byValue = Map.groupBy(parameters.keys(), valueOf);
  const runsByValue = Map.groupBy(runs, ({ experimentId }) => valueOf(experimentId));
  const values = Array.from(byValue, ([value, ids]): ParameterValue => {
    const own = runsByValue.get(value) ?? [];
    const sample = completedBestFitness(own);
    const [medianBest = null] = finiteValues([median(sample)]);
    const { totalRuns, successRate, ert, ertInterval } = summariseSuccess(
      own,
      outcomesOf(own, objective),
    );
    const shown = { totalRuns, n: sample.length, medianBest, successRate, ert, ertInterval };
    return { value, experiments: ids.length, ...shown };
  }).sort(byNumberThenText);
  return { path, values, spearman: correlationOf(values) };
}

/** A parameter that is a number in every experiment that has it. */
function correlationOf(values: readonly ParameterValue[]): VaryingParameter['spearman'] {
  const present = values.filter(({ value }) => value !== null);
  if (present.some(({ value }) => !isNumber(value))) return null;
  const known = present.filter(({ medianBest }) => medianBest !== null);
  return spearman(
    known.map(({ value }) => Number(value)),
    known.map(({ medianBest }) => medianBest ?? NaN),
  );
}

function isNumber(value: string | null): boolean {
  return value !== null && value.trim() !== '' && Number.isFinite(Number(value));
}

function byNumberThenText(a: ParameterValue, b: ParameterValue): number {
  if (isNumber(a.value) && isNumber(b.value)) return Number(a.value) - Number(b.value);
  if (a.value === null || b.value === null)
    return Number(a.value === null) - Number(b.value === null);
  return a.value < b.value ? -1 : 1;
}

/** Parameters that split the experiments alike: what the one does cannot be told from what the other does. */
function confoundedNotes(paths: readonly string[], all: readonly Parameters[]): AnalysisNote[] {
  const together = Map.groupBy(paths, (path) => {
    const values = all.map((parameters) => parameters.get(path));
    return values.map((value) => values.indexOf(value)).join();
  });
  return [...together.values()]
    .filter((alike) => alike.length > 1)
    .map((alike) => note('PARAMETERS_VARY_TOGETHER', alike));
}
