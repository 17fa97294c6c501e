import { sql } from 'kysely';
import type { StoredInteger } from '#server/db/schema.ts';
import { integerOf, textOf } from './expressions.ts';
import type { Database } from '#server/db/database.ts';

/** What the analyses need of an experiment. */
export interface ProblemExperimentRow {
  experimentId: string;
  runName: string | null;
  algorithmType: string;
  modelType: string;
  problemType: string;
  configJson: string;
}

/** What the analyses need of a run, without its iterations. */
export interface ProblemRunRow {
  runId: string;
  experimentId: string;
  seed: StoredInteger | null;
  /** In upper case. */
  status: string;
  evaluations: number | null;
  bestFitness: number | null;
  runtimeMillis: number | null;
}

/** How many runs an experiment has. */
export interface ExperimentRunCount {
  experimentId: string;
  runs: number;
  completedRuns: number;
}

/** The experiments on a problem type, or on all of them, by id. */
export async function listProblemExperiments(
  { kysely, dialect }: Database,
  problemType?: string,
): Promise<ProblemExperimentRow[]> {
  const query = kysely
    .selectFrom('experiments')
    .select([
      'experiment_id',
      'run_name',
      'algorithm_type',
      'model_type',
      'problem_type',
      'config_json',
    ])
    .orderBy(dialect.byCodePoint(sql.ref<string>('experiment_id')));
  const rows = await query
    .$if(problemType !== undefined, (all) => all.where('problem_type', '=', problemType ?? ''))
    .execute();
  return rows.map((row) => ({
    experimentId: row.experiment_id,
    runName: row.run_name,
    algorithmType: textOf(row.algorithm_type),
    modelType: textOf(row.model_type),
    problemType: textOf(row.problem_type),
    configJson: textOf(row.config_json),
  }));
}

/** The runs of these experiments, by start time, then by id. */
export async function listRunsOf(
  { kysely, dialect }: Database,
  experimentIds: readonly string[],
): Promise<ProblemRunRow[]> {
  const runs: (ProblemRunRow & { startTime: string })[] = [];
  for (let start = 0; start < experimentIds.length; start += dialect.maximumParameters) {
    const rows = await kysely
      .selectFrom('runs as r')
      .select([
        'r.run_id',
        'r.experiment_id',
        'r.seed',
        'r.status',
        'r.start_time',
        'r.evaluations',
        'r.best_fitness',
        'r.runtime_millis',
      ])
      .where('r.experiment_id', 'in', experimentIds.slice(start, start + dialect.maximumParameters))
      .execute();
    for (const row of rows) {
      runs.push({
        runId: row.run_id,
        experimentId: row.experiment_id,
        seed: integerOf(row.seed),
        status: textOf(row.status).toUpperCase(),
        startTime: textOf(row.start_time),
        evaluations: countOf(row.evaluations),
        bestFitness: numberOf(row.best_fitness),
        runtimeMillis: countOf(row.runtime_millis),
      });
    }
  }
  return runs.sort(earliestFirst);
}

type Started = { startTime: string; runId: string };

function earliestFirst(a: Started, b: Started): number {
  if (a.startTime !== b.startTime) return a.startTime < b.startTime ? -1 : 1;
  return a.runId < b.runId ? -1 : 1;
}

/** The number, infinite ones too; null where the column holds none, text or NaN. */
function numberOf(value: unknown): number | null {
  return typeof value === 'number' && !Number.isNaN(value) ? value : null;
}

/** Beyond 2^53 to the nearest double: enough for a mean. */
function countOf(value: unknown): number | null {
  const integer = integerOf(value);
  return integer === null ? null : Number(integer);
}

/** How many runs each experiment has; one without runs is left out. */
export async function countRunsPerExperiment({
  kysely,
  dialect,
}: Database): Promise<ExperimentRunCount[]> {
  const isCompleted = dialect.equalsText(sql.ref<string>('status'), 'COMPLETED');
  const rows = await kysely
    .selectFrom('runs')
    .select([
      'experiment_id',
      sql<number>`count(*)`.as('runs'),
      sql<number>`count(case when ${isCompleted} then 1 end)`.as('completed_runs'),
    ])
    .groupBy('experiment_id')
    .execute();
  return rows.map((row) => ({
    experimentId: row.experiment_id,
    runs: row.runs,
    completedRuns: row.completed_runs,
  }));
}

/** The problem type of an experiment; null when there is no such experiment. */
export async function findProblemType(
  { kysely }: Database,
  experimentId: string,
): Promise<string | null> {
  const row = await kysely
    .selectFrom('experiments')
    .select('problem_type')
    .where('experiment_id', '=', experimentId)
    .executeTakeFirst();
  return row ? textOf(row.problem_type) : null;
}
