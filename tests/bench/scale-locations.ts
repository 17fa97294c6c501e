import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import pg from 'pg';
import { createAuxiliaryIndexes } from '#server/db/auxiliary-indexes.ts';
import { openDatabase } from '#server/db/open.ts';
import { parseDatabaseUrl } from '#server/db/url.ts';
import { startPostgresServer } from '#tests/support/embedded-postgres.ts';
import { fillScaleDatabase } from './scale-data.ts';

/** Folder of the SQLite files: `BENCH_FOLDER`, or one in the cache folder of the project. */
export const folder =
  process.env['BENCH_FOLDER'] ??
  fileURLToPath(new URL('../../.cache/bench-scale', import.meta.url));
const iterationsPerRun = 20;

/** The location of the databases of one kind. */
export interface DatabaseLocation {
  /** Returns the URL of a database with this number of runs, which is created if it does not exist. */
  ensureRuns(runs: number): Promise<string>;
  /** Returns the URL of the database of this name; `fill` creates it if it does not exist. */
  ensureFilled(name: string, fill: (url: string) => Promise<void>): Promise<string>;
  remove(): Promise<void>;
}

/** Returns a version that differs between different contents of these modules. They create the databases. */
export function computeVersion(...modules: string[]): string {
  const hash = createHash('sha256');
  for (const name of modules) hash.update(readFileSync(new URL(name, import.meta.url)));
  return hash.digest('hex').slice(0, 8);
}

const getScaleName = (runs: number) => `${computeVersion('./scale-data.ts')}_${runs}`;

/** Returns the location of files in {@link folder}. Later benchmarks use them again. */
export function createSqliteLocation(): DatabaseLocation {
  const ensureFilled: DatabaseLocation['ensureFilled'] = async (name, fill) => {
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${name}.db`);
    if (!existsSync(file)) {
      await fill(`jdbc:sqlite:${file}.part`);
      renameSync(`${file}.part`, file);
    }
    await ensureIndexes(file);
    return file;
  };
  return {
    ensureRuns: (runs) => ensureFilled(getScaleName(runs), (url) => createDatabase(url, runs)),
    ensureFilled,
    remove: async () => {},
  };
}

/**
 * Returns the location of databases of the server at TEST_POSTGRES_URL, which later benchmarks use again. Without the
 * variable, starts a server that is removed at the end.
 */
export async function createPostgresLocation(): Promise<DatabaseLocation> {
  const externalUrl = process.env['TEST_POSTGRES_URL'];
  const server = externalUrl === undefined ? await startPostgresServer() : undefined;
  const maintenanceUrl = externalUrl ?? server?.url ?? '';
  const ensureFilled: DatabaseLocation['ensureFilled'] = async (name, fill) => {
    const database = `evoscope_scale_${name}`;
    const url = new URL(maintenanceUrl);
    url.pathname = `/${database}`;
    const client = new pg.Client({ connectionString: maintenanceUrl });
    await client.connect();
    try {
      const result = await client.query('select 1 from pg_database where datname = $1', [database]);
      if (result.rowCount === 0) {
        await client.query(`create database ${database} template template0 encoding 'UTF8'`);
        await fill(url.href);
      }
    } finally {
      await client.end();
    }
    await ensureIndexes(url.href);
    return url.href;
  };
  return {
    ensureRuns: (runs) => ensureFilled(getScaleName(runs), (url) => createDatabase(url, runs)),
    ensureFilled,
    remove: async () => server?.remove(),
  };
}

async function ensureIndexes(url: string): Promise<void> {
  const database = await openDatabase(parseDatabaseUrl(url, { workingDirectory: folder }));
  await createAuxiliaryIndexes(database).finally(() => database.close());
}

async function createDatabase(url: string, runs: number): Promise<void> {
  process.stderr.write(`Creating a database of ${runs} runs (once)\n`);
  const database = await openDatabase(parseDatabaseUrl(url, { workingDirectory: folder }));
  try {
    await fillScaleDatabase(database, { runs, iterationsPerRun });
    await createAuxiliaryIndexes(database);
    if (database.dialect.name === 'sqlite') await sql`analyze`.execute(database.kysely);
    else await vacuum(url);
  } finally {
    await database.close();
  }
}

/** Does what autovacuum does while a runner writes. It would otherwise start during the measurements. */
async function vacuum(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('vacuum analyze').finally(() => client.end());
}
