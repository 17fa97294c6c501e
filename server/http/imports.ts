import { randomUUID } from 'node:crypto';
import type { Response } from 'express';
import { problemCatalogue } from '#shared/schemas/error.ts';
import type { ImportFailure, ImportState } from '#shared/schemas/import.ts';
import type { Database } from '#server/db/database.ts';
import { ProblemError, requireWritable, shortened } from '#server/errors.ts';
import type { ImportOptions } from '#server/import/read-data-set.ts';
import type { ImportSource } from '#server/import/source/read-source.ts';
import type { Log } from '#server/logger.ts';
import type { SentFailure } from '#server/threads/import-messages.ts';
import { type RunningImport, startImport } from '#server/threads/import-thread.ts';
import { receiveError } from '#server/threads/messages.ts';
import { maximumStreams, startStream } from './changes.ts';
import { toProblem } from './error-handler.ts';

/** Most uploads that are received at the same time. */
const maximumUploads = 8;

/** Imports that are remembered, the newest ones. */
const remembered = 20;

interface KnownImport {
  state: ImportState;
  running: RunningImport;
  /** Settles when the state is its last one. */
  settled: Promise<void>;
}

/** What is imported. */
export interface ImportRequest {
  source: ImportSource;
  options: ImportOptions;
  /** The identity of the database that it is for, where the client names one. */
  identity: string | undefined;
  /** Called when it has ended, however. */
  release?: () => Promise<void>;
}

/** The imports of a service, one at a time, and the clients that watch them. */
export class Imports {
  readonly #database: Database;
  readonly #logger: Log;
  readonly #program: string | undefined;
  readonly #onEnd: (() => Promise<void> | undefined) | undefined;
  readonly #known = new Map<string, KnownImport>();
  readonly #watchers = new Map<Response, string>();
  /** What is being imported. */
  #current: string | undefined;
  /** Uploads that are being received, and their bytes so far. */
  #uploads = 0;
  #uploadedBytes = 0;
  #isClosed = false;

