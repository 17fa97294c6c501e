import type { RunProgress } from '#shared/schemas/run.ts';
import { isSilent } from '#shared/silence.ts';
import { toMillis } from '#shared/syntax.ts';

/**
 * Whether a RUNNING run is silent at `nowMillis` of the service's clock: according to the service, or because enough
 * time has passed since its response. No request is needed: a new row of the run would have changed the database.
 */
export function isSilentAt(progress: RunProgress, nowMillis: number): boolean {
  const { silent, lastActivityAt, secondsPerIteration: gap } = progress;
  const gapMillis = gap === null ? null : gap * 1_000;
  return silent || isSilent(toMillis(lastActivityAt), gapMillis, nowMillis);
}
