import { existsSync, statSync } from 'node:fs';
import { relative } from 'node:path';
import { isOpenedReadOnly } from '#server/db/inspect.ts';
import { openDatabase, type OpenOptions } from '#server/db/open.ts';
import { describeDatabase, type DatabaseUrl, type PostgresUrl } from '#server/db/url.ts';

/** Facts about the database before the service opens it. */
export interface DatabaseFacts {
  /**
   * `missing` is a file that the service creates, `empty` a database without runs, and `filled` a database with runs.
   * {@link inspectDatabase} explains `unknown`.
   */
  readonly content: 'missing' | 'empty' | 'filled' | 'unknown';
  /** Whether the user named the database, by `--db`, `SVC_DB_URL` or `SVC_DB_URL_FILE`. */
  readonly isNamed: boolean;
  readonly isReadOnly: boolean;
}

/** The database that the service opens next. */
export interface StartDatabase extends DatabaseFacts {
  /**
   * Name for messages, without credentials: the path of a file, relative if it is in the working directory, or dialect,
   * host, port and database of a server. Empty without a database.
   */
  readonly name: string;
  /**
   * The path of a file as value of `--db`; null without a database, and for a server, because a server may need
   * credentials.
   */
  readonly argument: string | null;
}

/** Options of {@link inspectDatabase}, from the settings of the service. */
interface InspectionOptions {
  readonly isNamed: boolean;
  readonly isReadOnly: boolean;
  /**
   * Whether the service may create tables next to other tables. Only `false` also forbids the creation of a missing
   * file.
   */
  readonly canCreate?: boolean | undefined;
}

/** The database of the sample runner. Credentials are in environment variables, which other users cannot see. */
export interface SampleDatabase {
  readonly url: string;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Reads the name of a database and whether it has runs. Opens the database as the service does, but never replaces
 * tables of an old runner, and never creates a missing file. The content is `unknown` if the database is in memory, or
 * if `url` is null. It is also `unknown` if opening fails, or the service does not create a missing file; the service
 * reports the reason.
 */
export async function inspectDatabase(
  url: DatabaseUrl | null,
  workingDirectory: string,
  { isNamed, isReadOnly, canCreate }: InspectionOptions,
): Promise<StartDatabase> {
  if (url === null) return { name: '', argument: null, isNamed, content: 'unknown', isReadOnly };
  const location = { ...getLocation(url, workingDirectory), isNamed };
  if (url.dialect === 'sqlite') {
    if (url.file === ':memory:') return { ...location, content: 'unknown', isReadOnly };
    if (!existsSync(url.file)) {
      const canCreateFile = url.mode === 'rwc' && !isReadOnly && canCreate !== false;
      return { ...location, content: canCreateFile ? 'missing' : 'unknown', isReadOnly };
    }
    if (statSync(url.file).size === 0)
      return { ...location, content: 'empty', isReadOnly: isReadOnly || isOpenedReadOnly(url) };
  }
  try {
    return { ...location, ...(await readContent(url, { isReadOnly, canCreate })) };
  } catch {
    return { ...location, content: 'unknown', isReadOnly };
  }
}

/** Returns the URL and the environment variables by which another process opens the same database. */
export function getSampleDatabase(url: DatabaseUrl): SampleDatabase {
  if (url.dialect === 'sqlite') return { url: url.file, environment: {} };
  return {
    url: formatUrlWithoutCredentials(url),
    environment: {
      ...(url.user === undefined ? {} : { SVC_DB_USER: url.user }),
      ...(url.password === undefined ? {} : { SVC_DB_PASSWORD: url.password }),
    },
  };
}

function getLocation(url: DatabaseUrl, workingDirectory: string) {
  if (url.dialect === 'postgres') return { name: describeDatabase(url), argument: null };
  const path = relative(workingDirectory, url.file);
  const name = path.startsWith('..') ? url.file : path;
  return { name, argument: name };
}

async function readContent(url: DatabaseUrl, options: OpenOptions) {
  const database = await openDatabase(url, { ...options, legacy: 'refuse' });
  try {
    const run = await database.kysely
      .selectFrom('runs')
      .select('run_id')
      .limit(1)
      .executeTakeFirst();
    const content: DatabaseFacts['content'] = run === undefined ? 'empty' : 'filled';
    return { content, isReadOnly: database.isReadOnly };
  } finally {
    await database.close();
  }
}

function formatUrlWithoutCredentials(url: PostgresUrl): string {
  const parameters = new URLSearchParams({
    host: url.host,
    port: String(url.port),
    sslmode: url.sslMode,
  });
  if (url.sslRootCertificate !== undefined) parameters.set('sslrootcert', url.sslRootCertificate);
  if (url.schemas.length > 0) parameters.set('currentSchema', url.schemas.join(','));
  return `jdbc:postgresql:///${encodeURIComponent(url.database ?? '')}?${parameters.toString()}`;
}
