import { parentPort, workerData } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';
import type { IndexOutcome } from '../dialect.ts';
import { buildSqliteIndex } from './sqlite-index-build.ts';
import type { IndexTask } from './sqlite-indexes.ts';

const lockWaitMillis = 5_000;

function run({ file, index }: IndexTask): IndexOutcome {
  const handle = new SqliteDatabase(file, { fileMustExist: true, timeout: lockWaitMillis });
  try {
    handle.pragma('synchronous = normal');
    return buildSqliteIndex(handle, index);
  } finally {
    handle.close();
  }
}

parentPort?.postMessage(run(workerData as IndexTask));
