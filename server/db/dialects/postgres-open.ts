import { readFileSync } from 'node:fs';
import { Kysely, sql } from 'kysely';
import { maximumServerConnections, type DatabaseConnections } from '../dialect.ts';
import type { Tables } from '../schema.ts';
import { StartUpError, type LocationField } from '../start-up-error.ts';
import { hashDatabaseUrl, describeDatabase, type PostgresUrl } from '../url.ts';
import {
  losslessTypes,
  createPostgresKyselyDialect,
  ConnectionPool,
  isConnectionRefusal,
  accessRefusalCodes,
} from './postgres-driver.ts';
import { createPostgresStructure } from './postgres-structure.ts';
import { classifyPostgresFailure, createPostgresDialect } from './postgres.ts';
import type pg from 'pg';

/** Timeout of each attempt to connect, including encryption and authentication, and of the first query. */
const openingMillis = 10_000;
const statementTimeoutMillis = 30_000;

const encryptionWithoutVerification = { rejectUnauthorized: false };

/** Options for opening a PostgreSQL database. */
export interface PostgresOptions {
  isReadOnly: boolean;
  /** Maximum number of connections; by default 10. */
  maximumConnections?: number | undefined;
  /**
   * Maximum wait of a statement for a lock, unless its transaction or connection sets another; undefined for the
   * default of the server.
   */
  lockTimeoutMillis?: number | undefined;
  /** Cancels the opening, which then rejects with a {@link StartUpError} and closes all connections. */
  signal?: AbortSignal | undefined;
  /** Receives a message about each lost connection. */
  notify?: ((message: string) => void) | undefined;
}

type Encryption = NonNullable<pg.ClientConfig['ssl']>;

/**
 * Opens a PostgreSQL database with at most 10 (or `maximumConnections`) connections. Statements have a timeout of 30 s
 * unless their transaction or connection sets another. The pool replaces a lost connection when a query needs one. The
 * database opens read-only with `isReadOnly`, on a standby or read-only server, and for a user who lacks a privilege
 * that a request to stop a run needs. Throws a {@link StartUpError} for any failure, for example if the server does not
 * respond within 10 s, refuses the user or has no connection left. Other examples are a missing database, schema or
 * certificate file, and an aborted `signal`.
 */
export async function openPostgres(
  url: PostgresUrl,
  options: PostgresOptions,
): Promise<DatabaseConnections> {
  const pool = await connect(url, options);
  const kysely = new Kysely<Tables>({ dialect: createPostgresKyselyDialect(pool) });
  const readAccess = async () => {
    const { is_read_only, missing_privilege } = await readState(kysely);
    if (options.isReadOnly) return { isReadOnly: true, reason: null };
    if (missing_privilege !== null)
      return { isReadOnly: true, reason: describeMissingPrivilege(missing_privilege) };
    return { isReadOnly: is_read_only, reason: is_read_only ? standbyReason : null };
  };
  try {
    const state = await limitTime(pool, options.signal, readState(kysely)).catch(
      (error: unknown) => {
        throw makeConnectError(url, error);
      },
    );
    assertVersion(url, state);
    assertSettings(url, state);
    if (state.schema === null) throw makeSchemaFailure(url, state.unusable_schema);
    return {
      kysely,
      dialect: createPostgresDialect(kysely, {
        isScarce: () => pool.isScarce,
        hasSettings: state.has_settings,
        canFlushStatistics: state.can_flush_statistics,
      }),
      structure: createPostgresStructure(kysely, url.schemas.length > 0),
      isReadOnly: options.isReadOnly || state.is_read_only || state.missing_privilege !== null,
      isOpenedReadOnly: options.isReadOnly,
      readAccess,
      name: state.name,
      schema: state.schema,
      applyPersistentSettings: async () => {},
      isCurrent: () => true,
      closeImmediately: () => pool.closeImmediately(),
      close: () => kysely.destroy(),
    };
  } catch (error) {
    await kysely.destroy();
    throw error;
  }
}

const standbyReason = 'The PostgreSQL server is a standby or read-only';

function describeMissingPrivilege(privilege: string): string {
  return `The database user lacks the privilege ${privilege}`;
}

