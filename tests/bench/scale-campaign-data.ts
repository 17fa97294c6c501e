/** The plan of the campaign: 100 algorithms × 24 functions × 6 dimensions, with 30 trials of each by default. */
export const campaignPlan = {
  campaignId: 'large',
  algorithms: 100,
  functions: 24,
  dimensions: [2, 3, 5, 10, 20, 40],
  instances: 15,
  iterationsPerRun: 20,
} as const;

/** Returns the number of trials of the campaign; `trialsPerCell` is that of an algorithm on a function in a dimension. */
export function countTrials(trialsPerCell: number): number {
  const { algorithms, functions, dimensions } = campaignPlan;
  return algorithms * functions * dimensions.length * trialsPerCell;
}

const createdAt = `'2026-01-01T00:00:00.000000Z'`;

/**
 * Returns the statements that fill an empty database with a finished campaign and the experiments, runs and iterations
 * of its trials: one per table, which both databases accept. Ids have the length of the runner's, and those of
 * successive runs have no order. One trial in 997 is FAILED.
 */
export function listCampaignStatements(trialsPerCell: number): string[] {
  const { campaignId, algorithms, functions, dimensions, instances, iterationsPerRun } =
    campaignPlan;
  const trials = countTrials(trialsPerCell);
  const cells = trials / trialsPerCell;
  const makeNumbers = (name: string, count: number) =>
    `${name} as (select cast(0 as bigint) union all select ${name[0]} + 1 from ${name.slice(0, name.indexOf('('))} where ${name[0]} + 1 < ${count})`;
  const makeId = (prefix: string, number: string) =>
    `'${prefix}000000-0000-4000-8000-' || substr(cast(1000000000000 + ${number} as text), 2)`;
  // Multiples of a number modulo a prime are different.
  const runId = makeId('aa', '(i * 387420489) % 999999999989');
  const getExperimentId = (cell: string) => makeId('ee', cell);
  const cellExpression = `(i / ${trialsPerCell})`;
  const getFunction = (cell: string) => `(1 + ${cell} % ${functions})`;
  const getDimension = (cell: string) =>
    `(case (${cell} / ${functions}) % ${dimensions.length} ${dimensions
      .map((dimension, index) => `when ${index} then ${dimension}`)
      .join(' ')} end)`;
  const getAlgorithm = (cell: string) => `(${cell} / ${functions * dimensions.length})`;
  const getOptimizer = (cell: string) =>
    `'algorithm-' || substr(cast(1000 + ${getAlgorithm(cell)} as text), 2)`;
  const instance = `(1 + i % ${instances})`;
  const rate = `((0.2 + 0.02 * (${getAlgorithm(cellExpression)} % 20)) * (1 + ((${instance} * 7 + ${getFunction(cellExpression)}) % 11) / 8.0))`;
  const getFitness = (iteration: string) =>
    `100.0 * exp(-${rate} * ${iteration}) * (1 + 0.01 * (i % 7))`;
  const getEvaluations = (iteration: string) =>
    `(20 * ${getDimension(cellExpression)} * (${iteration} + 1) + (${instance} * ${iteration}) % 13)`;
  const lastIteration = `${iterationsPerRun - 1}`;
  const targetCondition = `${getFitness(lastIteration)} <= 1e-4`;
  const status = `case when i % 997 = 500 then 'FAILED' else 'COMPLETED' end`;
  const trialNumbers = `with recursive ${makeNumbers('i(i)', trials)}`;
  return [
    `insert into coco_campaigns (campaign_id, name, suite, dimensions_json, instances_json, functions_json, status, created_at)
     values ('${campaignId}', 'Large campaign', 'bbob', '${JSON.stringify(dimensions)}',
       '${JSON.stringify(listNumbers(instances))}', '${JSON.stringify(listNumbers(functions))}', 'COMPLETED', ${createdAt})`,
    `insert into coco_optimizer_configs (campaign_id, optimizer_id, config_path, algorithm_type, model_type,
       representation_type, config_yaml, created_at)
     with recursive ${makeNumbers('i(i)', algorithms)}
     select '${campaignId}', ${getOptimizer(`(i * ${functions * dimensions.length})`)}, 'config.yaml', 'umda', 'gaussian',
       'real-vector', 'schema: "3.0"', ${createdAt} from i`,
    `insert into experiments (experiment_id, config_hash, schema_version, run_name, algorithm_type, model_type, problem_type,
       representation_type, selection_type, replacement_type, stopping_type, max_iterations, config_yaml, config_json, created_at)
     with recursive ${makeNumbers('i(i)', cells)}
     select ${getExperimentId('i')}, ${getExperimentId('i')}, '3.0', 'Trials ' || cast(i as text), ${getOptimizer('i')},
       'gaussian', 'coco-bbob', 'real-vector', 'truncation', 'elitist', 'max-evaluations', ${iterationsPerRun}, '',
       '{"problem":{"type":"coco-bbob","params":{"function":' || cast(${getFunction('i')} as text) || ',"dimension":' ||
         cast(${getDimension('i')} as text) || '}},"algorithm":{"type":"' || ${getOptimizer('i')} || '"}}', ${createdAt} from i`,
    `insert into runs (run_id, experiment_id, seed, status, start_time, end_time, iterations, evaluations, best_fitness,
       runtime_millis)
     ${trialNumbers}
     select ${runId}, ${getExperimentId(cellExpression)}, i, ${status}, ${createdAt}, ${createdAt}, ${iterationsPerRun},
       ${getEvaluations(lastIteration)}, ${getFitness(lastIteration)}, 20000 from i`,
    `insert into coco_trials (campaign_id, optimizer_id, run_id, function_id, instance_id, dimension, repetition, budget_evals,
       evaluations, best_fitness, runtime_millis, status, reached_target, evals_to_target, target_value, created_at)
     ${trialNumbers}
     select '${campaignId}', ${getOptimizer(cellExpression)}, ${runId}, ${getFunction(cellExpression)}, ${instance},
       ${getDimension(cellExpression)}, 1 + (i % ${trialsPerCell}) / ${instances}, 1000 * ${getDimension(cellExpression)},
       ${getEvaluations(lastIteration)}, ${getFitness(lastIteration)}, 20000, ${status}, case when ${targetCondition} then 1 else 0 end,
       case when ${targetCondition} then ${getEvaluations(lastIteration)} end, 0.0001, ${createdAt} from i`,
    `insert into iterations (run_id, iteration, evaluations, best_fitness, mean_fitness, std_fitness, metrics_json,
       diagnostics_json, created_at)
     with recursive ${makeNumbers('i(i)', trials)}, ${makeNumbers('j(j)', iterationsPerRun)}
     select ${runId}, j, ${getEvaluations('j')}, ${getFitness('j')}, 1, 1, '{"best":1.0}', '{"populationSize":60}', ${createdAt}
     from i cross join j`,
  ];
}

function listNumbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
