import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '#build/bundle.ts';
import packageFile from '#package.json' with { type: 'json' };
import { getVenvProgram, packageWheel, python } from '#build/package-wheel.ts';
import { isLong } from '#tests/support/long.ts';
import { connectClient } from '#tests/support/mcp-client.ts';
import { writeSampleFile } from '#tests/support/sample-file.ts';
import { parseAddress } from '#tests/support/service-process.ts';
import { growWatchedFolder } from '#tests/support/watch-command.ts';

const hasPython = spawnSync(python, [
  '-c',
  'import sys, venv; sys.exit(sys.version_info < (3, 9))',
]);
const why = !isLong
  ? ' (skipped, needs npm run test:long)'
  : hasPython.status === 0
    ? ''
    : ' (skipped, python3 (3.9 or later) is not installed)';

describe.skipIf(why)(`The Python packages${why}`, { timeout: 300_000 }, () => {
  let base = '';
  let environment: NodeJS.ProcessEnv = {};

  /** Creates a virtual environment, installs files in it, and returns its folder. */
  const install = (name: string, ...files: string[]) => {
    const venv = join(base, name);
    execFileSync(python, ['-m', 'venv', venv]);
    execFileSync(
      getVenvProgram(venv, 'python'),
      ['-m', 'pip', 'install', '--quiet', '--find-links', join(base, 'packed'), ...files],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    return venv;
  };
  const runPython = (venv: string, code: string, more: NodeJS.ProcessEnv = {}) => {
    const { status, stdout, stderr } = spawnSync(getVenvProgram(venv, 'python'), ['-c', code], {
      cwd: base,
      env: { ...environment, ...more },
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
    return stdout;
  };
  /** Starts the command of a virtual environment, and calls `use` with the address that it prints. */
  const withService = async (
    venv: string,
    flags: string[],
    use: (address: string) => Promise<void>,
  ) => {
    const child = spawn(getVenvProgram(venv, 'evoscope'), [...flags, '--port', '0'], {
      cwd: base,
      env: environment,
    });
    let output = '';
    child.stdout.on('data', (data) => (output += String(data)));
    child.stderr.on('data', (data) => (output += String(data)));
    const closeEvent = new Promise((resolve) => child.once('close', resolve));
    try {
      await Promise.race([
        expect.poll(() => output, { timeout: 60_000 }).toMatch(/ready at /),
        closeEvent.then(() => expect.fail(output)),
      ]);
      await use(parseAddress(/^.*ready at .*$/m.exec(output)?.[0]));
    } finally {
      // The signal reaches Node.js, whose shutdown ends with 0.
      child.kill('SIGTERM');
      expect(await closeEvent).toBe(0);
    }
  };

  beforeAll(async () => {
    base = mkdtempSync(join(tmpdir(), 'evoscope-wheel-'));
    for (const { file, bytes } of await packageWheel(join(base, 'packed'))) {
      process.stdout.write(`${basename(file)} has ${(bytes / 1e6).toFixed(2)} MB.\n`);
    }
    mkdirSync(join(base, 'empty'));
    writeSampleFile(join(base, 'sample.db'));
    environment = {
      // No program is on the PATH, so no Node.js of this computer.
      PATH: join(base, 'empty'),
      HOME: base,
      EVOSCOPE_SPOOL: join(base, 'spool'),
      ...(process.env['SYSTEMROOT'] && { SYSTEMROOT: process.env['SYSTEMROOT'] }),
    };
  }, 300_000);
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  test('show a database without Node.js on the PATH within 15 s, and record runs', async () => {
    const venv = install('all', 'evoscope');
    const startedAt = performance.now();
    await withService(venv, ['sample.db'], async (address) => {
      const page = await (await fetch(`${address}/`)).text();
      const script = /<script[^>]* src="([^"]+)"/.exec(page)?.[1] ?? 'none';
      expect((await fetch(new URL(script, address))).status).toBe(200);
      const { total } = (await (await fetch(`${address}/api/runs`)).json()) as { total: number };
      expect(total).toBeGreaterThan(0);
      const millis = performance.now() - startedAt;
      process.stdout.write(`The pages are ready after ${(millis / 1_000).toFixed(1)} s.\n`);
      expect(millis).toBeLessThan(15_000);
    });
    const help = execFileSync(getVenvProgram(venv, 'evoscope'), ['import', '--help'], {
      env: environment,
      encoding: 'utf8',
    });
    expect(help).toMatch(/^Usage: evoscope import <path>/);
    await withService(venv, ['watched.db'], async (address) => {
      const folder = join(base, 'exdata');
      mkdirSync(folder);
      const args = ['import', '--watch', folder, '--db', 'watched.db'];
      const options = { cwd: base, env: environment, detached: true };
      const child = spawn(getVenvProgram(venv, 'evoscope'), args, options);
      expect(await growWatchedFolder(folder, address, child)).toBeGreaterThan(5);
    });
    const transport = new StdioClientTransport({
      command: getVenvProgram(venv, 'evoscope'),
      args: ['mcp', 'sample.db'],
      cwd: base,
      stderr: 'pipe',
    });
    const mcp = await connectClient(transport);
    expect(await mcp.call('list_problems')).toMatchObject({ tool: 'list_problems' });
    await mcp.client.close();
    const readme = readFileSync(join(root, 'shared/clients/python/README.md'), 'utf8');
    const example = /```python\n(.*?)```/s.exec(readme)?.[1] ?? '';
    expect(example.trimEnd().split('\n')).toHaveLength(10);
    const client = install('client', 'evoscope-client');
    await withService(venv, ['recorded.db', '--record'], async (address) => {
      for (const target of [venv, client]) runPython(target, example, { EVOSCOPE_URL: address });
      const response = await fetch(`${address}/api/runs`);
      expect(await response.json()).toMatchObject({
        items: [
          { status: 'COMPLETED', evaluations: 1_000 },
          { status: 'COMPLETED', evaluations: 1_000 },
        ],
      });
    });
  });

  test('contain types, and a client that needs only the standard library', () => {
    const venv = install(
      'sdist',
      join(base, 'packed', `evoscope_client-${packageFile.version}.tar.gz`),
    );
    const code = `
import evoscope, importlib.metadata as metadata, importlib.util, pathlib
print((pathlib.Path(evoscope.__file__).parent / "py.typed").exists())
print(metadata.requires("evoscope-client"), importlib.util.find_spec("evoscope_service"))
`;
    expect(runPython(venv, code).trim().split(/\r?\n/)).toEqual(['True', 'None None']);
  });
});
