import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { root } from '#build/bundle.ts';
import { findFreePort } from '#build/start/free-port.ts';
import { readCommand } from '#server/config.ts';
import { onServer, openTestDatabase } from '#tests/support/databases.ts';
import { startPostgresServer } from '#tests/support/embedded-postgres.ts';
import { isLong } from '#tests/support/long.ts';
import { proxyConfiguration } from '#tests/support/proxy.ts';
import { startRunningService, waitForReplica } from '#tests/support/running-service.ts';

/** The tests run no container. They read the composition, and run its scripts with PostgreSQL's own programs. */
const folder = join(root, 'build/container');

interface ComposedService {
  image?: string;
  build?: { context: string; dockerfile: string };
  entrypoint?: string[];
  environment?: Record<string, string>;
  secrets?: string[];
  volumes?: string[];
  ports?: string[];
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
  restart: string;
}

const composition = parse(readFileSync(join(folder, 'compose.yml'), 'utf8')) as {
  services: Record<string, ComposedService>;
  secrets: Record<string, { file: string }>;
  volumes: Record<string, null>;
};
const { services } = composition;
const serviceNames = ['evoscope-1', 'evoscope-2'];

describe('The composition', () => {
  test('has a primary, a replica, two services and a proxy, which all have health checks', () => {
    expect(Object.keys(services)).toEqual(['database', 'replica', ...serviceNames, 'proxy']);
    for (const name of ['database', 'replica', 'proxy']) {
      expect(services[name]?.healthcheck?.test[0], name).toBe('CMD');
    }
    for (const name of serviceNames) {
      // The image has a health check.
      expect(services[name]?.build).toEqual({
        context: '../..',
        dockerfile: 'build/container/Dockerfile',
      });
    }
    expect(readFileSync(join(folder, 'Dockerfile'), 'utf8')).toMatch(/^HEALTHCHECK /m);
  });

  test('refers only to services, volumes, secrets and files that exist', () => {
    for (const [name, service] of Object.entries(services)) {
      expect(service.restart, name).toBe('unless-stopped');
      for (const dependency of Object.keys(service.depends_on ?? {})) {
        expect(Object.keys(services)).toContain(dependency);
      }
      for (const secret of service.secrets ?? []) {
        expect(Object.keys(composition.secrets)).toContain(secret);
      }
      for (const volume of service.volumes ?? []) {
        const [source = ''] = volume.split(':');
        if (source.startsWith('./')) expect(existsSync(join(folder, source)), source).toBe(true);
        else expect(Object.keys(composition.volumes)).toContain(source);
      }
    }
  });

  test('passes secrets as files, which neither git nor the image contains', () => {
    for (const { file } of Object.values(composition.secrets)) {
      expect(file).toMatch(/^secrets\//);
      const path = join('build/container', file);
      expect(spawnSync('git', ['check-ignore', path], { cwd: root }).status).toBe(0);
    }
    const ignoredPaths = readFileSync(join(folder, 'Dockerfile.dockerignore'), 'utf8').split('\n');
    expect(ignoredPaths).toContain('build/container/secrets');
    for (const { environment = {}, secrets = [] } of Object.values(services)) {
      const secretVariables = Object.entries(environment).filter(([name]) =>
        /PASSWORD|TOKEN/.test(name),
      );
      for (const [name, value] of secretVariables) {
        expect(name).toMatch(/_FILE$/);
        expect(secrets.map((secret) => `/run/secrets/${secret}`)).toContain(value);
      }
    }
  });

  test('gives both services a valid configuration for the primary and the replica', () => {
    const secrets = mkdtempSync(join(tmpdir(), 'evoscope-secrets-'));
    onTestFinished(() => rmSync(secrets, { recursive: true }));
    for (const name of Object.keys(composition.secrets)) {
      writeFileSync(join(secrets, name), 'sixteen-or-more-characters\n');
    }
    for (const name of serviceNames) {
      const environment = Object.fromEntries(
        Object.entries(services[name]?.environment ?? {}).map(([variable, value]) => [
          variable,
          value
            .replace('/run/secrets', secrets)
            .replace(/^\$\{EVOSCOPE_\w+:-(.*)\}$/, (_, fallback: string) => fallback),
        ]),
      );
      const image = { SVC_HOST: '0.0.0.0', SVC_PORT: '7070' };
      const server = { port: 5432, database: 'evoscope', user: 'evoscope' };
      expect(readCommand([], { ...image, ...environment }, '/')).toMatchObject({
        kind: 'run',
        config: {
          database: { ...server, host: 'database', password: 'sixteen-or-more-characters' },
          replica: { ...server, host: 'replica', password: 'sixteen-or-more-characters' },
          token: 'sixteen-or-more-characters',
          allowedHosts: ['localhost'],
          isRecording: false,
        },
      });
    }
  });

  test('can be reached only from this machine, and its proxy forwards to both services', () => {
    for (const { ports = [] } of Object.values(services)) {
      for (const port of ports) expect(port).toMatch(/^(127\.0\.0\.1|\$\{\w+:-127\.0\.0\.1\}):/);
    }
    const upstreams = [...proxyConfiguration.matchAll(/^ *server (\S+)( .*)?;$/gm)];
    expect(upstreams.map(([, address]) => address)).toEqual(serviceNames.map((n) => `${n}:7070`));
    expect(Object.keys(services['proxy']?.depends_on ?? {})).toEqual(serviceNames);
  });
});

/** The programs of PostgreSQL, which Debian has in this folder; null without them. */
const programs = '/usr/lib/postgresql/15/bin';
const canCopy = isLong && process.platform === 'linux' && existsSync(`${programs}/pg_basebackup`);

describe.runIf(canCopy)('The scripts of the composition', () => {
  test('make a replica, also after an interrupted copy', { timeout: 120_000 }, async () => {
    const primary = await startPostgresServer();
    onTestFinished(() => primary.remove());
    await (await openTestDatabase(primary.url)).close();
    const { port, username, password } = new URL(primary.url);
    const workFolder = mkdtempSync(join(tmpdir(), 'evoscope-replica-'));
    onTestFinished(() => rmSync(workFolder, { recursive: true }));
    chmodSync(workFolder, 0o777);
    for (const name of ['allow-replication.sh', 'replica.sh']) {
      copyFileSync(join(folder, name), join(workFolder, name));
    }
    writeFileSync(join(workFolder, 'password'), `${decodeURIComponent(password)}\n`);

    const data = await onServer(primary.url, async (client) => {
      const { rows } = await client.query<{ folder: string }>(
        `select current_setting('data_directory') as folder`,
      );
      return rows[0]?.folder ?? '';
    });
    // The image of PostgreSQL allows no connections for replication either.
    writeFileSync(join(data, 'pg_hba.conf'), 'host all all all scram-sha-256\n');
    const reload = () => onServer(primary.url, (client) => client.query('select pg_reload_conf()'));
    await reload();

    const ownPort = await findFreePort();
    const environment = {
      PATH: `${programs}:/usr/bin:/bin`,
      PGDATA: join(workFolder, 'copy'),
      PGPASSFILE: join(workFolder, 'passwords'),
      PRIMARY: `host=127.0.0.1 port=${port} user=${username}`,
      PRIMARY_PASSWORD_FILE: join(workFolder, 'password'),
    };
    const unprivilegedUser = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const flags = [`port=${ownPort}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories='];
    const command = ['replica.sh', ...flags.flatMap((flag) => ['-c', flag])];
    const start = () => {
      const replica = spawn('sh', command, {
        cwd: workFolder,
        env: environment,
        ...unprivilegedUser,
      });
      let log = '';
      replica.stderr.on('data', (chunk) => (log += String(chunk)));
      return { replica, exited: once(replica, 'exit'), readLog: () => log };
    };

    const refusedStart = start();
    expect((await refusedStart.exited)[0]).not.toBe(0);
    expect(refusedStart.readLog()).toContain('no pg_hba.conf entry for replication connection');

    const variables = { PGDATA: data, POSTGRES_USER: username };
    const permission = spawnSync('sh', [join(workFolder, 'allow-replication.sh')], {
      env: variables,
    });
    expect(permission.status, String(permission.stderr)).toBe(0);
    await reload();
    mkdirSync(join(workFolder, 'copy.part'));
    writeFileSync(join(workFolder, 'copy.part/PG_VERSION'), '15\n');
    if (unprivilegedUser.uid !== undefined)
      chownSync(join(workFolder, 'copy.part'), unprivilegedUser.uid, unprivilegedUser.gid);

    const replicaUrl = `postgres://127.0.0.1:${ownPort}`;
    const service = await startRunningService({
      SVC_DB_URL: primary.url,
      SVC_DB_REPLICA_URL: replicaUrl,
    });
    onTestFinished(() => void service.process.child.kill('SIGKILL'));
    for (const round of ['copies', 'continues']) {
      const runningStart = start();
      await Promise.race([waitForReplica(service), runningStart.exited]);
      expect(runningStart.readLog(), round).toContain('started streaming WAL from primary');
      runningStart.replica.kill('SIGINT');
      await runningStart.exited;
      const isUsed = async () => (await service.readReplica()).isUsed;
      await expect.poll(isUsed, { timeout: 30_000 }).toBe(false);
    }
    const storedSettings = readFileSync(join(workFolder, 'copy/postgresql.auto.conf'), 'utf8');
    expect(storedSettings).not.toContain(decodeURIComponent(password));
  });
});
