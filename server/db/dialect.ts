import type { Expression, Kysely, RawBuilder, SqlBool, Transaction } from 'kysely';
import type { DocumentStore } from './documents.ts';
import type { SchemaState } from './ownership.ts';
import type { Tables } from './schema.ts';
import type { ColumnTypes, TableName } from './tables.ts';

/** Kind of an error of a driver; see {@link DatabaseDialect.classifyFailure}. */
export type FailureKind =
  'busy' | 'connections' | 'forbidden' | 'unavailable' | 'too-large' | 'other';

/** Properties that a dialect adds to an error of its driver. */
export interface ExplainedError {
  /** Explanation for the user, without a period at its end. */
  explanation?: string | undefined;
  /** Whether the failed statement changes data or tables, locks rows, or begins a transaction. */
  isChange?: boolean | undefined;
}

/** Returns whether an error means that a text is longer than the longest possible string. */
export function isTooLong(error: unknown): boolean {
  return (
    error instanceof Error &&
    /Invalid string length|Cannot create a string longer/.test(error.message)
  );
}

/** Error codes of the system, SQLite and PostgreSQL for a full disk or an exceeded quota. */
const diskFullCodes = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL', '53100']);

/** Returns whether an error of the system or of a database means that the disk or quota is full. */
export function isDiskFull(error: unknown): boolean {
  const { code } = Object(error) as { code?: unknown };
  return diskFullCodes.has(String(code));
}

/**
 * Maximum estimated duration of a write lock, in seconds, while a runner writes, unless the user forces a longer one.
 */
export const harmlessLockSeconds = 1;

/** Time for which another program counts as writing after its last write to the database. */
export const recentWriteMillis = 10_000;

/** Numbers of rows by table, for some of the tables. */
export type RowCounts = ReadonlyMap<TableName, number>;

/**
 * Numbers of our advisory locks in a PostgreSQL database. `structure`: creating and replacing tables; `documents`:
 * notes and other documents; `indexes`: building auxiliary indexes; `mlflowExperiments`: experiments of MLflow;
 * `dataSets`: data sets of imports. Services of different versions share them, so never change or reuse a number.
 */
export const lockNumbers = {
  structure: 7_070_315_200,
  documents: 7_070_315_201,
  indexes: 7_070_315_202,
  mlflowExperiments: 7_070_315_203,
  dataSets: 7_070_315_204,
} as const;

/** A query that can lock the rows it reads. */
export interface LockableQuery {
  forUpdate(): this;
}

/**
 * Differences between the two databases after opening. All other parts of queries are the same SQL for both. `count`
 * and other integers arrive as numbers (decimal strings outside ±(2^53−1)), and text of any encoding arrives as
 * strings. `octet_length`, `substr` and `nulls last` (`orderNullsLast` in queries.ts) exist in both. A sum that must
 * not overflow is `sum(cast(x as double precision))`.
 */
export interface DatabaseDialect {
  readonly name: 'sqlite' | 'postgres';

  /** Maximum number of bound parameters in one statement. SQLite: 32,766. PostgreSQL: 65,535. */
  readonly maximumParameters: number;

  /**
   * Number of queries that a thread can wait for at the same time. SQLite: 1, because a query blocks the thread.
   * PostgreSQL: the number of connections of a thread that reads, 2.
   */
  readonly concurrentQueries: number;

  /**
   * Returns the text for ordering and comparing by code point (ORDER BY, `<`, `>`, min, max). SQLite: unchanged (its
   * default collation compares UTF-8 bytes). PostgreSQL: `x COLLATE "C"`, because the collation of a database may sort
   * `a` before `B` and ignore punctuation.
   */
  orderByCodePoint<Text extends string | null>(text: Expression<Text>): RawBuilder<Text>;

  /**
   * Returns whether the text contains `substring`, ignoring case. `%`, `_`, `\`, `*` and `[` have no special meaning;
   * every text contains an empty substring; NULL gives NULL. SQLite: `LIKE … ESCAPE` folds ASCII only, so a substring
   * with other characters becomes a `GLOB` of character sets. PostgreSQL: `ILIKE … ESCAPE` under the C collation, which
   * folds the same letters, and a regular expression with the same cases of each character.
   */
  containsText(text: Expression<string | null>, substring: string): RawBuilder<SqlBool>;

