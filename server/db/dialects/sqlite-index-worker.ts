import { parentPort, workerData } from 'node:worker_threads';
import type { IndexOutcome } from '../dialect.ts';
import { connectFile } from './sqlite-connect.ts';
import { buildSqliteIndex } from './sqlite-index-build.ts';
import type { IndexTask } from './sqlite-indexes.ts';

const lockWaitMillis = 5_000;

function run({ place, index }: IndexTask): IndexOutcome {
  const handle = connectFile(place, 'write');
  try {
    handle.pragma(`busy_timeout = ${lockWaitMillis}`);
    handle.pragma('synchronous = normal');
    return buildSqliteIndex(handle, index);
  } finally {
    handle.close();
  }
}

parentPort?.postMessage(run(workerData as IndexTask));
