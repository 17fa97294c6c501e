/**
 * Rows of one table that a deletion removes with what they belong to. `owner` is the column with its id; `scope` narrows
 * the rows of a table that belong to things of several kinds. `texts` are the columns that may be long: their bytes take
 * time, too. They are measured in samples of the rows of one owner in the `order` of an index; without one, where there
 * are few rows, in all of them.
 */
export interface DeletedPart {
  counter: string;
  table: string;
  owner: string;
  scope?: 'run' | 'experiment';
  texts?: readonly string[];
  order?: readonly string[];
}

/**
 * The one list of what a deletion covers: the tables with rows that belong to a campaign, to a run, to an experiment
 * besides its runs, and to a run that is deleted without its experiment, each table before those that it refers to.
 */
export const deletedParts = {
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
} as const satisfies Readonly<Record<string, readonly DeletedPart[]>>;
