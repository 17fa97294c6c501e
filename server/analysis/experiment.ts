import type { RunRecord } from '#server/repositories/analysis.ts';
import type { Database } from '#server/db/database.ts';
import { notFound } from '#server/errors.ts';
import * as analysis from '#server/repositories/analysis.ts';
import { chartPoints, firstHit } from '#server/domain/trace.ts';
import type { CurvePoint, ExperimentAnalysis, ExperimentTraces } from '#shared/schemas/analysis.ts';
import type {
  ExperimentAnalysisQuery,
  ExperimentTracesQuery,
} from '#shared/schemas/analysis-query.ts';
import { choiceOf, compareScope, type Subject } from './comparison.ts';
import { ensureConvergence } from './convergence.ts';
import { experimentFigures } from './experiment-figures.ts';
import { groupProfiles } from './groups.ts';
import {
  keyOfRuns,
  loadExperimentsBeside,
  loadTraces,
  tracesOnDemand,
  type AnalysisContext,
} from './load.ts';
import type { Memo } from './memo.ts';
import type { AnalysedExperiment } from './model.ts';
import { commonObjective } from './objective.ts';
import { levelsOf, outcomesOfLevels } from '#server/domain/outcome.ts';
import { ensureTargetEcdfs } from './several-targets.ts';
import { selectScope } from './scope.ts';

/**
 * All figures of an experiment; with the comparison of the algorithms on its problem instance by the same
 * direction and target, when it is asked for. Throws EXPERIMENT_NOT_FOUND.
 */
export async function analyseExperiment(
  context: AnalysisContext,
  experimentId: string,
  query: ExperimentAnalysisQuery,
): Promise<ExperimentAnalysis> {
  const { experiment, experiments } = await loadExperiment(context.database, experimentId);
  const objective = await commonObjective(context.database, query, [experiment]);
  const { problemType, instance } = experiment;
  const inScope = experiments.filter((one) => query.sameProblem || one.instance.id === instance.id);
  const ids = inScope.map((one) => one.experimentId);
  const runs = await analysis.listRunsOf(context.database, ids);
  const request = { problemType, experiments, runs, algorithms: [], instance: instance.id };
  const scope = selectScope(request);
  if (!scope) throw notFound('experiment', experimentId);
  const traced = tracesOnDemand(context, scope.runs, objective.direction);
  const subject = { scope, objective, traced, targets: query.targets };
  const figures = await figuresOf(context.memo, experiment, subject);
  if (!query.sameProblem) return figures;
  // Later, so that it finds the convergence of an experiment that is alone.
  const sameProblem = await compareScope(context, subject, 'algorithm', choiceOf(query));
  return { ...figures, sameProblem };
}

/** The figures without the comparison; those that are the same for all targets are computed once. */
async function figuresOf(
  memo: Memo,
  { experimentId, problemType, instance, statedTarget }: AnalysedExperiment,
  subject: Subject,
): Promise<ExperimentAnalysis> {
  const { scope, objective, traced, targets } = subject;
  const isOwn = (run: RunRecord) => run.experimentId === experimentId;
  const ownRuns = scope.runs.filter(isOwn);
  const ownTraced = async () => (await traced()).filter(isOwn);
  const sameInstance = keyOfRuns(scope.runs);
  const { dimension } = instance;
  const facts = ['figures', experimentId, dimension, statedTarget, objective, sameInstance];
  const figures = memo.ensure(facts, async () => {
    const profiles = await instanceProfiles(memo, subject, sameInstance);
    return experimentFigures({
      objective,
      dimension,
      statedTarget,
      runs: await ownTraced(),
      performanceProfile: profiles[experimentId] ?? [],
    });
  });
  const convergence = ensureConvergence(memo, objective.direction, ownRuns, ownTraced);
  const ecdfs = ensureTargetEcdfs(
    memo,
    [experimentId, keyOfRuns(ownRuns)],
    { objective, targets },
    async () => [{ name: experimentId, runs: await ownTraced() }],
  );
  const [own, steps, convergence95Ci] = await Promise.all([figures, ecdfs, convergence]);
  const identity = { experimentId, problemType, problemInstance: scope.selected };
  return { ...identity, ...own, ...steps, convergence95Ci };
}

/** The performance profile of every experiment on the instance, by its id: computed once for all of them. */
async function instanceProfiles(
  memo: Memo,
  { objective, traced }: Subject,
  sameInstance: string,
): Promise<Record<string, CurvePoint[]>> {
  return memo.ensure(['profiles', objective, sameInstance], async () => {
    const runs = await traced();
    const levels = levelsOf(runs, objective);
    const groups = Array.from(
      Map.groupBy(runs, ({ experimentId }) => experimentId),
      ([name, inside]) => ({ name, levels: outcomesOfLevels(inside, levels, objective) }),
    );
    const profiles = groupProfiles(groups).map(({ name, points }) => [name, points]);
    return Object.fromEntries(profiles) as Record<string, CurvePoint[]>;
  });
}

/** The experiment, and all on the same problem type. */
async function loadExperiment(
  database: Database,
  experimentId: string,
): Promise<{ experiment: AnalysedExperiment; experiments: AnalysedExperiment[] }> {
  const experiments = await loadExperimentsBeside(database, experimentId);
  const experiment = experiments.find((one) => one.experimentId === experimentId);
  if (!experiment) throw notFound('experiment', experimentId);
  return { experiment, experiments };
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
  const { direction, targetFitness } = await commonObjective(database, query, [experiment]);
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
