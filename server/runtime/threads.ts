import { availableParallelism } from 'node:os';
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { MemoStore } from '#server/analysis/memo.ts';
import {
  readPackedTraces,
  type ReadTraces,
  type TraceStore,
} from '#server/analysis/shared-traces.ts';
import {
  getAffinity,
  handlers,
  type Context,
  type ThreadName,
  type HandledName,
} from '#server/handlers.ts';
import { callMlflow, isWrite, type MlflowCall } from '#server/mlflow/operations.ts';
import { maximumServerConnections } from '#server/db/dialect.ts';
import { collectGarbage } from './heap.ts';
import { ThreadPool, type PoolOptions } from './pool.ts';
import { readState, runHandler, type StateName, type WrittenResponse } from './run-handler.ts';
import type { TraceFilesData } from './trace-files.ts';
import type { ThreadData } from './work.ts';

/** Runs handlers, each in the thread that its entry in {@link handlers} names. */
export interface Threads {
  /** Runs a handler; see {@link runHandler}. Rejects with its error, or like {@link ThreadPool.run}. */
  run(
    name: HandledName,
    input: unknown,
    identity?: string,
    signal?: AbortSignal,
  ): Promise<WrittenResponse>;
  /** Runs an operation of MLflow; see {@link callMlflow}. Rejects with its error, or like {@link ThreadPool.run}. */
  callMlflow(call: MlflowCall): Promise<string>;
  readTraces: ReadTraces;
  /** Starts the threads of analyses, so the first analysis does not wait for them. */
  startAnalysis(): void;
  /** Starts the threads of analyses, and makes them compile their code while they have no jobs. */
  warmUp(): void;
  /** Reads a property of the state of the database; see {@link readState}. */
  readState(state: StateName): Promise<string>;
  /**
   * Makes all threads reopen the database, for example after another program has replaced its files. Does nothing for a
   * database in memory.
   */
  reopen(): Promise<void>;
  /** Finishes pending requests, unless `abortSignal` is aborted before; settles when the threads have ended. */
  close(abortSignal?: AbortSignal): Promise<void>;
}

/**
 * Limits of the memory for new objects of a thread, in megabytes. Without them, each thread uses more than 100 MB after
 * some time. Analyses and long lists create most objects; with less memory they take longer.
 */
const newObjectMegabytes: Readonly<Record<ThreadName, number>> = {
  watcher: 3,
  reader: 24,
  analysis: 24,
  writer: 3,
};

/** Number of connections of the thread that responds to requests: one may build an index, one polls for changes. */
export const requestConnections = 2;

/**
 * Maximum wait of a read for a table that another program has locked; only for PostgreSQL. It is short because other
 * requests share the thread and its connections.
 */
export const readLockMillis = 500;

/**
 * Maximum number of waiting jobs of a pool, except the pool of analyses. No client sends so many requests at the same
 * time.
 */
const maximumWaitingJobs = 512;

/**
 * Deadline of a job, see {@link PoolOptions.deadlineMillis}; undefined for no deadline. After the deadline, the
 * response is 503.
 */
const deadlineMillis: Readonly<Record<ThreadName, number | undefined>> = {
  // The response of health must arrive within 2 s.
  watcher: 1_500,
  reader: 30_000,
  analysis: 120_000,
  // A change waits at most 10 s for other writers, and the client must learn its outcome.
  writer: undefined,
};

/** Options for the threads of a service. */
export interface ThreadOptions extends Partial<PoolOptions> {
  /** The file of the threads' program; by default `worker.ts` in this folder, or `worker.js` in a bundle. */
  program?: string | undefined;
  /** Time without a request after which the service clears caches and ends idle threads. */
  idleMillis?: number | undefined;
}

/** The context of the handlers in all threads, and the options of their caches. */
export interface ThreadContext extends Omit<Context, 'traces' | 'memo'> {
  traces: TraceStore;
  /** Limit of the cached intermediate results in all analysis threads together, in bytes; positive. */
  memoBytes: number;
  /** The cache of traces on disk; undefined without one. */
  traceFiles?: TraceFilesData | undefined;
}

/** Default of {@link ThreadOptions.idleMillis}. */
const defaultIdleMillis = 120_000;

/** Requests of programs that watch the service. The service counts as idle despite them. */
const watchingRequests = new Set<HandledName>(['getHealth', 'watchChanges']);

/** Maximum wait of requests while the threads reopen a database. After it, the requests get 503. */
const reopeningMillis = 2_000;

