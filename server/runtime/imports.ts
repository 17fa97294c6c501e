import { randomUUID } from 'node:crypto';
import { extname, join } from 'node:path';
import { problemCatalogue } from '#shared/schemas/error.ts';
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
 * Maximum number of imports whose state the service stores. Above it, the service removes the oldest one that has
 * ended.
 */
const maximumImports = 20;

/** Maximum number of folders that the service watches at the same time: each has a thread. */
const maximumWatches = 4;

/** An import that is running. */
interface RunningImport {
  /** Settles when it has ended, with its result or failure. Never rejects. */
  end: Promise<ImportEnd>;
  /** Cancels it: it ends with nothing changed, unless it has finished before. */
  cancel(): void;
  /** Terminates its thread. */
  kill(): void;
}

interface StoredImport {
  state: ImportState;
  runningImport: RunningImport;
  /** Settles when the state is final. */
  settlement: Promise<void>;
}

/** A source to import. */
export interface ImportRequest {
  source: ImportSource;
  options: ImportOptions;
  /** The identity of the target database; undefined if the client names none. */
  identity: string | undefined;
  /** Releases the source when the import has ended, also after a failure. */
  release?: () => Promise<void>;
}

/** Runs the imports of a service, one at a time, and watches folders meanwhile. Calls the listeners of both. */
export class Imports {
  readonly #database: Database;
  readonly #logger: Log;
  readonly #program: string | undefined;
  readonly #onEnd: (() => Promise<void> | undefined) | undefined;
  readonly #imports = new Map<string, StoredImport>();
  readonly #followers = new Map<(state: ImportState) => void, string>();
  /** Name of the source of the running import. */
  #currentName: string | undefined;
  /** Number of pending uploads, and their bytes so far. */
  #uploadCount = 0;
  #uploadedBytes = 0;
  #isClosed = false;
  /** Number of changes of watched folders that are not in the database. */
  #watchChangeCount = 0;

