/** The plan of the campaign: 100 algorithms × 24 functions × 6 dimensions, with 30 trials of each by default. */
export const campaignPlan = {
  campaignId: 'large',
  algorithms: 100,
  functions: 24,
  dimensions: [2, 3, 5, 10, 20, 40],
  instances: 15,
  iterationsPerRun: 20,
} as const;

/** Returns the number of trials of the campaign with so many trials of each algorithm on each function and dimension. */
export function countTrials(trialsPerCell: number): number {
  const { algorithms, functions, dimensions } = campaignPlan;
  return algorithms * functions * dimensions.length * trialsPerCell;
}

const createdAt = `'2026-01-01T00:00:00.000000Z'`;

/**
 * Returns the statements that fill an empty database with a finished campaign and the experiments, runs and iterations of
 * its trials: one per table, which both databases accept. Ids have the length of the runner's, and those of successive
 * runs have no order. One trial in 997 is FAILED.
 */
export function listCampaignStatements(trialsPerCell: number): string[] {
  const { campaignId, algorithms, functions, dimensions, instances, iterationsPerRun } =
    campaignPlan;
  const trials = countTrials(trialsPerCell);
  const cells = trials / trialsPerCell;
  const numbers = (name: string, count: number) =>
    `${name} as (select cast(0 as bigint) union all select ${name[0]} + 1 from ${name.slice(0, name.indexOf('('))} where ${name[0]} + 1 < ${count})`;
  const id = (prefix: string, number: string) =>
    `'${prefix}000000-0000-4000-8000-' || substr(cast(1000000000000 + ${number} as text), 2)`;
  // Multiples of a number modulo a prime are different.
  const runId = id('aa', '(i * 387420489) % 999999999989');
  const experimentOfCell = (cell: string) => id('ee', cell);
  const cellOfTrial = `(i / ${trialsPerCell})`;
  const functionOf = (cell: string) => `(1 + ${cell} % ${functions})`;
  const dimensionOf = (cell: string) =>
    `(case (${cell} / ${functions}) % ${dimensions.length} ${dimensions
      .map((dimension, index) => `when ${index} then ${dimension}`)
      .join(' ')} end)`;
  const algorithmOf = (cell: string) => `(${cell} / ${functions * dimensions.length})`;
  const optimizerOf = (cell: string) =>
    `'algorithm-' || substr(cast(1000 + ${algorithmOf(cell)} as text), 2)`;
  const instance = `(1 + i % ${instances})`;
  const rate = `((0.2 + 0.02 * (${algorithmOf(cellOfTrial)} % 20)) * (1 + ((${instance} * 7 + ${functionOf(cellOfTrial)}) % 11) / 8.0))`;
  const fitnessAt = (iteration: string) =>
    `100.0 * exp(-${rate} * ${iteration}) * (1 + 0.01 * (i % 7))`;
  const evaluationsAt = (iteration: string) =>
    `(20 * ${dimensionOf(cellOfTrial)} * (${iteration} + 1) + (${instance} * ${iteration}) % 13)`;
  const last = `${iterationsPerRun - 1}`;
  const hasReached = `${fitnessAt(last)} <= 1e-4`;
  const status = `case when i % 997 = 500 then 'FAILED' else 'COMPLETED' end`;
  const eachTrial = `with recursive ${numbers('i(i)', trials)}`;
  return [
    `insert into coco_campaigns (campaign_id, name, suite, dimensions_json, instances_json, functions_json, status, created_at)
     values ('${campaignId}', 'Large campaign', 'bbob', '${JSON.stringify(dimensions)}',
       '${JSON.stringify(listNumbers(instances))}', '${JSON.stringify(listNumbers(functions))}', 'COMPLETED', ${createdAt})`,
    `insert into coco_optimizer_configs (campaign_id, optimizer_id, config_path, algorithm_type, model_type,
       representation_type, config_yaml, created_at)
     with recursive ${numbers('i(i)', algorithms)}
     select '${campaignId}', ${optimizerOf(`(i * ${functions * dimensions.length})`)}, 'config.yaml', 'umda', 'gaussian',
       'real-vector', 'schema: "3.0"', ${createdAt} from i`,
    `insert into experiments (experiment_id, config_hash, schema_version, run_name, algorithm_type, model_type, problem_type,
       representation_type, selection_type, replacement_type, stopping_type, max_iterations, config_yaml, config_json, created_at)
     with recursive ${numbers('i(i)', cells)}
     select ${experimentOfCell('i')}, ${experimentOfCell('i')}, '3.0', 'Trials ' || cast(i as text), ${optimizerOf('i')},
       'gaussian', 'coco-bbob', 'real-vector', 'truncation', 'elitist', 'max-evaluations', ${iterationsPerRun}, '',
       '{"problem":{"type":"coco-bbob","params":{"function":' || cast(${functionOf('i')} as text) || ',"dimension":' ||
         cast(${dimensionOf('i')} as text) || '}},"algorithm":{"type":"' || ${optimizerOf('i')} || '"}}', ${createdAt} from i`,
    `insert into runs (run_id, experiment_id, seed, status, start_time, end_time, iterations, evaluations, best_fitness,
       runtime_millis)
     ${eachTrial}
     select ${runId}, ${experimentOfCell(cellOfTrial)}, i, ${status}, ${createdAt}, ${createdAt}, ${iterationsPerRun},
       ${evaluationsAt(last)}, ${fitnessAt(last)}, 20000 from i`,
    `insert into coco_trials (campaign_id, optimizer_id, run_id, function_id, instance_id, dimension, repetition, budget_evals,
       evaluations, best_fitness, runtime_millis, status, reached_target, evals_to_target, target_value, created_at)
     ${eachTrial}
     select '${campaignId}', ${optimizerOf(cellOfTrial)}, ${runId}, ${functionOf(cellOfTrial)}, ${instance},
       ${dimensionOf(cellOfTrial)}, 1 + (i % ${trialsPerCell}) / ${instances}, 1000 * ${dimensionOf(cellOfTrial)},
       ${evaluationsAt(last)}, ${fitnessAt(last)}, 20000, ${status}, case when ${hasReached} then 1 else 0 end,
       case when ${hasReached} then ${evaluationsAt(last)} end, 0.0001, ${createdAt} from i`,
    `insert into iterations (run_id, iteration, evaluations, best_fitness, mean_fitness, std_fitness, metrics_json,
       diagnostics_json, created_at)
     with recursive ${numbers('i(i)', trials)}, ${numbers('j(j)', iterationsPerRun)}
     select ${runId}, j, ${evaluationsAt('j')}, ${fitnessAt('j')}, 1, 1, '{"best":1.0}', '{"populationSize":60}', ${createdAt}
     from i cross join j`,
  ];
}

function listNumbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
