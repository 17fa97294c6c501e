import { workerData } from 'node:worker_threads';
import { MemoStore } from '#server/analysis/memo.ts';
import {
  readPackedTraces,
  ThreadTraces,
  type PackedTrace,
  type SharedTrace,
  type TraceToRead,
} from '#server/analysis/shared-traces.ts';
import type { Database } from '#server/db/database.ts';
import type { ExplainedError } from '#server/db/dialect.ts';
import { openDatabase, toOpeningFailure } from '#server/db/open.ts';
import { LostLogError, StartUpError } from '#server/db/start-up-error.ts';
import { makeDatabaseFailure, ProblemError } from '#server/errors.ts';
import { trimHeap } from './heap.ts';
import { readState, runHandler, type WrittenResponse } from './run-handler.ts';
import { serveTasks, type TaskContext } from './tasks.ts';
import type { TraceFiles } from './trace-files.ts';
import type {
  ThreadData,
  ThreadEvent,
  ThreadResult,
  ThreadTask,
  SharedTraceRequest,
  Work,
  WorkResult,
} from './work.ts';

/**
 * Maximum length of the body of a handler's response that a thread sends as a string, in UTF-16 code units. The thread
 * transfers a longer body as bytes instead of copying it.
 */
const maximumTextLength = 65_536;

/** Interval at which a thread checks whether the files at the paths of the database are still its open files. */
const checkMillis = 1_000;

const {
  databaseUrl,
  isReadOnly,
  maximumConnections,
  lockTimeoutMillis,
  memoBytes,
  traceFiles,
  ...service
} = workerData as ThreadData;

const thread = serveTasks<ThreadTask, ThreadResult>({
  run,
  getTransferList: (outcome) => {
    const { body } = (
      outcome && 'result' in outcome ? outcome.result : {}
    ) as Partial<WrittenResponse>;
    return body instanceof Uint8Array ? [body.buffer] : [];
  },
  onIdle: trimHeap,
  close: closeDatabase,
});
const { logger } = thread;
const traces = new ThreadTraces(
  async (request) => (await thread.request(request satisfies SharedTraceRequest)) as SharedTrace[],
  (usedChunks) => thread.emit({ usedChunks } satisfies ThreadEvent),
);
const memos = new MemoStore(memoBytes);

let databasePromise: Promise<Database> | undefined;
let currentDatabase: Database | undefined;
let lastFailure = '';

/**
 * Returns the open database. Opens it at the start of the thread, and again after a failure or {@link closeDatabase}.
 * Creates nothing: the service has checked that the file and all tables exist, so another program has deleted a missing
 * one. Rejects with the error of {@link toOpeningFailure}, with a {@link LostLogError}, or with an unknown error of the
 * driver.
 */
function open(): Promise<Database> {
  databasePromise ??= openDatabase(databaseUrl, {
    isReadOnly,
    maximumConnections,
    lockTimeoutMillis,
    isExistenceRequired: true,
    notify: (message) => logger.warn({}, message),
  }).then(
    (database) => {
      lastFailure = '';
      return (currentDatabase = database);
    },
    (error: unknown) => {
      databasePromise = undefined;
      if (error instanceof LostLogError) reportLoss();
      if (!(error instanceof StartUpError) || error instanceof LostLogError) throw error;
      if (error.message !== lastFailure) logger.warn({}, error.message);
      lastFailure = error.message;
      throw toOpeningFailure(error, databaseUrl);
    },
  );
  return databasePromise;
}

/**
 * Closes the database if it is open, and clears the cached intermediate results, because another file may be at its
 * path next time. Never rejects.
 */
async function closeDatabase(): Promise<void> {
  const previousPromise = databasePromise;
  currentDatabase = undefined;
  databasePromise = undefined;
  memos.clear();
  await previousPromise?.then((database) => database.close()).catch(() => {});
}

/**
 * Returns whether the files at the paths of the database are no longer the open files; false while the database is
 * closed.
 */
function isDatabaseLost(): boolean {
  return currentDatabase?.isCurrent() === false;
}

function reportLoss(): void {
  thread.emit('lost' satisfies ThreadEvent);
}

async function run(task: ThreadTask, context: TaskContext): Promise<ThreadResult> {
  if (task === 'open database') await open();
  else if (task === 'close database') await closeDatabase();
  else if (task === 'warm up') await warmUp(context);
  else if ('releasedChunks' in task) traces.release(task.releasedChunks);
  else return runJob(task, context);
  return undefined;
}

/** Runs small analyses. Loads the module on demand, because only analysis threads warm up. */
async function warmUp({ isCancelled }: TaskContext): Promise<void> {
  const { runSmallAnalyses } = await import('./warm-up.ts');
  await runSmallAnalyses(service, isCancelled);
}

async function runJob(work: Work, { isCancelled }: TaskContext): Promise<ThreadResult> {
  let database: Database | undefined;
  // The thread opens nothing before all threads have closed their connections: SQLite shares the index of a log within
  // a process.
  if (isDatabaseLost()) return { loss: 'before' };
  // The pool abandoned this thread before its start, and has queued its jobs again or rejected them.
  if (isCancelled()) return undefined;
  try {
    database = await open();
    const result = await runWork(work, database);
    // Another file at the path would lack the change that a result reports.
    if (!database.isCurrent()) return { loss: 'after' };
    return { result: 'name' in work ? encodeBody(result as WrittenResponse) : result };
  } catch (error) {
    const isRefused = error instanceof ProblemError && error.code === 'DATABASE_CHANGED';
    if (error instanceof LostLogError || (!isRefused && database?.isCurrent() === false)) {
      return { loss: database === undefined ? 'before' : 'after' };
    }
    const kind = database?.dialect.classifyFailure(error) ?? 'other';
    if (kind === 'other' || error instanceof ProblemError) throw error;
    if (kind === 'unavailable' && currentDatabase === database) void closeDatabase();
    throw makeDatabaseFailure(kind, error as ExplainedError);
  }
}

async function runWork(work: Work, database: Database): Promise<WorkResult> {
  if ('traces' in work) return readTraces(database, work.traces);
  if ('state' in work) return readState(database, work.state);
  if ('mlflow' in work) {
    // Few services get requests of MLflow, and each thread compiles the code that it loads.
    const { callMlflow } = await import('#server/mlflow/operations.ts');
    return callMlflow({ ...service, database }, work.mlflow);
  }
  const memo = memos.createRequestMemo();
  const context = { ...service, database, logger, traces, memo };
  return runHandler(context, work.name, work.input, work.identity);
}

let traceFilesPromise: Promise<TraceFiles> | undefined;

async function readTraces(
  database: Database,
  runs: readonly TraceToRead[],
): Promise<PackedTrace[]> {
  if (!traceFiles) return readPackedTraces(database, runs);
  // Few services cache traces on disk, and each thread compiles the code that it loads.
  traceFilesPromise ??= import('./trace-files.ts').then(
    (module) =>
      new module.TraceFiles(traceFiles, { notify: (message) => logger.warn({}, message) }),
  );
  return (await traceFilesPromise).readTraces(database, runs);
}

function encodeBody({ body, ...response }: WrittenResponse): WrittenResponse {
  const isLongText = typeof body === 'string' && body.length > maximumTextLength;
  return { ...response, body: isLongText ? new TextEncoder().encode(body) : body };
}

setInterval(() => isDatabaseLost() && reportLoss(), checkMillis).unref();
// Opens the database before the first job, which also loads the native code of SQLite.
open().catch(() => {});
thread.reportStart();
