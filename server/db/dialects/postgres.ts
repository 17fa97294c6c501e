import type { Tables } from '#server/db/schema.ts';
import { inspectPostgres, readIdentity } from './postgres-structure.ts';
import { isAscii, escapeLike, listSpellings } from '#server/db/text-pattern.ts';
import {
  isConnectionRefusal,
  isQueueTimeout,
  isUsedId,
  accessRefusalCodes,
} from './postgres-driver.ts';
import { createPostgresDocuments } from './postgres-documents.ts';
import { createPostgresIndexBuilder, type ConnectionState } from './postgres-indexes.ts';
import { sql, type Kysely, type Expression, type RawBuilder, type SqlBool } from 'kysely';
import {
  type TraceRequest,
  type TraceVisitor,
  isTooLong,
  lockNumbers,
  type DatabaseDialect,
  type FailureKind,
} from '#server/db/dialect.ts';

/** Number of runs per statement: few enough that a statement for long runs stays far below its timeout. */
const runsPerBatch = 100;

const bytesPerNumber = 8;

/**
 * Reads the traces of runs; see {@link DatabaseDialect.readTraces}. The server packs each trace into one binary value,
 * because a row per iteration would take several times as long to send and to parse.
 */
export async function readPostgresTraces(
  kysely: Kysely<Tables>,
  requests: readonly TraceRequest[],
  visit: TraceVisitor,
): Promise<void> {
  for (let start = 0; start < requests.length; start += runsPerBatch) {
    const batch = requests.slice(start, start + runsPerBatch);
    const packedPoints = await readPackedPoints(kysely, batch);
    for (const [index, { runId }] of batch.entries())
      visit(runId, unpack(packedPoints.get(index + 1)));
  }
}

/**
 * Returns the packed iterations of each request by its position in the batch, from 1. A request has no entry if no
 * iteration in its range has evaluations. The tables of some programs allow NULL as best fitness; it becomes NaN.
 */
async function readPackedPoints(
  kysely: Kysely<Tables>,
  batch: readonly TraceRequest[],
): Promise<Map<number, Buffer>> {
  const ids = batch.map(({ runId }) => runId);
  const lowerBounds = batch.map(
    ({ previousIteration = -Number.MAX_SAFE_INTEGER }) => previousIteration,
  );
  const upperBounds = batch.map(({ lastIteration = Number.MAX_SAFE_INTEGER }) => lastIteration);
  const { rows } = await sql<{ ordinal: number; points: Buffer }>`
    select request.ordinal, string_agg(
      float8send(cast(i.evaluations as float8)) ||
        float8send(coalesce(cast(i.best_fitness as float8), 'NaN')),
      ''::bytea order by i.iteration) as points
    from unnest(${ids}::text[], ${lowerBounds}::int8[], ${upperBounds}::int8[])
      with ordinality as request (run_id, lower_bound, upper_bound, ordinal)
    join iterations i on i.run_id = request.run_id and i.iteration > lower_bound and i.iteration <= upper_bound
    where i.evaluations is not null
    group by request.ordinal`.execute(kysely);
  return new Map(rows.map(({ ordinal, points }) => [ordinal, points]));
}

function unpack(points: Buffer | undefined): Float64Array {
  const numbers = new Float64Array((points?.length ?? 0) / bytesPerNumber);
  if (!points) return numbers;
  const view = new DataView(points.buffer, points.byteOffset, points.length);
  for (let index = 0; index < numbers.length; index++) {
    numbers[index] = view.getFloat64(index * bytesPerNumber);
  }
  return numbers;
}

