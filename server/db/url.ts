import { createHash } from 'node:crypto';
import { isAbsolute, resolve } from 'node:path';
import { sslModes } from '#shared/words.ts';
import { StartUpError } from './start-up-error.ts';

/** A SQLite database. `file` is an absolute path or `:memory:`. */
export interface SqliteUrl {
  dialect: 'sqlite';
  file: string;
  /** Mode of opening the file. `ro`: read-only; `rw`: the file must exist; `rwc`: the service can create the file. */
  mode: 'ro' | 'rw' | 'rwc';
  /**
   * Whether the user states that the file does not change while it is open. SQLite then ignores locks and the
   * write-ahead log.
   */
  isImmutable: boolean;
  /** Whether the path must contain no links. Opening fails if the file or one of its folders is a link. */
  isRealPathRequired?: boolean;
}

/**
 * A PostgreSQL database. The driver uses its own defaults (PGUSER and so on) for an undefined database, user or
 * password.
 */
export interface PostgresUrl {
  dialect: 'postgres';
  /** Host name, IP address without brackets, or directory of a Unix socket. */
  host: string;
  port: number;
  database: string | undefined;
  user: string | undefined;
  password: string | undefined;
  sslMode: (typeof sslModes)[number];
  /**
   * File with the certificates of trusted authorities for `verify-ca` and `verify-full`. If it is undefined, the driver
   * trusts the authorities of Node.
   */
  sslRootCertificate: string | undefined;
  /** Search path, in order. If it is empty, the server uses its default. */
  schemas: string[];
}

/** The address of a database and the options for opening it; see {@link parseDatabaseUrl}. */
export type DatabaseUrl = SqliteUrl | PostgresUrl;

/** Values for components that a URL omits. */
export interface UrlDefaults {
  /** Folder against which relative SQLite paths resolve. */
  workingDirectory: string;
  user?: string | undefined;
  password?: string | undefined;
}

/**
 * Parses a database URL in JDBC form (`jdbc:sqlite:…`, `jdbc:postgresql:…`), native form (`sqlite:…`, `file:…`,
 * `postgres://…`, `postgresql://…`) or a bare path. In a bare path, `?` starts no parameters. Ignores unknown
 * parameters, such as those of other drivers (`busy_timeout`, `journal_mode`, …). User and password in the URL override
 * the defaults. Throws a {@link StartUpError} for an invalid URL, and for an unsupported parameter of PostgreSQL that
 * selects the schema, the server or how to connect to it. The message names the fault and never a credential.
 */
export function parseDatabaseUrl(text: string, defaults: UrlDefaults): DatabaseUrl {
  const url = text.trim();
  if (url === '') throw new StartUpError(`The database URL is empty: use ${acceptedForms}`);
  const isJdbc = /^jdbc:/i.test(url);
  const plainUrl = isJdbc ? url.slice('jdbc:'.length) : url;
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(plainUrl)?.[1]?.toLowerCase();
  if (scheme === 'sqlite') return parseSqliteUrl(plainUrl.slice('sqlite:'.length), defaults);
  if (scheme === 'file' && !isJdbc) return parseSqliteUrl(plainUrl, defaults);
  if (scheme === 'postgresql' || scheme === 'postgres') {
    return parsePostgresUrl(plainUrl.slice(scheme.length + 1), isJdbc, defaults);
  }
  if (isJdbc || (scheme !== undefined && plainUrl !== ':memory:')) throw makeUnsupportedError(url);
  return parseSqliteFile(plainUrl, defaults, new URLSearchParams());
}

/**
 * Returns the dialect and the location of a database for logs, messages and the ready line: `sqlite: /abs/file.db`,
 * `postgres: host:5432/name`.
 */
export function describeDatabase(url: DatabaseUrl): string {
  return `${url.dialect}: ${formatLocation(url)}`;
}

/**
 * Returns the location of a database without credentials: the path of the file, or `host:port/database`. An IPv6
 * address is in brackets. Without a database, the location is `host:port/`.
 */
