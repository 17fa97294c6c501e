import { readlinkSync, realpathSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { setImmediate as waitForNextTurn } from 'node:timers/promises';
import type { DatabaseChoices, DatabaseLocation } from '#shared/schemas/databases.ts';
import { toMillis } from '#shared/syntax.ts';
import { isSqliteFile } from '#server/db/dialects/sqlite-inspect.ts';
import { StartUpError } from '#server/db/start-up-error.ts';
import { parseDatabaseUrl, type DatabaseUrl, type PostgresUrl } from '#server/db/url.ts';
import { ProblemError, makeValidationError } from '#server/errors.ts';

/** Rules for the databases that clients may choose. */
export interface ChoosingRules {
  /** Absolute path of the folder of the files that clients may choose; null allows any folder. */
  folder: string | null;
  /**
   * PostgreSQL servers that clients may choose, as `host` or `host:port`, with IPv6 addresses in brackets; null allows
   * any server.
   */
  servers: readonly string[] | null;
}

/**
 * Returns the URL of the database at a location. Throws FORBIDDEN_PATH for a file whose real path is not in the folder;
 * FORBIDDEN_SERVER for a server that is not allowed, and for a certificate file unless any folder and any server are
 * allowed; VALIDATION_FAILED for an invalid URL, for a database in memory, and for a relative `file` if any folder is
 * allowed.
 */
export function toUrl(location: DatabaseLocation, rules: ChoosingRules): DatabaseUrl {
  if (location.postgres) return requireAllowedServer(makePostgresUrl(location.postgres), rules);
  if (location.file !== undefined) {
    return {
      dialect: 'sqlite',
      file: requireAllowedFile(location.file, rules),
      mode: 'rwc',
      isImmutable: false,
      isRealPathRequired: true,
    };
  }
  const url = parseUrl(location.url ?? '', rules);
  if (url.dialect === 'postgres') return requireAllowedServer(url, rules);
  if (url.file === ':memory:') {
    throw makeValidationError([
      { path: 'url', message: 'must be a file or a PostgreSQL server, not a database in memory' },
    ]);
  }
  return { ...url, file: requireAllowedFile(url.file, rules), isRealPathRequired: true };
}

/**
 * Returns the real path of a file, which may be missing. A relative path starts in the folder. Throws FORBIDDEN_PATH if
 * the real path is not in the folder, and VALIDATION_FAILED for a relative path if any folder is allowed.
 */
export function requireAllowedFile(path: string, { folder }: ChoosingRules): string {
  if (folder === null) {
    if (isAbsolute(path)) return resolvePath(path);
    throw makeValidationError([{ path: 'file', message: 'must be an absolute path' }]);
  }
  const file = resolvePath(resolve(folder, path));
  const relativePath = relative(resolvePath(folder), file);
  if (relativePath !== '' && !isAbsolute(relativePath) && relativePath.split(sep)[0] !== '..')
    return file;
  throw new ProblemError(
    'FORBIDDEN_PATH',
    'This service uses only files in its folder: choose a path in this folder',
  );
}

/** Maximum number of links to missing files that {@link resolvePath} follows, as on Linux. */
const maximumLinks = 40;

/**
 * Returns the path with all links resolved, also for a missing file. Follows at most {@link maximumLinks} links to
 * missing files.
 */
export function resolvePath(path: string, remainingLinkCount = maximumLinks): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    if (folder === path) return path;
    const realPath = join(resolvePath(folder, remainingLinkCount), basename(path));
    const target = remainingLinkCount > 0 ? readLink(realPath) : undefined;
    return target !== undefined
      ? resolvePath(resolve(dirname(realPath), target), remainingLinkCount - 1)
      : realPath;
  }
}

/** Returns the target of a link, even a missing target; undefined if the path is not a readable link. */
function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function parseUrl(text: string, { folder }: ChoosingRules): DatabaseUrl {
  try {
    return parseDatabaseUrl(text, { workingDirectory: folder ?? '/' });
  } catch (error) {
    if (!(error instanceof StartUpError)) throw error;
    throw makeValidationError([{ path: 'url', message: error.message }]);
  }
}

