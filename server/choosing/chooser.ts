import { relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type {
  CurrentDatabase,
  DatabaseChoices,
  DatabasePlace,
  DatabaseTest,
  RecentDatabase,
} from '#shared/schemas/databases.ts';
import type { Database } from '#server/db/database.ts';
import { openDatabase, unopenedDatabase } from '#server/db/open.ts';
import { StartUpError } from '#server/db/start-up-error.ts';
import {
  describeDatabase,
  databaseId,
  type DatabaseUrl,
  type PostgresUrl,
} from '#server/db/url.ts';
import { ProblemError, stoppingProblem } from '#server/errors.ts';
import type { Served } from '#server/served.ts';
import { readLockMillis, requestConnections } from '#server/threads/threads.ts';
import { inThread } from './choosing-thread.ts';
import { listDatabaseFiles } from './folder.ts';
import type { DatabaseHolder } from './holder.ts';
import { refused } from './judge.ts';
import type { Looked, Permissions } from './orders.ts';
import type { RecentList } from './recent.ts';
import { allowedFile, urlOf, type ChoosingRules } from './rules.ts';

/** What choosing databases needs. */
export interface ChooserContext {
  holder: DatabaseHolder;
  rules: ChoosingRules;
  readOnly: boolean;
  recent: RecentList;
  notify: (message: string) => void;
  /** Aborted when the service is asked to stop. */
  stopping: AbortSignal;
}

/** Most databases that are inspected or opened at the same time: each takes a thread. */
const mostOpenings = 16;

/** Says which databases can be chosen, and opens them. */
export class Chooser {
  readonly #context: ChooserContext;
  #sample: DatabaseChoices['sample'] = null;
  #making: Promise<unknown> = Promise.resolve();
  /** The last opening of each database that is being opened: two of the same database wait for each other. */
  readonly #openings = new Map<string, Promise<unknown>>();
  #running = 0;

  constructor(context: ChooserContext) {
    this.#context = context;
  }

  /** What is open, and what can be. */
  async list(): Promise<DatabaseChoices> {
    const { holder, rules, recent } = this.#context;
    const { folder, servers } = rules;
    const { files, leftOut } =
      folder === null ? { files: [], leftOut: 0 } : await listDatabaseFiles(folder);
    return {
      current: describeServed(holder.served),
      folder,
      files,
      filesLeftOut: leftOut,
      servers: servers && [...servers],
      recent: recent.list(),
      sample: this.#sample,
    };
  }

  /** What a database is, in words; opens nothing, and ends when `left` is aborted. FORBIDDEN_PATH, FORBIDDEN_SERVER. */
  async test(place: DatabasePlace, left: AbortSignal): Promise<DatabaseTest> {
    const url = urlOf(place, this.#context.rules);
    const { test } = await this.#limited(() =>
      inThread({ kind: 'look', url }, {}, this.#untilStopOr(left)),
    );
    return test;
  }

  /**
   * Opens a database in place of the present one; the present one itself stays as it is. Asks by CREATE_NEEDED,
   * TABLES_OF_OTHERS or LEGACY_SCHEMA what must be allowed first; DATABASE_REFUSED says why it cannot be opened. Ends,
   * with nothing changed, when `left` is aborted.
   */
  async open(
    place: DatabasePlace,
    permissions: Omit<Permissions, 'readOnly'>,
    left: AbortSignal,
  ): Promise<CurrentDatabase> {
    const { holder, recent, rules } = this.#context;
    const url = urlOf(place, rules);
    holder.assertFree();
    const signal = this.#untilStopOr(left);
    const served = await this.#inTurn(databaseId(url), () =>
      this.#limited(() => this.#openNow(url, permissions, signal)),
    );
    recent.add(recentOf(url, rules));
    const current = describeServed(served);
    if (current === null) throw new ProblemError('NO_DATABASE', 'Nothing was opened');
    return current;
  }

  async #openNow(
    url: DatabaseUrl,
    allowed: Omit<Permissions, 'readOnly'>,
    signal: AbortSignal,
  ): Promise<Served> {
    const { holder, readOnly } = this.#context;
    const isOpen = holder.served.id === databaseId(url);
    if (isOpen && url.dialect === 'sqlite') return holder.served;
    const permissions = { readOnly, ...allowed };
    // Whoever names a server that is open must have its password all the same; another user name is another database.
    const checked = isOpen ? await this.#prepare(url, permissions, signal) : undefined;
    if (isOpen && isDeepStrictEqual(holder.served.database?.source, url)) return holder.served;
    return holder.replace(async () => {
      const ready = checked ?? (await this.#prepare(url, permissions, signal));
      if (url.dialect === 'sqlite') return unopenedDatabase(url, ready);
      return this.#openServer(url, signal);
    });
  }

  /** Does work once earlier work on the same database has ended. */
  async #inTurn<Result>(id: string, work: () => Promise<Result>): Promise<Result> {
    const earlier = this.#openings.get(id) ?? Promise.resolve();
    const done = earlier.then(work);
    const ended = Promise.allSettled([done]);
    this.#openings.set(id, ended);
    try {
      return await done;
    } finally {
      if (this.#openings.get(id) === ended) this.#openings.delete(id);
    }
  }

  async #limited<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running >= mostOpenings) {
      throw new ProblemError(
        'DATABASE_BUSY',
        'Too many databases are being opened; try again in a moment',
        { headers: { 'Retry-After': '5' } },
      );
    }
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
    }
  }

  #untilStopOr(left: AbortSignal): AbortSignal {
    return AbortSignal.any([this.#context.stopping, left]);
  }

  /** Makes a file with sample data and opens it. FILE_EXISTS, SAMPLE_RUNNING, READ_ONLY, and what {@link open} throws. */
  async makeSample(path: string, left: AbortSignal): Promise<CurrentDatabase> {
    const { holder, rules, readOnly, stopping } = this.#context;
    if (readOnly) throw new ProblemError('READ_ONLY', 'This service writes to no database');
    const file = allowedFile(path, rules);
    holder.assertFree();
    if (this.#sample !== null) {
      throw new ProblemError('SAMPLE_RUNNING', 'Sample data are being made already');
    }
    this.#sample = { file: path, runs: 0, totalRuns: 0 };
    try {
      const onProgress = (progress: object) =>
        (this.#sample = { file: path, runs: 0, totalRuns: 0, ...progress });
      const made = inThread({ kind: 'sample', file }, { onProgress }, stopping);
      this.#making = made.catch(() => {});
      await made;
    } finally {
      this.#sample = null;
    }
    return this.open({ file }, { create: false, legacy: undefined }, left);
  }

  /** Settles when no sample data are being made any more, once the service has been asked to stop. */
  async close(): Promise<void> {
    await this.#making;
  }

  async #prepare(
    url: DatabaseUrl,
    permissions: Permissions,
    signal: AbortSignal,
  ): Promise<NonNullable<Looked['ready']>> {
    const { notify } = this.#context;
    const order = { kind: 'prepare', url, permissions } as const;
    const { test, identity, ready } = await inThread(order, { onNotice: notify }, signal);
    if (ready === null) throw asProblem(test, url, identity);
    return ready;
  }

  /** Opens what has been made ready, at which nothing is changed. */
  async #openServer(url: PostgresUrl, signal: AbortSignal): Promise<Database> {
    const { readOnly, notify } = this.#context;
    try {
      return await openDatabase(url, {
        readOnly,
        existing: true,
        maximumConnections: requestConnections,
        lockTimeoutMillis: readLockMillis,
        signal,
        notify,
      });
    } catch (error) {
      if (signal.aborted) throw stoppingProblem();
      if (!(error instanceof StartUpError)) throw error;
      throw asProblem(refused(error, url), url, null);
    }
  }
}

