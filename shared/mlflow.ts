/** Path of the MLflow interface of the service, at the end of the tracking URI of clients. */
export const mlflowPath = '/mlflow';

/** The HTTP method of each supported operation under `/mlflow/api/2.0/mlflow/`, by its path after this prefix. */
export const mlflowOperations = {
  'experiments/create': 'POST',
  'experiments/get': 'GET',
  'experiments/get-by-name': 'GET',
  'experiments/search': 'POST',
  'experiments/set-experiment-tag': 'POST',
  'runs/create': 'POST',
  'runs/get': 'GET',
  'runs/update': 'POST',
  'runs/log-metric': 'POST',
  'runs/log-parameter': 'POST',
  'runs/log-batch': 'POST',
  'runs/set-tag': 'POST',
  'runs/delete-tag': 'POST',
  'runs/search': 'POST',
  'metrics/get-history': 'GET',
  'logged-models/search': 'POST',
} as const;

/** Path of a supported operation of MLflow, as in {@link mlflowOperations}. */
export type MlflowOperation = keyof typeof mlflowOperations;