/**
 * Settles like `work`, which uses the pool. If `work` takes more than 10 s, or if `signal` is aborted, rejects with an
 * Error and closes all connections. While the server refuses further connections, the pool itself limits the waiting
 * time.
 */
async function limitTime<Result>(
  pool: ConnectionPool,
  signal: AbortSignal | undefined,
  work: Promise<Result>,
): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const end = (reason: string) => {
    reject(new Error(reason));
    pool.closeImmediately();
  };
  const cancel = () => end('the service cancelled the opening');
  const timer = setInterval(() => {
    if (!pool.isScarce) end(noResponse);
  }, openingMillis).unref();
  if (signal?.aborted) cancel();
  signal?.addEventListener('abort', cancel);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearInterval(timer);
    signal?.removeEventListener('abort', cancel);
  }
}

const noResponse = `no response within ${openingMillis / 1_000} s`;

interface State {
  name: string;
  schema: string | null;
  /** Version as `server_version_num`, such as 150018. */
  version: number;
  search_path: string;
  extra_float_digits: string;
  standard_conforming_strings: string;
  /** Whether the connection has the settings of {@link formatStartOptions}. A connection pooler may ignore them. */
  has_settings: boolean;
  /** Whether the server has `pg_stat_force_next_flush`, from PostgreSQL 15 on, and the user may call it. */
  can_flush_statistics: boolean;
  /** A schema of the search path that exists and that the user may not use; null if there is none. */
  unusable_schema: string | null;
  is_read_only: boolean;
  /**
   * The first missing privilege of those that a request to stop a run needs; null if the user has all of them, or the
   * tables are missing.
   */
  missing_privilege: string | null;
}

async function readState(kysely: Kysely<Tables>): Promise<State> {
  const { rows } = await sql<State>`
    with tables as (select oid, relname from pg_class
      where relnamespace = (select oid from pg_namespace where nspname = current_schema())
        and relname in ('control_requests', 'runs') and relkind in ('r', 'p')),
    needed_privileges (ordinal, privilege, is_granted) as (
      select 1, 'INSERT on table "control_requests"', has_table_privilege(oid, 'INSERT')
        from tables where relname = 'control_requests'
      union all select 2, 'UPDATE on table "control_requests"', has_any_column_privilege(oid, 'UPDATE')
        from tables where relname = 'control_requests'
      union all select 3, 'UPDATE on table "runs"', has_any_column_privilege(oid, 'UPDATE')
        from tables where relname = 'runs')
    select current_database() as name, current_schema() as schema,
      cast(current_setting('server_version_num') as integer) as version,
      current_setting('search_path') as search_path, current_setting('extra_float_digits') as extra_float_digits,
      current_setting('standard_conforming_strings') as standard_conforming_strings,
      current_setting('statement_timeout') = ${`${statementTimeoutMillis / 1_000}s`} as has_settings,
      coalesce(has_function_privilege(to_regprocedure('pg_catalog.pg_stat_force_next_flush()'), 'EXECUTE'), false)
        as can_flush_statistics,
      (select nspname::text from pg_namespace
        where nspname = any(string_to_array(replace(replace(current_setting('search_path'), '"', ''), ' ', ''), ','))
          and not has_schema_privilege(oid, 'USAGE') limit 1) as unusable_schema,
      pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as is_read_only,
      (select privilege from needed_privileges where not is_granted order by ordinal limit 1) as missing_privilege`.execute(
    kysely,
  );
  const [state] = rows;
  if (!state) throw new Error('PostgreSQL returned no state');
  return state;
}

/** Oldest major version of PostgreSQL that has all functions of our queries. */
const minimumVersion = 13;

function assertVersion(url: PostgresUrl, { version }: State): void {
  const majorVersion = Math.floor(version / 10_000);
  if (majorVersion >= minimumVersion) return;
  throw new StartUpError(
    `The server of ${describeDatabase(url)} is PostgreSQL ${majorVersion}, which is too old: use PostgreSQL ${minimumVersion} or later`,
  );
}

/**
 * Throws a {@link StartUpError} if a connection pooler has ignored a setting and the service would therefore read
 * rounded numbers, wrong texts or the tables of another schema.
 */
