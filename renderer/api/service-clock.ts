/** What the service's clock shows more than that of this computer, in milliseconds. */
let aheadMillis = 0;

/** Compares the clocks by the time at which the service sent a response, which it names to the second. */
export function noteServiceTime(response: Response): void {
  const sentAt = Date.parse(response.headers.get('date') ?? '');
  if (!Number.isNaN(sentAt)) aheadMillis = sentAt - Date.now();
}

/** The time of the service's clock, in milliseconds since 1970, when this computer's shows `localMillis`. */
export function serviceTime(localMillis: number): number {
  return localMillis + aheadMillis;
}
