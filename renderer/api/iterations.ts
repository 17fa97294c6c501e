import type { IterationRow } from '#shared/schemas/run.ts';

/**
 * The `after` to ask with so that the answer begins with the last row already cached; undefined (ask for
 * all) when nothing is cached or when its iteration number cannot be counted down.
 */
export function resumePoint(cached: readonly IterationRow[] | undefined): number | undefined {
  const last = cached?.at(-1)?.iteration;
  return typeof last === 'number' ? last - 1 : undefined;
}

/**
 * Cached rows with those that came after them, or null when the cached rows can no longer be trusted and all
 * must be read again. `fresh` is the answer to {@link resumePoint}: it repeats the last cached row. When
 * that row is gone or differs, the runner has written it anew (it upserts, and a resumed run goes back to
 * its checkpoint), so earlier rows may differ too. Cached rows keep their identity.
 */
export function appendIterations(
  cached: readonly IterationRow[],
  fresh: readonly IterationRow[],
): IterationRow[] | null {
  const last = cached.at(-1);
  const repeated = fresh[0];
  if (!last || !repeated || !isSameRow(last, repeated)) return null;
  return fresh.length === 1 ? (cached as IterationRow[]) : [...cached, ...fresh.slice(1)];
}

function isSameRow(one: IterationRow, other: IterationRow): boolean {
  return (Object.keys(one) as (keyof IterationRow)[]).every((key) => one[key] === other[key]);
}
