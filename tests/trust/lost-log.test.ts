import { readdirSync, readlinkSync, renameSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ResponseBody } from '#shared/api.ts';
import { makeSqliteLocation } from '#tests/support/databases.ts';
import { hasSharedLock } from '#tests/support/file-locks.ts';
import { followChanges } from '#tests/support/followed-service.ts';
import { foreignWriters } from '#tests/support/foreign-writers.ts';
import { isLong, whySkipped } from '#tests/support/long.ts';
import { writeSampleFile } from '#tests/support/sample-file.ts';
import { parseAddress, spawnService, type ServiceProcess } from '#tests/support/service-process.ts';

let location: Awaited<ReturnType<typeof makeSqliteLocation>>;
let service: ServiceProcess;
let address: string;

beforeEach(async () => {
  location = await makeSqliteLocation();
  writeSampleFile(location.file);
  addRun(location.file, 'first');
  service = spawnService(['--db', location.file, '--port', '0']);
  address = parseAddress(await service.readyLine);
});
afterEach(async () => {
  service.child.kill('SIGTERM');
  await service.exitCode;
  await location.remove();
});

/** Adds a run that is RUNNING to a file in its rollback mode or its log. */
function addRun(file: string, runId: string): void {
  const handle = new SqliteDatabase(file);
  handle.exec(`update runs set status = 'STOPPED' where status = 'RUNNING';
    insert into runs (run_id, experiment_id, seed, status, start_time)
    select '${runId}', experiment_id, 1, 'RUNNING', '2026-11-21T10:00:00Z' from experiments limit 1`);
  handle.close();
}

/** The same by a program with its own SQLite, whose locks are not those of the test. */
const foreign = async (sql: string) => foreignWriters[0]?.execute(location.file, sql);

const insertRun = (runId: string) =>
  foreign(`insert into runs (run_id, experiment_id, seed, status, start_time)
    select '${runId}', experiment_id, 1, 'RUNNING', '2026-11-21T10:00:00Z' from experiments limit 1`);

async function runningRuns(): Promise<string[]> {
  const response = await fetch(`${address}/api/runs?status=RUNNING`);
  expect(response.status).toBe(200);
  const { items } = (await response.json()) as ResponseBody<'listRuns'>;
  return items.map(({ runId }) => runId).sort();
}

async function stop(runId: string): Promise<number> {
  const response = await fetch(`${address}/api/runs/${runId}/stop`, { method: 'POST' });
  await response.text();
  return response.status;
}

/** What another program reads of the stop requests, and whether the file is whole. */
function storedStops(): unknown[] {
  const handle = new SqliteDatabase(location.file, { readonly: true });
  try {
    expect(handle.pragma('integrity_check', { simple: true })).toBe('ok');
    return handle.prepare('select target_id from control_requests').pluck().all();
  } finally {
    handle.close();
  }
}

/** Removes the log as a program does that takes itself for the last one: what is in it is in the file then. */
async function removeLog(): Promise<void> {
  await foreign('pragma wal_checkpoint(full)');
  for (const end of ['-wal', '-shm']) rmSync(location.file + end);
}

/** Copies the sample with an additional run to the path, like a user who restores a backup. */
function restore(): void {
  const copy = `${location.folder}/backup.db`;
  writeSampleFile(copy);
  addRun(copy, 'restored');
  const handle = new SqliteDatabase(copy);
  handle.pragma('journal_mode = wal');
  handle.close();
  for (const end of ['-wal', '-shm']) rmSync(location.file + end, { force: true });
  renameSync(copy, location.file);
}

/** Sends requests to all threads at once; each must respond. */
async function useThreads(): Promise<number[]> {
  const paths = [
    'runs',
    'experiments',
    'analysis/problems',
    'health',
    'facets',
    'dashboard/summary',
  ];
  return Promise.all(
    paths.map(async (path) => {
      const response = await fetch(`${address}/api/${path}`);
      await response.text();
      return response.status;
    }),
  );
}

