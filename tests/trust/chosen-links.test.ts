import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { ResponseBody } from '#shared/api.ts';
import { root } from '#build/bundle.ts';
import { isLong } from '#tests/support/long.ts';
import { writeSampleFile } from '#tests/support/sample-file.ts';
import { parseAddress, spawnService, type ServiceProcess } from '#tests/support/service-process.ts';

const attempts = isLong ? 60 : 3;
const timeout = isLong ? 600_000 : 120_000;

let base: string;
let service: ServiceProcess;
let address: string;

const inside = (...names: string[]) => join(base, 'folder', ...names);
const outside = (...names: string[]) => join(base, 'outside', ...names);

beforeEach(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'evoscope-links-')));
  mkdirSync(inside('sub'), { recursive: true });
  mkdirSync(outside());
  for (const file of [inside('one.db'), inside('sub/one.db'), outside('one.db')]) makeFile(file);
  mark(outside('one.db'));
  service = spawnService(['--port', '0', `--choose=${inside()}`]);
  address = parseAddress(await service.readyLine);
});
afterEach(async () => {
  service.child.kill('SIGKILL');
  await service.exitCode;
  rmSync(base, { recursive: true, force: true });
});

function makeFile(file: string): void {
  writeSampleFile(file);
  const handle = new SqliteDatabase(file);
  handle.pragma('journal_mode = wal');
  handle.close();
}

/** Distinguishes the file outside from those inside: it has one more run. */
function mark(file: string): void {
  const handle = new SqliteDatabase(file);
  handle.exec(`insert into runs (run_id, experiment_id, seed, status, start_time)
    select 'secret', experiment_id, 1, 'RUNNING', '2026-11-21T10:00:00Z' from experiments limit 1`);
  handle.close();
}

async function post(path: string, body: object) {
  const response = await fetch(address + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const open = (body: object) => post('/api/databases/open', body);

/** Returns the ids of all RUNNING runs, or none if the service refuses the request. */
async function runningRuns(): Promise<string[]> {
  const response = await fetch(`${address}/api/runs?status=RUNNING`);
  const body = (await response.json()) as Partial<ResponseBody<'listRuns'>>;
  expect([200, 409, 503]).toContain(response.status);
  return body.items?.map(({ runId }) => runId) ?? [];
}

/** Swaps a path for a link to another one until the test ends. */
async function swap(path: string, target: string): Promise<() => Promise<void>> {
  const program = join(root, 'tests/fixtures/foreign/swap.mjs');
  const child = spawn(process.execPath, [program, path, target], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  onTestFinished(end);
  await once(child.stdout, 'data');
  return end;
}

describe('A service with `--choose` for a folder', () => {
  test('does not follow a link that replaces the open file', async () => {
    expect((await open({ file: 'one.db' })).status).toBe(200);
    const before = readFileSync(outside('one.db'));
    renameSync(inside('one.db'), inside('moved.db'));
    symlinkSync(outside('one.db'), inside('one.db'));
    for (let round = 0; round < 3; round += 1) {
      expect(await runningRuns()).not.toContain('secret');
      expect(await post('/api/runs/secret/stop', {})).toMatchObject({
        status: 503,
        body: { code: 'DATABASE_UNAVAILABLE' },
      });
    }
    expect(readFileSync(outside('one.db')).equals(before)).toBe(true);
    rmSync(inside('one.db'));
    renameSync(inside('moved.db'), inside('one.db'));
    await expect.poll(async () => (await fetch(`${address}/api/runs`)).status).toBe(200);
  });

  test('does not follow a folder of the path that was replaced by a link', async () => {
    expect((await open({ file: 'sub/one.db' })).status).toBe(200);
    renameSync(inside('sub'), inside('moved'));
    symlinkSync(outside(), inside('sub'));
    expect(await runningRuns()).not.toContain('secret');
    expect((await post('/api/runs/secret/stop', {})).status).toBe(503);
    expect(await open({ file: 'sub/one.db' })).toMatchObject({ status: 403 });
  });

  test.each([
    ['a file', 'one.db', 'one.db', 'one.db'],
    ['its folder', 'sub', '', 'sub/one.db'],
  ])(
    'reads nothing outside while %s is replaced by a link',
    { timeout },
    async (_what, path, target, file) => {
      const end = await swap(inside(path), outside(target));
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        const { body } = await post('/api/databases/test', { file });
        expect(body['runs'] ?? null).not.toBe(160);
        const { status } = await open({ file });
        expect([200, 403, 409, 422]).toContain(status);
        expect(await runningRuns()).not.toContain('secret');
      }
      await end();
    },
  );

  test('creates no file if the path is a link to a missing file, is in a folder that is a link, or is a link to such a link', async () => {
    symlinkSync(outside('new.db'), inside('new.db'));
    symlinkSync(outside(), inside('linked'));
    symlinkSync('new.db', inside('other.db'));
    const forbidden = { status: 403, body: { code: 'FORBIDDEN_PATH' } };
    for (const file of ['new.db', 'linked/new.db', 'other.db']) {
      expect(await open({ file, create: true }), file).toMatchObject(forbidden);
      expect(await post('/api/databases/sample', { file }), file).toMatchObject(forbidden);
      expect(existsSync(outside('new.db')), file).toBe(false);
    }
  });

  test('creates no file outside while links are created and deleted', { timeout }, async () => {
    const ends = [
      await swap(inside('new.db'), outside('new.db')),
      await swap(inside('sub'), outside()),
    ];
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      await open({ file: `new.db`, create: true });
      await open({ file: `sub/made-${attempt}.db`, create: true });
      rmSync(inside('new.db'), { force: true });
    }
    for (const end of ends) await end();
    expect(existsSync(outside('new.db'))).toBe(false);
    for (let attempt = 0; attempt < attempts; attempt += 1)
      expect(existsSync(outside(`made-${attempt}.db`))).toBe(false);
  });
});
