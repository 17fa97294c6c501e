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
  affinityOf,
  handlers,
  type Context,
  type ThreadName,
  type HandledName,
} from '#server/handlers.ts';
import { mostConnections } from '#server/db/dialect.ts';
import { ThreadPool, type PoolOptions } from './pool.ts';
import { runHandler, type WrittenAnswer } from './run-handler.ts';
import type { StateName, ThreadData } from './work.ts';

/** Runs handlers, each in the thread that its entry in the table names. */
export interface Threads {
  /** See {@link runHandler}. Rejects with what the handler throws, or with DATABASE_BUSY where too many wait already. */
  run(name: HandledName, input: unknown, identity?: string): Promise<WrittenAnswer>;
  readTraces: ReadTraces;
  /** Starts the threads of analyses, so that the first request for one does not wait for them. */
  startAnalysis(): void;
  /** Starts the threads of analyses and has them compile their code while there are no requests. */
  warmUp(): void;
  /** Reads the state of the database; see {@link DatabaseDialect}. */
  readState(state: StateName): Promise<string>;
  /** Has all threads close the database and open it again, as when its files were replaced. */
  reopen(): Promise<void>;
  /** Finishes pending requests, unless `giveUp` is aborted before; settles when the threads have ended. */
  close(giveUp?: AbortSignal): Promise<void>;
}

/** Megabytes for what a thread has just made; left to itself each takes more than 100 in time and keeps them. */
const maxYoungGenerationSizeMb = 24;

/** Connections of the thread that answers requests: one may be making an index, one looks for changes. */
export const requestConnections = 2;

/**
 * How long a read waits for a table that another program has locked: no longer, so that the others that share its
 * thread and its connections go on.
 */
export const readLockMillis = 500;

/** What may wait to be read or written; no client asks for so much at once. */
const maximumWaiting = 512;

/** How long a job may take, from its request to an answer with 503. */
const deadlineMillis: Readonly<Record<ThreadName, number | undefined>> = {
  // Health answers within 2 s.
  watcher: 1_500,
  reader: 30_000,
  analysis: 120_000,
  // A change waits 10 s for others at most, and its outcome must not stay unknown.
  writer: undefined,
};

/** What may differ from the usual threads. */
export interface ThreadOptions extends Partial<PoolOptions> {
  /** The file of the threads' program; by default the one in this folder. */
  program?: string | undefined;
  /** How long there is no request until caches are emptied and idle threads end. */
  idleMillis?: number | undefined;
}

/** What handlers in any of the threads are given, and how much they may cache. */
export interface ThreadContext extends Omit<Context, 'traces' | 'memo'> {
  traces: TraceStore;
  /** Of intermediate results, in all threads that analyse together; positive. */
  memoBytes: number;
}

/** How long there is no request until memory is freed. */
const usualIdleMillis = 120_000;

/** Requests of programs that watch the service, which do not count. */
const watching = new Set<HandledName>(['getHealth', 'watchChanges']);

/** How long requests wait while all connections to a database are opened again, until they are answered with 503. */
const reopeningMillis = 2_000;

/** What else there is to do when the files of a database were replaced. */
export interface Reopening {
  /** Closes what others than the threads have open, calls `reopen`, and lets them go on. */
  aroundReopening: (reopen: () => Promise<void>) => Promise<void>;
  /** Forgets what was read of the database before. */
  forget: () => void;
}

/**
 * The threads of a service: two that read, a few that analyse (one fewer than the machine has processors,
 * so that others are answered meanwhile, but at least two, which share the reading of traces, and no more than
 * there are connections left for), one that writes, each with separate connections to the database; and one
 * that watches a SQLite file, of which this thread asks nothing. A database in memory, which no other thread can
 * open, is queried in this one. When the file or its log was replaced or removed, all threads close the database before any
 * opens it again.
 */
export function createThreads(
  context: ThreadContext,
  options: ThreadOptions = {},
  reopening?: Reopening,
): Threads {
  const { source, dialect } = context.database;
  const holdsThread = dialect.queriesAtOnce === 1;
  const isInMemory = source.dialect === 'sqlite' && source.file === ':memory:';
  let pending: Promise<void> | undefined;
  const reopen = async () => {
    if (pools === undefined) return;
    pending ??= reopenAll(pools, context, reopening).finally(() => (pending = undefined));
    await pending;
  };
  const pools = isInMemory
    ? undefined
    : createPools(context, dialect.queriesAtOnce, { onLost: () => void reopen(), ...options });
  const memos = new MemoStore(context.memoBytes);
  context.traces.onDrop = (shares) => {
    for (const pool of Object.values(pools ?? {})) pool.releaseTraces(shares);
  };
  // A thread returns the memory of its heap only when it ends.
  const noteRequest = afterIdle(options.idleMillis ?? usualIdleMillis, () => {
    reopening?.forget();
    pools?.analysis.endIdleThreads();
    pools?.reader.endIdleThreads();
  });
  pools?.reader.startThreads();
  if (holdsThread) pools?.watcher.startThreads();
  const watcher = holdsThread ? pools?.watcher : undefined;
  return {
    run: (name, input, identity) => {
      const { thread } = handlers[name];
      if (!watching.has(name)) noteRequest();
      const pool = thread === 'watcher' ? watcher : pools?.[thread];
      return pool === undefined
        ? runHandler({ ...context, memo: memos.forRequest() }, name, input, identity)
        : pool.run(name, input, identity, affinityOf(name, input));
    },
    startAnalysis: () => pools?.analysis.startThreads(),
    warmUp: () => pools?.analysis.warmUp(),
    readState: (state) => {
      // Cached responses read no more than this.
      if (state === 'snapshotKey') noteRequest();
      return watcher?.readState(state) ?? dialect[state]();
    },
    readTraces: (runs) =>
      pools ? pools.analysis.readTraces(runs) : readPackedTraces(context.database, runs),
    reopen,
    close: async (giveUp) => {
      const { watcher: last, ...others } = pools ?? {};
      await Promise.all(Object.values(others).map((pool) => pool.close(giveUp)));
      // Only a connection that writes removes the log next to a SQLite file.
      await last?.close(giveUp);
    },
  };
}

