import { sql } from 'kysely';
import type { Database } from '#server/db/database.ts';
import type { ExperimentsTable, RunsTable } from '#server/db/schema.ts';

/** Writes an experiment; what `columns` leaves out is plausible. */
export async function insertExperiment(
  { kysely }: Database,
  experimentId: string,
  columns: Partial<ExperimentsTable> = {},
): Promise<void> {
  await kysely
    .insertInto('experiments')
    .values({
      experiment_id: experimentId,
      config_hash: experimentId,
      schema_version: '3.0',
      run_name: null,
      algorithm_type: 'umda',
      model_type: 'umda-bernoulli',
      problem_type: 'onemax',
      representation_type: 'bitstring',
      selection_type: 'truncation',
      replacement_type: 'elitist',
      stopping_type: 'max-iterations',
      max_iterations: 10,
      config_yaml: '{}',
      config_json: '{}',
      created_at: '2026-11-21T10:00:00Z',
      ...columns,
    })
    .execute();
}

/** Writes a run of an experiment; what `columns` leaves out is plausible. */
export async function insertRun(
  { kysely }: Database,
  experimentId: string,
  runId: string,
  columns: Partial<RunsTable> = {},
): Promise<void> {
  await kysely
    .insertInto('runs')
    .values({
      run_id: runId,
      experiment_id: experimentId,
      seed: 1,
      status: 'COMPLETED',
      start_time: '2026-11-21T10:00:00Z',
      end_time: null,
      iterations: null,
      evaluations: null,
      best_fitness: null,
      best_summary: null,
      runtime_millis: null,
      artifacts_json: null,
      resumed_from: null,
      error_message: null,
      ...columns,
    })
    .execute();
}

/** Writes `count` iterations of a run whose best fitness rises by one each, in one statement. */
export async function insertIterations(
  { kysely }: Database,
  runId: string,
  count: number,
): Promise<void> {
  await sql`
    insert into iterations
      (run_id, iteration, evaluations, best_fitness, mean_fitness, std_fitness, created_at)
    with recursive numbers(n) as (
      select 0 union all select n + 1 from numbers where n + 1 < cast(${count} as integer))
    select cast(${runId} as text), n, n * 20, n, n, 1, '2026-11-21T10:00:00Z' from numbers
  `.execute(kysely);
}

/** How many rows each table has that an experiment and its runs may write to. */
export async function countRows({ kysely }: Database): Promise<Record<string, number>> {
  const tables = [
    'experiments',
    'experiment_params',
    'runs',
    'run_objectives',
    'iterations',
    'checkpoints',
    'events',
    'control_requests',
  ] as const;
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const row = await kysely
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as('rows'))
      .executeTakeFirst();
    counts[table] = row?.rows ?? 0;
  }
  return counts;
}
