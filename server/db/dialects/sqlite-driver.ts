import SqliteDatabase from 'better-sqlite3';
import {
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
} from 'kysely';
import { tableDefinitions, tableNames } from '../tables.ts';
import {
  assertCurrent,
  busyTimeoutMillis,
  isBusy,
  type SqliteHandle,
  resolveFile,
} from './sqlite-file.ts';
import { statSync, type BigIntStats } from 'node:fs';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { recentWriteMillis } from '../dialect.ts';

const retryMillis = 25;

/** Options of a connection. */
export interface SqliteConnectionOptions {
  /** Returns the handle of the open database. Different calls may return different handles. */
  getHandle: () => SqliteHandle;
  /** Whether transactions start with BEGIN IMMEDIATE. */
  isWriting: boolean;
}

/** Returns a safe integer as a number, and any other integer as its decimal digits. */
export function toLosslessInteger(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

/**
 * Creates a Kysely dialect over one better-sqlite3 connection. Unlike Kysely's own dialect, it returns lossless
 * integers, binds safe integers as integers (the driver would bind doubles), and binds arrays as JSON. It returns
 * blobs, and numbers in our text columns, as text. Its write transactions wait for another writer without blocking the
 * thread; a change outside a transaction blocks the thread while it waits.
 */
export function createSqliteKyselyDialect(options: SqliteConnectionOptions): Dialect {
  return {
    createAdapter: () => new QueuedSqliteAdapter(),
    createDriver: () => new QueuedSqliteDriver(options),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** Makes Kysely leave queueing to the driver, because Kysely's own queue has no timeout. */
class QueuedSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class QueuedSqliteDriver implements Driver {
  readonly #options: SqliteConnectionOptions;
  #waiters: (() => void)[] = [];
  #isAcquired = false;

  constructor(options: SqliteConnectionOptions) {
    this.#options = options;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    const deadline = performance.now() + busyTimeoutMillis;
    if (this.#isAcquired) await this.#waitForTurn();
    this.#isAcquired = true;
    try {
      return new SqliteConnection(this.#options.getHandle(), deadline);
    } catch (error) {
      // Kysely releases only a connection that it has received.
      await this.releaseConnection();
      throw error;
    }
  }

  async #waitForTurn(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiters.push(resolve);
    const timer = setTimeout(() => {
      this.#waiters = this.#waiters.filter((entry) => entry !== resolve);
      reject(makeBusyError());
    }, busyTimeoutMillis);
    await promise.finally(() => clearTimeout(timer));
  }

  async releaseConnection(): Promise<void> {
    const resolveNext = this.#waiters.shift();
    this.#isAcquired = resolveNext !== undefined;
    resolveNext?.();
  }

  async beginTransaction(connection: SqliteConnection): Promise<void> {
    if (this.#options.isWriting) await connection.beginImmediate();
    else connection.handle.exec('begin');
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    if (this.#options.isWriting) assertCurrent(connection.handle);
    connection.handle.exec('commit');
    connection.recordWrite();
  }

  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    // SQLite has already rolled the transaction back after a full disk and some other failures.
    if (connection.handle.inTransaction) connection.handle.exec('rollback');
    // Pages that did not fit into the cache are already in the log.
    connection.recordWrite();
  }

  /** Closes nothing, because the connection belongs to the code that opened it. */
  async destroy(): Promise<void> {}
}

class SqliteConnection implements DatabaseConnection {
  readonly handle: SqliteHandle;
  readonly #deadline: number;

  constructor(handle: SqliteHandle, deadline: number) {
    this.handle = handle;
    this.#deadline = deadline;
  }

  /**
   * Takes the write lock. Waits between attempts without blocking the thread. Throws SQLITE_BUSY after the deadline,
   * and the other errors of {@link beginWrite}.
   */
  async beginImmediate(): Promise<void> {
    while (!this.#tryBegin()) {
      if (performance.now() > this.#deadline) throw makeBusyError();
      await new Promise((resolve) => setTimeout(resolve, retryMillis));
    }
  }

  #tryBegin(): boolean {
    this.handle.pragma('busy_timeout = 0');
    try {
      beginWrite(this.handle);
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    } finally {
      this.handle.pragma(`busy_timeout = ${busyTimeoutMillis}`);
    }
  }

  /** Records the last write as a write of this process. */
  recordWrite(): void {
    recordWrite(this.handle);
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const statement = prepareStatement(this.handle, query.sql);
    const parameters = query.parameters.map(toBindable);
    if (statement.reader) {
      const rows = statement.safeIntegers(true).all(...parameters);
      const textColumns = getTextColumns(statement);
      for (const row of rows) convertValues(row, textColumns);
      return { rows: rows as Row[] };
    }
    const run = () => statement.run(...parameters);
    const { changes, lastInsertRowid } = this.handle.inTransaction
      ? run()
      : write(this.handle, run);
    return {
      rows: [],
      numAffectedRows: BigInt(changes),
      insertId: BigInt(lastInsertRowid),
    };
  }

  streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error(
      'Read long results in batches by key: an open statement would hold the connection',
    );
  }
}

/**
 * Runs `work` in a transaction with the write lock and returns the result. Waits for another writer until the busy
 * timeout of the connection. Throws the errors of SQLite and `work`. Throws a {@link LostLogError} if the files of the
 * connection are not the files at its path. After an error, the transaction has changed nothing.
 */
export function write<Result>(handle: SqliteHandle, work: () => Result): Result {
  beginWrite(handle);
  try {
    const result = work();
    assertCurrent(handle);
    handle.exec('commit');
    return result;
  } finally {
    if (handle.inTransaction) handle.exec('rollback');
    recordWrite(handle);
  }
}

/**
 * Takes the write lock, then checks that the files of the connection are the files at its path. Records the last write
 * of another process. Throws the errors of SQLite. Throws a {@link LostLogError}, after releasing the lock, if the
 * files differ.
 */
function beginWrite(handle: SqliteHandle): void {
  handle.exec('begin immediate');
  try {
    assertCurrent(handle);
  } catch (error) {
    handle.exec('rollback');
    throw error;
  }
  if (!handle.memory) recordOtherWrites(handle.name);
}

function recordWrite(handle: SqliteHandle): void {
  if (!handle.memory && !handle.readonly) recordOwnWrite(handle.name);
}

type Statement = SqliteDatabase.Statement<unknown[], Record<string, unknown>>;

/** Prepared statements of each connection, least recently used first. */
const statements = new WeakMap<SqliteHandle, Map<string, Statement>>();
const maximumStatements = 200;

/**
 * Returns the prepared statement and caches it for the connection, because preparing takes as long as running a short
 * statement.
 */
function prepareStatement(handle: SqliteHandle, sql: string): Statement {
  const statementCache = statements.get(handle) ?? new Map<string, Statement>();
  statements.set(handle, statementCache);
  const statement =
    statementCache.get(sql) ?? handle.prepare<unknown[], Record<string, unknown>>(sql);
  statementCache.delete(sql);
  statementCache.set(sql, statement);
  const [oldestSql] = statementCache.keys();
  if (statementCache.size > maximumStatements && oldestSql !== undefined)
    statementCache.delete(oldestSql);
  return statement;
}

function toBindable(value: unknown): unknown {
  if (Array.isArray(value)) return JSON.stringify(value);
  const isSafeInteger = Number.isSafeInteger(value) && !Object.is(value, -0);
  return isSafeInteger ? BigInt(value as number) : value;
}

function convertValues(row: Record<string, unknown>, textColumns: ReadonlySet<string>): void {
  for (const column in row) {
    const value = row[column];
    if (value === null || typeof value === 'string') continue;
    if (value instanceof Uint8Array) row[column] = Buffer.from(value).toString('utf8');
    else if (typeof value === 'bigint') row[column] = toLosslessInteger(value);
    if (typeof row[column] === 'number' && textColumns.has(column)) row[column] = `${row[column]}`;
  }
}

const textColumnsCache = new WeakMap<Statement, ReadonlySet<string>>();

/**
 * Returns the names of the columns of a result that come from our text columns, in which other programs may have stored
 * numbers.
 */
function getTextColumns(statement: Statement): ReadonlySet<string> {
  const columns =
    textColumnsCache.get(statement) ??
    new Set(
      statement
        .columns()
        .filter(isText)
        .map(({ name }) => name),
    );
  textColumnsCache.set(statement, columns);
  return columns;
}

function isText({ table, column }: SqliteDatabase.ColumnDefinition): boolean {
  const ownTable = tableNames.find((name) => name === table?.toLowerCase());
  const columns: Readonly<Record<string, string>> = ownTable
    ? tableDefinitions[ownTable].columns
    : {};
  return columns[column ?? '']?.startsWith('TEXT') ?? false;
}

function makeBusyError(): Error {
  return new SqliteDatabase.SqliteError('database is locked', 'SQLITE_BUSY');
}

/**
 * Number of slots for files whose writes this process records. If two files share a slot, writes of this process to
 * them may count as writes of other programs.
 */
const slotCount = 256n;
/**
 * Number of values per slot: the identity of the file, and the times of the last write of this process and of the last
 * write of another process, in nanoseconds since 1970.
 */
const fieldsPerSlot = 3;

const bufferName = 'evoscope-own-writes';

/** Buffer that all threads of the process share, because each of them may write. */
const slotBuffer = new BigInt64Array(getSharedBuffer());

function getSharedBuffer(): SharedArrayBuffer {
  const existingBuffer = getEnvironmentData(bufferName);
  if (existingBuffer instanceof SharedArrayBuffer) return existingBuffer;
  const buffer = new SharedArrayBuffer(Number(slotCount) * fieldsPerSlot * 8);
  setEnvironmentData(bufferName, buffer);
  return buffer;
}

/**
 * Records the time of the last write of another process to a SQLite file. Call it while holding the write lock and
 * before writing, because a write of this process hides earlier writes.
 */
export function recordOtherWrites(file: string): void {
  findOtherWrite(file);
}

/**
 * Records the last write to a SQLite file as a write of this process. Call it during a write transaction of this
 * process, or immediately after its commit or rollback.
 */
export function recordOwnWrite(file: string): void {
  const lastWrite = findLastWrite(file);
  if (lastWrite) getSlot(lastWrite.identity)[1] = lastWrite.nanos;
}

/**
 * Returns whether another process wrote anything to a SQLite file within the last 10 s (or `maximumAgeMillis`). Uses
 * the modification time of the write-ahead log, or of the file if there is no log. Returns false for a missing file,
 * and for a new log without writes.
 */
export function isWrittenByOthers(file: string, maximumAgeMillis = recentWriteMillis): boolean {
  const nanos = findOtherWrite(file);
  // After the clock has gone back, times can be in the future.
  return Math.abs(Date.now() - Number(nanos / 1_000_000n)) < maximumAgeMillis;
}

/**
 * Records and returns the time of the last write of another process that this process knows, in nanoseconds since 1970.
 * Returns 0 if there is none, for a missing file, and for a new log without writes.
 */
function findOtherWrite(file: string): bigint {
  const lastWrite = findLastWrite(file);
  if (!lastWrite) return 0n;
  const slot = getSlot(lastWrite.identity);
  if (lastWrite.nanos !== slot[1]) slot[2] = lastWrite.nanos;
  return slot[2] ?? 0n;
}

function getSlot(identity: bigint): BigInt64Array {
  const start = Number(identity % slotCount) * fieldsPerSlot;
  const slot = slotBuffer.subarray(start, start + fieldsPerSlot);
  if (slot[0] !== identity) slot.set([identity, 0n, 0n]);
  return slot;
}

/**
 * Returns the identity of a file and the time of the last write to its write-ahead log, or to the file if there is no
 * log, in nanoseconds since 1970. Returns null for a missing file, and for a new log without writes.
 */
function findLastWrite(file: string): { identity: bigint; nanos: bigint } | null {
  const main = statFile(file);
  if (!main) return null;
  const log = statFile(`${resolveFile(file)}-wal`);
  // An empty log that has not changed since its creation is new. Another program has emptied any other empty log.
  if (log?.size === 0n && log.mtimeNs <= log.birthtimeNs) return null;
  // The time of the file does not count if there is a log, because checkpoints of any program write to the file.
  return { identity: getIdentity(main), nanos: (log ?? main).mtimeNs };
}

/**
 * Returns the identity of a file. The identity contains the creation time, because systems reuse an inode after the
 * deletion of its file.
 */
function getIdentity({ ino, birthtimeNs }: BigIntStats): bigint {
  return BigInt.asUintN(63, ino ^ (birthtimeNs * 31n));
}

function statFile(path: string): BigIntStats | undefined {
  return statSync(path, { throwIfNoEntry: false, bigint: true });
}
