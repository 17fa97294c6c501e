import { CompiledQuery, sql, type Kysely } from 'kysely';
import {
  lockNumbers,
  type DatabaseDialect,
  type IndexOutcome,
  type AuxiliaryIndex,
} from '../dialect.ts';
import type { Tables } from '../schema.ts';

/**
 * Maximum wait of a statement for the lock of another transaction. It is shorter than the default delay before
 * PostgreSQL detects deadlocks (1 s), so in a conflict with a starting runner, the build fails and not the runner.
 */
const lockTimeout = '200ms';

const existingOutcome: IndexOutcome = { state: 'existing', detail: 'it exists already' };

const cancelledOutcome: IndexOutcome = {
  state: 'postponed',
  detail: 'the service cancelled its build',
};

/** The state of the connections to a server, on which building indexes and write transactions depend. */
export interface ConnectionState {
  /** Returns whether the server has recently refused a connection. */
  isScarce: () => boolean;
  /** Whether the connections have the settings with which the service connects. A connection pooler may ignore them. */
  hasSettings: boolean;
  /** Whether the user may call `pg_stat_force_next_flush`. PostgreSQL before 15 does not have this function. */
  canFlushStatistics: boolean;
}

/**
 * Returns a function that builds indexes of a PostgreSQL database; see {@link DatabaseDialect.buildIndex}. It postpones
 * a build if the server has recently refused a connection. It builds no index through a pooler that ignores settings,
 * because such a pooler may pass the timeouts and the lock of a build on to other programs.
 */
export function createPostgresIndexBuilder(
  kysely: Kysely<Tables>,
  { isScarce, hasSettings }: ConnectionState,
): DatabaseDialect['buildIndex'] {
  return async (index, signal) => {
    if (isScarce()) return { state: 'postponed', detail: 'the server grants too few connections' };
    if (!hasSettings) return findExistingIndex(kysely, index);
    return kysely
      .connection()
      .execute(async (connection): Promise<IndexOutcome> => {
        const cancel = await createCanceller(kysely, connection);
        // An aborted signal calls no new listener.
        if (signal.aborted) return cancelledOutcome;
        signal.addEventListener('abort', cancel, { once: true });
        return buildUnderLock(connection, index, signal).finally(() =>
          signal.removeEventListener('abort', cancel),
        );
      })
      .catch((error: unknown): IndexOutcome => ({ state: 'failed', detail: getMessage(error) }));
  };
}

/**
 * Returns a function that cancels the statement of a connection by a query on another connection, and ignores errors.
 */
async function createCanceller(
  kysely: Kysely<Tables>,
  connection: Kysely<Tables>,
): Promise<() => void> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(connection);
  const cancelQuery = sql`select pg_cancel_backend(${rows[0]?.pid}::int)`;
  return () => void cancelQuery.execute(kysely).catch(() => {});
}

async function findExistingIndex(
  kysely: Kysely<Tables>,
  { name }: AuxiliaryIndex,
): Promise<IndexOutcome> {
  const isValid = await findValidity(kysely, name).catch(() => undefined);
  if (isValid === true) return existingOutcome;
  return {
    state: 'failed',
    detail:
      'a connection pooler may pass the settings of a build on to other programs; let the service connect to PostgreSQL directly once',
  };
}

async function buildUnderLock(
  connection: Kysely<Tables>,
  index: AuxiliaryIndex,
  signal: AbortSignal,
): Promise<IndexOutcome> {
  const lock = sql<{
    is_locked: boolean;
  }>`select pg_try_advisory_lock(${lockNumbers.indexes}) as is_locked`;
  if (!(await lock.execute(connection)).rows[0]?.is_locked) {
    return { state: 'postponed', detail: 'another Evoscope is building indexes' };
  }
  try {
    await execute(connection, 'set statement_timeout = 0');
    await execute(connection, `set lock_timeout = '${lockTimeout}'`);
    const outcome = await build(connection, index, signal);
    const hasIndex = outcome.state === 'existing' || outcome.state === 'built';
    // If the drop fails, for example because of a lock, the next start retries.
    if (hasIndex && index.replaces !== undefined) {
      await drop(connection, index.replaces).catch(() => {});
    }
    return outcome;
  } finally {
    await execute(connection, 'reset statement_timeout');
    await execute(connection, 'reset lock_timeout');
    await sql`select pg_advisory_unlock(${lockNumbers.indexes})`.execute(connection);
  }
}

async function build(
  connection: Kysely<Tables>,
  index: AuxiliaryIndex,
  signal: AbortSignal,
): Promise<IndexOutcome> {
  const isValid = await findValidity(connection, index.name);
  if (isValid === true) return existingOutcome;
  const start = performance.now();
  try {
    // An interrupted build leaves an invalid index, which slows writers down and which no query uses. An earlier
    // attempt to drop this index may have failed, because other transactions used the table.
    if (isValid === false) await drop(connection, index.name);
    // If the signal is aborted between two statements, there is no statement to cancel.
    if (signal.aborted) return cancelledOutcome;
    await execute(connection, createSql(index));
    return { state: 'built', detail: `in ${Math.round(performance.now() - start)} ms` };
  } catch (error) {
    await drop(connection, index.name).catch(() => {});
    const isLocked = error instanceof Error && 'code' in error && error.code === '55P03';
    return isLocked
      ? { state: 'postponed', detail: 'another program is writing to the database' }
      : { state: 'failed', detail: getMessage(error) };
  }
}

async function findValidity(
  connection: Kysely<Tables>,
  name: string,
): Promise<boolean | undefined> {
  const { rows } = await sql<{ indisvalid: boolean }>`
    select indisvalid from pg_index join pg_class on pg_class.oid = indexrelid
    where relname = ${name} and relnamespace = (select oid from pg_namespace where nspname = current_schema())`.execute(
    connection,
  );
  return rows[0]?.indisvalid;
}

function createSql({ name, table, columns, include = [] }: AuxiliaryIndex): string {
  const includedColumns = include.length === 0 ? '' : ` include (${include.join(', ')})`;
  return `create index concurrently ${name} on ${table} (${columns.join(', ')})${includedColumns}`;
}

function drop(connection: Kysely<Tables>, name: string): Promise<void> {
  return execute(connection, `drop index concurrently if exists ${name}`);
}

async function execute(connection: Kysely<Tables>, statement: string): Promise<void> {
  await connection.executeQuery(CompiledQuery.raw(statement));
}

function getMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
