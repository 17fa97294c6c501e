import type { Expression, Kysely, RawBuilder, SqlBool, Transaction } from 'kysely';
import type { SchemaState } from './ownership.ts';
import type { Tables } from './schema.ts';
import type { ColumnTypes, TableName } from './tables.ts';

/** What an error of a driver means for the one who asked. */
export type FailureKind =
  'busy' | 'connections' | 'forbidden' | 'unavailable' | 'too-large' | 'other';

/** What a dialect adds to an error of its driver for the user. */
export interface ExplainedError {
  /** A sentence without SQL. */
  explanation?: string | undefined;
  /** Whether what failed would have changed the database. */
  isChange?: boolean | undefined;
}

/** Whether a text was to be made that is longer than any string can be. */
export function isTooLong(error: unknown): boolean {
  return (
    error instanceof Error &&
    /Invalid string length|Cannot create a string longer/.test(error.message)
  );
}

/** A number of rows for some of the tables. */
export type RowCounts = ReadonlyMap<TableName, number>;

/** A query that can lock the rows it reads. */
export interface LockableQuery {
  forUpdate(): this;
}

/**
 * All that differs between the two databases. What is not here is written the same for both: `count` and
 * other integers arrive as numbers (decimal strings outside ±(2^53−1)), text of any encoding as strings,
 * `octet_length` and `substr` exist in both, `nulls last` too (`nullsLast` in expressions.ts), and
 * a sum that must not overflow is `sum(cast(x as double precision))`.
 */
export interface DatabaseDialect {
  readonly name: 'sqlite' | 'postgres';

  /** Most bound parameters of one statement. SQLite 32 766, PostgreSQL 65 535. */
  readonly maximumParameters: number;

  /**
   * How many queries a thread can wait for at the same time. SQLite: 1, as each holds the thread until it is
   * answered. PostgreSQL: as many as it has connections, 2.
   */
  readonly queriesAtOnce: number;

  /**
   * The text, ordering and comparing by code point, for ORDER BY, `<`, `>`, min and max.
   * SQLite: as it is (its default collation compares UTF-8 bytes). PostgreSQL: `x COLLATE "C"`, since a
   * database's own collation may sort `a` before `B` and ignore punctuation.
   */
  byCodePoint<Text extends string | null>(text: Expression<Text>): RawBuilder<Text>;

  /**
   * Whether the text contains `part` without regard to case; `%`, `_`, `\`, `*` and `[` stand for
   * themselves, an empty part is in every text, NULL contains nothing (NULL).
   * SQLite: `LIKE … ESCAPE` folds ASCII only, so a part with other letters becomes a `GLOB` of character
   * sets. PostgreSQL: `ILIKE … ESCAPE` under the C collation, which folds the same letters, and a regular
   * expression of the same sets.
   */
  containsText(text: Expression<string | null>, part: string): RawBuilder<SqlBool>;

  /** Whether the whole text is `value` without regard to case, by the rules of {@link containsText}. */
  equalsText(text: Expression<string | null>, value: string): RawBuilder<SqlBool>;

  /**
   * Whether the whole text is one of the values, of which there may be any number. SQLite: one parameter with a JSON
   * list. PostgreSQL: one with an array.
   */
  isAmong(text: Expression<string>, values: readonly string[]): RawBuilder<SqlBool>;

  /**
   * The number, or NULL where the column holds none or one that is not finite.
   * SQLite: any column may hold text, and NaN is stored as NULL. PostgreSQL: NaN and infinities are values,
   * and NaN sorts above all others.
   */
  finiteNumber(value: Expression<unknown>): RawBuilder<number | null>;

  /**
   * The integer, or NULL where the column holds none. SQLite: any column may hold text or a fraction.
   * PostgreSQL: as it is.
   */
  integer<Value extends number | string | null>(value: Expression<Value>): RawBuilder<Value | null>;

