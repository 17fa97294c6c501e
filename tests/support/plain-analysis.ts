import type { Database } from '#server/db/database.ts';
import { compareProblem } from '#server/analysis/comparison.ts';
import { makeExperimentMetrics } from '#server/analysis/experiment.ts';
import {
  getConvergence,
  computeGroupConvergence,
  makeTargetEcdfs,
} from '#server/analysis/curves.ts';
import { makeGroupProfiles, groupRuns } from '#server/analysis/groups.ts';
import type { AnalysedExperiment, AnalysedRun, Objective } from '#server/analysis/model.ts';
import type { RunRecord } from '#server/repositories/analysis.ts';
import { getStatedObjective } from '#server/domain/objective.ts';
import { getLevels, getOutcomesAtLevels } from '#server/domain/outcome.ts';
import { findSilentRunIds } from '#server/records/liveness.ts';
import { selectScope } from '#server/analysis/scope.ts';
import {
  getConfiguredBudget,
  getConfiguredTarget,
  findDirection,
} from '#server/domain/objective.ts';
import { getConfigurationId, getProblemInstance } from '#server/domain/problem-instance.ts';
import { getTrace } from '#server/domain/trace.ts';
import type { ExperimentAnalysis } from '#shared/schemas/analysis.ts';

/** Everything about the experiments on one problem type, read row by row. */
interface PlainData {
  experiments: (AnalysedExperiment & { configJson: string })[];
  runs: RunRecord[];
  /** Alternating evaluations and fitness of the iterations, by run id. */
  iterations: Map<string, number[]>;
}

/** Returns the expected analysis of an experiment, computed from plain rows by pure functions. */
export async function computePlainAnalysis(
  database: Database,
  experimentId: string,
  problemType: string,
): Promise<ExperimentAnalysis> {
  const data = await readPlain(database, problemType);
  const experiment = data.experiments.find((one) => one.experimentId === experimentId)!;
  const objective = getObjective(experiment.configJson, problemType);
  const { id: instance, dimension } = experiment.instance;
  const scope = selectScope({ problemType, ...data, algorithms: [], instance })!;
  const runs = scope.runs.map((run): AnalysedRun => ({
    ...run,
    trace: getTrace(
      Float64Array.from(data.iterations.get(run.runId) ?? []),
      objective.direction,
      run,
    ),
  }));
  const runsByExperiment = Map.groupBy(runs, (run) => run.experimentId);
  const levels = getLevels(runs, objective);
  const profiles = makeGroupProfiles(
    Array.from(runsByExperiment, ([name, runsOfExperiment]) => ({
      name,
      levels: getOutcomesAtLevels(runsOfExperiment, levels, objective),
    })),
  );
  const experimentRuns = runsByExperiment.get(experimentId) ?? [];
  const figures = makeExperimentMetrics({
    objective,
    dimension,
    statedTarget: experiment.statedTarget,
    budget: experiment.budget,
    runs: experimentRuns,
    performanceProfile: profiles.find(({ name }) => name === experimentId)?.points ?? [],
  });
  const directions = new Map(scope.instances.map(({ id }) => [id, objective.direction] as const));
  const groupBy = 'algorithm';
  const choice = {
    failed: 'include',
    stopped: 'include',
    silent: 'running',
    effect: '0.71',
  } as const;
  const silentIds = await findSilentRunIds(database, runs);
  const sameProblem = {
    ...compareProblem({
      scope: { ...scope, runs },
      groupBy,
      objective,
      directions,
      choice,
      silentIds,
    }),
    ...makeTargetEcdfs(groupRuns({ ...scope, runs }, groupBy), objective, []),
    convergence: computeGroupConvergence(groupRuns({ ...scope, runs }, groupBy)),
  };
  return JSON.parse(
    JSON.stringify({
      experimentId,
      problemType,
      problemInstance: scope.selectedInstance,
      ...figures,
      ...makeTargetEcdfs([{ name: experimentId, runs: experimentRuns }], objective, []),
      convergence95Ci: getConvergence(experimentRuns),
      sameProblem,
    }),
  ) as ExperimentAnalysis;
}

function getObjective(configJson: string, problemType: string): Objective {
  const config: unknown = JSON.parse(configJson);
  const targetFitness = getConfiguredTarget(config);
  const targetSource = targetFitness === null ? 'none' : 'config';
  return { ...findDirection({ config, problemType, traceGains: [] }), targetFitness, targetSource };
}

async function readPlain({ kysely }: Database, problemType: string): Promise<PlainData> {
  const experiments = await kysely
    .selectFrom('experiments')
    .selectAll()
    .where('problem_type', '=', problemType)
    .execute();
  const runs = await kysely.selectFrom('runs').selectAll().execute();
  const sortedRuns = runs.sort((a, b) =>
    `${a.start_time} ${a.run_id}` < `${b.start_time} ${b.run_id}` ? -1 : 1,
  );
  const iterations = await kysely
    .selectFrom('iterations')
    .select(['run_id', 'evaluations', 'best_fitness'])
    .orderBy('iteration')
    .execute();
  const trials = await kysely
    .selectFrom('coco_trials')
    .select(['run_id', 'budget_evals'])
    .execute();
  const budgets = new Map(trials.map((trial) => [trial.run_id, Number(trial.budget_evals)]));
  const iterationsByRun = Map.groupBy(iterations, (row) => row.run_id);
  return {
    iterations: new Map(
      Array.from(iterationsByRun, ([runId, rows]) => [
        runId,
        rows.flatMap((row) => [Number(row.evaluations), row.best_fitness]),
      ]),
    ),
    experiments: experiments.map((row) => ({
      experimentId: row.experiment_id,
      runName: row.run_name,
      algorithmType: row.algorithm_type,
      modelType: row.model_type,
      problemType,
      ...getStatedObjective(row.config_json),
      instance: getProblemInstance(row.config_json),
      budget: getConfiguredBudget(JSON.parse(row.config_json)),
      configurationId: getConfigurationId(row.config_json),
      configJson: row.config_json,
    })),
    runs: sortedRuns.map((row) => ({
      runId: row.run_id,
      experimentId: row.experiment_id,
      seed: row.seed,
      status: row.status,
      startTime: row.start_time,
      trialBudget: budgets.get(row.run_id) ?? null,
      evaluations: row.evaluations === null ? null : Number(row.evaluations),
      bestFitness: row.best_fitness,
      runtimeMillis: row.runtime_millis === null ? null : Number(row.runtime_millis),
      isResumed: row.resumed_from !== null,
      hasMlflowSteps: false,
      newestIteration: null,
      version: '',
      lineage: null,
    })),
  };
}