  /** Imports run `program`, by default the one of the service's own sources or bundle; after each of them `onEnd` is called. */
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
   * Starts the import that `prepare` gives, and answers its id. IMPORT_RUNNING while another one is running; READ_ONLY,
   * and what `prepare` throws.
   */
  async start(name: string, dryRun: boolean, prepare: () => Promise<ImportRequest>) {
    if (!dryRun) await requireWritable(this.#database, 'imported');
    this.#assertFree();
    this.#current = name;
    try {
      return this.#run(name, await prepare());
    } catch (error) {
      this.#current = undefined;
      throw error;
    }
  }

  /**
   * Starts the import of an upload once `receive` has all of it, and answers its id: others can import meanwhile.
   * `receive` reports the bytes that it gets to a function that throws when all uploads together exceed `maximumBytes`.
   * IMPORT_RUNNING while another import is running, or too many or too large uploads are being received; READ_ONLY,
   * DATABASE_CHANGED, and what `receive` throws.
   */
  async startUpload(
    name: string,
    dryRun: boolean,
    maximumBytes: number,
    receive: (count: (bytes: number) => void) => Promise<ImportRequest>,
  ): Promise<string> {
    if (!dryRun) await requireWritable(this.#database, 'imported');
    this.#assertFree();
    if (this.#uploads >= maximumUploads) throw tooManyUploads();
    this.#uploads += 1;
    let own = 0;
    const count = (bytes: number) => {
      own += bytes;
      this.#uploadedBytes += bytes;
      if (this.#uploadedBytes > maximumBytes) throw tooManyUploads();
    };
    try {
      const request = await receive(count);
      return await this.start(name, dryRun, async () => request).catch(async (error: unknown) => {
        await request.release?.();
        throw error;
      });
    } finally {
      this.#uploads -= 1;
      this.#uploadedBytes -= own;
    }
  }

  #assertFree(): void {
    if (this.#isClosed) {
      throw new ProblemError(
        'DATABASE_CHANGED',
        'The database was closed before the import began, so nothing was imported. Import again into the open one',
      );
    }
    if (this.#current !== undefined) throw this.#isTaken();
  }

  /** What is being imported; undefined for nothing. */
  get current(): string | undefined {
    return this.#current;
  }

  #isTaken(): ProblemError {
    return new ProblemError(
      'IMPORT_RUNNING',
      `"${shortened(this.#current ?? '')}" is being imported: wait until it is done, or cancel it`,
      { headers: { 'Retry-After': '5' } },
    );
  }

  #run(name: string, { source, options, identity, release }: ImportRequest): string {
    const importId = randomUUID();
    const state: ImportState = {
      importId,
      source: name,
      dryRun: options.dryRun ?? false,
      status: 'running',
      progress: { phase: 'reading', bytes: 0, totalBytes: null, ...nothingWritten },
      result: null,
      failure: null,
    };
    const onProgress = (progress: ImportState['progress']) => {
      state.progress = progress;
      this.#tell(importId, eventOf(state));
    };
    const order = { source, options, identity };
    const running = startImport(this.#database, order, onProgress, this.#program);
    const settled = this.#settle(state, running, release);
    this.#known.set(importId, { state, running, settled });
    const [oldest] = this.#known.keys();
    if (this.#known.size > remembered && oldest !== undefined) this.#known.delete(oldest);
    if (this.#isClosed) running.cancel();
    return importId;
  }

  async #settle(
    state: ImportState,
    { ended }: RunningImport,
    release: ImportRequest['release'],
  ): Promise<void> {
    const end = await ended;
    await this.#onEnd?.();
    await release?.().catch((error: unknown) =>
      this.#logger.warn({ err: error }, 'A temporary file could not be removed'),
    );
    if ('result' in end) Object.assign(state, { status: 'done', result: end.result });
    else Object.assign(state, { status: 'failed', failure: this.#failureOf(end.failure) });
    this.#current = undefined;
    this.#tell(state.importId, eventOf(state));
  }

  /** An import that nobody refused has failed by a fault of ours, which the log tells. */
  #failureOf({ error, notes }: SentFailure): ImportFailure {
    const received = receiveError(error);
    const { code, message: detail } = toProblem(received, this.#database.dialect);
    if (code === 'INTERNAL') this.#logger.error({ err: received }, 'An import failed');
    const { title, status } = problemCatalogue[code];
    return { code, title, status, detail, notes: [...notes] };
  }

  /** All that are remembered, newest first. */
  list(): ImportState[] {
    return [...this.#known.values()].map(({ state }) => state).reverse();
  }

  /** IMPORT_NOT_FOUND. */
  get(importId: string): ImportState {
    return this.#find(importId).state;
  }

  #find(importId: string): KnownImport {
    const known = this.#known.get(importId);
    if (known) return known;
    throw new ProblemError(
      'IMPORT_NOT_FOUND',
      `There is no import with the id "${shortened(importId)}"; the service remembers ${remembered}`,
    );
  }

  /** What became of an import that is not wanted any more. IMPORT_NOT_FOUND. */
  async cancel(importId: string): Promise<ImportState> {
    const { state, running, settled } = this.#find(importId);
    if (state.status === 'running') running.cancel();
    await settled;
    return state;
  }

  /**
   * Makes the response a stream of the events of an import: how it stands, then each change until it has ended.
   * IMPORT_NOT_FOUND; TOO_MANY_STREAMS.
   */
  watch(importId: string, response: Response): void {
    const { state } = this.#find(importId);
    if (this.#watchers.size >= maximumStreams)
      throw new ProblemError(
        'TOO_MANY_STREAMS',
        `${maximumStreams} clients are already following imports, which is the limit. Close one of them, or poll instead.`,
        { headers: { 'Retry-After': '5' } },
      );
    startStream(response);
    this.#watchers.set(response, importId);
    response.once('close', () => this.#watchers.delete(response));
    response.write(eventOf(state));
    if (state.status !== 'running' || response.req.method === 'HEAD') response.end();
  }

  #tell(importId: string, event: string): void {
    const isLast = this.#known.get(importId)?.state.status !== 'running';
    for (const [response, watched] of this.#watchers) {
      if (watched !== importId) continue;
      // Who does not read on needs no further step of the way, only its end.
      if (isLast || response.writableLength === 0) response.write(event);
      if (isLast) response.end();
    }
  }

  /** Cancels what is under way; settles when it has ended. */
  async interrupt(): Promise<void> {
    const running = [...this.#known.values()].filter(({ state }) => state.status === 'running');
    for (const one of running) one.running.cancel();
    await Promise.all(running.map(({ settled }) => settled));
  }

  /** Cancels what is under way, ends it after `patienceMillis`, and ends all streams. */
  async close(patienceMillis: number): Promise<void> {
    this.#isClosed = true;
    const running = [...this.#known.values()].filter(({ state }) => state.status === 'running');
    for (const one of running) one.running.cancel();
    const kill = () => running.forEach((one) => one.running.kill());
    const timer = setTimeout(kill, patienceMillis).unref();
    await Promise.all(running.map(({ settled }) => settled));
    clearTimeout(timer);
    for (const response of this.#watchers.keys()) response.end();
  }
}

function tooManyUploads(): ProblemError {
  return new ProblemError(
    'IMPORT_RUNNING',
    'Other uploads are being received and take all the room. Try again when they have ended',
    { headers: { 'Retry-After': '5', Connection: 'close' } },
  );
}

const nothingWritten = { runs: 0, totalRuns: 0, rows: 0, totalRows: 0 };

function eventOf({ progress, result, failure }: ImportState): string {
  const [name, data] = result
    ? (['done', result] as const)
    : failure
      ? (['failed', failure] as const)
      : (['progress', progress] as const);
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