  /**
   * The value as SQL would write it, a number in digits that give the same number again; `NULL` for NULL. SQLite:
   * `quote`, since any column may hold text. PostgreSQL: a cast, for columns of numbers.
   */
  literal(value: Expression<unknown>): RawBuilder<string>;

  /**
   * The part of a text that begins with the first occurrence of `needle`, at most `length` characters of
   * it, NULL when it does not occur: reads one key out of a long JSON text, malformed or not, without
   * parsing it and without carrying it across (json-text.ts reads the number or array behind the key).
   * SQLite: `instr`. PostgreSQL: `strpos`; before version 16 it has no JSON cast that survives bad text.
   */
  textFrom(
    text: Expression<string | null>,
    needle: string,
    length: number,
  ): RawBuilder<string | null>;

  /**
   * Whether a text is JSON that {@link textAt} can read; NULL for NULL. SQLite: `json_valid`. PostgreSQL: as
   * regular expressions tell, since before version 16 no cast survives bad text; never for JSON nested deeper
   * than 16 or with escapes that its texts cannot hold.
   */
  isJson(text: Expression<string | null>): RawBuilder<SqlBool>;

  /**
   * The text at a path of keys in a text that is JSON, that of a number too; NULL where there is none. SQLite:
   * `json_extract`. PostgreSQL: `#>>`.
   */
  textAt(json: Expression<string | null>, path: readonly string[]): RawBuilder<string | null>;

  /**
   * The last `bytes` bytes of a text, all of a shorter one, as text; a character cut in two at the beginning
   * is replaced; NULL for NULL and for an empty text. Reads the end of a long JSON text without counting its characters.
   * SQLite: `substr` of the text as a blob. PostgreSQL: `right`, whose characters may take more bytes.
   */
  textEnd(text: Expression<string | null>, bytes: number): RawBuilder<string | null>;

  /**
   * The query locking the rows it reads until the transaction ends. SQLite: the query as it is, as the
   * one writer already holds the database. PostgreSQL: `FOR UPDATE`.
   */
  lockingRows<Query extends LockableQuery>(query: Query): Query;

  /**
   * Runs `work` in one transaction that writes; committed when it resolves, rolled back when it throws.
   * Waits at most 10 s for another writer, without holding up readers, then throws an error whose
   * {@link failureKind} is `busy`. SQLite: `BEGIN IMMEDIATE` on a connection of its own, one at a time.
   * PostgreSQL: `BEGIN` with `lock_timeout`, without a limit for statements, READ COMMITTED whatever the server's
   * default is; judge rows under {@link lockingRows}.
   */
  withWriteTransaction<Result>(
    work: (transaction: Transaction<Tables>) => Promise<Result>,
  ): Promise<Result>;

  /**
   * Prepares a write transaction for tables that grow many times over within it. SQLite: nothing. PostgreSQL: foreign
   * keys are looked up by index, whatever the size of their tables at the beginning.
   */
  expectGrowth(transaction: Kysely<Tables>): Promise<void>;

  /**
   * What others made that acts when rows of our tables are deleted, or hides rows from that; see {@link SchemaState}.
   * Call it in a write transaction after the deletion: from then on until the end of the transaction nothing can be added.
   */
  listHooks(transaction: Kysely<Tables>): Promise<readonly string[]>;

  /** Whether an error says that rows of others refer to what was to be deleted. */
  isReference(error: unknown): boolean;

  /**
   * Whether a program other than this process wrote to the database within the last 10 s, whatever it wrote.
   * SQLite: see `isWrittenByOthers` in sqlite-writers.ts. PostgreSQL: false, since a lock here keeps no one from
   * writing other rows.
   */
  isWrittenByOthers(): boolean;

  /**
   * How long, in seconds, deleting so many rows of each table with so many bytes of long texts keeps others from
   * writing. SQLite: the time of the transaction. PostgreSQL: 0, since only the rows are locked.
   */
  deletionLockSeconds(rows: RowCounts, bytes: number): number;

