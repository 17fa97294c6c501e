import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ResponseBody } from '#shared/api.ts';
import { getFile, makeSqliteLocation, type TestLocation } from '#tests/support/databases.ts';
import { writeSampleFile } from '#tests/support/sample-file.ts';
import { otherPrograms } from '#tests/support/schemas.ts';
import { parseAddress, spawnService, type ServiceProcess } from '#tests/support/service-process.ts';

let location: TestLocation;
let service: ServiceProcess;
let address: string;
let file: string;

beforeEach(async () => {
  location = await makeSqliteLocation();
  file = getFile(location);
  writeSampleFile(file);
  mark(file, 'first');
  service = spawnService(['--db', file, '--port', '0']);
  address = parseAddress(await service.readyLine);
  expect(await runningRuns()).toEqual(['first']);
});
afterEach(async () => {
  service.child.kill('SIGKILL');
  await service.exitCode;
  await location.remove();
});

/** Gives a database one run that is RUNNING. */
function mark(path: string, runId: string): void {
  const handle = new SqliteDatabase(path);
  handle.exec(`update runs set status = 'STOPPED' where status = 'RUNNING';
    insert into runs (run_id, experiment_id, seed, status, start_time)
    select '${runId}', experiment_id, 1, 'RUNNING', '2026-11-21T10:00:00Z' from experiments limit 1`);
  handle.close();
}

async function runningRuns(): Promise<string[]> {
  const response = await fetch(`${address}/api/runs?status=RUNNING`);
  expect(response.status).toBe(200);
  const { items } = (await response.json()) as ResponseBody<'listRuns'>;
  return items.map(({ runId }) => runId);
}

const stop = (runId: string) => fetch(`${address}/api/runs/${runId}/stop`, { method: 'POST' });

/** Requests to the service meanwhile get a response 503 with an explanation. */
async function expectUnavailable(): Promise<void> {
  const answers = await Promise.all([
    fetch(`${address}/api/runs`),
    fetch(`${address}/api/health`),
    fetch(`${address}/api/analysis/problems`),
    stop('first'),
  ]);
  for (const answer of answers) {
    expect(await answer.json()).toMatchObject({ status: 503, code: 'DATABASE_UNAVAILABLE' });
  }
}

function removeFile(): void {
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
}

/** Puts another database of the runner at the path. */
function putSecond(): void {
  const second = `${file}.second`;
  writeSampleFile(second);
  mark(second, 'second');
  for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true });
  renameSync(second, file);
}

describe('A file that is open and', () => {
  test('replaced is shown with its new content, and requests are written to it', async () => {
    putSecond();
    await expect.poll(runningRuns).toEqual(['second']);
    expect((await stop('first')).status).toBe(404);
    expect((await stop('second')).status).toBeLessThan(300);
    const handle = new SqliteDatabase(file, { readonly: true });
    expect(handle.prepare('select target_id from control_requests').pluck().all()).toContain(
      'second',
    );
    handle.close();
  });

  test('removed is reported as missing until there is a file again, and is not created', async () => {
    removeFile();
    await expectUnavailable();
    expect(existsSync(file)).toBe(false);
    putSecond();
    expect(await runningRuns()).toEqual(['second']);
  });

  test('emptied is reported as missing until there is a database again; it stays empty', async () => {
    truncateSync(file, 0);
    await expectUnavailable();
    expect(readFileSync(file)).toHaveLength(0);
    putSecond();
    expect(await runningRuns()).toEqual(['second']);
  });

  test('replaced by that of another program is unchanged', async () => {
    removeFile();
    const handle = new SqliteDatabase(file);
    handle.exec(otherPrograms.MLflow.join(';'));
    handle.close();
    const before = readFileSync(file);
    await expectUnavailable();
    expect(readFileSync(file).equals(before)).toBe(true);
    putSecond();
    expect(await runningRuns()).toEqual(['second']);
  });

  test('overwritten with random bytes causes 503, never 500', async () => {
    writeFileSync(file, Buffer.alloc(readFileSync(file).length, 0x5a));
    for (const path of ['/api/runs', '/api/experiments', '/api/health', '/api/runs/first']) {
      expect([200, 404, 503]).toContain((await fetch(address + path)).status);
    }
    putSecond();
    await expect.poll(runningRuns).toEqual(['second']);
  });

  /** Limits the size of a file that the service writes to, as if the disk became full. */
  const limitFiles = (bytes: string) =>
    spawnSync('prlimit', ['--pid', String(service.child.pid), `--fsize=${bytes}:unlimited`]).status;

  test.skipIf(spawnSync('prlimit', ['--version']).status !== 0)(
    'on a full disk can still be read, no change is incomplete, and writes succeed when there is room',
    async () => {
      const written = () => {
        const handle = new SqliteDatabase(file, { readonly: true });
        const counts = ['control_requests', 'runs', 'experiments'].map((table) =>
          handle.prepare(`select count(*) from ${table}`).pluck().get(),
        );
        handle.close();
        return counts;
      };
      const before = written();
      const done = await fetch(`${address}/api/experiments?status=COMPLETED`);
      const { items } = (await done.json()) as ResponseBody<'listExperiments'>;
      const path = `/api/experiments/${items[0]?.experimentId}?force=true`;
      const remove = () => fetch(address + path, { method: 'DELETE' });
      expect(limitFiles('4096')).toBe(0);
      for (const answer of [await stop('first'), await remove()]) {
        expect(await answer.json()).toMatchObject({ status: 503, code: 'DATABASE_UNAVAILABLE' });
      }
      expect(written()).toEqual(before);
      expect(await runningRuns()).toEqual(['first']);
      expect(limitFiles('unlimited')).toBe(0);
      expect((await stop('first')).status).toBeLessThan(300);
      expect((await remove()).status).toBe(200);
      expect(written()).not.toEqual(before);
    },
  );
});
