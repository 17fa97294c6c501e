import { sql, type RawBuilder } from 'kysely';
import type { Database } from '#server/db/database.ts';

/** Size of a campaign. Each run has one trial. */
export interface CampaignSize {
  runs: number;
  runsPerExperiment: number;
  iterationsPerRun?: number;
}

const createdAt = sql.lit('2026-11-21T10:00:00Z');

/**
 * Writes a finished campaign. Each run has the rows that a runner writes: a trial, an event, an objective and
 * iterations. Each experiment has two parameters. Uses one statement per table.
 */
export async function insertLargeCampaign(
  { kysely }: Pick<Database, 'kysely'>,
  campaignId: string,
  { runs, runsPerExperiment, iterationsPerRun = 1 }: CampaignSize,
): Promise<void> {
  const id = sql.lit(campaignId);
  const getExperiment = (run: RawBuilder<unknown>) =>
    sql`${id} || '-e' || cast(${run} / ${sql.lit(runsPerExperiment)} as text)`;
  const getRun = (run: RawBuilder<unknown>) => sql`${id} || '-r' || cast(${run} as text)`;
  const insertRows = (target: string, count: number, values: RawBuilder<unknown>) =>
    sql`insert into ${sql.raw(target)}
      with recursive numbers(n) as (
        select 0 where ${sql.lit(count)} > 0 union all select n + 1 from numbers where n + 1 < ${sql.lit(count)})
      select ${values} from numbers`.execute(kysely);
  const n = sql.raw('n');
  const experiments = Math.ceil(runs / runsPerExperiment);
  const experiment = sql`${id} || '-e' || cast(n as text)`;
  await sql`insert into coco_campaigns (campaign_id, name, suite, dimensions_json, instances_json, functions_json, status, created_at)
    values (${id}, 'Large', 'bbob', '[2]', '[1]', '[1]', 'COMPLETED', ${createdAt})`.execute(
    kysely,
  );
  await insertRows(
    `experiments (experiment_id, config_hash, schema_version, algorithm_type, model_type, problem_type,
      representation_type, selection_type, replacement_type, stopping_type, config_yaml, config_json, created_at)`,
    experiments,
    sql`${experiment}, ${experiment}, '3.0', 'cma-es', 'cma-es', 'coco-bbob', 'real-vector', 's', 'r', 'm', '', '{}', ${createdAt}`,
  );
  for (const name of ['a', 'b']) {
    await insertRows(
      'experiment_params (experiment_id, section, param_path, leaf_key, value_type, value_text)',
      experiments,
      sql`${experiment}, 'problem', ${sql.lit(`problem.${name}`)}, ${sql.lit(name)}, 'string', 'x'`,
    );
  }
  await insertRows(
    'runs (run_id, experiment_id, seed, status, start_time)',
    runs,
    sql`${getRun(n)}, ${getExperiment(n)}, n, 'COMPLETED', ${createdAt}`,
  );
  await insertRows(
    'run_objectives (run_id, objective_name, objective_value)',
    runs,
    sql`${getRun(n)}, 'best', n`,
  );
  await insertRows(
    'events (run_id, event_type, payload_json, created_at)',
    runs,
    sql`${getRun(n)}, 'run_started', '{}', ${createdAt}`,
  );
  const iteration = sql.lit(iterationsPerRun);
  await insertRows(
    `iterations (run_id, iteration, evaluations, best_fitness, mean_fitness, std_fitness, metrics_json, diagnostics_json, created_at)`,
    runs * iterationsPerRun,
    sql`${getRun(sql`(n / ${iteration})`)}, n % ${iteration}, n, n, n, 1, '{}', '{}', ${createdAt}`,
  );
  await insertRows(
    `coco_trials (campaign_id, optimizer_id, run_id, function_id, instance_id, dimension, repetition, budget_evals, status, reached_target, target_value, created_at)`,
    runs,
    sql`${id}, 'o', ${getRun(n)}, 1, 1, 2, n, 100, 'COMPLETED', 1, 1e-8, ${createdAt}`,
  );
}
