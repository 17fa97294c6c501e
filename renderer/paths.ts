/** The address of a run's page. */
export function runPath(runId: string): string {
  return `/runs/${encodeURIComponent(runId)}`;
}

/** The address of the page that compares what solved a problem type, on one instance if that is given. */
export function problemPath(problemType: string, instance?: string): string {
  const query = instance === undefined ? '' : `?instance=${encodeURIComponent(instance)}`;
  return `/problems/${encodeURIComponent(problemType)}${query}`;
}

/** The address of an experiment's page. */
export function experimentPath(experimentId: string): string {
  return `/experiments/${encodeURIComponent(experimentId)}`;
}