export function formatLocation(url: DatabaseUrl): string {
  if (url.dialect === 'sqlite') return url.file;
  const host = url.host.includes(':') ? `[${url.host}]` : url.host;
  return `${host}:${url.port}/${url.database ?? ''}`;
}

/**
 * Returns the id of a database. URLs with the same path, or the same host, port, database, user and schemas, have the
 * same id in every process. The id does not reveal these values, and does not depend on the password.
 */
export function hashDatabaseUrl(url: DatabaseUrl): string {
  const components =
    url.dialect === 'sqlite'
      ? [url.file]
      : [url.host, url.port, url.database, url.user, ...url.schemas];
  return createHash('sha256').update(JSON.stringify(components)).digest('hex').slice(0, 16);
}

const acceptedForms =
  'jdbc:sqlite:<file>, jdbc:postgresql://<host>/<database> or the path of a SQLite file';

function makeUnsupportedError(url: string): StartUpError {
  const scheme = /^(?:jdbc:)?[^:/?#]*:?/i.exec(url)?.[0] ?? '';
  return new StartUpError(`Unsupported database URL "${scheme}…": use ${acceptedForms}`);
}

function parseSqliteUrl(address: string, defaults: UrlDefaults): SqliteUrl {
  const isUri = /^file:/i.test(address);
  const location = isUri ? address.slice('file:'.length) : address;
  const [path, query] = splitOnce(isUri ? splitOnce(location, '#')[0] : location, '?');
  const file = path.replace(isUri ? /^\/\/(localhost)?(?=\/)/i : /^\/\/(?=\/)/, '');
  return parseSqliteFile(isUri ? decode(file, 'path') : file, defaults, new URLSearchParams(query));
}

function splitOnce(text: string, separator: string): [string, string] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)];
}

function parseSqliteFile(
  path: string,
  defaults: UrlDefaults,
  parameters: URLSearchParams,
): SqliteUrl {
  if (path === '')
    throw new StartUpError('The database URL names no file: add the path of a SQLite file');
  if (path.includes('\0'))
    throw new StartUpError('The database path contains a NUL character: remove it');
  const mode = parameters.get('mode')?.toLowerCase() ?? 'rwc';
  if (!['ro', 'rw', 'rwc', 'memory'].includes(mode)) {
    throw new StartUpError(`Unknown mode "${mode}" in the database URL: use ro, rw, rwc or memory`);
  }
  if (path === ':memory:' || mode === 'memory') {
    return { dialect: 'sqlite', file: ':memory:', mode: 'rwc', isImmutable: false };
  }
  const drivePath = /^\/[a-z]:[/\\]/i.test(path) ? path.slice(1) : path;
  const file = isAbsolute(path) ? drivePath : resolve(defaults.workingDirectory, path);
  const isImmutable = ['1', 'true', 'on', 'yes'].includes(parameters.get('immutable') ?? '');
  return { dialect: 'sqlite', file, mode: mode as SqliteUrl['mode'], isImmutable };
}

function decode(text: string, component: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new StartUpError(
      `The ${component} in the database URL is not correctly percent-encoded: write % as %25`,
    );
  }
}

function parsePostgresUrl(address: string, isJdbc: boolean, defaults: UrlDefaults): PostgresUrl {
  const [location, query] = splitOnce(address, '?');
  const parameters = readPostgresParameters(isJdbc ? query : query.replaceAll('+', '%2B'));
  const authority = /^\/\/([^/]*)(?:\/(.*))?$/s.exec(location);
  const name = authority ? (authority[2] ?? '') : location.replace(/^\/+/, '');
  const hostStart = authority?.[1]?.lastIndexOf('@') ?? -1;
  const [user, password] = splitOnce(authority?.[1]?.slice(0, Math.max(hostStart, 0)) ?? '', ':');
  return {
    dialect: 'postgres',
    ...parseHostAndPort(authority?.[1]?.slice(hostStart + 1) ?? '', parameters),
    database: (parameters.get('dbname') ?? decode(name, 'database name')) || undefined,
    user: findFirstText(decode(user, 'user'), parameters.get('user'), defaults.user),
    password: findFirstText(
      decode(password, 'password'),
      parameters.get('password'),
      defaults.password,
    ),
    ...parseSslMode(parameters),
    schemas: parseSchemas(parameters.get('currentschema')),
  };
}

