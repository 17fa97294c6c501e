import { extname, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type {
  CurrentDatabase,
  DatabaseChoices,
  DatabaseLocation,
  InspectionResult,
  RecentDatabase,
} from '#shared/schemas/databases.ts';
import type { Database } from '#server/db/database.ts';
import { openDatabase, createUnopenedDatabase } from '#server/db/open.ts';
import type { Replica } from '#server/db/replica.ts';
import { StartUpError } from '#server/db/start-up-error.ts';
import {
  hashDatabaseUrl,
  formatLocation,
  type DatabaseUrl,
  type PostgresUrl,
} from '#server/db/url.ts';
import { ProblemError, truncate, makeStoppingError } from '#server/errors.ts';
import { TaskQueues } from '#server/services/task-queues.ts';
import { readLockMillis, requestConnections } from './threads.ts';
import {
  requireAllowedFile,
  listDatabaseFiles,
  resolvePath,
  toUrl,
  type ChoosingRules,
} from './choices.ts';
import {
  makeOpeningError,
  makeRefusedResult,
  type Inspection,
  type Permissions,
  type PrepareTask,
  type SampleProgress,
} from './inspection.ts';
import {
  makeNoDatabaseError,
  serveDatabase,
  serveNothing,
  type Session,
  type SessionContext,
} from './session.ts';
import { replacementMillis } from './shutdown.ts';
import { runTask } from './tasks.ts';

/** Maximum wait of an opening for the end of earlier sessions. */
const endWaitMillis = 5_000;

/** Maximum wait for the first response of the threads of a database. */
const startMillis = 10_000;

/** Maximum wait for the list of the RUNNING recorded runs of the previous database. */
const noteMillis = 2_000;

/** Maximum number of databases that the service inspects or opens at the same time, because each needs a thread. */
const maximumOpenings = 16;

/** Maximum number of databases in the list of recent ones. */
const maximumRecentDatabases = 10;

/** Options for serving databases. */
export interface DatabasesContext extends SessionContext {
  /** Rules for choosing another database; null if the service opens no other database. */
  rules: ChoosingRules | null;
  isReadOnly: boolean;
  /** Receives the session of another database when the service switches to it. */
  onSwitch: (session: Session) => void;
}

/** The first database of a service, and its replica if it has one. */
export interface FirstDatabase {
  database: Database;
  replica?: Replica | null | undefined;
}

/**
 * Opens databases, and serves one at a time, or none before a client opens one. Inspects, prepares and opens another
 * database before this database replaces the current one. Then all requests go to the new database, and the previous
 * session ends after its pending requests, or after {@link replacementMillis}. If the inspection, the preparation or
 * the connection to a server fails, the service still serves the previous database.
 *
 * opening ─► serving ─► switching (the next one opens, the previous one ends) ─► serving ─► … ─► closed
 */
export class Databases {
  readonly #context: DatabasesContext;
  /** The sessions that are ending. */
  readonly #endingSessions = new Map<Session, Promise<void>>();
  /** The pending openings. */
  readonly #openings = new Set<Promise<unknown>>();
  /** Queues of openings. Openings of the same database wait for each other. */
  readonly #queues = new TaskQueues();
  #currentSession: Session;
  #recentDatabases: RecentDatabase[] = [];
  #sample: DatabaseChoices['sample'] = null;
  #sampleEnd: Promise<unknown> = Promise.resolve();
  #lastSwitch: Promise<unknown> = Promise.resolve();
  #runningCount = 0;
  /** Number of the last requested opening, and of the opening of the current session. */
  #lastOpeningNumber = 0;
  #servedOpeningNumber = 0;
  #isClosed = false;

  /** Serves `firstDatabase`, or nothing until {@link open} opens a database. Does not call `onSwitch`. */
  constructor(context: DatabasesContext, firstDatabase: FirstDatabase | null) {
    this.#context = { ...context, runningRecordings: new Map() };
    this.#currentSession = firstDatabase
      ? serveDatabase(firstDatabase.database, this.#context, firstDatabase.replica ?? undefined)
      : serveNothing(this.#context);
  }

  /** The session that responds to requests now. */
  get currentSession(): Session {
    return this.#currentSession;
  }

  /** Whether clients can choose another database. */
  get canChoose(): boolean {
    return this.#context.rules !== null;
  }

  /**
   * Lists the open database and the databases that clients can open. Lists no files if any folder is allowed. Throws
   * NOT_FOUND if clients cannot choose another database.
   */
  async list(): Promise<DatabaseChoices> {
    const { folder, servers } = this.#getRules();
    const { files, omittedCount } =
      folder === null ? { files: [], omittedCount: 0 } : await listDatabaseFiles(folder);
    return {
      current: describeSession(this.#currentSession),
      folder,
      files,
      filesLeftOut: omittedCount,
      servers: servers && [...servers],
      recent: [...this.#recentDatabases],
      sample: this.#sample,
    };
  }

  /**
   * Inspects a database without opening it, and returns the result. Throws the errors of {@link toUrl}; NOT_FOUND if
   * clients cannot choose another database; DATABASE_BUSY while the service inspects or opens {@link maximumOpenings}
   * databases; SERVICE_STOPPING if `signal` is aborted or the service stops during the inspection of a server.
   */
  async inspect(location: DatabaseLocation, signal: AbortSignal): Promise<InspectionResult> {
    const url = toUrl(location, this.#getRules());
    const { result } = await this.#runLimited(() =>
      this.#inspect({ kind: 'inspect', url }, this.#combineWithStop(signal)),
    );
    return result;
  }

  /**
   * Opens a database instead of the current one, and returns the description of the opened database. Ends the
   * watches of the previous database, which write their last changes. Does not inspect a SQLite file that is already open. Throws CREATE_NEEDED,
   * TABLES_OF_OTHERS or LEGACY_SCHEMA if the user must first allow a change; DATABASE_REFUSED with the reason if the
   * service cannot open the database; DATABASE_CHANGED if the user has confirmed another database; IMPORT_RUNNING
   * during an import into the current database; SERVICE_STOPPING if the service stops; and the errors of {@link
   * inspect}. If `disconnection` is aborted before the service has prepared a file or connected to a server, throws
   * SERVICE_STOPPING, and the current database stays open.
   */
  async open(
    location: DatabaseLocation,
    permissions: Omit<Permissions, 'isReadOnly'>,
    disconnection: AbortSignal,
  ): Promise<CurrentDatabase> {
    const rules = this.#getRules();
    const url = toUrl(location, rules);
    this.#requireFree();
    const signal = this.#combineWithStop(disconnection);
    const session = await this.#queues.run(hashDatabaseUrl(url), () =>
      this.#runLimited(() => this.#open(url, permissions, signal)),
    );
    const newestDatabase = toRecentDatabase(url, rules);
    const otherDatabases = this.#recentDatabases.filter(
      (recentDatabase) => !isSame(recentDatabase, newestDatabase),
    );
    this.#recentDatabases = [newestDatabase, ...otherDatabases].slice(0, maximumRecentDatabases);
    const currentDatabase = describeSession(session);
    if (currentDatabase === null) throw makeNoDatabaseError();
    return currentDatabase;
  }

  /**
   * Creates a file with sample data and opens the file. `signal` cancels only the opening. Throws FILE_EXISTS if there
   * is a file at the path; SAMPLE_RUNNING while the service creates other sample data; READ_ONLY if the service is
   * read-only; and the errors of {@link open}.
   */
  async makeSample(path: string, signal: AbortSignal): Promise<CurrentDatabase> {
    const { isReadOnly, shutdown } = this.#context;
    if (isReadOnly)
      throw new ProblemError(
        'READ_ONLY',
        'This service is read-only: start it without --read-only to create sample data',
      );
    const file = requireAllowedFile(path, this.#getRules());
    this.#requireFree();
    if (this.#sample !== null) {
      throw new ProblemError(
        'SAMPLE_RUNNING',
        'The service is already creating sample data: wait until it is done',
      );
    }
    this.#sample = { file: path, runs: 0, totalRuns: 0 };
    try {
      const creation = this.#runTask<null>(
        { kind: 'sample', file },
        shutdown.stopSignal,
        (progress) => {
          this.#sample = { file: path, ...progress };
        },
      );
      this.#sampleEnd = creation.catch(() => {});
      await creation;
    } finally {
      this.#sample = null;
    }
    return this.open({ file }, { canCreate: false, legacy: undefined }, signal);
  }

  /**
   * Ends the current session, all openings and the creation of sample data permanently. Settles when all connections
   * are closed. Terminates the threads of the current session when `abortSignal` is aborted. Call this function after
   * the stop of the service has begun.
   */
  async close(abortSignal: AbortSignal): Promise<void> {
    this.#isClosed = true;
    const endOfSession = this.#currentSession.end({ abortSignal });
    await Promise.all([endOfSession, this.#sampleEnd, ...this.#openings]);
    await Promise.all(this.#endingSessions.values());
  }

  async #open(
    url: DatabaseUrl,
    allowedPermissions: Omit<Permissions, 'isReadOnly'>,
    signal: AbortSignal,
  ): Promise<Session> {
    const isOpen = this.#currentSession.id === hashDatabaseUrl(url);
    if (isOpen && url.dialect === 'sqlite') return this.#currentSession;
    const permissions = { isReadOnly: this.#context.isReadOnly, ...allowedPermissions };
    // A user who opens the current server again must also know its password. A URL with another user name has another
    // id.
    const preparedProperties = isOpen ? await this.#prepare(url, permissions, signal) : undefined;
    if (isOpen && isDeepStrictEqual(this.#currentSession.database?.location, url))
      return this.#currentSession;
    return this.#replace(async () => {
      const properties = preparedProperties ?? (await this.#prepare(url, permissions, signal));
      return url.dialect === 'sqlite'
        ? createUnopenedDatabase(url, properties)
        : this.#openServer(url, signal);
    });
  }

  /** Serves the database that `open` opens; see {@link Databases}. */
  #replace(open: () => Promise<Database>): Promise<Session> {
    const openingNumber = ++this.#lastOpeningNumber;
    const openAndSwitch = async () => {
      this.#requireOpen();
      this.#requireFree();
      const database = await open();
      const databaseSwitch = this.#lastSwitch.then(() => this.#switchTo(database, openingNumber));
      this.#lastSwitch = databaseSwitch.catch(() => {});
      return databaseSwitch;
    };
    const replacement = openAndSwitch();
    const replacementEnd = Promise.allSettled([replacement]).finally(() =>
      this.#openings.delete(replacementEnd),
    );
    this.#openings.add(replacementEnd);
    return replacement;
  }

  /**
   * Serves a prepared database. First waits at most {@link endWaitMillis} for the end of earlier sessions. Then waits at
   * most {@link startMillis} for the first response or failure of the threads, and at most {@link noteMillis} for the
   * list of the RUNNING recorded runs. Switches run one after another. If the service already serves the database of a later opening,
   * ends the new session immediately and returns it.
   */
  async #switchTo(database: Database, openingNumber: number): Promise<Session> {
    if (this.#isClosed) {
      await database.close();
      throw makeStoppingError();
    }
    await Promise.race([
      Promise.all(this.#endingSessions.values()),
      delay(endWaitMillis, undefined, { ref: false }),
    ]);
    const newSession = serveDatabase(database, this.#context);
    await Promise.race([newSession.startup, delay(startMillis, undefined, { ref: false })]);
    await Promise.race([
      this.#currentSession.noteRecordings(),
      delay(noteMillis, undefined, { ref: false }),
    ]);
    try {
      this.#requireOpen();
      this.#requireFree();
    } catch (error) {
      await newSession.end({ abortSignal: AbortSignal.abort() });
      throw error;
    }
    if (openingNumber < this.#servedOpeningNumber) {
      this.#endInBackground(newSession, { abortSignal: AbortSignal.abort() });
      return newSession;
    }
    const previousSession = this.#currentSession;
    this.#currentSession = newSession;
    this.#servedOpeningNumber = openingNumber;
    this.#context.onSwitch(newSession);
    this.#endInBackground(previousSession, {
      abortSignal: AbortSignal.timeout(replacementMillis),
      successor: newSession,
    });
    return newSession;
  }

  #endInBackground(session: Session, options: Parameters<Session['end']>[0]): void {
    const sessionEnd = session
      .end(options)
      .catch((error: unknown) =>
        this.#context.logger.error(
          { err: error },
          'Cannot close a database: restart the service to close its connections',
        ),
      )
      .finally(() => this.#endingSessions.delete(session));
    this.#endingSessions.set(session, sessionEnd);
  }

  /** Throws IMPORT_RUNNING during an import into the current database. */
  #requireFree(): void {
    const { imports } = this.#currentSession;
    const name = imports instanceof ProblemError ? undefined : imports.currentName;
    if (name === undefined) return;
    throw new ProblemError(
      'IMPORT_RUNNING',
      `An import of "${truncate(name)}" into the current database is running: wait until it is done, or cancel it`,
    );
  }

  #requireOpen(): void {
    if (this.#isClosed) throw makeStoppingError();
  }

  #getRules(): ChoosingRules {
    const { rules } = this.#context;
    if (rules === null)
      throw new ProblemError(
        'NOT_FOUND',
        'This service cannot open another database: start it with --choose',
      );
    return rules;
  }

  async #runLimited<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#runningCount >= maximumOpenings) {
      throw new ProblemError(
        'DATABASE_BUSY',
        'Too many requests are inspecting or opening databases; try again in a moment',
        { headers: { 'Retry-After': '5' } },
      );
    }
    this.#runningCount += 1;
    try {
      return await work();
    } finally {
      this.#runningCount -= 1;
    }
  }

  #combineWithStop(signal: AbortSignal): AbortSignal {
    return AbortSignal.any([this.#context.shutdown.stopSignal, signal]);
  }

  async #prepare(
    url: DatabaseUrl,
    permissions: Permissions,
    signal: AbortSignal,
  ): Promise<NonNullable<Inspection['preparedProperties']>> {
    // Until the threads notice that a file has moved, they have it open under its previous name, with its log at the
    // previous path.
    const openSessions = [this.#currentSession, ...this.#endingSessions.keys()];
    await Promise.all(openSessions.map((session) => session.releaseMovedFile()));
    const { result, identity, preparedProperties } = await this.#inspect(
      { kind: 'prepare', url, permissions },
      signal,
    );
    if (preparedProperties !== null) return preparedProperties;
    // A cancelled preparation also returns no properties.
    throw signal.aborted ? makeStoppingError() : makeOpeningError(result, url, identity);
  }

  #inspect(task: PrepareTask & { url: DatabaseUrl }, signal: AbortSignal): Promise<Inspection> {
    return this.#runTask(task, signal);
  }

  /** Runs a task in a separate thread, so a lock or a backup blocks no request. */
  async #runTask<Result extends Inspection | null>(
    task: PrepareTask,
    signal: AbortSignal,
    onProgress: (progress: SampleProgress) => void = () => {},
  ): Promise<Result> {
    // The bundle of the service contains `prepare-worker.js` in the same folder.
    const program = new URL(`./prepare-worker${extname(import.meta.filename)}`, import.meta.url);
    try {
      return await runTask<Result>(program, task, {
        signal,
        onProgress: (progress) => onProgress(progress as SampleProgress),
        logger: this.#context.logger,
        // Otherwise, the thread would wait for a server that does not respond.
        canTerminate: task.kind !== 'sample' && task.url.dialect === 'postgres',
      });
    } catch (error) {
      throw signal.aborted && !(error instanceof ProblemError) ? makeStoppingError() : error;
    }
  }

  /** Opens a prepared server without changing it. */
  async #openServer(url: PostgresUrl, signal: AbortSignal): Promise<Database> {
    const { isReadOnly, logger } = this.#context;
    try {
      return await openDatabase(url, {
        isReadOnly,
        isExistenceRequired: true,
        maximumConnections: requestConnections,
        lockTimeoutMillis: readLockMillis,
        signal,
        notify: (message) => logger.warn(message),
      });
    } catch (error) {
      if (signal.aborted) throw makeStoppingError();
      if (!(error instanceof StartUpError)) throw error;
      throw makeOpeningError(makeRefusedResult(error, url), url, null);
    }
  }
}