  /** The same of writing so many rows of these tables in one transaction. */
  writingLockSeconds(rows: RowCounts): number;

  /** Size of the database in bytes. SQLite: its pages, log not counted. PostgreSQL: `pg_database_size`. */
  databaseSizeBytes(): Promise<number>;

  /**
   * An opaque text that only this database has, however often it is opened and whatever is written to it. `kysely` is
   * where it is asked, by default outside of any transaction. SQLite: from device, inode and time of creation of the file
   * that is at the path now, `missing` without one. PostgreSQL: from the server's system identifier, where the user may
   * read it, the database and the runner's tables in it.
   */
  identity(kysely?: Kysely<Tables>): Promise<string>;

  /**
   * A text that differs from an earlier answer of this process when rows were written since, by whomever.
   * SQLite: `PRAGMA data_version` of a connection that never writes (in memory: the count of changes).
   * PostgreSQL: the highest ids, which show what the runner adds at once, with the counters of
   * `pg_stat_user_tables`, which show updates and deletes up to 10 s late. On a standby, which does not count: the
   * numbers of the transactions that wrote the rows of experiments, runs, campaigns and requests.
   */
  changeCursor(): Promise<string>;

  /**
   * A text that equals an earlier answer of this process only if every row is as it was then, so that what
   * was computed then still holds. SQLite: the {@link changeCursor}, which is exact. PostgreSQL: the
   * snapshot of visible transactions, which those of other databases of the server change too, and
   * {@link iterationChanges}; on a standby, the position in the log that it has replayed.
   */
  snapshotKey(): Promise<string>;

  /**
   * Aggregates the iterations `i` of a group to a text that differs where the number of rows or a value of iteration,
   * evaluations or best fitness differs. PostgreSQL: a sum of hashes. SQLite: weighted sums, which miss a difference that is
   * smaller than their precision.
   */
  readonly iterationFingerprint: RawBuilder<string>;

  /**
   * A text that differs when iterations of any run were updated or deleted. PostgreSQL: its counters, which are up to
   * 10 s late. SQLite, and PostgreSQL on a standby: always the same, as nothing counts them.
   */
  iterationChanges(): Promise<string>;

  /** Whether an index of this name exists and is valid. */
  hasIndex(name: string): Promise<boolean>;

  /**
   * Hands the iterations of each run over, in the order of the requests, those without whole evaluations
   * left out. Both read the service's covering index, where it is made, and nothing else.
   * SQLite: rows, in one snapshot, without giving way to other work of the thread. PostgreSQL: one packed
   * value per run, a hundred runs a statement.
   */
  readTraces(requests: readonly TraceRequest[], visit: TraceVisitor): Promise<void>;

  /**
   * Builds an index that only this service needs, if that cannot block a runner that is writing. Never throws.
   * SQLite: blocks this thread, so a service has it built in another one. An index is built under the write lock, and a
   * runner gives up after 10 s of waiting for it, so the time is estimated by reading and a long build is postponed while a
   * run seems alive. PostgreSQL: `CONCURRENTLY`, which locks no writer out.
   */
  makeIndex(index: AuxiliaryIndex, signal: AbortSignal): Promise<IndexOutcome>;

  /**
   * `busy`: another writer holds what was asked for, or the statement ran out of time: try again soon. `connections`:
   * the server grants no further connection. `forbidden`: the database user lacks a right, or the server takes no
   * changes; the error is an {@link ExplainedError}.
   * `unavailable`: the database does not answer, or cannot write (connection, disk), or its tables are not
   * what they were. `too-large`: a value or an answer is longer than any string can be. SQLite: result codes;
   * PostgreSQL: SQLSTATE and socket errors.
   */
  failureKind(error: unknown): FailureKind;
}

/** Iterations of a run: those after one and up to another, all where neither is named. */
export interface TraceRequest {
  runId: string;
  after?: number | undefined;
  until?: number | undefined;
  /** About how many there are, for those who read many runs. */
  rows?: number | undefined;
}

