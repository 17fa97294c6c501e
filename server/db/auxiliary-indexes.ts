import { sql } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import type { AuxiliaryIndex, DatabaseDialect } from './dialect.ts';
import type { Database } from './database.ts';

/**
 * Index over the columns of iterations that an analysis reads. With this index, an analysis reads millions of
 * iterations without the 10 to 50 kB of JSON that each row also contains.
 */
export const iterationScalars: AuxiliaryIndex = {
  name: 'idx_evoscope_iteration_scalars',
  table: 'iterations',
  columns: ['run_id', 'iteration', 'evaluations', 'best_fitness', 'mean_fitness', 'std_fitness'],
};

/**
 * Index over the columns of runs that lists of experiments need (counters, extremes, latest start), because rows of
 * runs are long.
 */
const runsByExperiment: AuxiliaryIndex = {
  name: 'idx_evoscope_runs_experiment',
  table: 'runs',
  columns: ['experiment_id', 'status', 'start_time', 'best_fitness'],
};

/**
 * Returns four indexes. The first two contain all columns that pages of runs by start time and by best fitness read,
 * with texts in code point order. The database therefore reads no row of earlier pages to find a distant page. In the
 * third index, the latest start of each experiment is at one end of the entries of the experiment. In the fourth index,
 * the lowest and the highest best fitness are at the two ends. Times and best fitness are the expressions by which
 * lists sort. The fourth index also contains the runtimes, for their sum.
 */
function listRunIndexes({ kysely, dialect }: Database): AuxiliaryIndex[] {
  const isSqlite = dialect.name === 'sqlite';
  const orderNewestFirst = (column: string) =>
    isSqlite ? column : `${column} collate "C" desc nulls last`;
  const start = "replace(start_time, 'Z', '!')";
  const bestFitness = dialect
    .selectFiniteNumber(sql.ref<number | null>('best_fitness'))
    .compile(kysely).sql;
  return [
    {
      name: 'idx_evoscope_runs_start',
      table: 'runs',
      columns: [orderNewestFirst('start_time'), orderNewestFirst('run_id')],
      replaces: 'idx_evoscope_runs_start_time',
    },
    {
      name: 'idx_evoscope_runs_best',
      table: 'runs',
      columns: [
        isSqlite ? bestFitness : `(${bestFitness}) desc nulls last`,
        orderNewestFirst('run_id'),
      ],
      include: isSqlite ? [] : ['best_fitness'],
    },
    {
      name: 'idx_evoscope_runs_latest',
      table: 'runs',
      columns: ['experiment_id', orderNewestFirst(`(${start})`)],
      include: isSqlite ? [] : ['start_time'],
    },
    {
      name: 'idx_evoscope_runs_extremes',
      table: 'runs',
      columns: [
        'experiment_id',
        isSqlite ? bestFitness : `(${bestFitness}) desc nulls last`,
        ...(isSqlite ? ['runtime_millis'] : []),
      ],
      include: isSqlite ? [] : ['best_fitness', 'runtime_millis'],
    },
  ];
}

const retryMillis = 60_000;

/** Options for building the auxiliary indexes. */
export interface AuxiliaryIndexOptions {
  /** Cancels the build (on SQLite only before it starts) and the wait before the next attempt. */
  signal?: AbortSignal | undefined;
  /** Receives a message about each built or failed index, and about a postponed one whenever the reason changes. */
  notify?: ((message: string) => void) | undefined;
  /** Builds an index; by default {@link DatabaseDialect.buildIndex}, which blocks this thread on SQLite. */
  buildIndex?: DatabaseDialect['buildIndex'];
}

/**
 * Creates the missing indexes that only this service needs, in addition to the 16 of the runner. Creates none in a
 * read-only database. Resolves when each index exists or its build has failed, or the signal is aborted. Retries a
 * postponed build every minute. `buildIndex` postpones, for example, a build that would block a writing runner.
 * Continues after a failed build, because without the indexes all responses are the same, but slower.
 */
export async function createAuxiliaryIndexes(
  database: Database,
  {
    signal = new AbortController().signal,
    notify = () => {},
    buildIndex = (index, cancellation) => database.dialect.buildIndex(index, cancellation),
  }: AuxiliaryIndexOptions = {},
): Promise<void> {
  if (database.isReadOnly) return;
  for (const index of [iterationScalars, runsByExperiment, ...listRunIndexes(database)]) {
    let lastDetail = '';
    while (!signal.aborted) {
      const { state, detail } = await buildIndex(index, signal);
      if (state !== 'existing' && detail !== lastDetail && !signal.aborted) {
        const remedy =
          state === 'failed'
            ? '. Restart the service to retry; until then, responses are slower'
            : '';
        notify(`Index ${index.name} ${state}: ${detail}${remedy}`);
      }
      lastDetail = detail;
      if (state !== 'postponed') break;
      // The wait ends early when the caller aborts the signal.
      await delay(retryMillis, undefined, { signal, ref: false }).catch(() => {});
    }
  }
}
