/** The column for the runner's ERT in a table `coco_aggregates` that we create. */
export const newErtColumn = 'svc_ert';

/** A table of the runner: columns with SQL types, and table constraints. */
interface TableDefinition {
  /** Definitions by name; {@link ColumnTypes} has the SQL types for `ID` and `DOUBLE`. */
  columns: Readonly<Record<string, 'ID' | `${'TEXT' | 'INTEGER' | 'BIGINT' | 'DOUBLE'}${string}`>>;
  constraints: readonly string[];
}

/** The two types that differ between the databases. */
export interface ColumnTypes {
  /** SQL type for `ID`: `INTEGER PRIMARY KEY AUTOINCREMENT` in SQLite, `BIGSERIAL PRIMARY KEY` in PostgreSQL. */
  id: string;
  /** SQL type for `DOUBLE`: `DOUBLE` in SQLite, `DOUBLE PRECISION` in PostgreSQL. */
  double: string;
}

/**
 * The 13 tables as the runner creates them, except the name of the column {@link newErtColumn}. Each table is after the
 * tables that it refers to. {@link Tables} has their types for Kysely.
 */
export const tableDefinitions = {
  experiments: {
    columns: {
      experiment_id: 'TEXT PRIMARY KEY',
      config_hash: 'TEXT NOT NULL UNIQUE',
      schema_version: 'TEXT NOT NULL',
      run_name: 'TEXT',
      algorithm_type: 'TEXT NOT NULL',
      model_type: 'TEXT NOT NULL',
      problem_type: 'TEXT NOT NULL',
      representation_type: 'TEXT NOT NULL',
      selection_type: 'TEXT NOT NULL',
      replacement_type: 'TEXT NOT NULL',
      stopping_type: 'TEXT NOT NULL',
      max_iterations: 'INTEGER',
      config_yaml: 'TEXT NOT NULL',
      config_json: 'TEXT NOT NULL',
      created_at: 'TEXT NOT NULL',
    },
    constraints: [],
  },
  experiment_params: {
    columns: {
      id: 'ID',
      experiment_id: 'TEXT NOT NULL',
      section: 'TEXT NOT NULL',
      param_path: 'TEXT NOT NULL',
      leaf_key: 'TEXT NOT NULL',
      value_type: "TEXT NOT NULL CHECK(value_type IN ('string','number','boolean','null','json'))",
      value_text: 'TEXT',
      value_number: 'DOUBLE',
      value_boolean: 'INTEGER',
      value_json: 'TEXT',
    },
    constraints: [
      'FOREIGN KEY(experiment_id) REFERENCES experiments(experiment_id)',
      'UNIQUE(experiment_id, param_path)',
    ],
  },
  runs: {
    columns: {
      run_id: 'TEXT PRIMARY KEY',
      experiment_id: 'TEXT NOT NULL',
      seed: 'BIGINT NOT NULL',
      status: 'TEXT NOT NULL',
      start_time: 'TEXT NOT NULL',
      end_time: 'TEXT',
      iterations: 'INTEGER',
      evaluations: 'BIGINT',
      best_fitness: 'DOUBLE',
      best_summary: 'TEXT',
      runtime_millis: 'BIGINT',
      artifacts_json: 'TEXT',
      resumed_from: 'TEXT',
      error_message: 'TEXT',
    },
    constraints: ['FOREIGN KEY(experiment_id) REFERENCES experiments(experiment_id)'],
  },
  run_objectives: {
    columns: {
      id: 'ID',
      run_id: 'TEXT NOT NULL',
      objective_name: 'TEXT NOT NULL',
      objective_value: 'DOUBLE NOT NULL',
    },
    constraints: ['UNIQUE(run_id, objective_name)', 'FOREIGN KEY(run_id) REFERENCES runs(run_id)'],
  },
  iterations: {
    columns: {
      id: 'ID',
      run_id: 'TEXT NOT NULL',
      iteration: 'INTEGER NOT NULL',
      evaluations: 'BIGINT NOT NULL',
      best_fitness: 'DOUBLE NOT NULL',
      mean_fitness: 'DOUBLE NOT NULL',
      std_fitness: 'DOUBLE NOT NULL',
      metrics_json: 'TEXT',
      diagnostics_json: 'TEXT',
      created_at: 'TEXT NOT NULL',
    },
    constraints: ['UNIQUE(run_id, iteration)', 'FOREIGN KEY(run_id) REFERENCES runs(run_id)'],
  },
  checkpoints: {
    columns: {
      id: 'ID',
      run_id: 'TEXT NOT NULL',
      iteration: 'INTEGER NOT NULL',
      checkpoint_path: 'TEXT NOT NULL',
      created_at: 'TEXT NOT NULL',
    },
    constraints: ['FOREIGN KEY(run_id) REFERENCES runs(run_id)'],
  },
  events: {
    columns: {
      id: 'ID',
      run_id: 'TEXT',
      event_type: 'TEXT NOT NULL',
      payload_json: 'TEXT NOT NULL',
      created_at: 'TEXT NOT NULL',
    },
    constraints: [],
  },
  control_requests: {
    columns: {
      scope: "TEXT NOT NULL CHECK(scope IN ('run', 'experiment'))",
      target_id: 'TEXT NOT NULL',
      action: "TEXT NOT NULL CHECK(action IN ('STOP'))",
      requested_at: 'TEXT NOT NULL',
      requested_by: 'TEXT',
      reason: 'TEXT',
      status: "TEXT NOT NULL CHECK(status IN ('PENDING', 'ACKNOWLEDGED'))",
      acknowledged_at: 'TEXT',
      acknowledged_by_run_id: 'TEXT',
    },
    constraints: ['PRIMARY KEY(scope, target_id, action)'],
  },
  coco_campaigns: {
    columns: {
      campaign_id: 'TEXT PRIMARY KEY',
      name: 'TEXT NOT NULL',
      suite: 'TEXT NOT NULL',
      dimensions_json: 'TEXT NOT NULL',
      instances_json: 'TEXT NOT NULL',
      functions_json: 'TEXT NOT NULL',
      status: 'TEXT NOT NULL',
      created_at: 'TEXT NOT NULL',
      started_at: 'TEXT',
      finished_at: 'TEXT',
      notes: 'TEXT',
    },
    constraints: [],
  },
  coco_optimizer_configs: {
    columns: {
      id: 'ID',
      campaign_id: 'TEXT NOT NULL',
      optimizer_id: 'TEXT NOT NULL',
      config_path: 'TEXT NOT NULL',
      algorithm_type: 'TEXT NOT NULL',
      model_type: 'TEXT NOT NULL',
      representation_type: 'TEXT NOT NULL',
      config_yaml: 'TEXT NOT NULL',
      created_at: 'TEXT NOT NULL',
    },
    constraints: [
      'FOREIGN KEY(campaign_id) REFERENCES coco_campaigns(campaign_id)',
      'UNIQUE(campaign_id, optimizer_id)',
    ],
  },
  coco_trials: {
    columns: {
      id: 'ID',
      campaign_id: 'TEXT NOT NULL',
      optimizer_id: 'TEXT NOT NULL',
      run_id: 'TEXT NOT NULL',
      function_id: 'INTEGER NOT NULL',
      instance_id: 'INTEGER NOT NULL',
      dimension: 'INTEGER NOT NULL',
      repetition: 'INTEGER NOT NULL',
      budget_evals: 'BIGINT NOT NULL',
      evaluations: 'BIGINT',
      best_fitness: 'DOUBLE',
      runtime_millis: 'BIGINT',
      status: 'TEXT NOT NULL',
      // The value is 0 or 1.
      reached_target: 'INTEGER NOT NULL',
      evals_to_target: 'BIGINT',
      target_value: 'DOUBLE NOT NULL',
      created_at: 'TEXT NOT NULL',
    },
    constraints: [
      'FOREIGN KEY(campaign_id) REFERENCES coco_campaigns(campaign_id)',
      'UNIQUE(campaign_id, optimizer_id, function_id, instance_id, dimension, repetition)',
    ],
  },
  coco_reference_results: {
    columns: {
      id: 'ID',
      suite: 'TEXT NOT NULL',
      optimizer_name: 'TEXT NOT NULL',
      function_id: 'INTEGER NOT NULL',
      dimension: 'INTEGER NOT NULL',
      target_value: 'DOUBLE NOT NULL',
      ert: 'DOUBLE NOT NULL',
      success_rate: 'DOUBLE',
      source_url: 'TEXT',
      imported_at: 'TEXT NOT NULL',
    },
    constraints: [],
  },
  coco_aggregates: {
    columns: {
      id: 'ID',
      campaign_id: 'TEXT NOT NULL',
      optimizer_id: 'TEXT NOT NULL',
      dimension: 'INTEGER NOT NULL',
      target_value: 'DOUBLE NOT NULL',
      mean_evals_to_target: 'DOUBLE',
      success_rate: 'DOUBLE NOT NULL',
      median_best_fitness: 'DOUBLE',
      compared_reference_optimizer: 'TEXT',
      reference_ert: 'DOUBLE',
      [newErtColumn]: 'DOUBLE',
      ert_ratio: 'DOUBLE',
      created_at: 'TEXT NOT NULL',
    },
    constraints: [
      'FOREIGN KEY(campaign_id) REFERENCES coco_campaigns(campaign_id)',
      'UNIQUE(campaign_id, optimizer_id, dimension, target_value)',
    ],
  },
} as const satisfies Readonly<Record<string, TableDefinition>>;

