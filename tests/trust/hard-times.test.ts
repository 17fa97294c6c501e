import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { root } from '#build/bundle.ts';
import type { ResponseBody } from '#shared/api.ts';
import { makeBenchmark } from '#tests/support/benchmark-data.ts';
import { makeSqliteLocation } from '#tests/support/databases.ts';
import { followChanges } from '#tests/support/followed-service.ts';
import { importThrough } from '#tests/support/imports.ts';
import { isLong } from '#tests/support/long.ts';
import { writeSampleFile } from '#tests/support/sample-file.ts';
import { parseAddress, spawnService, type ServiceProcess } from '#tests/support/service-process.ts';

let location: Awaited<ReturnType<typeof makeSqliteLocation>>;
let service: ServiceProcess;
let address: string;

beforeEach(async () => {
  location = await makeSqliteLocation();
});
afterEach(async () => {
  service.child.kill('SIGKILL');
  await service.exitCode;
  await location.remove();
});

async function start(environment: Record<string, string> = {}): Promise<void> {
  writeSampleFile(location.file);
  service = spawnService(['--db', location.file, '--port', '0'], { environment });
  address = parseAddress(await service.readyLine);
}

/** Another program that adds a run that is RUNNING. */
function addRun(runId: string): void {
  const handle = new SqliteDatabase(location.file, { timeout: 10_000 });
  handle.exec(`insert into runs (run_id, experiment_id, seed, status, start_time)
    select '${runId}', experiment_id, 1, 'RUNNING', '2026-11-21T10:00:00Z' from experiments limit 1`);
  handle.close();
}

async function getStatus(path: string, method = 'GET'): Promise<number> {
  const response = await fetch(address + path, { method });
  await response.text();
  return response.status;
}

async function totalRuns(): Promise<number> {
  const response = await fetch(`${address}/api/runs?trials=include`);
  return ((await response.json()) as ResponseBody<'listRuns'>).total;
}

function storedStops(): unknown[] {
  const handle = new SqliteDatabase(location.file, { readonly: true, timeout: 10_000 });
  try {
    return handle.prepare('select target_id from control_requests').pluck().all();
  } finally {
    handle.close();
  }
}

const canMount = process.platform === 'linux' && process.getuid?.() === 0;
const mount = (...args: string[]) => spawnSync('mount', args).status === 0;

describe('A service', { timeout: 120_000 }, () => {
  test('whose clock is set back by an hour continues to read, report and write', async () => {
    const clock = join(location.folder, 'clock-is-back');
    const program = join(root, 'tests/fixtures/foreign/clock.mjs');
    await start({ NODE_OPTIONS: `--import=${program}`, CLOCK_FILE: clock });
    const followed = await followChanges(address);
    addRun('before');
    expect(await getStatus('/api/runs/before/stop', 'POST')).toBeLessThan(300);
    writeFileSync(clock, '');
    const events = followed.count();
    addRun('after');
    await followed.waitForMore(events);
    followed.close();
    expect(await getStatus('/api/runs/after')).toBe(200);
    expect(await getStatus('/api/analysis/problems')).toBe(200);
    expect(await getStatus('/api/runs/after/stop', 'POST')).toBeLessThan(300);
    expect(storedStops()).toEqual(expect.arrayContaining(['before', 'after']));
    expect(await getStatus('/api/health')).toBe(200);
  });

  test.skipIf(!canMount)(
    `keeps its file system from being made read-only, and is open beneath one that is${canMount ? '' : ' (not tried: this takes the superuser on Linux)'}`,
    async () => {
      const { folder } = location;
      expect(mount('-t', 'tmpfs', '-o', 'size=64m', 'evoscope-test', folder)).toBe(true);
      try {
        await start();
        addRun('first');
        expect(mount('-o', 'remount,ro', folder)).toBe(false);
        expect(await getStatus('/api/runs/first/stop', 'POST')).toBeLessThan(300);
        expect(storedStops()).toContain('first');
        expect(mount('--bind', folder, folder)).toBe(true);
        expect(mount('-o', 'remount,ro,bind', folder)).toBe(true);
        expect(await getStatus('/api/runs')).toBe(200);
        expect([200, 202, 409, 503]).toContain(await getStatus('/api/runs/first/stop', 'POST'));
        expect(await getStatus('/api/health')).toBe(200);
      } finally {
        while (spawnSync('umount', ['-l', folder]).status === 0);
      }
    },
  );

  test.skipIf(!canMount)(
    `whose disk becomes full during an import reports that, keeps nothing of it, and imports once there is room${canMount ? '' : ' (not tried: this takes the superuser on Linux)'}`,
    async () => {
      const { folder, file } = location;
      expect(mount('-t', 'tmpfs', '-o', 'size=1m', 'evoscope-test', folder)).toBe(true);
      const benchmark = makeBenchmark({ functions: 12 });
      try {
        service = spawnService(['--db', file, '--port', '0']);
        address = parseAddress(await service.readyLine);
        const { status, failure } = await importThrough(
          { url: address },
          { path: benchmark.folder },
        );
        expect({ status, failure }).toMatchObject({
          status: 'failed',
          failure: {
            code: 'DATABASE_UNAVAILABLE',
            detail:
              'The disk of the database or of temporary files is full. Free some space and import again',
          },
        });
        expect(await totalRuns()).toBe(0);
        expect(mount('-o', 'remount,size=64m', folder)).toBe(true);
        const again = await importThrough({ url: address }, { path: benchmark.folder });
        expect(again).toMatchObject({ status: 'done', failure: null });
        expect(await totalRuns()).toBe(benchmark.runs);
      } finally {
        benchmark.remove();
        while (spawnSync('umount', ['-l', folder]).status === 0);
      }
    },
  );

  test.runIf(isLong)(
    'reads while another program holds the write lock for 60 s, refuses writes, and writes afterwards',
    async () => {
      await start();
      addRun('locked');
      const other = new SqliteDatabase(location.file);
      other.exec("begin immediate; update runs set status = status where run_id = 'locked'");
      const end = performance.now() + 60_000;
      while (performance.now() < end) {
        expect(await getStatus('/api/runs')).toBe(200);
        expect(await getStatus('/api/health')).toBe(200);
        expect(await getStatus('/api/runs/locked/stop', 'POST')).toBe(503);
        await delay(100);
      }
      other.exec('commit');
      other.close();
      expect(await getStatus('/api/runs/locked/stop', 'POST')).toBeLessThan(300);
      expect(storedStops()).toContain('locked');
    },
  );
});
