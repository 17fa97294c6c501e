import { sql, type Transaction } from 'kysely';
import type { Database } from '#server/db/database.ts';
import type { Tables } from '#server/db/schema.ts';

/** Size of a database. */
export interface ScaleOptions {
  runs: number;
  iterationsPerRun: number;
}

const runsPerExperiment = 100;
const parametersPerExperiment = 20;

/** `own-problem` has no known direction, so traces decide it. */
const problemTypes = [
  'onemax',
  'sphere',
  'rastrigin',
  'rosenbrock',
  'knapsack',
  'small-tsp',
  'maxsat',
  'own-problem',
];
const algorithmTypes = ['umda', 'pbil', 'cga', 'bmda', 'mimic', 'ehm-eda', 'cma-es'];

/**
 * Fills an empty database with experiments of 100 runs each, by set-based SQL that both databases accept, in one
 * transaction. One run in 997 is RUNNING, one in 53 FAILED and one in 97 STOPPED. Start times are in the order of the
 * runs. The runs of one experiment in 20 are trials of the campaign `campaign`; each run has an event.
 */
export function fillScaleDatabase({ dialect }: Database, options: ScaleOptions): Promise<void> {
  // A write transaction has no statement timeout, which the largest tables would exceed.
  return dialect.withWriteTransaction((transaction) => insertAll(transaction, options));
}

