import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '#build/bundle.ts';
import { packageNpm } from '#build/package-npm.ts';
import { isLong } from '#tests/support/long.ts';
import { connectClient } from '#tests/support/mcp-client.ts';
import { writeSampleFile } from '#tests/support/sample-file.ts';
import { parseAddress } from '#tests/support/service-process.ts';
import { growWatchedFolder } from '#tests/support/watch-command.ts';

/** The tests start programs as the user `nobody` if they run as the superuser, because the package is for ordinary users. */
const unprivilegedId = 65_534;
const isSuperuser = process.getuid?.() === 0;
const user = isSuperuser ? { uid: unprivilegedId, gid: unprivilegedId } : {};

test('The command of the npm package names the Node.js that it needs', () => {
  const file = new URL('../../build/npm/evoscope.cjs', import.meta.url);
  const program = `Object.defineProperty(process, 'versions', { value: { node: '20.1.0' } });
    require(${JSON.stringify(fileURLToPath(file))});`;
  const { status, stderr } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([
    1,
    `Evoscope needs Node.js 24 or newer, and this is ${process.version}: install it from https://nodejs.org\n`,
  ]);
});

test('The command of the npm package takes an unknown word for a command, and creates no file', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'evoscope-command-'));
  const file = fileURLToPath(new URL('../../build/npm/evoscope.cjs', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [file, 'serve'], {
    cwd,
    encoding: 'utf8',
  });
  expect([status, readdirSync(cwd)]).toEqual([1, []]);
  expect(stderr).toContain(
    'There is no command or file "serve". For a new database, use a name with an extension, such as serve.db\n\nUsage: evoscope',
  );
  rmSync(cwd, { recursive: true });
});

const why = !isLong
  ? ' (skipped, needs npm run test:long)'
  : process.platform === 'win32'
    ? ' (skipped, npm is a script on Windows)'
    : '';

