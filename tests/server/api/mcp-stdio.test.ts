import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  getDefaultEnvironment,
  StdioClientTransport,
} from '@modelcontextprotocol/sdk/client/stdio.js';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  makePostgresLocation,
  makeSqliteLocation,
  openTestDatabase,
} from '#tests/support/databases.ts';
import { mcpPath } from '#shared/mcp.ts';
import { connectClient } from '#tests/support/mcp-client.ts';
import { resolveProgramFile } from '#tests/support/programs.ts';
import { insertExperiment, insertRun } from '#tests/support/rows.ts';
import { writeSampleFile } from '#tests/support/sample-file.ts';
import { spawnService } from '#tests/support/service-process.ts';
import { startRunningService } from '#tests/support/running-service.ts';

/** A configuration of an MCP client with one server, as the page Help shows it. */
interface Configuration {
  mcpServers: { evoscope: { command: string; args: string[]; url: string } };
}

const root = join(import.meta.dirname, '../../..');

/** Reads a configuration of the page Help, which README contains too. */
function readConfiguration(name: string): Configuration['mcpServers']['evoscope'] {
  const text = readFileSync(join(root, 'renderer/pages/help/assistants', name), 'utf8');
  expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain(text);
  return (JSON.parse(text) as Configuration).mcpServers.evoscope;
}

let location: Awaited<ReturnType<typeof makeSqliteLocation>>;

/** The command of the packages, next to the program of the tests. */
let command = '';

beforeEach(async () => {
  location = await makeSqliteLocation();
  command = join(location.folder, 'evoscope.cjs');
  copyFileSync(join(root, 'build/npm/evoscope.cjs'), command);
  symlinkSync(join(dirname(resolveProgramFile('mcp')), '..'), join(location.folder, 'dist'));
});
afterEach(() => location.remove());

/** Connects the official client to the command that it starts with these arguments. */
async function connect(...args: string[]) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [command, ...args],
    env: getDefaultEnvironment(),
    stderr: 'pipe',
  });
  const mcp = await connectClient(transport);
  onTestFinished(() => mcp.client.close());
  return mcp;
}

describe('the program for an MCP client at standard input and output', { timeout: 60_000 }, () => {
  test('serves every tool next to a running service of the same file, and changes nothing', async () => {
    writeSampleFile(location.file);
    const service = await startRunningService({ SVC_DB_URL: location.url });
    onTestFinished(() => void service.process.child.kill());
    const countRows = () => {
      const database = new SqliteDatabase(location.file, { readonly: true });
      const rows = database.prepare('select count(*) from control_requests').pluck().get();
      database.close();
      return rows;
    };
    const before = countRows();
    const configured = readConfiguration('command.json');
    expect(configured.command).toBe('evoscope');
    const mcp = await connect(
      ...configured.args.map((argument) => argument.replace('/path/to/runs.db', location.file)),
    );
    const { tools } = await mcp.client.listTools();
    const { runs } = (await mcp.call('find_runs')) as unknown as { runs: { runId: string }[] };
    const args: Record<string, Record<string, unknown>> = {
      describe_run: { runId: runs[0]!.runId },
      compare: { problemType: 'onemax' },
      campaign_summary: { campaignId: 'bbob-small' },
      export_latex: { of: 'problem', problemType: 'onemax' },
      open_view: { view: 'problem', problemType: 'onemax' },
    };
    for (const { name } of tools) {
      const result = await mcp.call(name, args[name]);
      expect(result.tool).toBe(name);
      // The program itself serves the page.
      const page = await fetch(result.link, { headers: { accept: 'text/html' } });
      expect([name, page.status]).toEqual([name, 200]);
    }
    await expect(mcp.call('stop_run', { runId: runs[0]!.runId })).rejects.toThrow('is off');
    const { code } = await mcp.fail('describe_run', { runId: 'none' });
    expect(code).toBe('RUN_NOT_FOUND');
    expect(countRows()).toBe(before);
  });

  test('serves a PostgreSQL database, and stops a run if the user lets it', async () => {
    const postgres = await makePostgresLocation();
    onTestFinished(() => postgres.remove());
    const database = await openTestDatabase(postgres.url);
    await insertExperiment(database, 'e1');
    await insertRun(database, 'e1', 'going', { status: 'RUNNING' });
    const mcp = await connect('mcp', '--db', postgres.url, '--mcp-control');
    expect(await mcp.call('stop_run', { runId: 'going' })).toMatchObject({ accepted: true });
    const stops = await database.kysely
      .selectFrom('control_requests')
      .select('target_id')
      .execute();
    expect(stops).toEqual([{ target_id: 'going' }]);
    await mcp.client.close();
    await database.close();
  });

  test('writes only messages to standard output, and ends with its input', async () => {
    writeSampleFile(location.file);
    const child = spawn(process.execPath, [resolveProgramFile('mcp'), '--db', location.file]);
    let output = '';
    let errors = '';
    child.stdout.on('data', (data) => (output += String(data)));
    child.stderr.on('data', (data) => (errors += String(data)));
    const exited = once(child, 'exit');
    child.stdin.write(
      'no JSON\n{"jsonrpc":"2.0"}\n{"jsonrpc":"2.0","id":7,"method":"tools/list"}\n',
    );
    await expect.poll(() => output, { timeout: 30_000 }).toMatch(/\n$/);
    child.stdin.end();
    expect(await exited).toEqual([0, null]);
    const messages = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number });
    expect(messages.map(({ id }) => id)).toEqual([7]);
    expect(errors).toMatch(/Evoscope ready at http:/);
    expect(errors.match(/Invalid MCP message/g)).toHaveLength(2);
  });

  test('ends with an explanation when a message is too long', async () => {
    writeSampleFile(location.file);
    const child = spawn(process.execPath, [resolveProgramFile('mcp'), '--db', location.file]);
    let errors = '';
    child.stderr.on('data', (data) => (errors += String(data)));
    child.stdin.on('error', () => {});
    child.stdin.write(`"${'x'.repeat(2_000_000)}`);
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(errors).toMatch(/exceeded maximum size of 1048576 bytes/);
  });

  test('creates no missing file', async () => {
    const flags = ['--db', location.file, '--mcp-control'];
    const program = spawnService(flags, { entry: resolveProgramFile('mcp') });
    expect(await program.exitCode).toBe(1);
    expect(program.output()).toEqual({
      stdout: '',
      stderr: expect.stringContaining(location.file),
    });
    expect(existsSync(location.file)).toBe(false);
  });

  test('is in the help of the command', () => {
    const help = execFileSync(process.execPath, [command, 'mcp', '--help'], { encoding: 'utf8' });
    expect(help).toMatch(/evoscope mcp \[database\] \[flags\].*--mcp-control/s);
    expect(help).toContain(
      'Other defaults of evoscope mcp: --port 0, --legacy refuse, --create=0, and --read-only without --record and --mcp-control.',
    );
  });
});

test('the configuration for a running service names its endpoint', () => {
  expect(new URL(readConfiguration('http.json').url).pathname).toBe(mcpPath);
});
