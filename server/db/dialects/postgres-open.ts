import { readFileSync } from 'node:fs';
import { Kysely, sql } from 'kysely';
import pg from 'pg';
import type { DatabaseConnections } from '../dialect.ts';
import type { Tables } from '../schema.ts';
import { StartUpError, type PlacePart } from '../start-up-error.ts';
import { describeDatabase, type PostgresUrl } from '../url.ts';
import { losslessTypes, postgresKyselyDialect } from './postgres-driver.ts';
import { postgresStructure } from './postgres-structure.ts';
import { postgresDialect } from './postgres.ts';

const defaultConnections = 10;
const connectTimeoutMillis = 5_000;
const statementTimeoutMillis = 30_000;

const unverified = { rejectUnauthorized: false };

/** What the connections of a pool may do, and how many there may be. */
interface Limits {
  readOnly: boolean;
  maximumConnections: number;
}

type Encryption = NonNullable<pg.ClientConfig['ssl']>;

/**
 * Opens a PostgreSQL database: at most 10 connections, or as many as are allowed here, statements of at most 30 s, connections that were
 * lost are made anew when next needed. A standby, or a user who may only read, opens read-only, as does
 * everything when `readOnly` is asked for. Throws a {@link StartUpError} when no server answers, it refuses
 * the user, or database, schema or certificate file do not exist.
 */
export async function openPostgres(
  url: PostgresUrl,
  readOnly: boolean,
  maximumConnections = defaultConnections,
  notify: (message: string) => void = () => {},
): Promise<DatabaseConnections> {
  const pool = await connect(url, { readOnly, maximumConnections }, notify);
  const kysely = new Kysely<Tables>({ dialect: postgresKyselyDialect(pool) });
  try {
    const state = await readState(kysely);
    if (state.schema === null) {
      const name = url.schemas.map((schema) => `"${schema}"`).join(', ') || 'of the search path';
      throw new StartUpError(
        `The schema ${name} does not exist in ${describeDatabase(url)}`,
        undefined,
        'schema',
      );
    }
    return {
      kysely,
      dialect: postgresDialect(kysely),
      structure: postgresStructure(kysely),
      readOnly: state.read_only,
      name: state.name,
      schema: state.schema,
      applyPersistentSettings: async () => {},
      isCurrent: () => true,
      close: () => kysely.destroy(),
    };
  } catch (error) {
    await kysely.destroy();
    throw error;
  }
}

interface State {
  name: string;
  schema: string | null;
  read_only: boolean;
}

async function readState(kysely: Kysely<Tables>): Promise<State> {
  const { rows } = await sql<State>`
    select current_database() as name, current_schema() as schema,
      pg_is_in_recovery() or current_setting('transaction_read_only') = 'on'
        or exists (select from pg_class
          where relnamespace = (select oid from pg_namespace where nspname = current_schema()) and relname = 'control_requests'
          and not (has_table_privilege(oid, 'INSERT') and has_table_privilege(oid, 'UPDATE')
            and has_table_privilege(oid, 'DELETE'))) as read_only`.execute(kysely);
  const [state] = rows;
  if (!state) throw new Error('PostgreSQL did not say what is open');
  return state;
}

/** A pool whose first connection worked, encrypted as the URL's sslmode allows, best way first. */
async function connect(
  url: PostgresUrl,
  limits: Limits,
  notify: (message: string) => void,
): Promise<pg.Pool> {
  let failure: unknown;
  for (const ssl of encryptions[url.sslMode](url)) {
    const pool = new pg.Pool(poolConfiguration(url, limits, ssl));
    reportLosses(pool, notify);
    try {
      (await pool.connect()).release();
      return pool;
    } catch (error) {
      failure = error;
      await pool.end();
    }
  }
  throw connectFailure(url, failure);
}

/**
 * Tells of each connection that is lost, once. Without a listener the loss would end the process: of an idle
 * connection, which the next query replaces, or of one in use, whose query fails.
 */
function reportLosses(pool: pg.Pool, notify: (message: string) => void): void {
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.once('error', ({ message }) =>
      notify(`A connection to the database was lost: ${message}`),
    );
    client.on('error', () => {});
  });
}

function poolConfiguration(
  url: PostgresUrl,
  { readOnly, maximumConnections }: Limits,
  ssl: Encryption,
): pg.PoolConfig {
  return {
    host: url.host,
    port: url.port,
    database: url.database,
    user: url.user,
    password: url.password,
    ssl,
    options: startOptions(url, readOnly),
    application_name: 'evoscope',
    max: maximumConnections,
    connectionTimeoutMillis: connectTimeoutMillis,
    statement_timeout: statementTimeoutMillis,
    keepAlive: true,
    types: losslessTypes,
  };
}

/** Settings in the form of the server's command line, in which spaces and backslashes are escaped. */
function startOptions(url: PostgresUrl, readOnly: boolean): string {
  const settings: string[] = [];
  if (url.schemas.length > 0) {
    const path = url.schemas.map((schema) => `"${schema.replaceAll('"', '""')}"`).join(',');
    settings.push(`search_path=${path}`);
  }
  if (readOnly) settings.push('default_transaction_read_only=on');
  return settings.map((setting) => `-c ${setting.replace(/[\\\s]/g, '\\$&')}`).join(' ');
}

/** The ways to encrypt that an sslmode allows, the one to try first at the beginning. */
const encryptions: Record<PostgresUrl['sslMode'], (url: PostgresUrl) => Encryption[]> = {
  disable: () => [false],
  allow: () => [false, unverified],
  prefer: () => [unverified, false],
  require: () => [unverified],
  'verify-ca': (url) => [{ ...verified(url), checkServerIdentity: () => undefined }],
  'verify-full': (url) => [verified(url)],
};

function verified(url: PostgresUrl): { rejectUnauthorized: true; ca?: string } {
  if (url.sslRootCertificate === undefined) return { rejectUnauthorized: true };
  try {
    return { rejectUnauthorized: true, ca: readFileSync(url.sslRootCertificate, 'utf8') };
  } catch {
    throw new StartUpError(`The certificate file ${url.sslRootCertificate} cannot be read`);
  }
}

function connectFailure(url: PostgresUrl, error: unknown): StartUpError {
  const server = `the PostgreSQL server of ${describeDatabase(url)}`;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const message = error instanceof Error ? error.message : String(error);
  const failure = (text: string, part?: PlacePart) => new StartUpError(text, undefined, part);
  if (/password must be/.test(message)) {
    return failure(
      `A password is needed for ${server}: put it into the URL or SVC_DB_PASSWORD`,
      'password',
    );
  }
  if (code === '28P01' || code === '28000') {
    return failure(
      `Access refused by ${server}: ${message}`,
      code === '28P01' ? 'password' : 'user',
    );
  }
  if (code === '3D000') {
    return failure(`Unknown database: ${message} (${describeDatabase(url)})`, 'database');
  }
  if (/SSL|certificate|self-signed/i.test(message)) {
    return failure(`Cannot open ${describeDatabase(url)}: ${message}`, 'sslmode');
  }
  if (/^E[A-Z]+|^$/.test(code)) {
    return failure(
      `No answer from ${server}: ${code || message}`,
      code === 'ECONNREFUSED' ? 'port' : 'host',
    );
  }
  return failure(`Cannot open ${describeDatabase(url)}: ${message}`);
}