/** Creates the dialect for PostgreSQL; {@link DatabaseDialect} describes its members. */
export function createPostgresDialect(
  kysely: Kysely<Tables>,
  connections: ConnectionState,
): DatabaseDialect {
  let lastStandbyState: { replayPosition: string; cursor: string } | undefined;
  const documents = createPostgresDocuments(kysely);
  return {
    name: 'postgres',
    maximumParameters: 65_535,
    concurrentQueries: 2,
    orderByCodePoint,
    containsText: (text, substring) =>
      isAscii(substring)
        ? sql`${orderByCodePoint(text)} ilike ${`%${escapeLike(substring)}%`} escape '\\'`
        : sql`${orderByCodePoint(text)} ~ ${escapeRegex(substring)}`,
    equalsText: (text, value) =>
      isAscii(value)
        ? sql`${orderByCodePoint(text)} ilike ${escapeLike(value)} escape '\\'`
        : sql`${orderByCodePoint(text)} ~ ${`^${escapeRegex(value)}$`}`,
    isAmong: (text, values) => sql`${text} = any(cast(${values} as text[]))`,
    selectFiniteNumber: (value) =>
      sql`case when ${value} between ${sql.lit(-Number.MAX_VALUE)}::float8 and ${sql.lit(Number.MAX_VALUE)}::float8 then ${value} end`,
    selectInteger: (value) => sql`${value}`,
    quoteLiteral: (value) => sql`coalesce(cast(${value} as text), 'NULL')`,
    selectTextFrom: (text, substring, length) =>
      sql`case when strpos(${text}, ${substring}) > 0 then substr(${text}, strpos(${text}, ${substring}), ${length}) end`,
    isJson,
    selectTextAt: (json, path) =>
      sql`${escapeUnsupportedCharacters(json)}::json #>> ${sql.lit(`{${path.join(',')}}`)}`,
    selectTextEnd: (text, bytes) => sql`nullif(right(${text}, ${bytes}), '')`,
    lockRows: (query) => query.forUpdate(),
    lock: async (transaction, name, key) => {
      const number =
        key === undefined
          ? sql`${lockNumbers[name]}`
          : sql`hashtextextended(${key}, ${lockNumbers[name]})`;
      await sql`select pg_advisory_xact_lock(${number})`.execute(transaction);
    },
    withWriteTransaction: (work) =>
      kysely
        .transaction()
        // Reads after waiting for a lock must include the rows of the other transaction.
        .setIsolationLevel('read committed')
        .execute(async (transaction) => {
          // Locks have their own timeout. The transaction has no other timeouts, because one statement that deletes
          // millions of rows takes minutes, and an import reads its source between two statements. Only PostgreSQL 17
          // and later have `transaction_timeout`. Without the flush, the statistics in `changeQuery` may contain the
          // transaction only 10 s after its end.
          await sql`select set_config('lock_timeout', '10s', true), set_config('statement_timeout', '0', true),
            set_config('idle_in_transaction_session_timeout', '0', true),
            case when current_setting('transaction_timeout', true) is not null
              then set_config('transaction_timeout', '0', true) end
            ${connections.canFlushStatistics ? sql`, pg_stat_force_next_flush()` : sql``}`.execute(
            transaction,
          );
          return work(transaction);
        }),
    expectGrowth: async (transaction) => {
      // PostgreSQL plans the check of a foreign key once per connection. A plan for a small table reads the whole table
      // for each new row, so 40,000 new experiments take more than ten minutes.
      await sql`set local enable_seqscan = off`.execute(transaction);
      await sql`discard plans`.execute(transaction);
    },
    listHooks: async (transaction) => (await inspectPostgres(transaction)).hooks,
    isReferenceError: (error) =>
      error instanceof Error && 'code' in error && referenceStates.has(String(error.code)),
    isWrittenByOthers: () => false,
    estimateDeletionLockSeconds: () => 0,
    estimateWritingLockSeconds: () => 0,
    readDatabaseSizeBytes: async () => {
      const query = sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`;
      return (await query.execute(kysely)).rows[0]?.bytes ?? 0;
    },
    readIdentity: (connection = kysely) => readIdentity(connection),
    readChangeCursor: async () => {
      const { rows } = await changeQuery.execute(kysely);
      const { cursor: rowCursor = '', replay_position: replayPosition = null } = rows[0] ?? {};
      const cursor = `${rowCursor}-${await documents.readVersion()}`;
      if (replayPosition === null) return cursor;
      if (lastStandbyState?.replayPosition !== replayPosition) {
        const versions = (await rowVersionsQuery.execute(kysely)).rows[0]?.versions ?? '';
        lastStandbyState = { replayPosition, cursor: `${cursor}-${versions}` };
      }
      return lastStandbyState.cursor;
    },
    readSnapshotKey: async () => (await snapshotQuery.execute(kysely)).rows[0]?.snapshot ?? '',
    iterationFingerprint: sql`concat_ws(' ', count(*), sum(hashfloat8extended(
      coalesce(i.best_fitness, 'NaN'),
      hashfloat8extended(coalesce(i.evaluations, -1), hashfloat8extended(i.iteration, 0)))))`,
    readIterationChanges: async () =>
      (await iterationChangesQuery.execute(kysely)).rows[0]?.changes ?? '',
    documents,
    hasIndex: async (name) => {
      const query = sql<{ is_valid: boolean }>`select exists (select from pg_index
        where indexrelid = to_regclass(${name}) and indisvalid) as is_valid`;
      return (await query.execute(kysely)).rows[0]?.is_valid ?? false;
    },
    readTraces: (requests, visit) => readPostgresTraces(kysely, requests, visit),
    buildIndex: createPostgresIndexBuilder(kysely, connections),
    classifyFailure: classifyPostgresFailure,
  };
}

const maximumJsonDepth = 16;

/**
 * Tokens of JSON and their replacements: strings become `""`, other scalars become `0`, and whitespace around
 * punctuation and at both ends disappears.
 */
const jsonTokens = [
  [String.raw`"([^"\\\x01-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"`, '""'],
  [String.raw`-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?|true|false|null`, '0'],
  [String.raw`[ \t\n\r]*([][{}:,]|^|$)[ \t\n\r]*`, String.raw`\1`],
] as const;

/** Pattern of an object or array of scalars, which becomes a scalar of the surrounding object or array. */
const innermostJson = String.raw`\{("":(""|0)(,"":(""|0))*)?\}|\[((""|0)(,(""|0))*)?\]`;

/**
 * Returns whether a text is JSON: at most 16 replacements of its innermost objects and arrays by scalars must end with
 * one scalar. Returns NULL for NULL.
 */
function isJson(text: Expression<string | null>): RawBuilder<SqlBool> {
  const replaceAll = (shape: RawBuilder<unknown>, pattern: string, replacement: string) =>
    sql`regexp_replace(${shape}, ${sql.lit(pattern)}, ${sql.lit(replacement)}, 'g')`;
  const shape = jsonTokens.reduce(
    (tokens, [pattern, replacement]) => replaceAll(tokens, pattern, replacement),
    sql`${text}`,
  );
  const reducedShape = replaceAll(sql`shape`, innermostJson, '0');
  return sql`(with recursive reduced(shape, depth) as (select ${shape}, 0
      union all select ${reducedShape}, depth + 1 from reduced where depth < ${sql.lit(maximumJsonDepth)})
    select shape in ('""', '0') from reduced order by depth desc limit 1)`;
}

/** Pattern of escaped backslashes and surrogate pairs, and of other escapes that `#>>` rejects. */
const unicodeEscape = String.raw`(\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|(\\)(u(0000|[dD][89a-fA-F][0-9a-fA-F]{2}))`;

/**
 * Returns JSON whose escapes `#>>` accepts: those of U+0000 and of halves of surrogate pairs become texts, such as the
 * text `\u0000`.
 */
function escapeUnsupportedCharacters(json: Expression<string | null>): RawBuilder<string | null> {
  return sql`regexp_replace(${json}, ${sql.lit(unicodeEscape)}, ${sql.lit(String.raw`\1\2\2\3`)}, 'g')`;
}

function orderByCodePoint<Text extends string | null>(text: Expression<Text>): RawBuilder<Text> {
  return sql<Text>`(${text}) collate "C"`;
}

/**
 * Returns a regular expression that matches a text in any mixture of cases. It has no bracket expressions, because a
 * database with the encoding SQL_ASCII would match single bytes of the characters in them.
 */
function escapeRegex(text: string): string {
  return listSpellings(text)
    .map((characters) => {
      if (characters.length > 1) return `(?:${characters.join('|')})`;
      return (characters[0] ?? '').replace(/[^\p{L}\p{N}\s]/u, '\\$&');
    })
    .join('');
}

/**
 * Query of a text that changes with the tables of the runner's schema and their partitions. These partitions may be in
 * other schemas. Contains the files of the tables for the same reason as {@link iterationChanges}. `replay_position` is
 * null unless the server is a standby.
 */
const changeQuery = sql<{ cursor: string; replay_position: string | null }>`
  select concat_ws('-',
    (select coalesce(max(id), 0) from events), (select coalesce(max(id), 0) from iterations),
    (select coalesce(max(id), 0) from coco_trials),
    (select coalesce(max(id), 0) from coco_aggregates),
    sum(n_tup_ins), sum(n_tup_upd), sum(n_tup_del), sum(pg_relation_filenode(relid)::int8)) as cursor,
    case when pg_is_in_recovery() then pg_last_wal_replay_lsn()::text end as replay_position
  from pg_stat_user_tables join pg_class c on c.oid = coalesce(pg_partition_root(relid), relid)
  where c.relnamespace = (select oid from pg_namespace where nspname = current_schema())`;

const selectVersions = (table: string) =>
  sql`(select concat_ws(' ', count(*), sum(xmin::text::int8)) from ${sql.table(table)})`;

/**
 * Query of a text that differs after an insertion, update or deletion of a row of these tables, because each
 * transaction has a higher number than earlier transactions.
 */
const rowVersionsQuery = sql<{ versions: string }>`select concat_ws('-',
  ${selectVersions('experiments')}, ${selectVersions('runs')}, ${selectVersions('coco_campaigns')},
  ${selectVersions('control_requests')}) as versions`;

/**
 * Numbers of updates and deletions of iterations, also in partitions. PostgreSQL counts them after the end of their
 * transactions. Contains the files of the tables too, because PostgreSQL does not count rows that TRUNCATE or DROP
 * deletes, for example before a program loads the tables from a dump.
 */
const iterationChanges = sql`(
    select concat_ws(' ', sum(pg_stat_get_tuples_updated(relid)), sum(pg_stat_get_tuples_deleted(relid)),
      sum(pg_relation_filenode(relid)::int8))
    from (select to_regclass('iterations') as relid
      union select relid from pg_partition_tree(to_regclass('iterations'))) as partitions)`;

/**
 * Query of a text that changes with each transaction that writes. Contains the start time of the server, because the
 * numbers of transactions may occur again with other rows after a failover or a restore from a backup.
 */
const snapshotQuery = sql<{ snapshot: string }>`
  select concat_ws(' ', extract(epoch from pg_postmaster_start_time()),
    case when pg_is_in_recovery() then 'standby ' || pg_last_wal_replay_lsn()
      else concat_ws(' ', pg_current_snapshot(), ${iterationChanges}) end) as snapshot`;

const iterationChangesQuery = sql<{ changes: string }>`select ${iterationChanges} as changes`;

/** Codes for an exceeded program limit and for a lack of memory. */
const tooLargeStates = new Set(['54000', '53200']);

/** Codes for a missing table, column or schema. */
const missingStates = new Set(['42P01', '42703', '3F000']);

/** Codes for a missing privilege, for a change in a read-only transaction, and for a refused user or database. */
const forbiddenStates = new Set(['42501', '25006', ...accessRefusalCodes]);

/** Codes for the violation of a foreign key; PostgreSQL 18 uses the second for keys with RESTRICT. */
const referenceStates = new Set(['23503', '23001']);

/** Codes for locks, conflicts with other transactions, cancelled statements and timeouts. */
const busyStates = new Set(['55P03', '40001', '40P01', '57014', '25P03', '25P04']);

/** Codes for connection exceptions, lack of resources, shutdown, system errors and damage, and errors of sockets. */
const unavailableCodes =
  /^(08|53|57P|58|XX001|XX002)|^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH)/;

/**
 * Messages of errors without a code, and of code 55000. A server sends this code if it ends during a parallel query, or
 * if its administrator has closed the database.
 */
const unavailableMessages =
  /parallel worker|not currently accepting|Connection terminated|connection timeout|timeout expired|not queryable|Connection ended|Client was closed|driver has already been destroyed/i;

/** Returns the kind of a failure; see {@link DatabaseDialect.classifyFailure}. */
export function classifyPostgresFailure(error: unknown): FailureKind {
  if (!(error instanceof Error)) return 'other';
  const code = 'code' in error ? String(error.code) : '';
  if (isConnectionRefusal(error)) return 'connections';
  if (busyStates.has(code) || isQueueTimeout(error)) return 'busy';
  if (tooLargeStates.has(code) || isTooLong(error)) return 'too-large';
  if (missingStates.has(code)) return 'unavailable';
  if (forbiddenStates.has(code)) return 'forbidden';
  const isUnavailable =
    unavailableCodes.test(code) ||
    isUsedId(error) ||
    // If the socket file of the server is missing or closed, the error may have any code.
    ('syscall' in error && error.syscall === 'connect') ||
    (['', '55000'].includes(code) && unavailableMessages.test(error.message));
  return isUnavailable ? 'unavailable' : 'other';
}
