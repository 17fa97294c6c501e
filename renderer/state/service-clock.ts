/** Milliseconds by which the service's clock is ahead of this computer's. */
let aheadMillis = 0;

/** Compares the clocks by the time, to the second, at which the service sent a response; ignores one without a time. */
export function noteServiceTime(response: Response): void {
  const sentAt = Date.parse(response.headers.get('date') ?? '');
  if (!Number.isNaN(sentAt)) aheadMillis = sentAt - Date.now();
}

/** Returns the current time of the service's clock in milliseconds since 1970. */
export function getServiceTime(): number {
  return Date.now() + aheadMillis;
}