function describeServed({ id, database }: Served): CurrentDatabase | null {
  if (database === null) return null;
  const { name, dialect, source, readOnly } = database;
  const place = describeDatabase(source).replace(/^\w+: /, '');
  return { id, name, dialect: dialect.name, place, readOnly };
}

/** A database as it is remembered: files by their path in the folder, servers without the password. */
function recentOf(url: DatabaseUrl, { folder }: ChoosingRules): RecentDatabase {
  const openedAt = new Date().toISOString();
  if (url.dialect === 'sqlite') {
    const file = folder === null ? url.file : relative(folder, url.file);
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

const questions = {
  empty: ['CREATE_NEEDED', 'Shall the runner’s tables be made in it?'],
  missing: ['CREATE_NEEDED', 'Shall a new database be made?'],
  others: ['TABLES_OF_OTHERS', 'Shall the runner’s tables be made beside them?'],
  legacy: ['LEGACY_SCHEMA', ''],
  runner: ['DATABASE_REFUSED', ''],
  refused: ['DATABASE_REFUSED', ''],
} as const;

/** The question to ask before a database is opened, or the reason why it is not. */
function asProblem(
  { verdict, message, field }: DatabaseTest,
  url: DatabaseUrl,
  identity: string | null,
): ProblemError {
  const [code, question] = questions[verdict];
  if (code !== 'DATABASE_REFUSED') {
    const text =
      code === 'LEGACY_SCHEMA' ? legacyQuestion(message, url) : `${message}. ${question}`;
    return new ProblemError(code, text, { databaseIdentity: identity ?? undefined });
  }
  const path = field && url.dialect === 'postgres' ? `postgres.${field}` : (field ?? 'file');
  return new ProblemError(code, message, { faults: [{ path, message }] });
}

function legacyQuestion(message: string, url: DatabaseUrl): string {
  const backup =
    url.dialect === 'sqlite'
      ? 'a copy of the whole file beside it, with ".legacy-" and the time in its name'
      : 'in a new schema "legacy_" with the time in the same database';
  return `${message}. They can be replaced by empty ones of the present version. What is in them is kept first: ${backup}`;
}