describe('A service whose write-ahead log is', { timeout: 120_000 }, () => {
  const expectLock = () =>
    process.platform === 'linux' &&
    expect(hasSharedLock(service.child.pid, location.file)).toBe(true);

  test('removed shows and reports later writes, and writes stop requests', async () => {
    await useThreads();
    const followed = await followChanges(address);
    for (let round = 1; round <= 3; round += 1) {
      const runId = `after-${round}`;
      const events = followed.count();
      await removeLog();
      await insertRun(runId);
      expect(await runningRuns()).toContain(runId);
      await followed.waitForMore(events);
      expect(await stop(runId)).toBeLessThan(300);
      expect(storedStops()).toContain(runId);
      expect(await useThreads()).toEqual(Array(6).fill(200));
      expectLock();
    }
    followed.close();
  });

  test('removed while it is idle reopens it before the next request', async () => {
    const followed = await followChanges(address);
    const events = followed.count();
    await removeLog();
    // Reported although no row changed: what was read before may be old.
    await followed.waitForMore(events);
    await insertRun('later');
    followed.close();
    expect(await runningRuns()).toEqual(['first', 'later']);
    expectLock();
  });

  test.skipIf(whySkipped)(
    `replaced with its file shows the other file, writes to it, and does not damage it${whySkipped}`,
    async () => {
      const followed = await followChanges(address);
      await useThreads();
      const events = followed.count();
      restore();
      expect(await runningRuns()).toEqual(['restored']);
      await followed.waitForMore(events);
      followed.close();
      expect(await stop('first')).toBe(404);
      expect(await stop('restored')).toBeLessThan(300);
      expect(storedStops()).toContain('restored');
      expectLock();
    },
  );

  test.runIf(isLong)(
    'removed repeatedly under load responds with 200 or 503, and finally shows the stored rows',
    async () => {
      const done = new AbortController();
      const statuses = new Set<number>();
      const clients = Array.from({ length: 4 }, async () => {
        while (!done.signal.aborted) for (const status of await useThreads()) statuses.add(status);
      });
      try {
        for (let round = 1; round <= 4; round += 1) {
          await removeLog();
          await insertRun(`load-${round}`);
          await expect.poll(() => runningRuns().catch(() => [])).toContain(`load-${round}`);
        }
      } finally {
        done.abort();
        await Promise.all(clients);
      }
      expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
      expect(await runningRuns()).toEqual(['first', 'load-1', 'load-2', 'load-3', 'load-4']);
      expect(storedStops()).toEqual(expect.any(Array));
    },
  );
});

/** The descriptors of a process that are of a deleted file of the database. */
function getDeletedFiles(pid: number | undefined, file: string): string[] {
  const folder = `/proc/${pid}/fd`;
  const isDeleted = (target: string) => target.startsWith(file) && target.endsWith(' (deleted)');
  return readdirSync(folder)
    .map((descriptor) => {
      try {
        return readlinkSync(`${folder}/${descriptor}`);
      } catch {
        return '';
      }
    })
    .filter(isDeleted);
}

/**
 * Deletes the log of a file, as a program that takes itself for the only one; false, and nothing is deleted, while
 * others keep what is in the log from being copied into the file.
 */
function removeCopiedLog(file: string): boolean {
  const handle = new SqliteDatabase(file, { timeout: 500 });
  const [log] = handle.pragma('wal_checkpoint(full)') as Record<string, number>[];
  handle.close();
  if (log?.['busy'] !== 0 || log['log'] !== log['checkpointed']) return false;
  for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true });
  return true;
}

describe('While a service starts,', { timeout: 300_000 }, () => {
  test.skipIf(whySkipped)(
    `a program that deletes the log repeatedly loses no row${whySkipped}`,
    async () => {
      for (let start = 1; start <= 5; start += 1) {
        service.child.kill('SIGKILL');
        await service.exitCode;
        for (const end of ['-wal', '-shm']) rmSync(location.file + end, { force: true });
        writeSampleFile(location.file);
        service = spawnService(['--db', location.file, '--port', '0']);
        const done = new AbortController();
        const committed: string[] = [];
        // All threads read, and one writes, from the start on, while indexes are built.
        let rounds = Infinity;
        const useService = async () => {
          address = parseAddress(await service.readyLine);
          rounds = committed.length + 12;
          while (!done.signal.aborted) {
            await Promise.allSettled([useThreads(), stop(committed.at(-1) ?? '')]);
          }
        };
        const clients = useService();
        while (committed.length < rounds) {
          const runId = `${start}-${committed.length}`;
          const isRemoved = removeCopiedLog(location.file);
          await delay(Math.random() * 150);
          if (!isRemoved) continue;
          addRun(location.file, runId);
          committed.push(runId);
          await delay(Math.random() * 450);
        }
        done.abort();
        await clients;
        const handle = new SqliteDatabase(location.file, { readonly: true });
        const stored = handle.prepare('select run_id from runs').pluck().all();
        handle.close();
        expect(stored).toEqual(expect.arrayContaining(committed));
        const last = committed.at(-1) ?? '';
        await expect.poll(() => runningRuns().catch(() => []), { timeout: 20_000 }).toEqual([last]);
        await expect.poll(() => stop(last), { timeout: 20_000 }).toBeLessThan(300);
        expect(storedStops()).toContain(last);
        if (process.platform !== 'linux') continue;
        await expect.poll(() => getDeletedFiles(service.child.pid, location.file)).toEqual([]);
      }
    },
  );
});
