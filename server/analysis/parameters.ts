import { ProblemError } from '#server/errors.ts';
import * as analysis from '#server/repositories/analysis.ts';
import { parametersOf } from '#server/domain/problem-instance.ts';
import { maskText } from '#server/domain/secrets/mask-text.ts';
import type { InstanceParameters, ParametersQuery } from '#shared/schemas/analysis-parameters.ts';
import { allPlaces, requirePlaces, type Place } from './across-places.ts';
import { loadExperiments, loadTraces, type AnalysisContext } from './load.ts';
import { keyOfRuns } from './memo.ts';
import type { AnalysedExperiment, AnalysedRun } from './model.ts';
import { objectiveAt } from './objective.ts';
import { conditionsAmong } from './parameter-conditions.ts';
import {
  confoundedNotes,
  describeParameter,
  varyingPaths,
  type ParametersById,
} from './parameter-effects.ts';
import { objectiveNotes, runNotes, statedTargetIn, targetNotes } from './run-notes.ts';
import { ofAlgorithms } from './scope.ts';

/** An instance with what tells it from the others of its problem. */
interface Subject extends Place {
  conditions: string[] | null;
}

/**
 * The parameters that vary between the experiments on one instance, and how the runs with each of their values
 * did. Throws NOT_FOUND for an instance that is not there.
 */
export async function describeParameters(
  context: AnalysisContext,
  query: ParametersQuery,
): Promise<InstanceParameters> {
  const subject = await findSubject(context, query);
  const { id, label, problemType, objective, conditions, runs } = subject;
  const configurations = Array.from(
    subject.experiments.values(),
    ({ experimentId, configJson }) => [experimentId, configJson] as const,
  );
  const facts = [id, label, problemType, objective, conditions, configurations, keyOfRuns(runs)];
  return context.memo.ensure(['parameters', facts], async () => {
    const traced = await loadTraces(context, runs, objective.direction);
    const parameters = new Map(
      configurations.map(([experimentId, json]) => [experimentId, parametersOf(maskText(json))]),
    );
    return answerFor(subject, parameters, traced);
  });
}

/** The instance asked for, else the one with the most runs, with its experiments of the algorithms asked for. */
async function findSubject(
  { database }: AnalysisContext,
  query: ParametersQuery,
): Promise<Subject> {
  const everything = await loadExperiments(database);
  const experiments = experimentsAround(everything, query.instance);
  const runs = await analysis.listRunsOf(
    database,
    experiments.map(({ experimentId }) => experimentId),
  );
  const places = allPlaces(experiments, runs);
  const [whole] = query.instance
    ? requirePlaces(places, [query.instance])
    : places.toSorted((a, b) => b.runs.length - a.runs.length);
  if (!whole) throw new ProblemError('NOT_FOUND', 'There is no experiment to compare');
  const kept = ofAlgorithms([...whole.experiments.values()], query.algorithm);
  const inside = new Map(kept.map((experiment) => [experiment.experimentId, experiment]));
  const place = {
    ...whole,
    experiments: inside,
    runs: whole.runs.filter(({ experimentId }) => inside.has(experimentId)),
  };
  return {
    ...place,
    objective: await objectiveAt(database, query, place),
    conditions: conditionsAmong(
      place.id,
      everything.filter(({ problemType }) => problemType === place.problemType),
    ),
  };
}

/** All experiments, or those on the problem of the instance that is asked for. */
function experimentsAround(
  experiments: readonly AnalysedExperiment[],
  instance: string | undefined,
): readonly AnalysedExperiment[] {
  const asked = experiments.find((experiment) => experiment.instance.id === instance);
  if (!asked) return experiments;
  return experiments.filter(({ problemType }) => problemType === asked.problemType);
}

function answerFor(
  { objective, ...place }: Subject,
  parameters: ParametersById,
  runs: readonly AnalysedRun[],
): InstanceParameters {
  const varying = varyingPaths(parameters);
  return {
    ...place,
    ...objective,
    instance: place.id,
    objectiveDirection: objective.direction,
    experiments: parameters.size,
    parameters: varying.map((path) => describeParameter(path, objective, parameters, runs)),
    notes: [
      ...objectiveNotes(objective, runs),
      ...targetNotes(runs, statedTargetIn(place), objective),
      ...confoundedNotes(varying, parameters),
      ...runNotes(runs, objective.targetFitness !== null),
    ],
  };
}
