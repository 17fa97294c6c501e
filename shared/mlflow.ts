/** Path of the MLflow interface of the service. The tracking URI of a client ends with this path. */
export const mlflowPath = '/mlflow';

/**
 * The HTTP method of each supported operation of MLflow, followed by the path after `/mlflow/api/2.0/mlflow/` if this
 * path differs from the name of the operation.
 */
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
  'runs/log-inputs': 'POST',
  'runs/outputs': 'POST',
  'metrics/get-history': 'GET',
  'logged-models/search': 'POST',
  'logged-models/create': 'POST logged-models',
  'logged-models/get': 'GET logged-models/:model_id',
  'logged-models/finalize': 'PATCH logged-models/:model_id',
  'logged-models/log-params': 'POST logged-models/:model_id/params',
  'logged-models/set-tags': 'PATCH logged-models/:model_id/tags',
  'logged-models/delete-tag': 'DELETE logged-models/:model_id/tags/:key',
} as const;

/** Name of a supported operation of MLflow. */
export type MlflowOperation = keyof typeof mlflowOperations;
