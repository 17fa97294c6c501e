import { existsSync, statSync } from 'node:fs';
import { relative } from 'node:path';
import { openDatabase } from '#server/db/open.ts';
import { describeDatabase, type DatabaseUrl, type PostgresUrl } from '#server/db/url.ts';
import type { DatabaseFacts } from './start-decisions.ts';

/** The database that the service will open. */
export interface StartDatabase extends DatabaseFacts {
  /** For people, without credentials: a path from the working directory, or host and name. */
  readonly name: string;
  /** What follows `--db` in a command that a person types; null when credentials may belong to it. */
  readonly argument: string | null;
}

/** How the sample runner is told its database: credentials travel in the environment, where others cannot see them. */
export interface SampleTarget {
  readonly url: string;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Looks whether a database has runs, in the way the service opens it, except that tables of an old runner are
 * left alone. A database that cannot be opened has `unknown` content: the service will say why. So has none at all.
 */
export async function inspectDatabase(
  url: DatabaseUrl | null,
  workingDirectory: string,
  { isNamed, isReadOnly }: { readonly isNamed: boolean; readonly isReadOnly: boolean },
): Promise<StartDatabase> {
  if (url === null) return { name: '', argument: null, isNamed, content: 'unknown', isReadOnly };
  const place = { ...placeOf(url, workingDirectory), isNamed };
  if (url.dialect === 'sqlite') {
    if (url.file === ':memory:') return { ...place, content: 'unknown', isReadOnly };
    const content = missingContent(url.mode);
    if (!existsSync(url.file)) return { ...place, content, isReadOnly };
    if (statSync(url.file).size === 0) return { ...place, content: 'empty', isReadOnly };
  }
  try {
    return { ...place, ...(await readContent(url, isReadOnly)) };
  } catch {
    return { ...place, content: 'unknown', isReadOnly };
  }
}

/** The same database for another process. */
export function sampleTarget(url: DatabaseUrl): SampleTarget {
  if (url.dialect === 'sqlite') return { url: url.file, environment: {} };
  return {
    url: urlWithoutCredentials(url),
    environment: {
      ...(url.user === undefined ? {} : { SVC_DB_USER: url.user }),
      ...(url.password === undefined ? {} : { SVC_DB_PASSWORD: url.password }),
    },
  };
}

function placeOf(url: DatabaseUrl, workingDirectory: string) {
  if (url.dialect === 'postgres') return { name: describeDatabase(url), argument: null };
  const path = relative(workingDirectory, url.file);
  const name = path.startsWith('..') ? url.file : path;
  return { name, argument: name };
}

/** Only in this mode a missing file is made. */
function missingContent(mode: string): DatabaseFacts['content'] {
  return mode === 'rwc' ? 'missing' : 'unknown';
}

async function readContent(url: DatabaseUrl, isReadOnly: boolean) {
  const database = await openDatabase(url, {
    readOnly: isReadOnly,
    legacy: 'refuse',
  });
  try {
    const run = await database.kysely
      .selectFrom('runs')
      .select('run_id')
      .limit(1)
      .executeTakeFirst();
    const content: DatabaseFacts['content'] = run === undefined ? 'empty' : 'filled';
    return { content, isReadOnly: database.readOnly };
  } finally {
    await database.close();
  }
}

function urlWithoutCredentials(url: PostgresUrl): string {
  const parameters = new URLSearchParams({
    host: url.host,
    port: String(url.port),
    sslmode: url.sslMode,
  });
  if (url.sslRootCertificate !== undefined) parameters.set('sslrootcert', url.sslRootCertificate);
  if (url.schemas.length > 0) parameters.set('currentSchema', url.schemas.join(','));
  return `jdbc:postgresql:///${encodeURIComponent(url.database ?? '')}?${parameters.toString()}`;
}