  /** Returns whether the whole text is `value`, ignoring case, by the rules of {@link containsText}. */
  equalsText(text: Expression<string | null>, value: string): RawBuilder<SqlBool>;

  /**
   * Returns whether the whole text is one of the values. Binds any number of values as one parameter. SQLite: a JSON
   * list. PostgreSQL: an array.
   */
  isAmong(text: Expression<string>, values: readonly (string | number)[]): RawBuilder<SqlBool>;

  /**
   * Returns the number, or NULL if the value is not a finite number. SQLite: any column may contain text, and SQLite
   * stores NaN as NULL. PostgreSQL: NaN and infinities are values, and NaN sorts above all others.
   */
  selectFiniteNumber(value: Expression<unknown>): RawBuilder<number | null>;

  /**
   * Returns the integer, or NULL if the value is not an integer. SQLite: any column may contain text or a fraction.
   * PostgreSQL: unchanged.
   */
  selectInteger<Value extends number | string | null>(
    value: Expression<Value>,
  ): RawBuilder<Value | null>;

  /**
   * Returns the value as an SQL literal; `NULL` for NULL. A number has enough digits to give the same number again.
   * SQLite: `quote`, because any column may contain text. PostgreSQL: a cast to text, only for numeric columns; `NaN`
   * and `Infinity` have no quotes.
   */
  quoteLiteral(value: Expression<unknown>): RawBuilder<string>;

  /**
   * Returns at most `length` characters of a text from the first occurrence of `substring` on; NULL if there is none.
   * Reads one key of a long JSON text, even a malformed one, without parsing or transferring it. SQLite: `instr`.
   * PostgreSQL: `strpos`, because a cast to JSON fails for malformed text.
   */
  selectTextFrom(
    text: Expression<string | null>,
    substring: string,
    length: number,
  ): RawBuilder<string | null>;

  /**
   * Returns whether a text is JSON that {@link selectTextAt} can read; NULL for NULL. SQLite: `json_valid`. PostgreSQL:
   * regular expressions, because versions before 16 cannot check JSON without an error; also false for JSON with more
   * than 16 nested levels.
   */
  isJson(text: Expression<string | null>): RawBuilder<SqlBool>;

  /**
   * Returns the text at a path of keys in a JSON text; NULL if there is none. The text must be JSON by {@link isJson},
   * and the keys must be plain names. For a number, boolean, list or object, and for a text with U+0000 or half of a
   * surrogate pair, the result depends on the database. SQLite: `json_extract`. PostgreSQL: `#>>`.
   */
  selectTextAt(json: Expression<string | null>, path: readonly string[]): RawBuilder<string | null>;

  /**
   * Returns the last `bytes` bytes of a text as text, or the whole text if it is shorter; NULL for NULL and for an
   * empty text. SQLite: `substr` of the text as a blob, which reads the end of a long text without counting its
   * characters. A truncated character at the start becomes a replacement character. PostgreSQL: `right`, which counts
   * characters, so the result may have more bytes.
   */
  selectTextEnd(text: Expression<string | null>, bytes: number): RawBuilder<string | null>;

  /**
   * Returns the query with locks on the rows that it reads. The transaction holds the locks until it ends. SQLite:
   * unchanged, because the only writer has already locked the database. PostgreSQL: `FOR UPDATE`.
   */
  lockRows<Query extends LockableQuery>(query: Query): Query;

  /**
   * Waits until no other transaction has this lock, and holds it until the transaction ends. Protects against rows that
   * another transaction adds, which {@link lockRows} cannot lock. With `key`, each key has its own lock. SQLite: does
   * nothing, because the only writer has already locked the database. PostgreSQL: an advisory lock.
   */
  lock(transaction: Kysely<Tables>, name: keyof typeof lockNumbers, key?: string): Promise<void>;

