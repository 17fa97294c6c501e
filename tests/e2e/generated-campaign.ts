import type { DatabaseSync } from 'node:sqlite';

interface CampaignSize {
  id: string;
  optimizers: number;
  instances: number;
  /** Iterations of each trial. */
  iterations: number;
}

/**
 * Adds a completed campaign of 24 functions in 6 dimensions to a copy of the sample. Its name is its id, its optimizers
 * are "optimizer 1", "optimizer 2", …; each one solves a third of its trials.
 */
export function addCampaign(
  database: DatabaseSync,
  { id, optimizers, instances, iterations }: CampaignSize,
): void {
  const numbers = (table: string, count: number): string =>
    `${table}(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM ${table} WHERE n < ${count})`;
  database.exec(`
    PRAGMA foreign_keys = OFF;
    PRAGMA synchronous = OFF;
    BEGIN;
    INSERT INTO coco_campaigns (campaign_id, name, suite, dimensions_json, instances_json, functions_json, status, created_at)
      SELECT '${id}', '${id}', 'bbob', '[2,3,5,10,20,40]', json_group_array(n) FILTER (WHERE n <= ${instances}),
        json_group_array(n), 'COMPLETED', '2026-01-01T00:00:00Z' FROM (WITH RECURSIVE ${numbers('f', 24)} SELECT n FROM f);
    INSERT INTO coco_optimizer_configs (campaign_id, optimizer_id, config_path, algorithm_type, model_type,
        representation_type, config_yaml, created_at)
      WITH RECURSIVE ${numbers('o', optimizers)}
      SELECT '${id}', 'optimizer ' || n, '', 'es', 'es', 'real-vector', '', '' FROM o;
    INSERT INTO coco_trials (campaign_id, optimizer_id, run_id, function_id, instance_id, dimension, repetition,
        budget_evals, evaluations, best_fitness, status, reached_target, evals_to_target, target_value, created_at)
      WITH RECURSIVE ${numbers('o', optimizers)}, ${numbers('f', 24)}, ${numbers('i', instances)}
      SELECT '${id}', 'optimizer ' || o.n, '${id}-' || o.n || '-' || f.n || '-' || d.value || '-' || i.n, f.n, i.n,
        d.value, 1, 4096 * d.value, 4096 * d.value, 0.001, 'COMPLETED', (o.n + f.n + i.n) % 3 = 0,
        CASE WHEN (o.n + f.n + i.n) % 3 = 0 THEN 512 * o.n END, 0.01, ''
      FROM o, f, json_each('[2,3,5,10,20,40]') d, i;
    INSERT INTO runs (run_id, experiment_id, seed, status, start_time, evaluations, best_fitness)
      SELECT run_id, (SELECT experiment_id FROM runs WHERE run_id = 'ckpt-umda'), 1, 'COMPLETED', '2026-01-01T00:00:00Z', evaluations,
        best_fitness FROM coco_trials WHERE campaign_id = '${id}';
    INSERT INTO iterations (run_id, iteration, evaluations, best_fitness, mean_fitness, std_fitness, created_at)
      WITH RECURSIVE ${numbers('g', iterations)}
      SELECT run_id, g.n, dimension * (1 << g.n) + instance_id, 1000.0 / (1 << (g.n + function_id % 9)), 1, 1, ''
      FROM coco_trials, g WHERE campaign_id = '${id}';
    COMMIT;`);
}