function makePostgresUrl(parameters: NonNullable<DatabaseLocation['postgres']>): PostgresUrl {
  const { host, port, database, user, password, sslmode, schema } = parameters;
  return {
    dialect: 'postgres',
    host: host.replace(/^\[(.*)\]$/, '$1'),
    port,
    database,
    user,
    // An empty field of a form means no password.
    password: password === '' ? undefined : password,
    sslMode: sslmode,
    sslRootCertificate: undefined,
    schemas: (schema ?? '').split(',').flatMap((name) => name.trim() || []),
  };
}

function requireAllowedServer(url: PostgresUrl, { folder, servers }: ChoosingRules): PostgresUrl {
  if (folder === null && servers === null) return url;
  const host = url.host.toLowerCase();
  const isAllowedName = (name: string) => {
    const allowedName = name.toLowerCase();
    const formattedHost = host.includes(':') ? `[${host}]` : host;
    return allowedName === formattedHost || allowedName === `${formattedHost}:${url.port}`;
  };
  const isAllowed = servers === null || servers.some(isAllowedName);
  // A certificate is a file of the service's machine, which clients must not name.
  if (isAllowed && url.sslRootCertificate === undefined) return url;
  throw new ProblemError(
    'FORBIDDEN_SERVER',
    isAllowed
      ? 'This service accepts no certificate file: remove sslrootcert from the URL'
      : 'This service may not connect to that server. Its administrator can allow it with SVC_CHOOSE_POSTGRES',
  );
}

/** Limits of a listing: levels of folders, files to inspect, and files to list. */
const maximumDepth = 3;
const defaultMaximumInspections = 5_000;
const maximumFiles = 200;

const databaseNamePattern = /\.(db3?|sqlite3?)$/i;

type DatabaseFile = DatabaseChoices['files'][number];

/**
 * Lists at most 200 SQLite files in a folder and the two levels of folders below it, last changed first. `omittedCount`
 * is the number of further SQLite files. Inspects at most 5,000 (or `maximumInspections`) files. Omits links, hidden
 * entries, `node_modules`, and unreadable files and folders. Lists an empty file only if its name ends like that of a
 * database, for example with `.db`.
 */
export async function listDatabaseFiles(
  folder: string,
  maximumInspections = defaultMaximumInspections,
): Promise<{ files: DatabaseFile[]; omittedCount: number }> {
  const paths = await listFiles(folder, maximumInspections);
  const databaseFiles: (DatabaseFile | null)[] = [];
  for (const path of paths) databaseFiles.push(await describeFile(folder, path));
  const files = databaseFiles
    .filter((file) => file !== null)
    .sort((a, b) => toMillis(b.changedAt) - toMillis(a.changedAt));
  return {
    files: files.slice(0, maximumFiles),
    omittedCount: Math.max(0, files.length - maximumFiles),
  };
}

async function listFiles(folder: string, maximumFileCount: number): Promise<string[]> {
  const files: string[] = [];
  let folders = [folder];
  for (let depth = 0; depth < maximumDepth && folders.length > 0; depth += 1) {
    const subfolders: string[] = [];
    for (const parent of folders) {
      for (const entry of await readdir(parent, { withFileTypes: true }).catch(() => [])) {
        if (files.length >= maximumFileCount) return files;
        if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
        if (entry.isDirectory()) subfolders.push(join(parent, entry.name));
        else if (entry.isFile()) files.push(join(parent, entry.name));
      }
    }
    folders = subfolders;
  }
  return files;
}

async function describeFile(folder: string, path: string): Promise<DatabaseFile | null> {
  try {
    const { size, mtime } = await stat(path);
    // SQLite reads in this thread, so the thread first handles pending requests.
    await waitForNextTurn();
    const isDatabase = size === 0 ? databaseNamePattern.test(path) : isSqliteFile(path);
    if (!isDatabase) return null;
    return { file: relative(folder, path), sizeBytes: size, changedAt: mtime.toISOString() };
  } catch {
    return null;
  }
}