async function insertAll(
  kysely: Transaction<Tables>,
  { runs, iterationsPerRun }: ScaleOptions,
): Promise<void> {
  const experiments = Math.ceil(runs / runsPerExperiment);
  const makeNumbers = (count: number) =>
    sql`with recursive n(i) as (select cast(0 as bigint) union all select i + 1 from n where i + 1 < ${sql.lit(count)})`;
  const pick = (values: readonly string[], selector: ReturnType<typeof sql>) =>
    sql`case (${selector}) % ${sql.lit(values.length)} ${sql.join(
      values.map((value, index) => sql`when ${sql.lit(index)} then ${sql.lit(value)}`),
      sql` `,
    )} end`;
  const castToText = (value: ReturnType<typeof sql>) => sql`cast(${value} as text)`;
  const makeTime = (seconds: ReturnType<typeof sql>) =>
    sql`'2026-' || substr(${castToText(sql`101 + ((${seconds}) / 2419200) % 12`)}, 2) || '-' ||
      substr(${castToText(sql`101 + ((${seconds}) / 86400) % 28`)}, 2) || 'T' ||
      substr(${castToText(sql`100 + ((${seconds}) / 3600) % 24`)}, 2) || ':' ||
      substr(${castToText(sql`100 + ((${seconds}) / 60) % 60`)}, 2) || ':' ||
      substr(${castToText(sql`100 + (${seconds}) % 60`)}, 2) || '.' ||
      substr(${castToText(sql`1000000 + ((${seconds}) * 7919) % 1000000`)}, 2) || 'Z'`;
  const makeExperimentId = (index: ReturnType<typeof sql>) =>
    sql`'experiment-' || ${castToText(index)}`;
  const makeRunId = (index: ReturnType<typeof sql>) => sql`'run-' || ${castToText(index)}`;
  const makeFitness = (index: ReturnType<typeof sql>) =>
    sql`cast((((${index}) * 7919 + 13) % 100003) as double precision) / 1000.0`;

  await sql`insert into experiments (experiment_id, config_hash, schema_version, run_name, algorithm_type, model_type,
      problem_type, representation_type, selection_type, replacement_type, stopping_type, max_iterations, config_yaml,
      config_json, created_at)
    ${makeNumbers(experiments)}
    select ${makeExperimentId(sql`i`)}, 'hash-' || ${castToText(sql`i`)}, '3.0', 'Experiment ' || ${castToText(sql`i`)},
      ${pick(algorithmTypes, sql`i`)}, ${pick(algorithmTypes, sql`i`)}, ${pick(problemTypes, sql`i / 7`)}, 'bitstring',
      'truncation', 'elitist', 'max-evaluations', 1000, 'schema: "3.0"',
      '{"problem":{"type":"' || ${pick(problemTypes, sql`i / 7`)} || '"},"algorithm":{"type":"' || ${pick(algorithmTypes, sql`i`)}
        || '","params":{"populationSize":' || ${castToText(sql`10 + i % 5`)} || '}},"stopping":{"type":"max-evaluations","maxEvaluations":1000}}',
      ${makeTime(sql`i * 100`)}
    from n`.execute(kysely);
  await sql`insert into experiment_params (experiment_id, section, param_path, leaf_key, value_type, value_text, value_number)
    with recursive n(i) as (select cast(0 as bigint) union all select i + 1 from n where i + 1 < ${sql.lit(experiments)}),
      p(j) as (select 0 union all select j + 1 from p where j + 1 < ${sql.lit(parametersPerExperiment)})
    select ${makeExperimentId(sql`i`)}, 'algorithm', 'algorithm.param' || ${castToText(sql`j`)}, 'param' || ${castToText(sql`j`)}, 'number',
      ${castToText(sql`(i * j) % 11`)}, (i * j) % 11
    from n cross join p`.execute(kysely);
  await sql`insert into runs (run_id, experiment_id, seed, status, start_time, end_time, iterations, evaluations, best_fitness,
      best_summary, runtime_millis, artifacts_json)
    ${makeNumbers(runs)}
    select ${makeRunId(sql`i`)}, ${makeExperimentId(sql`i / ${sql.lit(runsPerExperiment)}`)}, 1000 + i % ${sql.lit(runsPerExperiment)},
      case when i % 997 = 996 then 'RUNNING' when i % 53 = 7 then 'FAILED' when i % 97 = 5 then 'STOPPED' else 'COMPLETED' end,
      ${makeTime(sql`i * 19`)}, case when i % 997 = 996 then null else ${makeTime(sql`i * 19 + 30`)} end,
      case when i % 997 = 996 then null else ${sql.lit(iterationsPerRun - 1)} end,
      case when i % 997 = 996 then null else ${sql.lit(50 * iterationsPerRun)} end,
      case when i % 997 = 996 or i % 53 = 7 then null else ${makeFitness(sql`i`)} end,
      case when i % 997 = 996 then null else '1111100000' end, case when i % 997 = 996 then null else 20000 + i % 9000 end,
      '{"run_dir":"./results/runs/' || ${castToText(sql`i`)} || '"}'
    from n`.execute(kysely);
  await sql`insert into iterations (run_id, iteration, evaluations, best_fitness, mean_fitness, std_fitness, metrics_json,
      diagnostics_json, created_at)
    with recursive n(i) as (select cast(0 as bigint) union all select i + 1 from n where i + 1 < ${sql.lit(runs)}),
      g(j) as (select 0 union all select j + 1 from g where j + 1 < ${sql.lit(iterationsPerRun)})
    select ${makeRunId(sql`i`)}, j, 50 * (j + 1), ${makeFitness(sql`i`)} + ${sql.lit(iterationsPerRun)} - j,
      ${makeFitness(sql`i`)} + 50, 1, '{"best":1.5,"mean":2.5,"std":1.0}', '{"populationSize":50,"eliteSize":20}',
      ${makeTime(sql`i * 19 + j`)}
    from n cross join g`.execute(kysely);
  await sql`insert into events (run_id, event_type, created_at, payload_json)
    ${makeNumbers(runs)}
    select ${makeRunId(sql`i`)}, 'STARTED', ${makeTime(sql`i * 19`)}, '{"seed":' || ${castToText(sql`i`)} || '}'
    from n`.execute(kysely);
  await sql`insert into coco_campaigns (campaign_id, name, suite, dimensions_json, instances_json, functions_json, status,
      created_at)
    values ('campaign', 'Campaign', 'bbob', '[2,3,5]', '[1,2,3]', '[1,2,3,4]', 'COMPLETED', '2026-01-01T00:00:00Z')`.execute(
    kysely,
  );
  await sql`insert into coco_trials (campaign_id, optimizer_id, run_id, function_id, instance_id, dimension, repetition,
      budget_evals, evaluations, best_fitness, runtime_millis, status, reached_target, evals_to_target, target_value,
      created_at)
    ${makeNumbers(runs)}
    select 'campaign', ${pick(algorithmTypes, sql`i`)}, ${makeRunId(sql`i`)}, 1 + i % 4, 1 + i % 3,
      case i % 3 when 0 then 2 when 1 then 3 else 5 end, i, 1000, 500, ${makeFitness(sql`i`)}, 20000, 'COMPLETED',
      i % 2, case when i % 2 = 1 then 400 end, 0.001, ${makeTime(sql`i * 19`)}
    from n where (i / ${sql.lit(runsPerExperiment)}) % 20 = 19`.execute(kysely);
}
