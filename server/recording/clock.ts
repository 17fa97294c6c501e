/** Nanoseconds since the epoch. */
export type Instant = bigint;

/** A clock of nanosecond resolution that never runs backwards. */
export function createClock(): () => Instant {
  const offset = BigInt(Date.now()) * 1_000_000n - process.hrtime.bigint();
  return () => process.hrtime.bigint() + offset;
}

/** UTC, ISO 8601, with 0, 3, 6 or 9 fractional digits: as many as it takes, like Java's `Instant.toString`. */
export function instantText(instant: Instant): string {
  const seconds = new Date(Number(instant / 1_000_000_000n) * 1000).toISOString().slice(0, 19);
  const fraction = fractionDigits(instant)
    .replace(/^(\d{6})000$/, '$1')
    .replace(/^(\d{3})000$/, '$1');
  return fraction === '000' ? `${seconds}Z` : `${seconds}.${fraction}Z`;
}

/** Seconds since the epoch with nine fractional digits, the way instants stand in event payloads. */
export function epochSecondsText(instant: Instant): string {
  return `${instant / 1_000_000_000n}.${fractionDigits(instant)}`;
}

function fractionDigits(instant: Instant): string {
  return String(instant % 1_000_000_000n).padStart(9, '0');
}
