import { randomUUID } from 'node:crypto';
import { extname, join } from 'node:path';
import { errorCatalogue } from '#shared/schemas/error.ts';
import type {
  ImportFailure,
  ImportProgress,
  ImportState,
  WatchState,
} from '#shared/schemas/import.ts';
import type { Database } from '#server/db/database.ts';
import { limitToIdentity } from '#server/db/identity.ts';
import { makeInternalError, ProblemError, requireWritable, truncate } from '#server/errors.ts';
import { makeCancelledError } from '#server/import/import-data-sets.ts';
import { getDataSetName, type ImportOptions } from '#server/import/read-data-set.ts';
import type { ImportSource } from '#server/import/source/read-source.ts';
import type { Log } from '#server/logger.ts';
import {
  runImportTask,
  serialiseFailure,
  type ImportEnd,
  type ImportTask,
  type SerialisedFailure,
} from './import-failure.ts';
import { importStopMillis } from './shutdown.ts';
import { deserialiseError, TaskThread } from './tasks.ts';

/** Maximum number of uploads at the same time. */
const maximumUploads = 8;

/**
 * Maximum number of imports and watches whose state the service stores. Above this number, the service removes the
 * oldest one that has ended.
 */
const maximumImports = 20;

/**
 * Maximum number of folders that the service watches at the same time. Each watch needs a thread, unless its database
 * is in memory.
 */
const maximumWatches = 4;

/** A running import or watch. */
interface RunningImport {
  /** Resolves with the result or failure when the import or watch has ended. Never rejects. */
  end: Promise<ImportEnd>;
  /**
   * Cancels the import or watch. A cancelled import changes nothing, unless it has finished before. A cancelled watch
   * reads and writes a last time.
   */
  cancel(): void;
  /**
   * Terminates the thread if it has started. Without a thread, as for a database in memory, cancels the import or
   * watch.
   */
  terminate(): void;
}

interface StoredImport {
  state: ImportState;
  runningImport: RunningImport;
  /** Settles when the state is final. */
  settlement: Promise<void>;
}

/** A request to import a source. */
export interface ImportRequest {
  source: ImportSource;
  options: ImportOptions;
  /** The identity of the target database; undefined if the client names none. */
  identity: string | undefined;
  /**
   * Releases the source when the import has ended, also after a failure, or if the import of an upload does not start.
   */
  release?: () => Promise<void>;
}

/**
 * Runs imports into a database, one at a time, and watches folders at the same time. Reports all states to listeners.
 */
export class Imports {
  readonly #database: Database;
  readonly #logger: Log;
  readonly #program: string | undefined;
  readonly #onEnd: (() => Promise<void> | undefined) | undefined;
  readonly #imports = new Map<string, StoredImport>();
  readonly #listeners = new Map<(state: ImportState) => void, string>();
  /** Value of {@link currentName}. */
  #currentName: string | undefined;
  /** Number of pending uploads, and their bytes so far. */
  #uploadCount = 0;
  #uploadedBytes = 0;
  #isClosed = false;
  /** Number of ends of watches, and of changes of the result of {@link describeUnstoredState}. */
  #watchChangeCount = 0;

  /**
   * `program` is the path of the program of the threads, by default `import-worker` of the service's sources or bundle.
   * Calls `onEnd` when an import or a watch has ended, also after a failure.
   */
  constructor(context: {
    database: Database;
    logger: Log;
    program?: string | undefined;
    onEnd?: () => Promise<void> | undefined;
  }) {
    this.#database = context.database;
    this.#logger = context.logger;
    this.#program = context.program;
    this.#onEnd = context.onEnd;
  }