/** Steps outside of the threads when the threads reopen a database or the service is idle. */
export interface Reopening {
  /** Closes the connections outside of the threads, then calls `reopen`. */
  pauseDuringReopening: (reopen: () => Promise<void>) => Promise<void>;
  /**
   * Clears the caches of traces and responses: after another program has replaced the files, and when the service is
   * idle.
   */
  clearCaches: () => void;
}

/**
 * Creates the threads of a service, each with its own connections to the database: two that read, one that writes, and
 * several that analyse. The number of analysis threads is one less than the number of processors, because other
 * requests need a processor, and at most the number of remaining connections. There are at least two analysis threads,
 * which share the reading of traces. One more thread watches a SQLite file, because this thread has no connection to
 * it. This thread queries a database in memory, because no other thread can open it. When another program has replaced
 * or deleted the file or its log, all threads close the database before any of them opens it again.
 */
export function createThreads(
  context: ThreadContext,
  options: ThreadOptions = {},
  reopening?: Reopening,
): Threads {
  const { location, dialect } = context.database;
  const isBlocking = dialect.concurrentQueries === 1;
  const isInMemory = location.dialect === 'sqlite' && location.file === ':memory:';
  let pendingReopening: Promise<void> | undefined;
  const reopen = async () => {
    if (pools === undefined) return;
    pendingReopening ??= reopenAll(pools, context, reopening).finally(
      () => (pendingReopening = undefined),
    );
    await pendingReopening;
  };
  const pools = isInMemory
    ? undefined
    : createPools(context, dialect.concurrentQueries, { onLoss: () => void reopen(), ...options });
  const memos = new MemoStore(context.memoBytes);
  context.traces.onRelease = (chunks) => {
    for (const pool of Object.values(pools ?? {})) pool.releaseTraces(chunks);
  };
  // A thread returns all memory of its heap only when it ends.
  const idleTimer = createIdleTimer(options.idleMillis ?? defaultIdleMillis, () => {
    reopening?.clearCaches();
    pools?.analysis.endIdleThreads();
    pools?.reader.endIdleThreads();
    collectGarbage();
  });
  pools?.reader.startThreads();
  if (isBlocking) pools?.watcher.startThreads();
  const watcher = isBlocking ? pools?.watcher : undefined;
  return {
    run: (name, input, identity, signal) => {
      const { thread } = handlers[name];
      if (!watchingRequests.has(name)) idleTimer.restart();
      const pool = thread === 'watcher' ? watcher : pools?.[thread];
      return pool === undefined
        ? runHandler({ ...context, memo: memos.createRequestMemo() }, name, input, identity)
        : pool.run(name, input, identity, { affinity: getAffinity(name, input), signal });
    },
    callMlflow: (call) => {
      idleTimer.restart();
      const pool = isWrite(call) ? pools?.writer : pools?.reader;
      return pool === undefined ? callMlflow(context, call) : pool.callMlflow(call);
    },
    startAnalysis: () => pools?.analysis.startThreads(),
    warmUp: () => pools?.analysis.warmUp(),
    readState: (state) => {
      // A request with a cached response runs no handler and reads only this state.
      if (state === 'readSnapshotKey') idleTimer.restart();
      return watcher?.readState(state) ?? readState(context.database, state);
    },
    readTraces: (runs) =>
      pools ? pools.analysis.readTraces(runs) : readPackedTraces(context.database, runs),
    reopen,
    close: async (abortSignal) => {
      idleTimer.cancel();
      const { watcher: watcherPool, ...otherPools } = pools ?? {};
      await Promise.all(Object.values(otherPools).map((pool) => pool.close(abortSignal)));
      // The last connection to close removes the log next to a SQLite file, but only if it can write. The connection of
      // the watcher can, unless the service is read-only.
      await watcherPool?.close(abortSignal);
    },
  };
}

/** Timer of the time without requests. */
interface IdleTimer {
  /** Starts the time again, at each request. Has no effect after `cancel`. */
  restart(): void;
  cancel(): void;
}

/** Returns a timer that calls `onIdle` when `millis` have passed since the last request. */
function createIdleTimer(millis: number, onIdle: () => void): IdleTimer {
  let timer: NodeJS.Timeout | undefined;
  let isCancelled = false;
  return {
    restart: () => {
      if (isCancelled) return;
      if (timer) timer.refresh();
      else timer = setTimeout(onIdle, millis).unref();
    },
    cancel: () => {
      isCancelled = true;
      clearTimeout(timer);
    },
  };
}

type Pools = Record<ThreadName, ThreadPool>;