  /**
   * Runs `work` in one write transaction: commits when it resolves, rolls back when it rejects. Waits at most 10 s for
   * another writer without blocking readers, then throws an error whose {@link classifyFailure} is `busy`. SQLite:
   * `BEGIN IMMEDIATE` on a separate connection, one transaction at a time; in memory `BEGIN` on the only connection.
   * PostgreSQL: `BEGIN` with a `lock_timeout` for each lock, no other timeouts, and READ COMMITTED even if the server
   * has another default. Lock rows with {@link lockRows} before checking them.
   */
  withWriteTransaction<Result>(
    work: (transaction: Transaction<Tables>) => Promise<Result>,
  ): Promise<Result>;

  /**
   * Prepares a write transaction for tables that grow by a large factor in it. SQLite: does nothing. PostgreSQL: checks
   * foreign keys by index, even if their tables are small when the transaction starts.
   */
  expectGrowth(transaction: Kysely<Tables>): Promise<void>;

  /**
   * Returns objects of other programs that may act when rows of our tables change, or hide rows from a deletion; see
   * {@link SchemaState}. Call it in a write transaction after the deletion, because from then on no other program can
   * add such an object until the transaction ends.
   */
  listHooks(transaction: Kysely<Tables>): Promise<readonly string[]>;

  /**
   * Returns whether a statement violated a foreign key. In a deletion, rows of other programs then refer to the rows to
   * delete.
   */
  isReferenceError(error: unknown): boolean;

  /**
   * Returns whether another process wrote anything to the database within the last 10 s. SQLite: see
   * `isWrittenByOthers` in sqlite-driver.ts. PostgreSQL: false, because a lock on some rows does not block writers of
   * other rows.
   */
  isWrittenByOthers(): boolean;

  /**
   * Returns the estimated seconds for which a deletion blocks other writers. The deletion has these numbers of rows,
   * with `bytes` of long texts. SQLite: the time of the transaction. PostgreSQL: 0, because it locks only the rows.
   */
  estimateDeletionLockSeconds(rows: RowCounts, bytes: number): number;

  /**
   * Returns the estimated seconds for which a transaction of an import blocks other writers. The transaction compares
   * `storedRuns` stored runs of a data set with the runs of the import, and writes these numbers of rows. SQLite: the
   * time of the transaction. PostgreSQL: 0, because it locks only the rows.
   */
  estimateWritingLockSeconds(rows: RowCounts, storedRuns: number): number;

  /** Returns the size of the database in bytes. SQLite: its pages, without the log. PostgreSQL: `pg_database_size`. */
  readDatabaseSizeBytes(): Promise<number>;

  /**
   * Returns an opaque text that only this database has, and that stays the same when the service reopens it or its rows
   * change. `kysely` executes the query, by default outside of any transaction. SQLite: from device, inode and creation
   * time of the file at the path, `missing` without one; random in memory. PostgreSQL: from the database, the runner's
   * tables in it, and the system identifier of the server if the user may read it.
   */
  readIdentity(kysely?: Kysely<Tables>): Promise<string>;

  /**
   * Returns a text that differs from all previous texts in this process if any program has written rows since. SQLite:
   * `PRAGMA data_version` of a connection that never writes (in memory: the count of changes). PostgreSQL: the highest
   * ids of events, iterations, trials and aggregates, the files of the tables, and the counters of
   * `pg_stat_user_tables`. The ids and files show new rows, TRUNCATE and loading a dump immediately. The counters show
   * all other changes up to 10 s late. They do not change on a standby, so there the text also contains the numbers of
   * the transactions that wrote the rows of experiments, runs, campaigns and requests. In all cases, the text contains
   * the version of the {@link documents}.
   */
  readChangeCursor(): Promise<string>;

  /**
   * Returns a text that equals a previous text in this process only if no row has changed, so cached results are still
   * valid. SQLite: the {@link readChangeCursor}, which is exact. PostgreSQL: the start time of the server, the snapshot
   * of visible transactions, which other databases of the server change too, and {@link readIterationChanges}. On a
   * standby: the start time and the replayed position of the log. In all cases, a change of the {@link documents}
   * changes the text.
   */
  readSnapshotKey(): Promise<string>;