function describeSession({ id, database }: Session): CurrentDatabase | null {
  if (database === null) return null;
  const { name, dialect, location, isReadOnly } = database;
  return {
    id,
    name,
    dialect: dialect.name,
    place: formatLocation(location),
    readOnly: isReadOnly,
  };
}

/**
 * Returns the entry of a database in the list of recent ones. The path of a file is relative to the folder, or absolute
 * if any folder is allowed. The entry of a server contains no password and no certificate file.
 */
function toRecentDatabase(url: DatabaseUrl, { folder }: ChoosingRules): RecentDatabase {
  const openedAt = new Date().toISOString();
  if (url.dialect === 'sqlite') {
    const file = folder === null ? url.file : relative(resolvePath(folder), url.file);
    return { dialect: 'sqlite', file, openedAt };
  }
  const { host, port, database = '', user, sslMode: sslmode, schemas } = url;
  const schema = schemas.join(',');
  const postgres = { host, port, database, sslmode };
  return {
    dialect: 'postgres',
    postgres: { ...postgres, ...(user && { user }), ...(schema && { schema }) },
    openedAt,
  };
}

function isSame(a: RecentDatabase, b: RecentDatabase): boolean {
  return isDeepStrictEqual({ ...a, openedAt: '' }, { ...b, openedAt: '' });
}