/**
 * Gets a run with its iterations in their order, as [evaluations, best fitness, evaluations, …]. The array is
 * used again for the next run. Fitness may be any number, NaN where there is none. No iterations, or no such
 * run: an empty array.
 */
export type TraceVisitor = (runId: string, pairs: Float64Array) => void;

/** An index beyond those of the runner. */
export interface AuxiliaryIndex {
  readonly name: string;
  readonly table: TableName;
  readonly columns: readonly string[];
  /** Texts in descending order of their code points, NULLs last: as a list begins that shows newest first. */
  readonly newestFirst?: boolean;
}

/** Whether an index is there now; `postponed`: not yet, ask again later. */
export interface IndexOutcome {
  readonly state: 'present' | 'made' | 'postponed' | 'failed';
  /** How long it took, or why there is none. */
  readonly detail: string;
}

/** Most connections of a service to PostgreSQL: all its threads together use no more. */
export const mostConnections = 10;

/** An open database before its tables were looked at. */
export interface DatabaseConnections {
  readonly kysely: Kysely<Tables>;
  readonly dialect: DatabaseDialect;
  readonly structure: DatabaseStructure;
  /** Whether nothing could be written when it was opened; see {@link access} for now. */
  readonly readOnly: boolean;
  /** Whether further connections to it are opened read-only: PostgreSQL, where that was requested; SQLite, if it is. */
  readonly neverWrites: boolean;
  /**
   * Whether nothing can be written now, and why; the reason is null where that was requested, or all can be written.
   * SQLite: as when it was opened. PostgreSQL: asks the server, as rights are granted and revoked and a standby may be
   * promoted.
   */
  access(): Promise<Access>;
  readonly name: string;
  /** `main` for SQLite. */
  readonly schema: string;
  /**
   * Makes the settings that stay in the database, once it is known to be the runner's or is new.
   * SQLite: write-ahead log, unless others use the file in another mode for 2 s. PostgreSQL: none.
   */
  applyPersistentSettings(): Promise<void>;
  /**
   * Whether what is open is what stands at the URL now. SQLite: the file at the path is the one that was
   * opened, by device and inode, and not empty. PostgreSQL: always, as a connection that was lost is made anew.
   */
  isCurrent(): boolean;
  /** Closes all connections at once; what they execute fails. SQLite: nothing, as a query holds its thread. */
  breakOff(): void;
  close(): Promise<void>;
}

/** Whether a database can be written to. */
export interface Access {
  readOnly: boolean;
  reason: string | null;
}

/** What reading and making the tables needs and is done differently. */
export interface DatabaseStructure {
  readonly columnTypes: ColumnTypes;
  /** What stands in the database now, whoever made it; reads its catalogue only. */
  inspect(): Promise<SchemaState>;
  /**
   * Runs statements that make tables in one transaction, while no other process makes or replaces any.
   * SQLite: `BEGIN IMMEDIATE`. PostgreSQL: an advisory lock. DATABASE_CHANGED when the database has another identity than
   * the one that is given.
   */
  make(statements: readonly string[], identity?: string): Promise<void>;
  /**
   * Puts the tables with names of ours in a place named with `stamp`, with keys, indexes and sequences, and
   * makes new ones by `statements`; nothing else is touched, by no cascade. Does nothing when `isNeeded` says
   * that another process has done it. Throws a {@link StartUpError}, with nothing changed, when they cannot
   * be kept. SQLite: `VACUUM INTO` a file beside the database, checked by `PRAGMA integrity_check` and row
   * counts. PostgreSQL: they move into a schema `legacy_<stamp>`. Returns where they are, undefined when
   * there was nothing to do. DATABASE_CHANGED as for {@link make}.
   */
  replace(
    isNeeded: (state: SchemaState) => boolean,
    stamp: string,
    statements: readonly string[],
    identity?: string,
  ): Promise<string | undefined>;
}
