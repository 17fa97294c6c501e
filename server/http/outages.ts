import type { Logger } from 'pino';
import type { ProblemError } from '#server/errors.ts';

/** How long no request of a kind may fail until the outage is over. */
const usualQuietMillis = 10_000;

/**
 * Logs requests that fail for the same reason, which every client repeats, as one outage: a line for the first of them,
 * and one with the number of the others when none has failed for `quietMillis`.
 */
export function createOutageLog(logger: Logger, quietMillis = usualQuietMillis) {
  const outages = new Map<string, { others: number; end: NodeJS.Timeout }>();
  return ({ code, message }: ProblemError, details: object): void => {
    const known = outages.get(code);
    if (known) {
      known.others += 1;
      known.end.refresh();
      return;
    }
    logger.error(details, message);
    const end = setTimeout(() => {
      const others = outages.get(code)?.others ?? 0;
      outages.delete(code);
      if (others > 0) logger.warn({ code }, `${others} more requests failed so; now none does`);
    }, quietMillis).unref();
    outages.set(code, { others: 0, end });
  };
}