  /**
   * Aggregate of the iterations `i` of a group: a text that differs if the number of rows or a value of iteration,
   * evaluations or best fitness differs. PostgreSQL: a sum of hashes. SQLite: weighted sums, which miss differences
   * that cancel or are below the precision of the sums.
   */
  readonly iterationFingerprint: RawBuilder<string>;

  /**
   * Returns a text that differs after an update or deletion of iterations of any run. PostgreSQL: the counters of the
   * server, which are up to 10 s late and do not change on a standby, and the files of the tables, which TRUNCATE and
   * loading a dump replace. SQLite: an empty text, because it has no such counters.
   */
  readIterationChanges(): Promise<string>;

  /**
   * Documents that Evoscope itself stores. SQLite: the file `<database>.evoscope.json` next to the database; none in
   * memory. PostgreSQL: the table `evoscope_documents` in the runner's schema. Both exist from the first document on.
   */
  readonly documents: DocumentStore;

  /** Returns whether an index of this name exists and is valid. */
  hasIndex(name: string): Promise<boolean>;

  /**
   * Calls `visit` with the iterations of each run, in the order of the requests. Omits iterations without a whole
   * number of evaluations. Reads only the covering index of the service if it exists. SQLite: in one snapshot, without
   * yielding to other work of the thread. PostgreSQL: one packed value per run, a hundred runs per statement.
   */
  readTraces(requests: readonly TraceRequest[], visit: TraceVisitor): Promise<void>;

  /**
   * Builds an index that only this service needs, unless the build would block a writing runner. An aborted `signal`
   * cancels the build, but SQLite finishes a build that has started. Never throws, except in memory. SQLite: blocks
   * this thread, so a service builds indexes in another thread. A build holds the write lock, and a runner waits at
   * most 10 s for this lock. The function therefore estimates the time by reading, and postpones a long build while
   * another program writes or a RUNNING run started or wrote within a day. PostgreSQL: `CONCURRENTLY`, which blocks no
   * writer.
   */
  buildIndex(index: AuxiliaryIndex, signal: AbortSignal): Promise<IndexOutcome>;

  /**
   * Returns the kind of a failure. `busy`: another transaction is in the way, the server cancelled the statement, for
   * example after its timeout, or other queries of this process use all connections of the pool; retry soon.
   * `connections`: the server has no free connection within the time limit. `forbidden`: the database user lacks a
   * privilege, the server is read-only, or it refuses the user or the database; the error is an {@link ExplainedError};
   * never on SQLite. `unavailable`: the database does not respond, does not allow reading or writing (connection, disk,
   * damage, replaced file), lacks a table, column or schema, or has a sequence behind its rows. `too-large`: a value or
   * a response is too long, or the server lacks memory for it. SQLite: result codes and messages; PostgreSQL: SQLSTATE,
   * socket errors and messages.
   */
  classifyFailure(error: unknown): FailureKind;
}

/** The iterations of a run after `previousIteration` and up to `lastIteration`; an undefined bound is no limit. */
export interface TraceRequest {
  runId: string;
  previousIteration?: number | undefined;
  lastIteration?: number | undefined;
  /** Approximate number of iterations, by which SQLite reads short runs together; undefined if unknown. */
  rows?: number | undefined;
}

/**
 * Receives a run with its iterations in order, as [evaluations, best fitness, evaluations, …]. The dialect may reuse
 * the array for the next run. Fitness may be any number, NaN if there is none. The array is empty without iterations or
 * without such a run.
 */
export type TraceVisitor = (runId: string, pairs: Float64Array) => void;

/** An index that the runner does not create. */
export interface AuxiliaryIndex {
  readonly name: string;
  readonly table: TableName;
  /** Columns or expressions as SQL of the database, with their order. */
  readonly columns: readonly string[];
  /** Further columns that the index contains, only on PostgreSQL. SQLite ignores them. */
  readonly include?: readonly string[];
  /** Name of an index of an earlier version, which the build drops when this one exists. */
  readonly replaces?: string;
}

