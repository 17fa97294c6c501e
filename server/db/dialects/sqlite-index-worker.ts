import { parentPort, workerData } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';
import type { IndexOutcome, OwnIndex } from '../dialect.ts';
import { isBusy, type SqliteHandle } from './sqlite-driver.ts';
import type { IndexTask } from './sqlite-indexes.ts';

/** A write lock of this length is nothing to a runner, which waits 10 s for one. */
const harmlessMillis = 2_000;
/** Building takes about this many times as long as reading the same columns out of the cache. */
const buildFactor = 3;
/** A warm reading is asked for only when the first one took longer. */
const coldMillis = harmlessMillis / buildFactor;
/** How long somebody else must not have written before a long build. */
const quietMillis = 5_000;
/** A RUNNING run that has written nothing for so long has died. */
const lifeMillis = 24 * 3_600_000;
/** Rows read between two moments at which the thread can be ended. */
const chunkRows = 20_000;
const lockWaitMillis = 5_000;

function makeIndex(handle: SqliteHandle, index: OwnIndex): IndexOutcome {
  if (exists(handle, index.name)) return { state: 'present', detail: 'was there' };
  const estimatedMillis = buildFactor * readingMillis(handle, index);
  if (estimatedMillis > harmlessMillis && seemsAlive(handle)) {
    return {
      state: 'postponed',
      detail: `it would lock the database for about ${Math.ceil(estimatedMillis / 1000)} s while a run is writing`,
    };
  }
  const start = performance.now();
  try {
    handle.exec(
      `create index if not exists ${index.name} on ${index.table} (${index.columns.join(', ')})`,
    );
  } catch (error) {
    if (!isBusy(error)) throw error;
    return { state: 'postponed', detail: 'the database is being written to' };
  }
  return { state: 'made', detail: `in ${Math.round(performance.now() - start)} ms` };
}

function exists(handle: SqliteHandle, name: string): boolean {
  return handle.prepare('select 1 from sqlite_schema where name = ?').get(name) !== undefined;
}

/** How long it takes to read what the index will hold, from the cache of the operating system. */
function readingMillis(handle: SqliteHandle, index: OwnIndex): number {
  const cold = readAll(handle, index);
  return cold > coldMillis ? readAll(handle, index) : cold;
}

function readAll(handle: SqliteHandle, { table, columns }: OwnIndex): number {
  const start = performance.now();
  const last = Number(handle.prepare(`select max(id) from ${table}`).pluck().get() ?? 0);
  const sums = columns.map((column) => `max(${column})`).join(', ');
  const chunk = handle.prepare(`select ${sums} from ${table} not indexed where id > ? and id <= ?`);
  for (let id = 0; id < last; id += chunkRows) chunk.get(id, id + chunkRows);
  return performance.now() - start;
}

/** Whether a run says RUNNING and wrote lately, or anybody writes while this looks. */
function seemsAlive(handle: SqliteHandle): boolean {
  const since = new Date(Date.now() - lifeMillis).toISOString();
  const running = handle.prepare(`
    select 1 from runs where status = 'RUNNING' and (start_time >= @since or (
      select created_at from iterations where iterations.run_id = runs.run_id
      order by iteration desc limit 1) >= @since) limit 1`);
  if (running.get({ since }) !== undefined) return true;
  const before = handle.pragma('data_version', { simple: true });
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, quietMillis);
  return handle.pragma('data_version', { simple: true }) !== before;
}

function run({ file, index }: IndexTask): IndexOutcome {
  const handle = new SqliteDatabase(file, { fileMustExist: true, timeout: lockWaitMillis });
  try {
    handle.pragma('synchronous = normal');
    return makeIndex(handle, index);
  } finally {
    handle.close();
  }
}

parentPort?.postMessage(run(workerData as IndexTask));
