/**
 * Returns the start of a payload without the run id and time, which start every payload of the runner and are on the
 * page already; a payload with another start is returned as it is.
 */
export function getEventPreview(payloadJson: string): string {
  return payloadJson.replace(/^\{"runId":"(?:[^"\\]|\\.)*","timestamp":[\d.eE+-]+,/, '{');
}
