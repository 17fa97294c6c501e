import type { Accessor } from 'solid-js';
import type { IterationRow } from '#shared/schemas/run.ts';
import { call } from './client.ts';
import { type QueryState, useLiveQuery } from './queries.ts';

/**
 * All iterations of a run without their telemetry. While `live`, a change fetches only rows after the
 * last cached one; cached rows keep their identity, so that a chart appends instead of redrawing.
 */
export function useIterations(
  runId: Accessor<string>,
  live: Accessor<boolean>,
): QueryState<readonly IterationRow[]> {
  return useLiveQuery<readonly IterationRow[]>(() => {
    const id = runId();
    return {
      key: ['iterations', id],
      fetchData: (signal, cached) => readIterations(id, signal, cached),
      live: live(),
    };
  });
}

async function readIterations(
  runId: string,
  signal: AbortSignal,
  cached: readonly IterationRow[] | undefined,
): Promise<readonly IterationRow[]> {
  const after = resumePoint(cached);
  const fresh = await listScalars(runId, signal, after);
  if (!cached || after === undefined) return fresh;
  return appendIterations(cached, fresh) ?? listScalars(runId, signal, undefined);
}

function listScalars(
  runId: string,
  signal: AbortSignal,
  after: number | undefined,
): Promise<IterationRow[]> {
  const query = { fields: 'scalars', after };
  return call('listIterations', { params: { runId }, query, signal }) as Promise<IterationRow[]>;
}

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
