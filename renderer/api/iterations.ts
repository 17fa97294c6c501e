import type { Accessor } from 'solid-js';
import type { IterationRow } from '#shared/schemas/run.ts';
import { call } from './client.ts';
import { type QueryState, useLiveQuery } from './queries.ts';

/**
 * Fetches all iterations of a run without their telemetry. While the run is running, a change fetches only rows after
 * the last cached one; cached rows keep their identity, so that a chart appends instead of redrawing.
 */
export function useIterations(
  runId: Accessor<string>,
  isRunning: Accessor<boolean>,
): QueryState<readonly IterationRow[]> {
  return useLiveQuery<readonly IterationRow[]>('iterations', () => {
    const id = runId();
    return {
      key: ['iterations', id],
      fetchData: (signal, cached) => readIterations(id, signal, cached),
      isRunning: isRunning(),
    };
  });
}

async function readIterations(
  runId: string,
  signal: AbortSignal,
  cached: readonly IterationRow[] | undefined,
): Promise<readonly IterationRow[]> {
  const after = getResumePoint(cached);
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
 * Returns the `after` whose response starts with the last cached row; undefined (fetch all) when nothing is cached or
 * its iteration number cannot be decremented.
 */
export function getResumePoint(cached: readonly IterationRow[] | undefined): number | undefined {
  const last = cached?.at(-1)?.iteration;
  return typeof last === 'number' ? last - 1 : undefined;
}

/**
 * Returns cached rows with the rows after them, or null when the cached rows may be wrong and all must be read again.
 * `fresh` is the response to {@link getResumePoint}: it repeats the last cached row. When that row is missing or
 * differs, the runner has rewritten it (it upserts, and a resumed run goes back to its checkpoint), so earlier rows may
 * also differ. Cached rows keep their identity.
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
