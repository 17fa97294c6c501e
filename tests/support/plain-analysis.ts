import type { Database } from '#server/db/database.ts';
import type {
  AnalysedExperiment,
  AnalysedRun,
  Objective,
} from '#server/analysis/analysis-input.ts';
import { selectScope } from '#server/analysis/comparison-scope.ts';
import { analyseExperiment } from '#server/analysis/experiment-analysis.ts';
import { measureRun, planMeasurements, summariseTrace } from '#server/analysis/measurement.ts';
import { configuredTarget, findDirection } from '#server/rules/objective.ts';
import { compareProblem } from '#server/analysis/problem-comparison.ts';
import { configurationIdOf, problemInstanceOf } from '#server/rules/problem-instance.ts';
import type { MeasuredRuns } from '#server/analysis/run-profiles.ts';
import type { IterationPoint } from '#server/stats/trace.ts';
import type { ExperimentAnalysis } from '#shared/schemas/analysis.ts';

/** Everything about the experiments on one problem type, read row by row. */
interface PlainData {
  experiments: (AnalysedExperiment & { configJson: string })[];
  runs: AnalysedRun[];
  iterations: Map<string, IterationPoint[]>;
}

/** What the analysis of an experiment must be, from plain rows and pure functions. */
export async function plainAnalysis(
  database: Database,
  experimentId: string,
  problemType: string,
): Promise<ExperimentAnalysis> {
  const data = await readPlain(database, problemType);
  const experiment = data.experiments.find((one) => one.experimentId === experimentId)!;
  const objective = objectiveOf(experiment.configJson, problemType);
  const instance = experiment.instance.id;
  const scope = selectScope({ problemType, ...data, algorithms: [], instance })!;
  const sameInstance = measured(scope.runs, objective, data);
  const own = measured(
    scope.runs.filter((run) => run.experimentId === experimentId),
    objective,
    data,
  );
  const { dimension } = experiment.instance;
  return JSON.parse(
    JSON.stringify({
      ...analyseExperiment({ experimentId, objective, dimension, own, sameInstance }),
      sameProblem: compareProblem({ scope, groupBy: 'algorithm', objective, ...sameInstance }),
    }),
  ) as ExperimentAnalysis;
}

function objectiveOf(configJson: string, problemType: string): Objective {
  const config: unknown = JSON.parse(configJson);
  const targetFitness = configuredTarget(config);
  const targetSource = targetFitness === null ? 'none' : 'config';
  return { ...findDirection({ config, problemType, traceGains: [] }), targetFitness, targetSource };
}

function measured(
  runs: readonly AnalysedRun[],
  objective: Objective,
  { iterations }: PlainData,
): MeasuredRuns {
  const plan = planMeasurements(runs, objective);
  const withIterations = runs.filter(({ runId }) => iterations.has(runId));
  return {
    runs,
    plan,
    measurements: new Map(
      withIterations.map(({ runId }) => [runId, measureRun(iterations.get(runId)!, plan)]),
    ),
  };
}

async function readPlain({ kysely }: Database, problemType: string): Promise<PlainData> {
  const experiments = await kysely
    .selectFrom('experiments')
    .selectAll()
    .where('problem_type', '=', problemType)
    .execute();
  const iterations = await readIterations({ kysely } as Database);
  const runs = await kysely.selectFrom('runs').selectAll().execute();
  const byStart = runs.sort((a, b) =>
    `${a.start_time} ${a.run_id}` < `${b.start_time} ${b.run_id}` ? -1 : 1,
  );
  return {
    iterations,
    experiments: experiments.map((row) => ({
      experimentId: row.experiment_id,
      runName: row.run_name,
      algorithmType: row.algorithm_type,
      modelType: row.model_type,
      instance: problemInstanceOf(row.config_json),
      configurationId: configurationIdOf(row.config_json),
      configJson: row.config_json,
    })),
    runs: byStart.map((row) => ({
      runId: row.run_id,
      experimentId: row.experiment_id,
      seed: row.seed,
      status: row.status,
      evaluations: row.evaluations === null ? null : Number(row.evaluations),
      bestFitness: row.best_fitness,
      runtimeMillis: row.runtime_millis === null ? null : Number(row.runtime_millis),
      trace: summariseTrace(iterations.get(row.run_id) ?? []),
    })),
  };
}

async function readIterations({ kysely }: Database): Promise<Map<string, IterationPoint[]>> {
  const rows = await kysely
    .selectFrom('iterations')
    .select(['run_id', 'iteration', 'evaluations', 'best_fitness'])
    .execute();
  const points = rows.map((row) => ({
    runId: row.run_id,
    iteration: row.iteration,
    evaluations: Number(row.evaluations),
    fitness: row.best_fitness,
  }));
  return Map.groupBy(points, ({ runId }) => runId);
}