/** Parameters that select schemas in other programs, in lower case and without `_`. */
const schemaParameters = new Set(['options', 'searchpath', 'schema']);

/** Other parameters that select the server or how to connect to it, in lower case and without `_`. */
const unsupportedParameters = new Set([
  'channelbinding',
  'gssencmode',
  'hostaddr',
  'passfile',
  'replication',
  'requireauth',
  'requirepeer',
  'requiressl',
  'service',
  'socketfactory',
  'sslcert',
  'sslcertmode',
  'sslcrl',
  'sslcrldir',
  'sslfactory',
  'sslhostnameverifier',
  'sslkey',
  'sslmaxprotocolversion',
  'sslminprotocolversion',
  'sslnegotiation',
  'targetservertype',
  'targetsessionattrs',
]);

/** Values of {@link unsupportedParameters} that the service accepts, because they need no support. */
const fulfilledValues = new Set(['', '0', 'false', 'any', 'allow', 'prefer', 'disable']);

/**
 * Returns the parameters with their names in lower case and without `_`, because the same option has several spellings.
 * Throws a {@link StartUpError} for an unsupported parameter that selects the schema, the server or how to connect to
 * it.
 */
function readPostgresParameters(query: string): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of new URLSearchParams(query)) {
    const key = name.toLowerCase().replaceAll('_', '');
    const isSchema = schemaParameters.has(key) && value !== '';
    if (isSchema || (unsupportedParameters.has(key) && !fulfilledValues.has(value))) {
      const remedy = isSchema
        ? 'replace it by currentSchema, which names the schemas'
        : 'remove it';
      throw new StartUpError(
        `The service does not support the parameter "${name}" in the database URL: ${remedy}`,
      );
    }
    parameters.append(key, value);
  }
  return parameters;
}

function findFirstText(...texts: (string | null | undefined)[]): string | undefined {
  return texts.find((text) => text !== null && text !== undefined && text !== '') ?? undefined;
}

function parseHostAndPort(
  text: string,
  parameters: URLSearchParams,
): { host: string; port: number } {
  if (text.includes(',')) {
    throw new StartUpError('The database URL names several hosts: give the one to use');
  }
  const match = /^(?:\[([^\]]+)\]|([^:[\]]*))(?::(.*))?$/.exec(text);
  const portText = match?.[3] || parameters.get('port') || '5432';
  const port = /^\d+$/.test(portText) ? Number(portText) : NaN;
  if (!match || !(port >= 1 && port <= 65_535)) {
    throw new StartUpError(
      'The host in the database URL must be host, host:port or [IPv6]:port with a port from 1 to 65535',
    );
  }
  const host = match[1] ?? decode(match[2] ?? '', 'host');
  return { host: host || parameters.get('host') || 'localhost', port };
}

function parseSslMode(
  parameters: URLSearchParams,
): Pick<PostgresUrl, 'sslMode' | 'sslRootCertificate'> {
  const ssl = parameters.get('ssl');
  const defaultMode = ssl === null || ssl.toLowerCase() === 'false' ? 'prefer' : 'verify-full';
  const text = (parameters.get('sslmode') ?? defaultMode).toLowerCase();
  const mode = sslModes.find((sslMode) => sslMode === text);
  if (!mode) {
    throw new StartUpError(
      `Unknown sslmode "${text}" in the database URL: use one of ${sslModes.join(', ')}`,
    );
  }
  const sslRootCertificate = parameters.get('sslrootcert') || undefined;
  if (sslRootCertificate !== undefined && !mode.startsWith('verify')) {
    throw new StartUpError(
      `sslrootcert has no effect with sslmode=${mode} in the database URL: use verify-full or verify-ca, or remove sslrootcert`,
    );
  }
  return { sslMode: mode, sslRootCertificate };
}

function parseSchemas(currentSchema: string | null): string[] {
  return (currentSchema ?? '')
    .split(',')
    .map((schema) => schema.trim())
    .filter((schema) => schema !== '');
}
