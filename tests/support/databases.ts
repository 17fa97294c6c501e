import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import pg from 'pg';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { openDatabase, type OpenOptions } from '#server/db/open.ts';
import { parseDatabaseUrl } from '#server/db/url.ts';

/** A database that exists for one suite. */
export interface TestDatabase extends Database {
  /** URL with which another process or connection opens the same database. */
  readonly url: string;
}

/** A location for a database, initially empty. */
export interface TestLocation {
  readonly url: string;
  remove(): Promise<void>;
}

/** One of the two kinds of databases, for suites that need several locations or open the database themselves. */
export interface TestEngine {
  readonly name: 'sqlite' | 'postgres';
  makeLocation(): Promise<TestLocation>;
}

/**
 * Runs a suite on SQLite (a separate file) and on PostgreSQL (a separate database with the runner's tables and, if the
 * server has one, a collation other than C). `database()` is available from the first `beforeAll` of the suite. Tests
 * see the rows of previous tests.
 */
export function describeOnEachDatabase(
  name: string,
  suite: (database: () => TestDatabase, engine: TestEngine['name']) => void,
): void {
  describeOnEachEngine(name, (engine) => {
    let location: TestLocation | undefined;
    let database: TestDatabase | undefined;
    beforeAll(async () => {
      location = await engine.makeLocation();
      database = await openTestDatabase(location.url);
    });
    afterAll(async () => {
      await database?.close();
      await location?.remove();
    });
    suite(() => {
      if (!database) throw new Error('The database is open only inside tests and hooks');
      return database;
    }, engine.name);
  });
}

/** Runs a suite for each of the two kinds of databases without opening one. */
export function describeOnEachEngine(name: string, suite: (engine: TestEngine) => void): void {
  describe.each(testEngines)(`${name} on $name`, suite);
}

/** Opens a database by its URL, as the service does. */
export async function openTestDatabase(url: string, options?: OpenOptions): Promise<TestDatabase> {
  const source = parseDatabaseUrl(url, { workingDirectory: tmpdir() });
  return { ...(await openDatabase(source, options)), url };
}

/** Creates an empty folder for a SQLite database, and returns the path of its file. */
export async function makeSqliteLocation(): Promise<
  TestLocation & { folder: string; file: string }
> {
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-sqlite-'));
  const file = join(folder, 'test.db');
  const remove = async () => rmSync(folder, { recursive: true, force: true });
  return { url: `jdbc:sqlite:${file}`, folder, file, remove };
}

/** Creates an empty database on a PostgreSQL server, by default the one that all suites share. */
export async function makePostgresLocation(server = getSharedServer()): Promise<TestLocation> {
  const name = `evoscope_${randomUUID().replaceAll('-', '')}`;
  await onServer(server, async (client) => {
    const collations = await client.query(
      `select collname from pg_collation where collname = 'en-US-x-icu'`,
    );
    // PostgreSQL has both options since version 15. The second one halves the time for a small database.
    const options = collations.rowCount
      ? `locale_provider icu icu_locale 'en-US' strategy file_copy`
      : '';
    await client.query(`create database ${name} template template0 encoding 'UTF8' ${options}`);
  });
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    remove: () =>
      onServer(server, async (client) => {
        await client.query(`drop database if exists ${name} with (force)`);
      }),
  };
}

/** Returns the URL of the PostgreSQL server that all suites share. Throws with the reason if there is none. */
function getSharedServer(): string {
  const postgres = inject('postgres');
  if ('failure' in postgres) throw new Error(postgres.failure);
  return postgres.url;
}

/** Runs `work` with a plain connection to a PostgreSQL database and closes it. */
export async function onServer<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  // A database that is dropped ends the connections to it.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Runs statements in a database like another program, without code of the service. */
export async function execute(
  location: TestLocation,
  statements: readonly string[],
): Promise<void> {
  if (!location.url.startsWith('jdbc:sqlite:')) {
    await onServer(location.url, async (client) => {
      for (const statement of statements) await client.query(statement);
    });
    return;
  }
  const database = new SqliteDatabase(getFile(location));
  try {
    for (const statement of statements) database.exec(statement);
  } finally {
    database.close();
  }
}

/** Returns the file of a SQLite location. */
export function getFile(location: TestLocation): string {
  return location.url.slice('jdbc:sqlite:'.length);
}

const testEngines: TestEngine[] = [
  { name: 'sqlite', makeLocation: makeSqliteLocation },
  { name: 'postgres', makeLocation: () => makePostgresLocation() },
];