/** Name of one of the 13 tables. */
export type TableName = keyof typeof tableDefinitions;

/** The 16 indexes exactly as the runner creates them: the text after ON, by the name of the index. */
export const indexDefinitions: Readonly<Record<string, string>> = {
  idx_runs_start_time: 'runs (start_time DESC)',
  idx_runs_status: 'runs (status)',
  idx_runs_experiment_id: 'runs (experiment_id)',
  idx_runs_best_fitness: 'runs (best_fitness)',
  idx_experiments_types: 'experiments (algorithm_type, problem_type, model_type)',
  idx_experiment_params_lookup: 'experiment_params (experiment_id, section, leaf_key)',
  idx_experiment_params_value_text: 'experiment_params (value_text)',
  idx_iterations_run_iteration: 'iterations (run_id, iteration)',
  idx_events_run_type_created: 'events (run_id, event_type, created_at)',
  idx_checkpoints_run_iteration: 'checkpoints (run_id, iteration)',
  idx_control_requests_lookup: 'control_requests (status, scope, target_id, action)',
  idx_coco_campaign_status: 'coco_campaigns (status)',
  idx_coco_trials_campaign: 'coco_trials (campaign_id, optimizer_id, dimension, function_id)',
  idx_coco_trials_run_id: 'coco_trials (run_id)',
  idx_coco_aggregates_campaign: 'coco_aggregates (campaign_id, optimizer_id, dimension)',
  idx_coco_reference_lookup:
    'coco_reference_results (suite, optimizer_name, function_id, dimension, target_value)',
};

/** All table names, each after the tables that it refers to. Drop the tables in reverse order. */
export const tableNames = Object.keys(tableDefinitions) as TableName[];

/** Returns the statement that creates a table if it is missing. */
export function createTableSql(table: TableName, types: ColumnTypes): string {
  const { columns, constraints } = tableDefinitions[table];
  const lines = Object.entries(columns).map(
    ([name, type]) =>
      `${name} ${type.replace(/^ID$/, types.id).replace(/^DOUBLE\b/, types.double)}`,
  );
  return `CREATE TABLE IF NOT EXISTS ${table} (\n  ${[...lines, ...constraints].join(',\n  ')}\n)`;
}

/** Returns the statement that creates an index of {@link indexDefinitions} if it is missing. */
export function createIndexSql(name: string): string {
  return `CREATE INDEX IF NOT EXISTS ${name} ON ${indexDefinitions[name]}`;
}
