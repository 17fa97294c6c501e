import type { Database } from '#server/db/database.ts';
import { experimentNotFound } from '#server/errors.ts';
import * as analysis from '#server/repositories/analysis.ts';
import { chartPoints, firstHit } from '#server/stats/trace.ts';
import type { ExperimentAnalysis, ExperimentTraces } from '#shared/schemas/analysis.ts';
import type {
  ExperimentAnalysisQuery,
  ExperimentTracesQuery,
} from '#shared/schemas/analysis-query.ts';
import { compareScope, loadProblem } from './comparison.ts';
import { experimentFigures } from './experiment-figures.ts';
import { groupProfiles, groupRuns } from './groups.ts';
import { loadExperiments, loadTraces, type ConfiguredExperiment } from './load.ts';
import type { Objective } from './model.ts';
import { experimentObjective } from './objective.ts';
import { levelsOf } from './outcomes.ts';
import { describeInstances, selectScope } from './scope.ts';

/**
 * All figures of an experiment; with the comparison of the algorithms on its problem instance by the same
 * direction and target, when it is asked for. Throws EXPERIMENT_NOT_FOUND.
 */
export async function analyseExperiment(
  database: Database,
  experimentId: string,
  query: ExperimentAnalysisQuery,
): Promise<ExperimentAnalysis> {
  const { experiment, experiments } = await loadExperiment(database, experimentId);
  const { instance, problemType } = experiment;
  const objective = await experimentObjective(database, query, experiment);
  const same = experiments.filter((one) => one.instance.id === instance.id);
  const records = await analysis.listRunsOf(database, idsOf(same));
  const runs = await loadTraces(database, records, objective.direction);
  const groups = groupRuns({ runs, experiments: new Map() }, 'experiment');
  const profiles = groupProfiles(groups, levelsOf(runs, objective), objective);
  const instances = describeInstances(experiments, records, problemType);
  const problemInstance = instances.find(({ id }) => id === instance.id);
  if (!problemInstance) throw experimentNotFound(experimentId);
  return {
    experimentId,
    problemType,
    problemInstance: { ...problemInstance, selected: true },
    ...experimentFigures({
      objective,
      dimension: instance.dimension,
      runs: runs.filter((run) => run.experimentId === experimentId),
      performanceProfile: profiles.find(({ name }) => name === experimentId)?.points ?? [],
    }),
    ...(query.sameProblem && {
      sameProblem: await compareSame(database, experiment, objective),
    }),
  };
}

async function compareSame(
  database: Database,
  { experimentId, problemType, instance }: ConfiguredExperiment,
  objective: Objective,
) {
  const data = await loadProblem(database, problemType);
  const scope = selectScope({ ...data, algorithms: [], instance: instance.id });
  if (!scope) throw experimentNotFound(experimentId);
  return compareScope(database, data, scope, objective, 'algorithm');
}

/** The experiment, and all on the same problem type. */
async function loadExperiment(
  database: Database,
  experimentId: string,
): Promise<{ experiment: ConfiguredExperiment; experiments: ConfiguredExperiment[] }> {
  const problemType = await analysis.findProblemType(database, experimentId);
  if (problemType === null) throw experimentNotFound(experimentId);
  const experiments = await loadExperiments(database, problemType);
  const experiment = experiments.find((one) => one.experimentId === experimentId);
  if (!experiment) throw experimentNotFound(experimentId);
  return { experiment, experiments };
}

function idsOf(experiments: readonly ConfiguredExperiment[]): string[] {
  return experiments.map(({ experimentId }) => experimentId);
}

/**
 * Best so far of each run of an experiment, for drawing: at most so many points of a run, the one that
 * reached the target among them. Throws EXPERIMENT_NOT_FOUND.
 */
export async function listTraces(
  database: Database,
  experimentId: string,
  query: ExperimentTracesQuery,
): Promise<ExperimentTraces> {
  const { experiment } = await loadExperiment(database, experimentId);
  const { direction, targetFitness } = await experimentObjective(database, query, experiment);
  const records = await analysis.listRunsOf(database, [experimentId]);
  const runs = await loadTraces(database, records, direction);
  return {
    experimentId,
    objectiveDirection: direction,
    targetFitness,
    runs: runs.map(({ runId, seed, status, trace }) => {
      const hit = targetFitness === null ? null : firstHit(trace, targetFitness);
      const points = chartPoints(trace, query.points, hit === null ? [] : [hit]);
      const isThinned = points.length < trace.evaluations.length;
      return { runId, seed, status, evaluationsToTarget: hit, isThinned, points };
    }),
  };
}
