import { parentPort, workerData } from 'node:worker_threads';
import type { IndexOutcome } from '../dialect.ts';
import { LostLogError } from '../start-up-error.ts';
import { closeFile, connectFile } from './sqlite-connect.ts';
import { buildSqliteIndex } from './sqlite-index-build.ts';
import type { IndexTask } from './sqlite-indexes.ts';

const lockWaitMillis = 5_000;

function run({ place, index, cancelled }: IndexTask): IndexOutcome {
  const handle = connectFile(place, 'write');
  try {
    handle.pragma(`busy_timeout = ${lockWaitMillis}`);
    handle.pragma('synchronous = normal');
    return buildSqliteIndex(handle, index, undefined, () => Atomics.load(cancelled, 0) === 1);
  } finally {
    closeFile(handle);
  }
}

/** The outcome; a file whose log was replaced is tried again once all threads have closed it. */
function runUnlessLost(task: IndexTask): IndexOutcome {
  try {
    return run(task);
  } catch (error) {
    if (!(error instanceof LostLogError)) throw error;
    return { state: 'postponed', detail: error.message };
  }
}

parentPort?.postMessage(runUnlessLost(workerData as IndexTask));
