import { parentPort, workerData } from 'node:worker_threads';
import type { Database } from '#server/db/database.ts';
import { openDatabase } from '#server/db/open.ts';
import { StartUpError } from '#server/db/start-up-error.ts';
import type { DatabaseUrl } from '#server/db/url.ts';
import { databaseFailure } from '#server/errors.ts';
import { runTask, type AnalysisTask } from './tasks.ts';
import { sendError, type WorkerReply, type WorkerRequest } from './worker-messages.ts';

/** A thread works on one task at a time, and a task asks one thing at a time. */
const maximumConnections = 1;

let opened: Database | undefined;

/** The database, opened for reading at the first task, and again at the next one when that failed. */
async function open(): Promise<Database> {
  try {
    opened ??= await openDatabase(workerData as DatabaseUrl, {
      readOnly: true,
      maximumConnections,
    });
    return opened;
  } catch (error) {
    throw error instanceof StartUpError ? databaseFailure('unavailable') : error;
  }
}

async function answer(task: AnalysisTask): Promise<WorkerReply> {
  try {
    return { text: await runTask(await open(), task) };
  } catch (error) {
    return sendError(error, (cause) => opened?.dialect.failureKind(cause) ?? 'other');
  }
}

async function end(): Promise<void> {
  await opened?.close();
  parentPort?.close();
}

parentPort?.on('message', (request: WorkerRequest) => {
  if (request === 'end') void end();
  else void answer(request.task).then((reply) => parentPort?.postMessage(reply));
});
