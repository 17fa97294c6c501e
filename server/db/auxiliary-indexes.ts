import { setTimeout as delay } from 'node:timers/promises';
import type { AuxiliaryIndex, DatabaseDialect } from './dialect.ts';
import type { Database } from './database.ts';

/**
 * What an analysis reads of iterations, without the 10 to 50 kB of JSON that lie in the same row: first
 * hits and per-budget minima of millions of iterations come out of this index alone.
 */
export const iterationScalars: AuxiliaryIndex = {
  name: 'idx_evoscope_iteration_scalars',
  table: 'iterations',
  columns: ['run_id', 'iteration', 'evaluations', 'best_fitness', 'mean_fitness', 'std_fitness'],
};

/** The first page of runs by start time, which are ordered by code point; SQLite's own index serves there. */
const runsByStart: AuxiliaryIndex = {
  name: 'idx_evoscope_runs_start_time',
  table: 'runs',
  columns: ['start_time'],
  newestFirst: true,
};

/** What experiments are told by from their runs, whose rows are long: counters, extremes, latest start. */
const runsByExperiment: AuxiliaryIndex = {
  name: 'idx_evoscope_runs_experiment',
  table: 'runs',
  columns: ['experiment_id', 'status', 'start_time', 'best_fitness'],
};

const retryMillis = 60_000;

export interface AuxiliaryIndexOptions {
  /** Ends the waiting and gives up. */
  signal?: AbortSignal | undefined;
  notify?: ((message: string) => void) | undefined;
  /** Builds an index; by default {@link DatabaseDialect.makeIndex}, which blocks this thread on SQLite. */
  makeIndex?: DatabaseDialect['makeIndex'];
}

/**
 * Makes the indexes that only this service needs, beyond the 16 of the runner, as they are missing; a
 * read-only database gets none. Settles when they are there, failed, or the signal says so; an index that
 * would hold up a live runner is tried again every minute. Never throws: without them all answers are the
 * same, only slower.
 */
export async function createAuxiliaryIndexes(
  database: Database,
  {
    signal = new AbortController().signal,
    notify = () => {},
    makeIndex = (index, cancelled) => database.dialect.makeIndex(index, cancelled),
  }: AuxiliaryIndexOptions = {},
): Promise<void> {
  if (database.readOnly) return;
  const indexes =
    database.dialect.name === 'sqlite'
      ? [iterationScalars, runsByExperiment]
      : [iterationScalars, runsByExperiment, runsByStart];
  for (const index of indexes) {
    let lastDetail = '';
    while (!signal.aborted) {
      const { state, detail } = await makeIndex(index, signal);
      if (state !== 'present' && detail !== lastDetail && !signal.aborted) {
        notify(`Index ${index.name} ${state}: ${detail}`);
      }
      lastDetail = detail;
      if (state !== 'postponed') break;
      // Ends early when the signal is aborted.
      await delay(retryMillis, undefined, { signal, ref: false }).catch(() => {});
    }
  }
}