function assertSettings(url: PostgresUrl, state: State): void {
  const [schema] = url.schemas;
  const isSchemaCurrent =
    schema === undefined || state.search_path === formatSearchPath(url) || state.schema === schema;
  const faults = [
    ...(Number(state.extra_float_digits) > 0 ? [] : ['extra_float_digits = 1']),
    ...(state.standard_conforming_strings === 'on' ? [] : ['standard_conforming_strings = on']),
    ...(isSchemaCurrent ? [] : [`search_path = ${formatSearchPath(url)}`]),
  ];
  if (faults.length === 0) return;
  throw new StartUpError(
    `A connection pooler in front of ${describeDatabase(url)} ignores settings of the service: ${faults.join('; ')}. Connect to PostgreSQL directly, or set them with ALTER ROLE for the database user`,
  );
}

function formatSearchPath({ schemas }: PostgresUrl): string {
  return schemas.map((schema) => `"${schema.replaceAll('"', '""')}"`).join(',');
}

function makeSchemaFailure(url: PostgresUrl, unusableSchema: string | null): StartUpError {
  const database = describeDatabase(url);
  if (unusableSchema !== null) {
    return new StartUpError(
      `The database user lacks the privilege USAGE on schema "${unusableSchema}" in ${database}: grant it, or use another user`,
      undefined,
      'schema',
      'forbidden',
    );
  }
  const name = url.schemas.map((schema) => `"${schema}"`).join(', ') || 'of the search path';
  return new StartUpError(
    `The schema ${name} does not exist in ${database}: create it, or name another schema`,
    undefined,
    'schema',
  );
}

/**
 * Returns a pool with a working connection. Tries the kinds of encryption that the sslmode of the URL allows, and uses
 * the first one that works. Stops after a timeout, when `signal` is aborted, and after a refusal that does not depend
 * on the encryption: because of too many connections, a wrong password or an unknown database. Throws a {@link
 * StartUpError} for the last failure.
 */
async function connect(url: PostgresUrl, options: PostgresOptions): Promise<ConnectionPool> {
  const { notify = () => {}, signal } = options;
  const startedAt = performance.now();
  let failure: unknown;
  for (const ssl of encryptions[url.sslMode](url)) {
    const pool = new ConnectionPool(
      makePoolConfiguration(url, options, ssl),
      `evoscope ${hashDatabaseUrl(url)}`,
    );
    // The loss of an idle connection has no effect. The loss of a connection in use makes its query fail.
    pool.onLoss((message) =>
      notify(
        `The service lost a connection to the database: ${message}. It reconnects automatically`,
      ),
    );
    try {
      (await limitTime(pool, signal, pool.connect())).release();
      return pool;
    } catch (error) {
      failure = error;
      await pool.end();
    }
    const hasTimedOut = performance.now() - startedAt > openingMillis;
    if (hasTimedOut || signal?.aborted === true || isFinalRefusal(failure)) break;
  }
  throw makeConnectError(url, failure);
}

function isFinalRefusal(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return isConnectionRefusal(error) || code === '28P01' || code === '3D000';
}

function makePoolConfiguration(
  url: PostgresUrl,
  { isReadOnly, maximumConnections = maximumServerConnections, lockTimeoutMillis }: PostgresOptions,
  ssl: Encryption,
): pg.PoolConfig & { max: number } {
  return {
    host: url.host,
    port: url.port,
    database: url.database,
    user: url.user,
    password: url.password,
    ssl,
    options: formatStartOptions(url, isReadOnly, lockTimeoutMillis),
    application_name: 'evoscope',
    max: maximumConnections,
    connectionTimeoutMillis: openingMillis,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: losslessTypes,
  };
}