  /**
   * Imports run `program`, by default `import-worker` of the service's sources or bundle. Calls `onEnd` after each
   * import.
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
   * Starts the import that `prepare` returns, and returns its id. Throws IMPORT_RUNNING while another import is
   * running, READ_ONLY if the database is read-only and the import is no dry run, DATABASE_CHANGED after {@link close},
   * and the errors of `prepare`.
   */
  async start(name: string, isDryRun: boolean, prepare: () => Promise<ImportRequest>) {
    if (!isDryRun) await requireWritable(this.#database, 'imported');
    this.#assertFree();
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
   * `maximumBytes`. Throws IMPORT_RUNNING while another import is running, or too many or too large uploads are being
   * received. Also throws READ_ONLY and DATABASE_CHANGED like {@link start}, and the errors of `receive`.
   */
  async startUpload(
    name: string,
    isDryRun: boolean,
    maximumBytes: number,
    receive: (countBytes: (bytes: number) => void) => Promise<ImportRequest>,
  ): Promise<string> {
    if (!isDryRun) await requireWritable(this.#database, 'imported');
    this.#assertFree();
    if (this.#uploadCount >= maximumUploads) throw makeTooManyUploadsError();
    this.#uploadCount += 1;
    let receivedBytes = 0;
    const countBytes = (bytes: number) => {
      receivedBytes += bytes;
      this.#uploadedBytes += bytes;
      if (this.#uploadedBytes > maximumBytes) throw makeTooManyUploadsError();
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

  #assertOpen(): void {
    if (!this.#isClosed) return;
    throw new ProblemError(
      'DATABASE_CHANGED',
      'The database was closed before the import began, so nothing was imported. Import again into the open one',
    );
  }

  #assertFree(): void {
    this.#assertOpen();
    if (this.#currentName !== undefined) throw this.#makeRunningError();
  }

  /** A text that differs after a change of a watched folder that is not in the database; empty before the first. */
  get watchVersion(): string {
    return this.#watchChangeCount === 0 ? '' : `-${this.#watchChangeCount}`;
  }

  /** Name of the source of the running import; undefined without an import. */
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
   * Starts to watch a folder and returns the id of the import, which runs until it is cancelled. Other imports can run
   * meanwhile. Throws IMPORT_RUNNING if the service watches this folder or too many others already, READ_ONLY if the
   * database is read-only, and DATABASE_CHANGED after {@link close}.
   */
  async startWatch(path: string, request: Omit<ImportRequest, 'source' | 'release'>) {
    await requireWritable(this.#database, 'imported');
    this.#assertOpen();
    const watches = this.#listWatches();
    if (watches.some(({ state }) => state.source === path))
      throw new ProblemError('IMPORT_RUNNING', `The service already watches "${truncate(path)}"`);
    if (watches.length >= maximumWatches)
      throw new ProblemError(
        'IMPORT_RUNNING',
        `The service watches ${maximumWatches} folders, which is the limit. Stop watching one of them`,
      );
    return this.#run(path, { ...request, source: { path } }, path);
  }

  /**
   * Adds the folders that `previousImports` watches to the list as ended, because the service has opened another
   * database. `name` is the name of the previous database.
   */
  addEndedWatches(previousImports: Imports, name: string): void {
    for (const { state, runningImport, settlement } of previousImports.#listWatches()) {
      const { title, status } = problemCatalogue.DATABASE_CHANGED;
      const detail = `Watching ended, because another database was opened. The rows are in ${name}`;
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
      this.#logger.warn({ err: error }, 'Removing a temporary file failed'),
    );
    if ('result' in end) Object.assign(state, { status: 'done', result: end.result });
    else Object.assign(state, { status: 'failed', failure: this.#getFailure(end.failure) });
    if (state.watch === null) this.#currentName = undefined;
    else this.#watchChangeCount += 1;
    this.#notify(state);
  }

  /**
   * Returns the failure for clients. Logs an error that is not from the catalogue, because it is a fault of the
   * service.
   */
  #getFailure({ error, notes }: SerialisedFailure): ImportFailure {
    const failure = deserialiseError(error);
    const { code, message: detail } =
      failure instanceof ProblemError ? failure : makeInternalError();
    if (code === 'INTERNAL') this.#logger.error({ err: failure }, 'An import failed');
    const { title, status } = problemCatalogue[code];
    return { code, title, status, detail, notes: [...notes] };
  }

  /** Returns the stored states, newest first. */
  list(): ImportState[] {
    return [...this.#imports.values()].map(({ state }) => state).reverse();
  }

  /** Returns the state of an import. Throws IMPORT_NOT_FOUND. */
  get(importId: string): ImportState {
    return this.#find(importId).state;
  }

  #find(importId: string): StoredImport {
    const storedImport = this.#imports.get(importId);
    if (storedImport) return storedImport;
    throw new ProblemError(
      'IMPORT_NOT_FOUND',
      `There is no import with the id "${truncate(importId)}"; the service stores the last ${maximumImports}`,
    );
  }

  /** Cancels an import if it is running, and returns its final state. Throws IMPORT_NOT_FOUND. */
  async cancel(importId: string): Promise<ImportState> {
    const { state, runningImport, settlement } = this.#find(importId);
    if (state.status === 'running') runningImport.cancel();
    await settlement;
    return state;
  }

  /**
   * Calls `listener` after each change of an import, the last time when it has ended. Returns a function that removes
   * the listener. Throws IMPORT_NOT_FOUND.
   */
  follow(importId: string, listener: (state: ImportState) => void): () => void {
    this.#find(importId);
    this.#followers.set(listener, importId);
    return () => void this.#followers.delete(listener);
  }

  #notify(state: ImportState): void {
    for (const [listener, importId] of this.#followers) {
      if (importId === state.importId) listener(state);
    }
  }

  /** Cancels running imports; settles when they have ended. */
  async interrupt(): Promise<void> {
    await this.#cancelAll();
  }

  /**
   * Cancels running imports, ends their threads when `abortSignal` is aborted, and settles when they have ended.
   * Refuses later imports with DATABASE_CHANGED.
   */
  async close(abortSignal: AbortSignal): Promise<void> {
    this.#isClosed = true;
    await this.#cancelAll(abortSignal);
  }

  async #cancelAll(abortSignal?: AbortSignal): Promise<void> {
    const runningImports = [...this.#imports.values()].filter(
      ({ state }) => state.status === 'running',
    );
    const kill = () => runningImports.forEach((item) => item.runningImport.kill());
    abortSignal?.addEventListener('abort', kill, { once: true });
    for (const item of runningImports) item.runningImport.cancel();
    if (abortSignal?.aborted) kill();
    await Promise.all(runningImports.map(({ settlement }) => settlement));
    abortSignal?.removeEventListener('abort', kill);
  }
}

function makeTooManyUploadsError(): ProblemError {
  return new ProblemError(
    'IMPORT_RUNNING',
    'Other uploads use all the space for uploads. Try again when they have ended',
    { headers: { 'Retry-After': '5', Connection: 'close' } },
  );
}

/** Returns the error of an import whose thread is terminated, perhaps after it has stored everything. */
function makeKilledError(): ProblemError {
  return new ProblemError(
    'IMPORT_CANCELLED',
    'The database was closed during the import. Check which runs are stored before you import again',
  );
}

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

/** Memory limit of the thread. A source that needs more ends the import, not the service. */
const resourceLimits = { maxOldGenerationSizeMb: 1_024 };

/**
 * Imports in a separate thread with its own connection, so requests do not wait. A database in memory, which no other
 * thread can open, is the target of an import in this thread.
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
    return { end: importHere(database, task, onProgress, signal), cancel, kill: cancel };
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
        // A watch that is cancelled reads and writes a last time.
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
   * Terminates the thread while it reads a large file. After it starts to write, only the thread knows whether the
   * import has finished.
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
    kill: () => {
      if (!thread.hasStarted) return;
      terminationError ??= makeKilledError();
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
