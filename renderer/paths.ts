/** The address of a run's page. */
export function runPath(runId: string): string {
  return `/runs/${encodeURIComponent(runId)}`;
}