  /**
   * Starts the import that `prepare` returns, and returns its id. `name` becomes `ImportState.source`. Throws
   * IMPORT_RUNNING while the service prepares or runs another import, and DATABASE_CHANGED after {@link close}. Unless
   * the import is a dry run, also throws the errors of {@link requireWritable}. Throws the errors of `prepare`.
   */
  async start(name: string, isDryRun: boolean, prepare: () => Promise<ImportRequest>) {
    if (!isDryRun) await requireWritable(this.#database, 'import');
    this.#requireFree();
    this.#currentName = name;
    try {
      return this.#run(name, await prepare());
    } catch (error) {
      this.#currentName = undefined;
      throw error;
    }
  }

  /**
   * Starts the import of an upload after `receive` has read all of it, and returns its id. Other imports can run during
   * the upload. `receive` reports the bytes to a function that throws IMPORT_RUNNING if all uploads together exceed
   * `maximumBytes`. Also throws IMPORT_RUNNING if {@link maximumUploads} others are pending. Throws the errors of
   * {@link start} before and after the upload, and the errors of `receive`.
   */
  async startUpload(
    name: string,
    isDryRun: boolean,
    maximumBytes: number,
    receive: (countBytes: (bytes: number) => void) => Promise<ImportRequest>,
  ): Promise<string> {
    if (!isDryRun) await requireWritable(this.#database, 'import');
    this.#requireFree();
    if (this.#uploadCount >= maximumUploads)
      throw makeUploadsFullError(
        `The service is receiving ${maximumUploads} uploads, which is the limit. Try again when one has ended`,
      );
    this.#uploadCount += 1;
    let receivedBytes = 0;
    const countBytes = (bytes: number) => {
      receivedBytes += bytes;
      this.#uploadedBytes += bytes;
      if (this.#uploadedBytes > maximumBytes)
        throw makeUploadsFullError(
          'Other uploads use all the space for uploads. Try again when they have ended',
        );
    };
    try {
      const request = await receive(countBytes);
      return await this.start(name, isDryRun, async () => request).catch(async (error: unknown) => {
        await request.release?.();
        throw error;
      });
    } finally {
      this.#uploadCount -= 1;
      this.#uploadedBytes -= receivedBytes;
    }
  }

  #requireOpen(): void {
    if (!this.#isClosed) return;
    throw new ProblemError(
      'DATABASE_CHANGED',
      'The service closed the database before the import began, so it imported nothing. Import again into the open one',
    );
  }

  #requireFree(): void {
    this.#requireOpen();
    if (this.#currentName !== undefined) throw this.#makeRunningError();
  }

  /**
   * Text that changes when a watch ends, and when the state of a watch changes that the database does not contain, such
   * as a new problem. The text is empty before the first change.
   */
  get watchVersion(): string {
    return this.#watchChangeCount === 0 ? '' : `-${this.#watchChangeCount}`;
  }

  /**
   * Name of the import (not watch) that the service prepares or runs, as in `ImportState.source`; otherwise undefined.
   */
  get currentName(): string | undefined {
    return this.#currentName;
  }

  #makeRunningError(): ProblemError {
    return new ProblemError(
      'IMPORT_RUNNING',
      `An import of "${truncate(this.#currentName ?? '')}" is running: wait until it is done, or cancel it`,
      { headers: { 'Retry-After': '5' } },
    );
  }

  /**
   * Starts to watch a folder and returns the id of the watch, which runs until its cancellation or failure. Throws
   * IMPORT_RUNNING if the service already watches this path or {@link maximumWatches} others, DATABASE_CHANGED after
   * {@link close}, and the errors of {@link requireWritable}.
   */
  async startWatch(path: string, request: Omit<ImportRequest, 'source' | 'release'>) {
    await requireWritable(this.#database, 'import');
    this.#requireOpen();
    const watches = this.#listWatches();
    if (watches.some(({ state }) => state.source === path))
      throw new ProblemError(
        'IMPORT_RUNNING',
        `The service already watches "${truncate(path)}". Stop watching it first`,
      );
    if (watches.length >= maximumWatches)
      throw new ProblemError(
        'IMPORT_RUNNING',
        `The service watches ${maximumWatches} folders, which is the limit. Stop watching one of them`,
      );
    return this.#run(path, { ...request, source: { path } }, path);
  }

  /**
   * Adds the folders that `previousImports` watches to the list as failed with DATABASE_CHANGED, because the service
   * has opened another database. `name` is the name of the previous database.
   */
  addEndedWatches(previousImports: Imports, name: string): void {
    for (const { state, runningImport, settlement } of previousImports.#listWatches()) {
      const { title, status } = errorCatalogue.DATABASE_CHANGED;
      const detail = `Watching ended, because the service opened another database. The rows are in ${name}; open it to see them`;
      const failure = { code: 'DATABASE_CHANGED' as const, title, status, detail, notes: [] };
      const endedState = { ...state, status: 'failed' as const, failure };
      this.#imports.set(state.importId, { state: endedState, runningImport, settlement });
    }
  }

  #listWatches(): StoredImport[] {
    return [...this.#imports.values()].filter(
      ({ state }) => state.watch !== null && state.status === 'running',
    );
  }

  #run(
    name: string,
    { source, options, identity, release }: ImportRequest,
    watchedFolder?: string,
  ): string {
    const importId = randomUUID();
    const state: ImportState = {
      importId,
      source: name,
      dryRun: options.dryRun ?? false,
      status: 'running',
      progress: { phase: 'reading', bytes: 0, totalBytes: null, ...noProgress },
      watch:
        watchedFolder === undefined
          ? null
          : { ...initialWatch, dataSet: getDataSetName(source, options) },
      result: null,
      failure: null,
    };
    const onProgress = (progress: ImportProgress | WatchState) => {
      if ('phase' in progress) state.progress = progress;
      else {
        if (describeUnstoredState(state.watch) !== describeUnstoredState(progress))
          this.#watchChangeCount += 1;
        state.watch = progress;
      }
      this.#notify(state);
    };
    const task = { source, options, identity, watchedFolder };
    const runningImport = startImport(this.#database, task, onProgress, this.#program);
    const settlement = this.#settle(state, runningImport, release);
    this.#imports.set(importId, { state, runningImport, settlement });
    const oldestImport = [...this.#imports.values()].find(
      (item) => item.state.status !== 'running',
    );
    if (this.#imports.size > maximumImports && oldestImport)
      this.#imports.delete(oldestImport.state.importId);
    if (this.#isClosed) runningImport.cancel();
    return importId;
  }

  async #settle(
    state: ImportState,
    runningImport: RunningImport,
    release: ImportRequest['release'],
  ): Promise<void> {
    const end = await runningImport.end;
    await this.#onEnd?.();
    await release?.().catch((error: unknown) =>
      this.#logger.warn(
        { err: error },
        'Cannot delete the temporary file of an upload: delete it manually',
      ),
    );
    if ('result' in end) Object.assign(state, { status: 'done', result: end.result });
    else Object.assign(state, { status: 'failed', failure: this.#getFailure(end.failure) });
    if (state.watch === null) this.#currentName = undefined;
    else this.#watchChangeCount += 1;
    this.#notify(state);
  }

  /** Returns the failure for clients. Logs the cause of INTERNAL, because it is a fault of the service. */
  #getFailure({ error, notes }: SerialisedFailure): ImportFailure {
    const failure = deserialiseError(error);
    const { code, message: detail } =
      failure instanceof ProblemError ? failure : makeInternalError();
    if (code === 'INTERNAL')
      this.#logger.error(
        { err: failure },
        'An import failed unexpectedly: report this entry as a fault of the service',
      );
    const { title, status } = errorCatalogue[code];
    return { code, title, status, detail, notes: [...notes] };
  }

  /** Returns the stored states of imports and watches, newest first. */
  list(): ImportState[] {
    return [...this.#imports.values()].map(({ state }) => state).reverse();
  }

  /** Returns the state of an import or watch. Throws IMPORT_NOT_FOUND for an unknown or removed id. */
  get(importId: string): ImportState {
    return this.#find(importId).state;
  }

  #find(importId: string): StoredImport {
    const storedImport = this.#imports.get(importId);
    if (storedImport) return storedImport;
    throw new ProblemError(
      'IMPORT_NOT_FOUND',
      `There is no import with the id "${truncate(importId)}"; the service stores the last ${maximumImports}. Import again`,
    );
  }

  /** Cancels an import or a watch if it is running, and returns its final state. Throws IMPORT_NOT_FOUND. */
  async cancel(importId: string): Promise<ImportState> {
    const { state, runningImport, settlement } = this.#find(importId);
    if (state.status === 'running') runningImport.cancel();
    await settlement;
    return state;
  }

  /**
   * Calls `listener` after each change of the state of a running import or watch, and a last time when the import or
   * watch has ended. Never calls `listener` if the import or watch has ended before. Returns a function that removes
   * the listener. Throws IMPORT_NOT_FOUND.
   */
  follow(importId: string, listener: (state: ImportState) => void): () => void {
    this.#find(importId);
    this.#listeners.set(listener, importId);
    return () => void this.#listeners.delete(listener);
  }

  #notify(state: ImportState): void {
    for (const [listener, importId] of this.#listeners) {
      if (importId === state.importId) listener(state);
    }
  }

  /** Cancels running imports and watches; settles when they have ended. */
  async interrupt(): Promise<void> {
    await this.#cancelAll();
  }

  /**
   * Cancels running imports and watches, terminates their threads when `abortSignal` is aborted, and settles when they
   * have ended. Refuses later imports and watches with DATABASE_CHANGED. Cancels an import whose preparation ends
   * later.
   */
  async close(abortSignal: AbortSignal): Promise<void> {
    this.#isClosed = true;
    await this.#cancelAll(abortSignal);
  }

  async #cancelAll(abortSignal?: AbortSignal): Promise<void> {
    const runningImports = [...this.#imports.values()].filter(
      ({ state }) => state.status === 'running',
    );
    const terminate = () => runningImports.forEach((item) => item.runningImport.terminate());
    abortSignal?.addEventListener('abort', terminate, { once: true });
    for (const item of runningImports) item.runningImport.cancel();
    if (abortSignal?.aborted) terminate();
    await Promise.all(runningImports.map(({ settlement }) => settlement));
    abortSignal?.removeEventListener('abort', terminate);
  }
}

function makeUploadsFullError(detail: string): ProblemError {
  return new ProblemError('IMPORT_RUNNING', detail, {
    headers: { 'Retry-After': '5', Connection: 'close' },
  });
}

/** Returns the error of an import or watch whose thread the service terminates, perhaps after the last write. */
function makeTerminatedError(): ProblemError {
  return new ProblemError(
    'IMPORT_CANCELLED',
    'The service closed the database during the import. Check the stored runs before you import again',
  );
}

/** Returns the parts of the state of a watch that can change without a change of the database, as JSON. */
function describeUnstoredState(watch: WatchState | null): string {
  return JSON.stringify([watch?.files === 0, watch?.problem, watch?.notes]);
}

const initialWatch: Omit<WatchState, 'dataSet'> = {
  files: 0,
  runs: 0,
  running: 0,
  addedRuns: 0,
  addedRows: 0,
  changedAt: null,
  problem: null,
  notes: [],
};

const noProgress = { runs: 0, totalRuns: 0, rows: 0, totalRows: 0 };

/** Limit of the heap of a thread, without new objects. If a source needs more, the import fails, not the service. */
const resourceLimits = { maxOldGenerationSizeMb: 1_024 };

/**
 * Starts an import or a watch in a separate thread with its own connection, so requests do not wait. Uses this thread
 * for a database in memory, because no other thread can open it.
 */
function startImport(
  database: Database,
  task: Omit<ImportTask, 'database'>,
  onProgress: (progress: ImportProgress | WatchState) => void,
  // The bundle of the service contains `import-worker.js` in the same folder.
  program = join(import.meta.dirname, `import-worker${extname(import.meta.filename)}`),
): RunningImport {
  const { location: url } = database;
  const cancellation = new AbortController();
  const { signal } = cancellation;
  const isInMemory = url.dialect === 'sqlite' && url.file === ':memory:';
  if (isInMemory) {
    const cancel = () => cancellation.abort();
    return { end: importHere(database, task, onProgress, signal), cancel, terminate: cancel };
  }
  const thread = new TaskThread<ImportTask, ImportEnd>(program, { resourceLimits });
  let isWriting = false;
  let terminationError: Error | undefined;
  const result = thread.runTask(
    { database: url, ...task },
    {
      signal,
      onProgress: (message) => {
        const progress = message as ImportProgress | WatchState;
        // A cancelled watch reads and writes a last time.
        isWriting = !('phase' in progress) || progress.phase === 'writing';
        onProgress(progress);
      },
    },
  );
  const waitForEnd = async (): Promise<ImportEnd> => {
    const importEnd = await result.catch((error: unknown) => ({
      failure: serialiseFailure(terminationError ?? error),
    }));
    thread.end();
    await thread.exit;
    return importEnd;
  };
  /**
   * Terminates the thread if the thread has started and only reads. After the thread starts to write, only the thread
   * knows whether the import has finished.
   */
  const terminateReading = () => {
    if (isWriting || !thread.hasStarted) return;
    terminationError ??= makeCancelledError();
    thread.terminate();
  };
  return {
    end: waitForEnd(),
    cancel: () => {
      cancellation.abort();
      setTimeout(terminateReading, importStopMillis).unref();
    },
    terminate: () => {
      if (!thread.hasStarted) return;
      terminationError ??= makeTerminatedError();
      thread.terminate();
    },
  };
}

async function importHere(
  database: Database,
  { identity, ...task }: Omit<ImportTask, 'database'>,
  onProgress: (progress: ImportProgress | WatchState) => void,
  signal: AbortSignal,
): Promise<ImportEnd> {
  try {
    const limitedDatabase =
      identity === undefined ? database : await limitToIdentity(database, identity);
    return { result: await runImportTask(limitedDatabase, task, onProgress, signal) };
  } catch (error) {
    return { failure: serialiseFailure(error) };
  }
}
