/**
 * Rows of one table to delete. `counter` is the field of the result with the number of deleted rows. `owner` is the
 * column with the id of their owner; `scope` selects the rows of one kind in a table with several kinds of owners.
 * `texts` are the columns with potentially long texts, whose bytes affect the duration of the deletion. Estimates
 * measure these texts in the first and last rows of some owners, in the `order` of an index. Without an `order`, as in
 * small tables, estimates measure all rows.
 */
export interface DeletionPart {
  counter: string;
  table: string;
  owner: string;
  scope?: 'run' | 'experiment';
  texts?: readonly string[];
  order?: readonly string[];
}

/**
 * Tables that a deletion covers: those of a campaign, of a run, of an experiment without its runs, and the additional
 * tables of a run whose experiment remains. Each table comes before the tables that it refers to.
 */
export const deletionParts = {
  campaign: [
    { counter: 'aggregatesDeleted', table: 'coco_aggregates', owner: 'campaign_id' },
    { counter: 'trialsDeleted', table: 'coco_trials', owner: 'campaign_id' },
    {
      counter: 'optimizersDeleted',
      table: 'coco_optimizer_configs',
      owner: 'campaign_id',
      texts: ['config_path', 'config_yaml'],
    },
    {
      counter: 'campaignsDeleted',
      table: 'coco_campaigns',
      owner: 'campaign_id',
      texts: ['dimensions_json', 'instances_json', 'functions_json', 'notes'],
    },
  ],
  run: [
    { counter: 'runObjectivesDeleted', table: 'run_objectives', owner: 'run_id' },
    {
      counter: 'iterationsDeleted',
      table: 'iterations',
      owner: 'run_id',
      texts: ['metrics_json', 'diagnostics_json'],
      order: ['iteration'],
    },
    {
      counter: 'checkpointsDeleted',
      table: 'checkpoints',
      owner: 'run_id',
      texts: ['checkpoint_path'],
      order: ['iteration'],
    },
    {
      counter: 'eventsDeleted',
      table: 'events',
      owner: 'run_id',
      texts: ['payload_json'],
      order: ['event_type', 'created_at'],
    },
    {
      counter: 'controlRequestsDeleted',
      table: 'control_requests',
      owner: 'target_id',
      scope: 'run',
      texts: ['reason'],
    },
    {
      counter: 'runsDeleted',
      table: 'runs',
      owner: 'run_id',
      texts: ['best_summary', 'artifacts_json', 'error_message'],
      order: ['run_id'],
    },
  ],
  experiment: [
    {
      counter: 'controlRequestsDeleted',
      table: 'control_requests',
      owner: 'target_id',
      scope: 'experiment',
      texts: ['reason'],
    },
    {
      counter: 'paramsDeleted',
      table: 'experiment_params',
      owner: 'experiment_id',
      texts: ['value_text', 'value_json'],
      order: ['param_path'],
    },
    {
      counter: 'experimentsDeleted',
      table: 'experiments',
      owner: 'experiment_id',
      texts: ['config_yaml', 'config_json'],
      order: ['experiment_id'],
    },
  ],
  runAlone: [{ counter: 'trialsDeleted', table: 'coco_trials', owner: 'run_id' }],
} as const satisfies Readonly<Record<string, readonly DeletionPart[]>>;
