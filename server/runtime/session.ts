import type { RequestHandler } from 'express';
import { extname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { DatabaseChange } from '#shared/schemas/service.ts';
import { noDatabaseId } from '#shared/words.ts';
import { bytesPerMegabyte, defaultLimits, type MemoryLimits } from '#server/analysis/memory.ts';
import { TraceStore } from '#server/analysis/shared-traces.ts';
import { createAuxiliaryIndexes } from '#server/db/auxiliary-indexes.ts';
import type { Database } from '#server/db/database.ts';
import type { DatabaseDialect, IndexOutcome } from '#server/db/dialect.ts';
import type { Replica } from '#server/db/replica.ts';
import { hashDatabaseUrl } from '#server/db/url.ts';
import { getDocsPage, getOpenApiDocument } from '#server/docs/docs.ts';
import { ProblemError } from '#server/errors.ts';
import type { RecordContext } from '#server/handlers.ts';
import { isWrite, type MlflowCall } from '#server/mlflow/operations.ts';
import { makeHealth } from '#server/services/summary.ts';
import { Responses } from './responses.ts';
import { Imports } from './imports.ts';
import type { IndexTask } from './index-worker.ts';
import { canPrepareAnalyses } from './preparation.ts';
import { RoutedResponses, type ServerResponses } from './routed-responses.ts';
import type { Shutdown } from './shutdown.ts';
import { TaskThread } from './tasks.ts';
import type { TraceFilesData } from './trace-files.ts';
import { createThreads, type Reopening, type ThreadOptions, type Threads } from './threads.ts';

/** Delay of the build of indexes after the start, because the first requests need the processors. */
const indexDelayMillis = 1_000;

/** Maximum wait until a moved file is closed. */
const releaseMillis = 10_000;

/** The data and functions with which the service responds to requests while one database is open, or none. */
export interface SessionData {
  /** The id of the database; `none` without a database. */
  readonly id: string;
  /**
   * Returns the response of an endpoint. Throws the errors of {@link Responses.respond}, those of {@link
   * Shutdown.limit}, and NO_DATABASE without a database.
   */
  respond: Responses['respond'];
  /** Root of the artifacts of runs; undefined if unknown. */
  readonly artifactsDirectory?: string | undefined;
  /**
   * Returns the response to an operation of MLflow as JSON. Throws the errors of {@link Threads.callMlflow}, those of
   * {@link Shutdown.limit}, and NO_DATABASE without a database.
   */
  callMlflow: (call: MlflowCall) => Promise<string>;
  /**
   * Returns the cursor of {@link Responses.readCursor} or {@link RoutedResponses.readCursor}, with {@link
   * Imports.watchVersion}; `none` without a database.
   */
  readCursor: () => Promise<string>;
  /** Returns the event for clients about the state at a cursor, as JSON. */
  describeChange: (cursor: string) => Promise<string>;
  /** The imports; without a database, the error of their endpoints. */
  readonly imports: Imports | ProblemError;
  readonly classifyFailure: DatabaseDialect['classifyFailure'];
}

/** The HTTP interface of a session. */
export interface SessionApi {
  /** Handles requests under `/api`, `/mlflow` and `/mcp`, except those that choose a database. */
  readonly handle: RequestHandler;
  /** Ends the streams of changes, with `lastEvent` if it is defined; see {@link ChangeFeed.close}. */
  endStreams: (lastEvent?: DatabaseChange) => void;
  /** Settles when no request is pending, or when `abortSignal` is aborted. */
  waitUntilIdle: (abortSignal: AbortSignal) => Promise<void>;
}

/** Options for the end of a session. */
export interface EndOptions {
  /** Signal to stop waiting for requests and imports; without a successor, also for the threads of requests. */
  abortSignal: AbortSignal;
  /** The session that replaces the ended one. The last event of the event streams names its database. */
  successor?: Session;
}

/**
 * The use of one database, or of none before a client opens one, from its opening until all its connections are closed.
 */
export interface Session extends Pick<
  SessionData,
  'id' | 'respond' | 'readCursor' | 'imports' | 'classifyFailure'
> {
  readonly database: Database | null;
  readonly api: SessionApi;
  /** Settles when the first read of the change cursor has succeeded or failed. */
  readonly startup: Promise<void>;
  /** Returns the identity of the database, empty without one; see {@link DatabaseDialect.readIdentity}. */
  readIdentity: () => Promise<string>;
  /**
   * Settles when a moved, replaced or deleted file is closed. The service can then open a moved file under its new
   * name. Waits at most {@link releaseMillis}, and not at all if the file is still at its path or the database has no
   * file.
   */
  releaseMovedFile: () => Promise<void>;
  /**
   * Stores the ids of the RUNNING recorded runs in {@link SessionContext.runningRecordings}; ignores a failure. Call
   * this function before another session serves.
   */
  noteRecordings: () => Promise<void>;
  /** Ends the session, and settles when its threads and connections are closed. Later calls change nothing. */
  end: (options: EndOptions) => Promise<void>;
}

/** Options of all sessions of a service. */
export interface SessionContext {
  logger: Logger;
  version: string;
  /** Whether clients can choose another database. */
  canChoose?: boolean | undefined;
  /** Whether clients may record runs. */
  isRecording?: boolean | undefined;
  /**
   * The RUNNING recorded runs of each database that was open before, by the id of the database. Their clients may send
   * further records while another database is open.
   */
  runningRecordings?: Map<string, { name: string; runIds: readonly string[] }> | undefined;
  /** Options that replace the defaults of the threads. */
  threads?: ThreadOptions | undefined;
  /** Path of the import program; the program of the service if undefined. */
  importProgram?: string | undefined;
  /** Limits of the memory of caches; the defaults if undefined. */
  memoryLimits?: MemoryLimits | undefined;
  /** The cache of traces on disk; undefined without one. */
  traceFiles?: TraceFilesData | undefined;
  /**
   * Whether the session prepares for later requests: in the background it builds the indexes that only this service
   * needs, and starts the threads of analyses.
   */
  isPreparing: boolean;
  /** Returns the folder with the artifacts of the runs; undefined if unknown. */
  getArtifacts: (database: Database) => string | undefined;
  createApi: (data: SessionData) => SessionApi;
  shutdown: Shutdown;
}

/** Serves a database, and its replica if there is one; closes both when the session ends. */
export function serveDatabase(
  database: Database,
  context: SessionContext,
  replica?: Replica,
): Session {
  const { logger, isPreparing } = context;
  const indexes = createIndexBuilder(database, logger);
  const server = createServer(database, context, replica, async (reopen) => {
    await Promise.all([imports.interrupt(), database.close().catch(() => {}), indexes.stop()]);
    await reopen();
    if (isPreparing) indexes.start();
  });
  const { threads, responses } = server;
  // Starting the threads now delays the service less than starting them later would delay the first analysis.
  if (isPreparing && canPrepareAnalyses && !replica) threads.startAnalysis();
  const routedResponses =
    replica &&
    new RoutedResponses(replica, server, (replicaDatabase) =>
      createServer(replicaDatabase, context, undefined),
    );
  const noteWrite = async () => (routedResponses ?? responses).noteWrite();
  const imports = new Imports({
    database,
    logger,
    program: context.importProgram,
    onEnd: noteWrite,
  });
  const respond: SessionData['respond'] = (...request) =>
    (routedResponses ?? responses).respond(...request);
  const id = hashDatabaseUrl(database.location);
  const data: SessionData = {
    id,
    respond: (name, input, ...options) =>
      context.shutdown.limit(
        respond(
          name,
          name === 'record' ? addOtherDatabases(input, id, context) : input,
          ...options,
        ),
      ),
    artifactsDirectory: context.getArtifacts(database),
    // The primary serves all calls, because a client reads its own writes.
    callMlflow: (call) =>
      context.shutdown.limit(
        threads.callMlflow(call).finally(() => (isWrite(call) ? noteWrite() : undefined)),
      ),
    // Problems and notes of watched folders change nothing in the database.
    readCursor: async () =>
      `${await (routedResponses ?? responses).readCursor()}${imports.watchVersion}`,
    describeChange: async (cursor) => String((await respond('watchChanges', { cursor })).body),
    imports,
    classifyFailure: (error) => database.dialect.classifyFailure(error),
  };
  const api = context.createApi(data);
  const startup = start(database, data);
  const openedIdentity = database.file === null ? undefined : database.dialect.readIdentity();
  let sessionEnd: Promise<void> | undefined;
  const prepare = async () => {
    await startup;
    if (sessionEnd) return;
    if (canPrepareAnalyses) (routedResponses ?? threads).warmUp();
    await delay(indexDelayMillis, undefined, { ref: false });
    indexes.start();
  };
  if (isPreparing) void prepare();

  const noteRecordings = async () => {
    if (context.isRecording !== true) return;
    try {
      const runIds = JSON.parse(await threads.readState('listRunningRecordings')) as string[];
      context.runningRecordings?.set(id, { name: database.name, runIds });
    } catch {
      // The file may be missing, or the server may not respond.
    }
  };

  const endSession = async ({ abortSignal, successor }: EndOptions) => {
    api.endStreams(successor && getLastEvent(successor));
    if (successor?.imports instanceof Imports)
      successor.imports.addEndedWatches(imports, database.name);
    const importsEnd = imports.close(abortSignal);
    const indexesEnd = startup.then(() => indexes.end());
    // Interrupting pending requests to a replaced database would make them fail.
    if (successor) {
      await api.waitUntilIdle(abortSignal);
      await noteRecordings();
    }
    const closeSignal = successor ? undefined : abortSignal;
    await Promise.all([
      importsEnd,
      indexesEnd,
      threads.close(closeSignal),
      routedResponses?.close(closeSignal),
    ]);
    await api.waitUntilIdle(abortSignal);
    await database.close();
  };
  return {
    ...data,
    database,
    api,
    startup,
    readIdentity: () => threads.readState('readIdentity'),
    noteRecordings,
    releaseMovedFile: async () => {
      if (database.file === null) return;
      if ((await database.dialect.readIdentity()) === (await openedIdentity)) return;
      const release = sessionEnd ?? threads.reopen();
      await Promise.race([release, delay(releaseMillis, undefined, { ref: false })]);
    },
    end: (options) => (sessionEnd ??= endSession(options)),
  };
}

/** Returns the input of `record` with the {@link RecordContext} for the database with this id. */
function addOtherDatabases(
  input: unknown,
  id: string,
  { runningRecordings = new Map() }: SessionContext,
): unknown {
  const otherDatabases: RecordContext['otherDatabases'] = new Map(
    [...runningRecordings].flatMap(([otherId, { name, runIds }]) =>
      otherId === id ? [] : runIds.map((runId): [string, string] => [runId, name]),
    ),
  );
  return { ...Object(input), otherDatabases } satisfies RecordContext;
}

/**
 * Creates the threads and the cache of responses of a database. The threads call `pauseDuringReopening` when they
 * reopen the database; see {@link Reopening}.
 */
function createServer(
  database: Database,
  context: SessionContext,
  replica: Replica | undefined,
  pauseDuringReopening: Reopening['pauseDuringReopening'] = (reopen) => reopen(),
): ServerResponses {
  const {
    logger,
    version,
    canChoose,
    isRecording,
    getArtifacts,
    traceFiles,
    memoryLimits = defaultLimits,
  } = context;
  const { traceMegabytes, responseMegabytes, memoMegabytes } = memoryLimits;
  const traces = new TraceStore(traceMegabytes * bytesPerMegabyte, (runs) =>
    threads.readTraces(runs),
  );
  const threads: Threads = createThreads(
    {
      logger,
      version,
      canChoose,
      isRecording,
      artifactsDirectory: getArtifacts(database),
      database,
      traces,
      memoBytes: memoMegabytes * bytesPerMegabyte,
      traceFiles,
      reportReplica: replica && (() => replica.report()),
    },
    context.threads,
    { pauseDuringReopening, clearCaches: () => (traces.clear(), responses.clear()) },
  );
  const responses = new Responses(threads, responseMegabytes * bytesPerMegabyte);
  return { threads, responses };
}

/**
 * Settles when the first read of the change cursor has succeeded or failed. After a success, also closes the connection
 * of this thread to a SQLite file.
 */
async function start(database: Database, { readCursor }: SessionData): Promise<void> {
  const isOpen = await readCursor().then(
    () => true,
    () => false,
  );
  // Only other threads read a SQLite file, because other programs may lock it. Closes the connection of this thread
  // only after another thread has the file open. Without any connection, other programs would remove the log of the
  // file.
  if (isOpen && database.file !== null) await database.close();
}

/**
 * Returns functions that start and stop the build of the indexes of a database in the background. A separate thread
 * builds the indexes of a SQLite file. The functions never throw.
 */
function createIndexBuilder(database: Database, logger: Logger) {
  const { location } = database;
  // The bundle of the service contains `index-worker.js` in the same folder.
  const program = join(import.meta.dirname, `index-worker${extname(import.meta.filename)}`);
  let thread: TaskThread<IndexTask, IndexOutcome> | undefined;
  const endThread = async () => {
    const endingThread = thread;
    thread = undefined;
    endingThread?.end();
    await endingThread?.exit;
  };
  const buildIndex: DatabaseDialect['buildIndex'] = async (index, signal) => {
    if (location.dialect !== 'sqlite' || database.file === null)
      return database.dialect.buildIndex(index, signal);
    try {
      // One thread builds all indexes, because its start takes longer than the build of a small index.
      if (!thread?.isRunning) thread = new TaskThread(program);
      const outcome = await thread.runTask({ location, index }, { signal });
      // The next attempt is a minute later.
      if (outcome.state === 'postponed') await endThread();
      return outcome;
    } catch (error) {
      await endThread();
      return { state: 'failed', detail: error instanceof Error ? error.message : String(error) };
    }
  };
  const notify = (message: string) => logger.info(message);
  let buildController = new AbortController();
  let completion = Promise.resolve();
  let hasEnded = false;
  const stop = async () => {
    buildController.abort();
    await completion;
  };
  return {
    start: () => {
      if (hasEnded) return;
      buildController.abort();
      buildController = new AbortController();
      const { signal } = buildController;
      completion = completion
        .then(() => createAuxiliaryIndexes(database, { signal, notify, buildIndex }))
        .finally(endThread);
    },
    /** Cancels the build, and settles when it has ended. */
    stop,
    end: () => {
      hasEnded = true;
      return stop();
    },
  };
}

/**
 * Serves no database: responds with the service's own health and documentation, and with one event to subscribers. All
 * other requests get NO_DATABASE.
 */
export function serveNothing({ version, canChoose, createApi }: SessionContext): Session {
  const emptyChange: DatabaseChange = {
    cursor: noDatabaseId,
    running: 0,
    database: noDatabaseId,
    databaseIdentity: null,
    annotations: null,
  };
  const bodies: Record<string, () => Promise<string>> = {
    getHealth: async () => JSON.stringify(makeHealth({ version, canChoose })),
    getOpenApi: async () => JSON.stringify(await getOpenApiDocument(version)),
    getDocs: () => getDocsPage(version),
  };
  const data: SessionData = {
    id: noDatabaseId,
    respond: async (name) => {
      const body = bodies[name];
      if (body === undefined) throw makeNoDatabaseError();
      return { body: await body() };
    },
    callMlflow: async () => {
      throw makeNoDatabaseError();
    },
    readCursor: async () => noDatabaseId,
    describeChange: async () => JSON.stringify(emptyChange),
    imports: makeNoDatabaseError(),
    classifyFailure: () => 'other',
  };
  const api = createApi(data);
  return {
    ...data,
    database: null,
    api,
    startup: Promise.resolve(),
    readIdentity: async () => '',
    noteRecordings: async () => {},
    releaseMovedFile: async () => {},
    end: async ({ successor }) => api.endStreams(successor && getLastEvent(successor)),
  };
}

/** Returns the last event of the previous session. The event names the database that is open now. */
function getLastEvent({ id }: Session): DatabaseChange {
  return {
    cursor: `${id}-opened`,
    running: 0,
    database: id,
    databaseIdentity: null,
    annotations: null,
  };
}

/** Returns the error of a request that needs a database while no database is open. */
export function makeNoDatabaseError(): ProblemError {
  return new ProblemError('NO_DATABASE', 'No database is open: choose a database first');
}