/**
 * Makes all threads close the database, then open it again. Connections of a process to one file share the index of its
 * log: a new connection would use the old index while any old one is open. The function closes the writing connections
 * while reading ones are open. SQLite then does not write an old log into a file that may have changed.
 */
async function reopenAll(
  pools: Pools,
  { logger }: ThreadContext,
  reopening?: Reopening,
): Promise<void> {
  const { watcher, writer, reader, analysis } = pools;
  const allPools = [watcher, writer, reader, analysis];
  logger.warn(
    {},
    'Another program replaced or deleted the database file or its log, so the service reopens all connections',
  );
  for (const pool of allPools) pool.pause();
  const refusalTimer = setTimeout(
    () => allPools.forEach((pool) => pool.refuse()),
    reopeningMillis,
  ).unref();
  const reopen = async () => {
    await Promise.all([watcher.closeDatabase(), writer.closeDatabase()]);
    await Promise.all([reader.closeDatabase(), analysis.closeDatabase()]);
    reopening?.clearCaches();
    clearTimeout(refusalTimer);
    for (const pool of allPools) pool.resume();
  };
  await (reopening?.pauseDuringReopening(reopen) ?? reopen());
}

function createPools(
  context: ThreadContext,
  concurrentQueries: number,
  { program, idleMillis: _idleMillis, ...options }: ThreadOptions,
): Pools {
  const isOpenedReadOnly = context.database.isOpenedReadOnly;
  const createPool = (
    name: ThreadName,
    isReadOnly: boolean,
    maximumConnections: number,
    defaults: PoolOptions,
    memoBytes = minimumMemoBytes,
  ) =>
    new ThreadPool(
      () =>
        startWorker(context, program, {
          ...getAccess(name, isReadOnly, maximumConnections),
          memoBytes,
          newObjectMegabytes: newObjectMegabytes[name],
        }),
      context,
      {
        deadlineMillis: deadlineMillis[name],
        ...defaults,
        ...options,
      },
    );
  const [readingConnectionCount, writingConnectionCount] = [2 * concurrentQueries, 2];
  const remainingConnectionCount =
    maximumServerConnections - requestConnections - readingConnectionCount - writingConnectionCount;
  const analysisThreadCount = Math.max(
    2,
    Math.min(remainingConnectionCount, availableParallelism() - 1),
  );
  return {
    watcher: createPool('watcher', isOpenedReadOnly, 1, {
      size: 1,
      jobsPerThread: 1,
      maximumWaitingJobs,
      isRetryable: true,
    }),
    reader: createPool('reader', true, concurrentQueries, {
      size: 2,
      jobsPerThread: concurrentQueries,
      maximumWaitingJobs,
      isRetryable: true,
    }),
    analysis: createPool(
      'analysis',
      true,
      1,
      { size: analysisThreadCount, jobsPerThread: 1, maximumWaitingJobs: 64, isRetryable: true },
      Math.ceil(context.memoBytes / (options.size ?? analysisThreadCount)),
    ),
    // Waiting for another writer does not block the thread, and the thread limits the wait.
    writer: createPool('writer', isOpenedReadOnly, writingConnectionCount, {
      size: 1,
      jobsPerThread: 64,
      maximumWaitingJobs,
    }),
  };
}

type ThreadAccess = Pick<ThreadData, 'isReadOnly' | 'maximumConnections' | 'lockTimeoutMillis'>;

/**
 * Limit of the cache of a thread that does not analyse, in bytes. No value is so small, so such a thread caches
 * nothing.
 */
const minimumMemoBytes = 1;

function getAccess(
  name: ThreadName,
  isReadOnly: boolean,
  maximumConnections: number,
): ThreadAccess {
  const lockTimeoutMillis = name === 'writer' ? undefined : readLockMillis;
  return { isReadOnly, maximumConnections, lockTimeoutMillis };
}

function startWorker(
  { database, version, canChoose, isRecording, artifactsDirectory, traceFiles }: ThreadContext,
  program = join(import.meta.dirname, `worker${extname(import.meta.filename)}`),
  {
    newObjectMegabytes: maxYoungGenerationSizeMb,
    ...access
  }: ThreadAccess & Pick<ThreadData, 'memoBytes'> & { newObjectMegabytes: number },
): Worker {
  const workerData: ThreadData = {
    ...access,
    databaseUrl: database.location,
    version,
    canChoose,
    isRecording,
    artifactsDirectory,
    traceFiles,
  };
  return new Worker(program, { workerData, resourceLimits: { maxYoungGenerationSizeMb } });
}
