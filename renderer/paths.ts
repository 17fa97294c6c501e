/** The address of a run's page. */
export function runPath(runId: string): string {
  return `/runs/${encodeURIComponent(runId)}`;
}

/** The address of an experiment's page. */
export function experimentPath(experimentId: string): string {
  return `/experiments/${encodeURIComponent(experimentId)}`;
}