describe.skipIf(why)(`The npm package${why}`, { timeout: 180_000 }, () => {
  let base = '';
  let project = '';
  let environment: NodeJS.ProcessEnv = {};
  const tool = (name: string) =>
    realpathSync(execFileSync('which', [name], { encoding: 'utf8' }).trim());
  const run = (name: string, args: readonly string[]) =>
    execFileSync(process.execPath, [tool(name), ...args], {
      cwd: project,
      env: environment,
      encoding: 'utf8',
      ...user,
    });

  beforeAll(async () => {
    base = mkdtempSync(join(tmpdir(), 'evoscope-npm-'));
    project = join(base, 'project');
    const { file, bytes } = await packageNpm(join(base, 'packed'));
    process.stdout.write(`The npm package has ${(bytes / 1e6).toFixed(1)} MB.\n`);
    execFileSync('mkdir', ['-p', project, join(base, 'home')]);
    writeSampleFile(join(project, 'sample.db'));
    chmodSync(base, 0o755);
    if (isSuperuser) {
      for (const path of [project, join(base, 'home'), join(project, 'sample.db')])
        chownSync(path, unprivilegedId, unprivilegedId);
    }
    environment = {
      PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
      HOME: join(base, 'home'),
      npm_config_cache: join(base, 'home', 'cache'),
    };
    // Everything is in the package, so no registry is needed, and no script runs.
    run('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', file]);
  }, 180_000);
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  test('installs one package, and nothing of the window or the build', () => {
    expect(
      readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.')),
    ).toEqual(['evoscope']);
    const packageFolder = join(project, 'node_modules', 'evoscope');
    expect(readdirSync(join(packageFolder, 'node_modules'))).toEqual(['better-sqlite3']);
    expect(readdirSync(join(packageFolder, 'dist')).sort()).toEqual(['renderer', 'server']);
  });

  test('shows a database that npx evoscope names, within 15 s', async () => {
    const startedAt = performance.now();
    const child = spawn(
      process.execPath,
      [tool('npx'), '--no-install', 'evoscope', 'sample.db', '--port', '0'],
      { cwd: project, env: environment, detached: true, ...user },
    );
    let output = '';
    child.stdout.on('data', (data) => (output += String(data)));
    child.stderr.on('data', (data) => (output += String(data)));
    const closeEvent = new Promise((resolve) => child.once('close', resolve));
    try {
      await Promise.race([
        expect.poll(() => output, { timeout: 60_000 }).toMatch(/ready at /),
        closeEvent.then(() => expect.fail(output)),
      ]);
      const address = parseAddress(/^.*ready at .*$/m.exec(output)?.[0]);
      const page = await (await fetch(`${address}/`)).text();
      const script = /<script[^>]* src="([^"]+)"/.exec(page)?.[1] ?? 'none';
      expect((await fetch(new URL(script, address))).status).toBe(200);
      expect(performance.now() - startedAt).toBeLessThan(15_000);
      const runs = (await (await fetch(`${address}/api/runs`)).json()) as { total: number };
      expect(runs.total).toBeGreaterThan(0);
    } finally {
      if (child.pid) process.kill(-child.pid);
      await closeEvent;
    }
  });

  test('runs the commands of the help: recording, watching and importing', async () => {
    const help = join(root, 'renderer/pages/help/recording');
    const bin = join(project, 'node_modules/.bin');
    const variables = {
      ...environment,
      SVC_PORT: '0',
      PATH: [bin, environment['PATH']].join(delimiter),
    };
    const start = (script: string, more: NodeJS.ProcessEnv = {}) => {
      const options = { cwd: project, env: { ...variables, ...more }, detached: true, ...user };
      const child = spawn('bash', [join(help, script)], options);
      const closeEvent = new Promise((resolve) => child.once('close', resolve));
      return { child, closeEvent };
    };
    const readOutput = async ({ child, closeEvent }: ReturnType<typeof start>) => {
      let output = '';
      child.stdout.on('data', (data) => (output += String(data)));
      await closeEvent;
      return output;
    };
    const service = start('start-service.sh');
    let log = '';
    service.child.stdout.on('data', (data) => (log += String(data)));
    try {
      await expect.poll(() => log, { timeout: 60_000 }).toMatch(/ready at /);
      const address = parseAddress(/^.*ready at .*$/m.exec(log)?.[0]);
      const { child } = start('watch-folder.sh');
      await expect.poll(() => existsSync(join(project, 'exdata'))).toBe(true);
      const runs = await growWatchedFolder(join(project, 'exdata'), address, child);
      expect(runs).toBeGreaterThan(5);
      const importOutput = await readOutput(start('import-finished.sh'));
      expect(JSON.parse(importOutput)).toMatchObject({ skipped: runs, extended: 0 });
      const recordOutput = await readOutput(start('record-curl.sh', { EVOSCOPE_URL: address }));
      expect(recordOutput).toContain('"accepted":4,');
    } finally {
      process.kill(-Number(service.child.pid));
      await service.closeEvent;
    }
  });

  test('serves an assistant that starts evoscope mcp', async () => {
    const evoscope = join(project, 'node_modules', 'evoscope', 'evoscope.cjs');
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [evoscope, 'mcp', 'sample.db'],
      cwd: project,
      stderr: 'pipe',
    });
    const mcp = await connectClient(transport);
    expect(await mcp.call('list_problems')).toMatchObject({ tool: 'list_problems' });
    await mcp.client.close();
  });

  test('imports, prints its help and names unknown flags', () => {
    const evoscope = join(project, 'node_modules', 'evoscope', 'evoscope.cjs');
    const print = (...args: string[]) =>
      execFileSync(process.execPath, [evoscope, ...args], {
        cwd: project,
        env: environment,
        encoding: 'utf8',
        stdio: 'pipe',
        ...user,
      });
    expect(print('--help')).toMatch(/^Usage: evoscope \[database\] \[flags\].*--db <url>/s);
    expect(print('import', '--help')).toMatch(/^Usage: evoscope import <path>/);
    const sample = join(project, 'node_modules/evoscope/dist/server/sample/bbob-sample.tar.gz');
    const result = JSON.parse(print('import', sample, '--db', 'imported.db')) as {
      campaigns: { runs: number }[];
    };
    expect(result.campaigns[0]?.runs).toBeGreaterThan(0);
    expect(() => print('--unknown')).toThrow('Unknown flag --unknown: see --help');
  });
});
