import type { Accessor } from 'solid-js';
import type { HeatMap, Insights } from '#shared/schemas/insights.ts';
import { call } from './client.ts';
import { type QueryState, useEndpoint, useLiveQuery } from './queries.ts';

/** Maximum number of columns of a heat map; the service thins more, and only it knows how. */
const mostColumns = 400;

/**
 * Fetches the telemetry of a run while `enabled`. While the run is running, a change fetches only the data after the
 * last cached iteration, until the service thins it.
 */
export function useInsights(
  runId: Accessor<string>,
  isRunning: Accessor<boolean>,
  enabled: Accessor<boolean>,
): QueryState<Insights> {
  return useLiveQuery<Insights>('insights', () => {
    const id = runId();
    return {
      key: ['insights', id],
      fetchData: (signal, cached) => readInsights(id, signal, cached),
      isRunning: isRunning(),
      enabled: enabled(),
    };
  });
}

/**
 * Fetches the diagnosis of a run without its telemetry while `enabled`: the response after the largest possible
 * iteration.
 */
export function useDiagnosis(
  runId: Accessor<string>,
  isRunning: Accessor<boolean>,
  enabled: Accessor<boolean>,
): QueryState<Insights> {
  return useEndpoint(
    'getInsights',
    () => ({
      params: { runId: runId() },
      query: { after: Number.MAX_SAFE_INTEGER },
      isRunning: isRunning(),
      enabled: enabled(),
    }),
    'diagnosis',
  );
}

async function readInsights(
  runId: string,
  signal: AbortSignal,
  cached: Insights | undefined,
): Promise<Insights> {
  const read = (after: number | undefined) =>
    call('getInsights', { params: { runId }, query: { after }, signal });
  const last = cached?.iterations.at(-1);
  if (!cached || last === undefined) return read(undefined);
  return appendInsights(cached, await read(last - 1)) ?? read(undefined);
}

/**
 * Returns cached telemetry with the data after it, or null when all must be read again: something is thinned, the last
 * cached iteration, which `fresh` repeats, has changed, or the family or the rows of a heat map have.
 */
export function appendInsights(cached: Insights, fresh: Insights): Insights | null {
  const count = cached.iterations.length;
  const isSameRow =
    cached.iterations[count - 1] === fresh.iterations[0] &&
    cached.evaluations[count - 1] === fresh.evaluations[0] &&
    Object.entries(cached.series).every(
      ([key, values]) => values[count - 1] === (fresh.series[key]?.[0] ?? null),
    );
  const heatmaps = makeAppendedMaps(cached.heatmaps, fresh.heatmaps);
  if (!isSameRow || !heatmaps || cached.thinnedIterations !== null) return null;
  if (fresh.thinnedIterations !== null || cached.family !== fresh.family) return null;
  const newIterations = fresh.iterations.length - 1;
  if (newIterations === 0) return { ...cached, diagnosis: fresh.diagnosis };
  const last = cached.iterations[count - 1] ?? Infinity;
  const series = (key: 'series' | 'model') =>
    makeAppendedSeries(cached[key], fresh[key], count, newIterations);
  return {
    ...fresh,
    iterations: [...cached.iterations, ...fresh.iterations.slice(1)],
    evaluations: [...cached.evaluations, ...fresh.evaluations.slice(1)],
    series: series('series'),
    model: series('model'),
    heatmaps,
    edges: getNewest(cached.edges, fresh.edges),
    clusters: getNewest(cached.clusters, fresh.clusters),
    adjacency: getNewest(cached.adjacency, fresh.adjacency),
    eigenvalues: getAppendedEigenvalues(cached.eigenvalues, fresh.eigenvalues, last),
    adaptiveActions: [
      ...cached.adaptiveActions,
      ...fresh.adaptiveActions.filter(({ iteration }) => iteration > last),
    ],
  };
}

function getNewest<Item>(cached: Item[], fresh: Item[]): Item[] {
  return fresh.length > 0 ? fresh : cached;
}

type Numbers = (number | null)[];

function makeAppendedSeries(
  cached: Record<string, Numbers>,
  fresh: Record<string, Numbers>,
  count: number,
  newIterations: number,
): Record<string, Numbers> {
  const missing = (length: number): Numbers => Array.from({ length }, () => null);
  return Object.fromEntries(
    [...new Set([...Object.keys(cached), ...Object.keys(fresh)])].map((key) => [
      key,
      [...(cached[key] ?? missing(count)), ...(fresh[key]?.slice(1) ?? missing(newIterations))],
    ]),
  );
}

/** Returns null if maps of one kind have different rows, or one would be thinned. */
function makeAppendedMaps(cached: HeatMap[], fresh: HeatMap[]): HeatMap[] | null {
  if (fresh.length > 0 && fresh.length !== cached.length) return null;
  const maps = cached.map((map) => {
    const more = fresh.find(({ key }) => key === map.key);
    const iterations = [...map.iterations, ...(more?.iterations.slice(1) ?? [])];
    const isWhole = map.thinnedColumns === null && !more?.thinnedColumns;
    const hasSameRows = map.rows.join() === more?.rows.join();
    if (!isWhole || !hasSameRows || iterations.length > mostColumns) return null;
    const cells = map.cells.map((row, index) => [...row, ...(more.cells[index]?.slice(1) ?? [])]);
    return { ...map, iterations, cells };
  });
  return maps.every((map) => map !== null) ? maps : null;
}

function getAppendedEigenvalues(
  cached: Insights['eigenvalues'],
  fresh: Insights['eigenvalues'],
  last: number,
): Insights['eigenvalues'] {
  if (cached.iterations.length === 0) return fresh;
  const start = fresh.iterations.findIndex((iteration) => iteration > last);
  if (start < 0) return cached;
  return {
    iterations: [...cached.iterations, ...fresh.iterations.slice(start)],
    values: cached.values.map((row, rank) => [
      ...row,
      ...(fresh.values[rank] ?? fresh.iterations.map(() => null)).slice(start),
    ]),
  };
}
