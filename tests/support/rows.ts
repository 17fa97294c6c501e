import { sql } from 'kysely';
import type { Database } from '#server/db/database.ts';
import type { Tables } from '#server/db/schema.ts';
import type { TableName } from '#server/db/tables.ts';

type Row = Record<string, unknown>;

const createdAt = '2026-11-21T10:00:00Z';

/** Default values of a row. */
const defaultRows: Partial<Record<TableName, Row>> = {
  experiments: {
    experiment_id: 'e1',
    config_hash: 'e1',
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
    config_yaml: 'schema: "3.0"\n',
    config_json: '{"schema":"3.0"}',
    created_at: createdAt,
  },
  experiment_params: {
    experiment_id: 'e1',
    section: 'algorithm',
    leaf_key: 'x',
    value_type: 'string',
    value_text: null,
    value_number: null,
    value_boolean: null,
    value_json: null,
  },
  runs: {
    experiment_id: 'e1',
    seed: 1,
    status: 'COMPLETED',
    start_time: createdAt,
    end_time: null,
    iterations: null,
    evaluations: null,
    best_fitness: null,
    best_summary: null,
    runtime_millis: null,
    artifacts_json: null,
    resumed_from: null,
    error_message: null,
  },
  iterations: {
    run_id: 'r1',
    evaluations: 10,
    best_fitness: 1,
    mean_fitness: 1,
    std_fitness: 0,
    metrics_json: '{}',
    diagnostics_json: '{"populationSize":10,"eliteSize":5,"adaptiveActions":[]}',
    created_at: createdAt,
  },
  events: { run_id: 'r1', event_type: 'run_started', payload_json: '{}', created_at: createdAt },
  checkpoints: { run_id: 'r1', iteration: 1, checkpoint_path: './x.yaml', created_at: createdAt },
  control_requests: {
    scope: 'run',
    target_id: 'r1',
    action: 'STOP',
    requested_at: createdAt,
    requested_by: null,
    reason: null,
    status: 'PENDING',
    acknowledged_at: null,
    acknowledged_by_run_id: null,
  },
  coco_campaigns: {
    campaign_id: 'c1',
    name: 'Campaign',
    suite: 'bbob',
    dimensions_json: '[2]',
    instances_json: '[1]',
    functions_json: '[1]',
    status: 'RUNNING',
    created_at: createdAt,
  },
  coco_optimizer_configs: {
    campaign_id: 'c1',
    optimizer_id: 'o1',
    config_path: 'o1.yml',
    algorithm_type: 'cma-es',
    model_type: 'cma-es',
    representation_type: 'real-vector',
    config_yaml: '',
    created_at: createdAt,
  },
  coco_aggregates: {
    campaign_id: 'c1',
    optimizer_id: 'o1',
    dimension: 2,
    target_value: 1e-8,
    success_rate: 0,
    created_at: createdAt,
  },
  coco_reference_results: {
    suite: 'bbob',
    optimizer_name: 'best',
    function_id: 1,
    dimension: 2,
    target_value: 1e-8,
    ert: 100,
    success_rate: 1,
    imported_at: createdAt,
  },
  coco_trials: {
    campaign_id: 'c1',
    optimizer_id: 'o1',
    function_id: 1,
    instance_id: 1,
    dimension: 2,
    repetition: 1,
    budget_evals: 100,
    status: 'COMPLETED',
    reached_target: 0,
    target_value: 1e-8,
    created_at: createdAt,
  },
};

/** Maximum number of rows of a statement. */
const batchSize = 100;

/** Inserts rows in order. Columns that a row does not contain have default values. */
export async function insert(database: Database, table: TableName, ...rows: Row[]): Promise<void> {
  for (const batch of getBatches(rows.map((row) => ({ ...defaultRows[table], ...row })))) {
    await database.kysely.insertInto(table).values(batch).execute();
  }
}

/** Groups adjacent rows with the same columns. In one statement, SQLite would insert NULL for a missing column. */
function getBatches(rows: readonly Row[]): Row[][] {
  const batches: Row[][] = [];
  for (const row of rows) {
    const batch = batches.at(-1);
    const hasSameColumns = batch && Object.keys(batch[0]!).join() === Object.keys(row).join();
    if (hasSameColumns && batch.length < batchSize) batch.push(row);
    else batches.push([row]);
  }
  return batches;
}

/** Inserts an experiment with default values except for `columns`. */
export async function insertExperiment(
  database: Database,
  experimentId: string,
  columns: Partial<Tables['experiments']> = {},
): Promise<void> {
  const ids = { experiment_id: experimentId, config_hash: experimentId };
  await insert(database, 'experiments', { ...ids, ...columns });
}

/** Inserts a run of an experiment with default values except for `columns`. */
export async function insertRun(
  database: Database,
  experimentId: string,
  runId: string,
  columns: Partial<Tables['runs']> = {},
): Promise<void> {
  await insert(database, 'runs', { run_id: runId, experiment_id: experimentId, ...columns });
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

/** Tables with rows of runs, in an order in which they can be emptied. */
const runTables = [
  'run_objectives',
  'iterations',
  'checkpoints',
  'events',
  'control_requests',
  'coco_trials',
  'runs',
] as const;

const experimentTables = ['experiment_params', 'experiments'] as const;
const campaignTables = ['coco_optimizer_configs', 'coco_aggregates', 'coco_campaigns'] as const;

/** Returns the number of rows of each table to which an experiment and its runs may write. */
export async function countRows({ kysely }: Database): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of [...runTables, ...experimentTables]) {
    if (table === 'coco_trials') continue;
    const row = await kysely
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as('rows'))
      .executeTakeFirst();
    counts[table] = row?.rows ?? 0;
  }
  return counts;
}

/** Deletes all runs with their rows, but no experiments and campaigns. */
export async function deleteAllRuns({ kysely }: Database): Promise<void> {
  for (const table of runTables) await kysely.deleteFrom(table).execute();
}

/** Deletes all runs, experiments and campaigns with their rows. */
export async function deleteAllRows(database: Database): Promise<void> {
  await deleteAllRuns(database);
  for (const table of [...experimentTables, ...campaignTables]) {
    await database.kysely.deleteFrom(table).execute();
  }
}
