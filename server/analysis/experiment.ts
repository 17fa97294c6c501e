import type { Database } from '#server/db/database.ts';
import { experimentNotFound } from '#server/errors.ts';
import * as analysis from '#server/repositories/analysis.ts';
import { chartPoints, firstHit } from '#server/stats/trace.ts';
import { writeAnswer } from '#server/write-answer.ts';
import { endpoints } from '#shared/api.ts';
import type { CurvePoint, ExperimentTraces } from '#shared/schemas/analysis.ts';
import type {
  ExperimentAnalysisQuery,
  ExperimentTracesQuery,
} from '#shared/schemas/analysis-query.ts';
import { keepComparison } from './comparison.ts';
import { experimentFigures } from './experiment-figures.ts';
import { groupProfiles, groupRuns } from './groups.ts';
import { ensureText, KeptAnswer, keyOfRuns, type KeptText } from './kept-answer.ts';
import {
  loadExperiments,
  loadTraces,
  type AnalysisContext,
  type ConfiguredExperiment,
} from './load.ts';
import type { Objective, RunRecord } from './model.ts';
import { experimentObjective } from './objective.ts';
import { levelsOf } from './outcomes.ts';
import { describeInstances, selectScope } from './scope.ts';

/** What the analysis of an experiment is about. */
interface Subject {
  experiment: ConfiguredExperiment;
  objective: Objective;
  /** The experiments on the same problem type, and the runs on the same problem instance. */
  experiments: readonly ConfiguredExperiment[];
  sameInstance: readonly RunRecord[];
  sameInstanceKey: string;
}

/**
 * All figures of an experiment; with the comparison of the algorithms on its problem instance by the same
 * direction and target, when it is asked for. Throws EXPERIMENT_NOT_FOUND.
 */
export async function analyseExperiment(
  context: AnalysisContext,
  experimentId: string,
  query: ExperimentAnalysisQuery,
): Promise<KeptAnswer> {
  const { database } = context;
  const { experiment, experiments } = await loadExperiment(database, experimentId);
  const objective = await experimentObjective(database, query, experiment);
  const isInScope = ({ instance }: ConfiguredExperiment) =>
    query.sameProblem || instance.id === experiment.instance.id;
  const runs = await analysis.listRunsOf(database, idsOf(experiments.filter(isInScope)));
  const same = new Set(
    idsOf(experiments.filter(({ instance }) => instance.id === experiment.instance.id)),
  );
  const sameInstance = runs.filter((run) => same.has(run.experimentId));
  const sameInstanceKey = keyOfRuns(sameInstance);
  const subject = { experiment, objective, experiments, sameInstance, sameInstanceKey };
  const own = await keepFigures(context, subject);
  if (!query.sameProblem) return new KeptAnswer([own, '}'], own.wasThere);
  const { problemType, instance } = experiment;
  const data = { problemType, experiments, runs };
  const scope = selectScope({ ...data, algorithms: [], instance: instance.id });
  if (!scope) throw experimentNotFound(experimentId);
  const comparison = await keepComparison(context, data, scope, objective, 'algorithm');
  return new KeptAnswer(
    [own, ',"sameProblem":', comparison, '}'],
    own.wasThere && comparison.wasThere,
  );
}

/** The figures as JSON, without the brace that closes it. */
async function keepFigures(context: AnalysisContext, subject: Subject): Promise<KeptText> {
  const { experiment, experiments, objective, sameInstance } = subject;
  const { experimentId, problemType, instance } = experiment;
  const instances = describeInstances(experiments, sameInstance, problemType);
  const problemInstance = instances.find(({ id }) => id === instance.id);
  if (!problemInstance) throw experimentNotFound(experimentId);
  const identity = {
    experimentId,
    problemType,
    problemInstance: { ...problemInstance, selected: true },
  };
  return ensureText(
    context.memory,
    ['figures', identity, objective, subject.sameInstanceKey],
    async () => {
      const profiles = await instanceProfiles(context, subject);
      const records = sameInstance.filter((run) => run.experimentId === experimentId);
      const figures = experimentFigures({
        objective,
        dimension: instance.dimension,
        runs: await loadTraces(context, records, objective.direction),
        performanceProfile: profiles[experimentId] ?? [],
      });
      return writeAnswer(endpoints.analyseExperiment, { ...identity, ...figures }).slice(0, -1);
    },
  );
}

/** The performance profile of every experiment on the instance, by its id: computed once for all of them. */
async function instanceProfiles(
  context: AnalysisContext,
  { objective, sameInstance, sameInstanceKey }: Subject,
): Promise<Record<string, CurvePoint[]>> {
  const { memory } = context;
  const { key } = await ensureText(memory, ['profiles', objective, sameInstanceKey], async () => {
    const runs = await loadTraces(context, sameInstance, objective.direction);
    const groups = groupRuns({ runs, experiments: new Map() }, 'experiment');
    const profiles = groupProfiles(groups, levelsOf(runs, objective), objective);
    return JSON.stringify(Object.fromEntries(profiles.map(({ name, points }) => [name, points])));
  });
  return JSON.parse((await memory.findText(key)) ?? '{}') as Record<string, CurvePoint[]>;
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
  context: AnalysisContext,
  experimentId: string,
  query: ExperimentTracesQuery,
): Promise<ExperimentTraces> {
  const { database } = context;
  const { experiment } = await loadExperiment(database, experimentId);
  const { direction, targetFitness } = await experimentObjective(database, query, experiment);
  const records = await analysis.listRunsOf(database, [experimentId]);
  const runs = await loadTraces(context, records, direction);
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