/** Returns a function to call at each request; `work` runs once when it was not called for so long. */
function afterIdle(millis: number, work: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  return () => {
    if (timer) timer.refresh();
    else timer = setTimeout(work, millis).unref();
  };
}

type Pools = Record<ThreadName, ThreadPool>;

/**
 * Has all threads close the database, then open it again. Connections of a process to one file share the index of its log:
 * a new one would use the old index while any old one is open. Those that write are closed while others read, which keeps
 * SQLite from writing an old log into a file that may have changed.
 */
async function reopenAll(
  pools: Pools,
  { logger }: ThreadContext,
  reopening?: Reopening,
): Promise<void> {
  const { watcher, writer, reader, analysis } = pools;
  const all = [watcher, writer, reader, analysis];
  logger.warn(
    {},
    'The database file or its log was replaced or removed: all of it is opened again',
  );
  for (const pool of all) pool.hold();
  const refusing = setTimeout(() => all.forEach((pool) => pool.refuse()), reopeningMillis).unref();
  const reopen = async () => {
    await Promise.all([watcher.closeDatabase(), writer.closeDatabase()]);
    await Promise.all([reader.closeDatabase(), analysis.closeDatabase()]);
    reopening?.forget();
    clearTimeout(refusing);
    for (const pool of all) pool.resume();
  };
  await (reopening?.aroundReopening(reopen) ?? reopen());
}

function createPools(
  context: ThreadContext,
  queriesAtOnce: number,
  { program, idleMillis: _idleMillis, ...options }: ThreadOptions,
): Pools {
  const isReadOnly = context.database.neverWrites;
  const poolOf = (
    name: ThreadName,
    readOnly: boolean,
    maximumConnections: number,
    defaults: PoolOptions,
    memoBytes = leastMemoBytes,
  ) =>
    new ThreadPool(
      () =>
        startWorker(context, program, {
          ...accessOf(name, readOnly, maximumConnections),
          memoBytes,
        }),
      context,
      {
        deadlineMillis: deadlineMillis[name],
        ...defaults,
        ...options,
      },
    );
  const [reading, writing] = [2 * queriesAtOnce, 2];
  const left = mostConnections - requestConnections - reading - writing;
  const analysing = Math.max(2, Math.min(left, availableParallelism() - 1));
  return {
    watcher: poolOf('watcher', isReadOnly, 1, {
      size: 1,
      jobsPerThread: 1,
      maximumWaiting,
      repeats: true,
    }),
    reader: poolOf('reader', true, queriesAtOnce, {
      size: 2,
      jobsPerThread: queriesAtOnce,
      maximumWaiting,
      repeats: true,
    }),
    analysis: poolOf(
      'analysis',
      true,
      1,
      { size: analysing, jobsPerThread: 1, maximumWaiting: 64, repeats: true },
      Math.ceil(context.memoBytes / (options.size ?? analysing)),
    ),
    // Waiting for another writer blocks nothing, and has its time limit in the thread.
    writer: poolOf('writer', isReadOnly, writing, {
      size: 1,
      jobsPerThread: 64,
      maximumWaiting,
    }),
  };
}

type ThreadAccess = Pick<ThreadData, 'readOnly' | 'maximumConnections' | 'lockTimeoutMillis'>;

/** For threads that do not analyse: nothing. */
const leastMemoBytes = 1;

function accessOf(name: ThreadName, readOnly: boolean, maximumConnections: number): ThreadAccess {
  const lockTimeoutMillis = name === 'writer' ? undefined : readLockMillis;
  return { readOnly, maximumConnections, lockTimeoutMillis };
}

function startWorker(
  { database, version, choosing, recording, artifactsDirectory }: ThreadContext,
  program = join(import.meta.dirname, `worker${extname(import.meta.filename)}`),
  access: ThreadAccess & Pick<ThreadData, 'memoBytes'>,
): Worker {
  const workerData: ThreadData = {
    ...access,
    source: database.source,
    version,
    choosing,
    recording,
    artifactsDirectory,
  };
  return new Worker(program, { workerData, resourceLimits: { maxYoungGenerationSizeMb } });
}