/** Result of a request to build an index; `postponed`: retry later. */
export interface IndexOutcome {
  readonly state: 'existing' | 'built' | 'postponed' | 'failed';
  /** Duration of the build (or `in memory`), or the reason for another state. */
  readonly detail: string;
}

/**
 * Maximum number of connections to PostgreSQL of all threads that respond to requests. Imports and replicas use further
 * ones.
 */
export const maximumServerConnections = 10;

/** Connections to a database, before and after the inspection of its tables. */
export interface DatabaseConnections {
  readonly kysely: Kysely<Tables>;
  readonly dialect: DatabaseDialect;
  readonly structure: DatabaseStructure;
  /** Whether the database was read-only at its opening; see {@link readAccess} for the current state. */
  readonly isReadOnly: boolean;
  /**
   * Whether further connections are read-only. PostgreSQL: true if the caller requested it. SQLite: true if the
   * database is read-only.
   */
  readonly isOpenedReadOnly: boolean;
  /**
   * Returns whether the database is read-only now, and why; the reason is null if the caller requested that, or if the
   * database is writable. SQLite: the state at opening, never with a reason. PostgreSQL: queries the server, because
   * privileges change and a standby may become a primary.
   */
  readAccess(): Promise<Access>;
  /** Name of the SQLite file without its folder, `:memory:`, or name of the PostgreSQL database. */
  readonly name: string;
  /** Schema of the tables; `main` for SQLite. */
  readonly schema: string;
  /**
   * Sets options that the database stores. Call it only after a check that the database is the runner's or new. SQLite:
   * write-ahead log if the file is writable, unless other programs use the file in another mode for 2 s. PostgreSQL:
   * none.
   */
  applyPersistentSettings(): Promise<void>;
  /**
   * Returns whether the open database is the database at the URL now. SQLite: the open file, its log and the index of
   * the log are those at their paths, by device and inode, and the file has not become empty; always true in memory.
   * PostgreSQL: always true, because the pool replaces a lost connection.
   */
  readonly isCurrent: () => boolean;
  /**
   * Closes all connections immediately; running statements fail. SQLite: does nothing, because a query blocks its
   * thread.
   */
  closeImmediately(): void;
  /** Closes all connections. PostgreSQL: waits at most 5 s for connections in use. */
  close(): Promise<void>;
}

/**
 * The write access to a database. `reason` states in a sentence for the user why the database is read-only; null if it
 * is writable, read-only on request, or a SQLite database.
 */
export interface Access {
  isReadOnly: boolean;
  reason: string | null;
}

/** Differences in reading and creating tables. */
export interface DatabaseStructure {
  readonly columnTypes: ColumnTypes;
  /** Reads the facts of {@link SchemaState} from the catalogue of the database. */
  inspect(): Promise<SchemaState>;
  /**
   * Runs statements that create tables in one transaction, while no other service creates or replaces any. SQLite:
   * `BEGIN IMMEDIATE`. PostgreSQL: an advisory lock. Throws DATABASE_CHANGED if the database has another identity than
   * `identity`, unless that is undefined or, on SQLite, `missing`.
   */
  createTables(statements: readonly string[], identity?: string): Promise<void>;
  /**
   * Moves the tables with our names, with keys, indexes and sequences, to a location named with `timestamp`, and
   * creates new tables by `statements`. Changes nothing else, not even by a cascade. Does nothing if `isNeeded` returns
   * false because another process has already replaced them. Changes nothing and throws a {@link StartUpError} if it
   * cannot preserve the tables, or if another program writes meanwhile. SQLite: `VACUUM INTO` copies the whole database
   * to a file next to the database; `PRAGMA integrity_check` and row counts check the copy. PostgreSQL: the tables move
   * into a schema `legacy_<timestamp>`. Returns their new location; undefined if there is nothing to do. Throws
   * DATABASE_CHANGED like {@link createTables}.
   */
  replaceTables(
    isNeeded: (state: SchemaState) => boolean,
    timestamp: string,
    statements: readonly string[],
    identity?: string,
  ): Promise<string | undefined>;
}
