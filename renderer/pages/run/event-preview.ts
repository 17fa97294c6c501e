/**
 * The beginning of a payload without the run id and the time, with which every payload of the runner
 * begins and which stand on the page already; a payload that begins otherwise is shown as it is.
 */
export function eventPreview(payloadJson: string): string {
  return payloadJson.replace(/^\{"runId":"(?:[^"\\]|\\.)*","timestamp":[\d.eE+-]+,/, '{');
}
