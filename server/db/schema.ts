import type { Generated } from 'kysely';

/**
 * A 64-bit integer as both drivers hand it out: a number inside ±(2^53−1), a decimal string outside, so
 * that nothing is rounded. Either form, or a bigint, may be written.
 */
export type StoredInteger = number | string;

/**
 * The runner's tables, as Kysely sees them. Types say what the columns are declared to hold: SQLite
 * enforces none of it, so a row may carry text in a numeric column (see {@link DatabaseDialect.finiteNumber}).
 */
export interface Tables {
  experiments: ExperimentsTable;
  experiment_params: ExperimentParamsTable;
  runs: RunsTable;
  run_objectives: RunObjectivesTable;
  iterations: IterationsTable;
  checkpoints: CheckpointsTable;
  events: EventsTable;
  control_requests: ControlRequestsTable;
  coco_campaigns: CocoCampaignsTable;
  coco_optimizer_configs: CocoOptimizerConfigsTable;
  coco_trials: CocoTrialsTable;
  coco_reference_results: CocoReferenceResultsTable;
  coco_aggregates: CocoAggregatesTable;
}

/** One of the 13 tables. */
export type TableName = keyof Tables;

export interface ExperimentsTable {
  experiment_id: string;
  config_hash: string;
  schema_version: string;
  run_name: string | null;
  algorithm_type: string;
  model_type: string;
  problem_type: string;
  representation_type: string;
  selection_type: string;
  replacement_type: string;
  stopping_type: string;
  max_iterations: number | null;
  config_yaml: string;
  config_json: string;
  created_at: string;
}

export interface ExperimentParamsTable {
  id: Generated<number>;
  experiment_id: string;
  section: string;
  param_path: string;
  leaf_key: string;
  /** `string`, `number`, `boolean`, `null` or `json`. */
  value_type: string;
  value_text: string | null;
  value_number: number | null;
  value_boolean: number | null;
  value_json: string | null;
}

export interface RunsTable {
  run_id: string;
  experiment_id: string;
  seed: StoredInteger;
  status: string;
  start_time: string;
  end_time: string | null;
  iterations: number | null;
  evaluations: StoredInteger | null;
  best_fitness: number | null;
  best_summary: string | null;
  runtime_millis: StoredInteger | null;
  artifacts_json: string | null;
  resumed_from: string | null;
  error_message: string | null;
}

export interface RunObjectivesTable {
  id: Generated<number>;
  run_id: string;
  objective_name: string;
  objective_value: number;
}

export interface IterationsTable {
  id: Generated<number>;
  run_id: string;
  iteration: number;
  evaluations: StoredInteger;
  best_fitness: number;
  mean_fitness: number;
  std_fitness: number;
  metrics_json: string | null;
  diagnostics_json: string | null;
  created_at: string;
}

export interface CheckpointsTable {
  id: Generated<number>;
  run_id: string;
  iteration: number;
  checkpoint_path: string;
  created_at: string;
}

export interface EventsTable {
  id: Generated<number>;
  run_id: string | null;
  event_type: string;
  payload_json: string;
  created_at: string;
}

export interface ControlRequestsTable {
  /** `run` or `experiment`. */
  scope: string;
  target_id: string;
  /** `STOP`. */
  action: string;
  requested_at: string;
  requested_by: string | null;
  reason: string | null;
  /** `PENDING` or `ACKNOWLEDGED`. */
  status: string;
  acknowledged_at: string | null;
  acknowledged_by_run_id: string | null;
}

export interface CocoCampaignsTable {
  campaign_id: string;
  name: string;
  suite: string;
  dimensions_json: string;
  instances_json: string;
  functions_json: string;
  status: string;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  notes: string | null;
}

export interface CocoOptimizerConfigsTable {
  id: Generated<number>;
  campaign_id: string;
  optimizer_id: string;
  config_path: string;
  algorithm_type: string;
  model_type: string;
  representation_type: string;
  config_yaml: string;
  created_at: string;
}

export interface CocoTrialsTable {
  id: Generated<number>;
  campaign_id: string;
  optimizer_id: string;
  run_id: string;
  function_id: number;
  instance_id: number;
  dimension: number;
  repetition: number;
  budget_evals: StoredInteger;
  evaluations: StoredInteger | null;
  best_fitness: number | null;
  runtime_millis: StoredInteger | null;
  status: string;
  /** 0 or 1. */
  reached_target: number;
  evals_to_target: StoredInteger | null;
  target_value: number;
  created_at: string;
}

export interface CocoReferenceResultsTable {
  id: Generated<number>;
  suite: string;
  optimizer_name: string;
  function_id: number;
  dimension: number;
  target_value: number;
  ert: number;
  success_rate: number | null;
  source_url: string | null;
  imported_at: string;
}

/**
 * The runner's own ERT stands in one more column, whose name is the database's own
 * ({@link Database.ertColumn}): read it with `sql.ref<number | null>(database.ertColumn)`.
 */
export interface CocoAggregatesTable {
  id: Generated<number>;
  campaign_id: string;
  optimizer_id: string;
  dimension: number;
  target_value: number;
  mean_evals_to_target: number | null;
  success_rate: number;
  median_best_fitness: number | null;
  compared_reference_optimizer: string | null;
  reference_ert: number | null;
  ert_ratio: number | null;
  created_at: string;
}