/** Returns settings in the form of the server's command line, with escaped spaces and backslashes. */
function formatStartOptions(
  url: PostgresUrl,
  isReadOnly: boolean,
  lockTimeoutMillis: number | undefined,
): string {
  // Without these settings, a default of the database or user could round numbers, or turn backslashes in texts into
  // escape characters.
  const settings = ['extra_float_digits=1', 'standard_conforming_strings=on'];
  settings.push(`statement_timeout=${statementTimeoutMillis}`);
  // If transactions are serializable by default, a serializable read could make a transaction of a runner fail.
  settings.push('default_transaction_isolation=read committed');
  // With this setting, a policy that another program creates while the service runs makes queries fail instead of
  // hiding rows from them.
  settings.push('row_security=off');
  if (url.schemas.length > 0) settings.push(`search_path=${formatSearchPath(url)}`);
  if (isReadOnly) settings.push('default_transaction_read_only=on');
  if (lockTimeoutMillis !== undefined) settings.push(`lock_timeout=${lockTimeoutMillis}`);
  return settings.map((setting) => `-c ${setting.replace(/[\\\s]/g, '\\$&')}`).join(' ');
}

/** The kinds of encryption that each sslmode allows, the preferred kind first. */
const encryptions: Record<PostgresUrl['sslMode'], (url: PostgresUrl) => Encryption[]> = {
  disable: () => [false],
  allow: () => [false, encryptionWithoutVerification],
  prefer: () => [encryptionWithoutVerification, false],
  require: () => [encryptionWithoutVerification],
  'verify-ca': (url) => [{ ...makeVerifyingOptions(url), checkServerIdentity: () => undefined }],
  'verify-full': (url) => [makeVerifyingOptions(url)],
};

function makeVerifyingOptions(url: PostgresUrl): { rejectUnauthorized: true; ca?: string } {
  if (url.sslRootCertificate === undefined) return { rejectUnauthorized: true };
  try {
    return { rejectUnauthorized: true, ca: readFileSync(url.sslRootCertificate, 'utf8') };
  } catch {
    throw new StartUpError(
      `The certificate file ${url.sslRootCertificate} is not readable: check sslrootcert in the database URL`,
    );
  }
}

/**
 * Returns the {@link StartUpError} for an error of the driver after {@link openPostgres}, for example if the server
 * stops. Returns other errors unchanged.
 */
export function toOpeningError(error: unknown, url: PostgresUrl): unknown {
  const isUnchanged = error instanceof StartUpError || classifyPostgresFailure(error) === 'other';
  return isUnchanged ? error : makeConnectError(url, error);
}

function makeConnectError(url: PostgresUrl, error: unknown): StartUpError {
  const server = `The PostgreSQL server of ${describeDatabase(url)}`;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const message = error instanceof Error ? error.message : String(error);
  const kind = accessRefusalCodes.includes(code) ? 'forbidden' : 'unavailable';
  const makeFailure = (text: string, field?: LocationField) =>
    new StartUpError(text, undefined, field, kind);
  if (isConnectionRefusal(error)) {
    return new StartUpError(
      `${server} has no connection left: ${message}. Try again, or raise its limit to ${maximumServerConnections}`,
      undefined,
      undefined,
      'connections',
    );
  }
  if (/password must be/.test(message)) {
    return makeFailure(
      `${server} needs a password: put it into the URL or SVC_DB_PASSWORD`,
      'password',
    );
  }
  if (code === '28P01' || code === '28000') {
    return makeFailure(
      `${server} refused access: ${message}. Check the user and the password`,
      code === '28P01' ? 'password' : 'user',
    );
  }
  if (code === '3D000') {
    return makeFailure(
      `Unknown database: ${message} (${describeDatabase(url)}). Create it, or name another database`,
      'database',
    );
  }
  if (/unsupported startup parameter/.test(message)) {
    return makeFailure(
      `The connection pooler of ${describeDatabase(url)} refuses the settings of the service: ${message}. Add options to ignore_startup_parameters of PgBouncer, or connect to PostgreSQL directly`,
    );
  }
  if (/SSL|certificate|self-signed/i.test(message)) {
    return makeFailure(
      `The service cannot open ${describeDatabase(url)}: ${message}. Check sslmode and sslrootcert in the database URL`,
      'sslmode',
    );
  }
  if (/^E[A-Z]+|^$/.test(code)) {
    return makeFailure(
      `${server} does not respond: ${/timeout/.test(message) ? noResponse : code || message}. Check the host and the port`,
      code === 'ECONNREFUSED' ? 'port' : 'host',
    );
  }
  return makeFailure(
    `The service cannot open ${describeDatabase(url)}: ${message}. Check the database URL, the privileges of the user and the server`,
  );
}
