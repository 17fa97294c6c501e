import {
  type IndexOutcome,
  type AuxiliaryIndex,
  harmlessLockSeconds,
  recentWriteMillis,
} from '../dialect.ts';
import { LostLogError } from '../start-up-error.ts';
import {
  closeFile,
  connectFile,
  type FileLocation,
  isBusy,
  type SqliteHandle,
} from './sqlite-file.ts';
import { write, isWrittenByOthers } from './sqlite-driver.ts';

/** Limits for postponing a build while other programs write. */
export interface BuildLimits {
  /** Maximum duration of a write lock that blocks no runner for long. */
  harmlessMillis: number;
  /** Time without writes of other programs before a longer build starts. */
  quietMillis: number;
}

const defaultLimits: BuildLimits = {
  harmlessMillis: harmlessLockSeconds * 1_000,
  quietMillis: recentWriteMillis,
};

/** Approximate duration of a build, as a multiple of the time for reading the same columns from the cache. */
const buildFactor = 3;
/** Time without a start or a write after which a RUNNING run counts as ended. */
const maximumSilenceMillis = 24 * 3_600_000;
/** Number of rows between two checks for a cancellation of the build. */
const rowsPerChunk = 20_000;

/** Time after which a build no longer retries to take the write lock. */
const lockWaitMillis = 5_000;
/**
 * Time between two checks for a cancellation during the wait for the write lock. The stop of the service waits for the
 * build.
 */
const lockCheckMillis = 250;

/**
 * Builds an index of a SQLite file with a separate connection and blocks this thread; see {@link buildSqliteIndex}.
 * Never throws: after an error, the state is `postponed` or `failed`.
 */
export function createSqliteIndex(
  location: FileLocation,
  index: AuxiliaryIndex,
  isCancelled: () => boolean,
): IndexOutcome {
  try {
    const handle = connectFile(location, 'write');
    try {
      handle.pragma(`busy_timeout = ${lockCheckMillis}`);
      handle.pragma('synchronous = normal');
      return buildSqliteIndex(handle, index, undefined, isCancelled);
    } finally {
      closeFile(handle);
    }
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return makePostponement(error) ?? { state: 'failed', detail };
  }
}

/** Returns the outcome for an error after which a later attempt can succeed; null for other errors. */
function makePostponement(error: unknown): IndexOutcome | null {
  // A later attempt succeeds after all threads have closed the replaced file.
  if (error instanceof LostLogError) return { state: 'postponed', detail: error.message };
  if (!isBusy(error)) return null;
  return { state: 'postponed', detail: 'another program is writing to the database' };
}

/**
 * Creates an index and blocks this thread. A build holds the write lock until its end, and nothing can interrupt it.
 * The function therefore first estimates the time of the build by reading the same columns. It postpones a long build
 * while another program writes, or while a run is RUNNING and started or wrote within a day, because no request waits
 * for an index. It also postpones a build in three cases: another program holds the write lock, another program has
 * replaced the file or its write-ahead log, or `isCancelled` returns true during the reading or the wait for the lock.
 * If the index exists, the function only drops the index that it replaces. Throws the other errors of SQLite, and
 * SQLITE_BUSY for a read. Throws a {@link LostLogError} only if the index exists.
 */
export function buildSqliteIndex(
  handle: SqliteHandle,
  index: AuxiliaryIndex,
  { harmlessMillis, quietMillis } = defaultLimits,
  isCancelled: () => boolean = () => false,
): IndexOutcome {
  if (hasSchemaEntry(handle, index.name)) {
    dropReplacedIndex(handle, index);
    return { state: 'existing', detail: 'it exists already' };
  }
  const estimatedMillis =
    buildFactor * measureReadingMillis(handle, index, harmlessMillis, isCancelled);
  if (isCancelled()) return { state: 'postponed', detail: 'the service cancelled its build' };
  if (estimatedMillis > harmlessMillis && isProbablyUsed(handle, quietMillis)) {
    return {
      state: 'postponed',
      detail: `it would lock the database for about ${Math.ceil(estimatedMillis / 1000)} s while another program may be writing`,
    };
  }
  const start = performance.now();
  try {
    createIndex(handle, index, isCancelled);
    dropReplacedIndex(handle, index);
  } catch (error) {
    const postponement = makePostponement(error);
    if (postponement === null) throw error;
    return postponement;
  }
  return { state: 'built', detail: `in ${Math.round(performance.now() - start)} ms` };
}

/**
 * Creates an index. Throws SQLITE_BUSY if another program holds the write lock for longer than {@link lockWaitMillis},
 * or until `isCancelled` returns true. Throws the other errors of {@link write}.
 */
function createIndex(
  handle: SqliteHandle,
  { name, table, columns }: AuxiliaryIndex,
  isCancelled: () => boolean,
): void {
  const start = performance.now();
  const creation = `create index if not exists ${name} on ${table} (${columns.join(', ')})`;
  for (;;) {
    try {
      return void write(handle, () => handle.exec(creation));
    } catch (error) {
      const isLate = performance.now() - start > lockWaitMillis;
      if (!isBusy(error) || isLate || isCancelled()) throw error;
    }
  }
}

/**
 * Drops the index of an earlier version if it exists. If another program holds the write lock, the service retries
 * after its next start.
 */
function dropReplacedIndex(handle: SqliteHandle, { replaces }: AuxiliaryIndex): void {
  if (replaces === undefined || !hasSchemaEntry(handle, replaces)) return;
  try {
    write(handle, () => handle.exec(`drop index if exists ${replaces}`));
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}

function hasSchemaEntry(handle: SqliteHandle, name: string): boolean {
  return handle.prepare('select 1 from sqlite_schema where name = ?').get(name) !== undefined;
}

/**
 * Returns the time for reading the columns of the index, in milliseconds. If a build would take long, returns the time
 * of a second reading, which uses the cache of the operating system. Returns early if `isCancelled` returns true.
 */
function measureReadingMillis(
  handle: SqliteHandle,
  index: AuxiliaryIndex,
  harmlessMillis: number,
  isCancelled: () => boolean,
): number {
  const firstMillis = measureReading(handle, index, isCancelled);
  return firstMillis * buildFactor > harmlessMillis
    ? measureReading(handle, index, isCancelled)
    : firstMillis;
}

function measureReading(
  handle: SqliteHandle,
  { table, columns }: AuxiliaryIndex,
  isCancelled: () => boolean,
): number {
  const start = performance.now();
  const lastRow = Number(handle.prepare(`select max(rowid) from ${table}`).pluck().get() ?? 0);
  const maxima = columns.map((column) => `max(${column})`).join(', ');
  const chunkQuery = handle.prepare(
    `select ${maxima} from ${table} not indexed where rowid > ? and rowid <= ?`,
  );
  for (let row = 0; row < lastRow && !isCancelled(); row += rowsPerChunk) {
    chunkQuery.get(row, row + rowsPerChunk);
  }
  return performance.now() - start;
}

/**
 * Returns whether a run is RUNNING and started or wrote within a day, or another program wrote within `quietMillis`.
 */
function isProbablyUsed(handle: SqliteHandle, quietMillis: number): boolean {
  const earliestTime = new Date(Date.now() - maximumSilenceMillis).toISOString();
  const runningRunQuery = handle.prepare(`
    select 1 from runs where upper(status) = 'RUNNING' and (start_time >= @earliestTime or (
      select created_at from iterations where iterations.run_id = runs.run_id
      order by iteration desc limit 1) >= @earliestTime) limit 1`);
  return (
    runningRunQuery.get({ earliestTime }) !== undefined ||
    isWrittenByOthers(handle.name, quietMillis)
  );
}
