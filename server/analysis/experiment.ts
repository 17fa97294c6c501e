import { experimentNotFound } from '#server/errors.ts';
import * as analysis from '#server/repositories/analysis.ts';
import type { Database } from '#server/db/database.ts';
import type { Objective } from './analysis-input.ts';
import { selectScope } from './comparison-scope.ts';
import * as stats from './experiment-analysis.ts';
import { planMeasurements } from './measurement.ts';
import type { MeasuredRuns } from './run-profiles.ts';
import { chartPoints, measureTrace } from './run-trace.ts';
import type {
  ExperimentAnalysis,
  ExperimentAnalysisQuery,
  ExperimentTraces,
  ExperimentTracesQuery,
} from '#shared/schemas/analysis.ts';
import { experimentObjective } from './analysis-objective.ts';
import { comparisonOf, measureScope, type MeasuredScope } from './comparison.ts';
import {
  loadProblem,
  loadTraces,
  measureAll,
  withTraces,
  type ConfiguredExperiment,
  type ProblemData,
  type Traces,
} from './load.ts';

/**
 * All figures of an experiment, with the comparison of the algorithms on its problem instance by the same
 * direction and target. Throws EXPERIMENT_NOT_FOUND.
 */
export async function analyseExperiment(
  database: Database,
  experimentId: string,
  query: ExperimentAnalysisQuery,
): Promise<ExperimentAnalysis> {
  const { data, experiment } = await loadExperiment(database, experimentId);
  const objective = await experimentObjective(database, query, experiment);
  const { problemType, experiments, runs } = data;
  const instance = experiment.instance.id;
  const scope = selectScope({ problemType, experiments, runs, algorithms: [], instance });
  if (!scope) throw experimentNotFound(experimentId);
  const traces = await loadTraces(database, scope.runs, objective.direction);
  const same = measureScope(scope, objective, traces);
  const own = ownRuns(experimentId, same, objective, traces);
  const { dimension } = experiment.instance;
  return {
    ...stats.analyseExperiment({
      experimentId,
      objective,
      dimension,
      own,
      sameInstance: same.measured,
    }),
    sameProblem: comparisonOf(same, objective, 'algorithm'),
  };
}

async function loadExperiment(
  database: Database,
  experimentId: string,
): Promise<{ data: ProblemData; experiment: ConfiguredExperiment }> {
  const problemType = await analysis.findProblemType(database, experimentId);
  if (problemType === null) throw experimentNotFound(experimentId);
  const data = await loadProblem(database, problemType);
  const experiment = data.experiments.find((one) => one.experimentId === experimentId);
  if (!experiment) throw experimentNotFound(experimentId);
  return { data, experiment };
}

function ownRuns(
  experimentId: string,
  same: MeasuredScope,
  objective: Objective,
  traces: Traces,
): MeasuredRuns {
  const runs = same.measured.runs.filter((run) => run.experimentId === experimentId);
  if (runs.length === same.measured.runs.length) return same.measured;
  const plan = planMeasurements(runs, objective);
  return { runs, plan, measurements: measureAll(runs, traces, plan) };
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
  const { data, experiment } = await loadExperiment(database, experimentId);
  const { direction, targetFitness } = await experimentObjective(database, query, experiment);
  const runs = data.runs.filter((run) => run.experimentId === experimentId);
  const traces = await loadTraces(database, runs, direction);
  const targets = targetFitness === null ? [] : [targetFitness];
  const plan = { direction, targets, levels: [], budgets: [] };
  return {
    experimentId,
    objectiveDirection: direction,
    targetFitness,
    runs: withTraces(runs, traces).map(({ runId, seed, status }) => {
      const trace = traces.get(runId);
      const hit = (trace && measureTrace(trace, plan).hits[0]) ?? null;
      const points = trace ? chartPoints(trace, query.points, hit === null ? [] : [hit]) : [];
      const isThinned = trace !== undefined && points.length < trace.evaluations.length;
      return { runId, seed, status, evaluationsToTarget: hit, isThinned, points };
    }),
  };
}
