import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ResponseBody } from '#shared/api.ts';
import { root } from '#build/bundle.ts';
import { makeSqliteLocation } from '#tests/support/databases.ts';
import { hasSharedLock } from '#tests/support/file-locks.ts';
import { followChanges } from '#tests/support/followed-service.ts';
import { foreignWriters, createJdbcWriter } from '#tests/support/foreign-writers.ts';
import { isLong, whySkipped } from '#tests/support/long.ts';
import { writeSampleFile } from '#tests/support/sample-file.ts';
import { parseAddress, spawnService, type ServiceProcess } from '#tests/support/service-process.ts';

/** A copy of the sample in a folder, with a write-ahead log as a runner leaves it. */
async function makeSample() {
  const location = await makeSqliteLocation();
  writeSampleFile(location.file);
  const handle = new SqliteDatabase(location.file);
  handle.pragma('journal_mode = wal');
  handle.close();
  return location;
}

/** A service that is killed at the end of the test. */
async function startService(...parameters: Parameters<typeof spawnService>) {
  const service = spawnService(...parameters);
  onTestFinished(async () => {
    service.child.kill('SIGKILL');
    await service.exitCode;
  });
  return { service, address: parseAddress(await service.readyLine) };
}

async function post(address: string, path: string, body: object): Promise<number> {
  const response = await fetch(address + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await response.text();
  return response.status;
}

/** Uses all threads: lists, an analysis, health and a stop request. */
async function useThreads(address: string): Promise<void> {
  const paths = ['runs', 'experiments', 'analysis/problems', 'health', 'facets'];
  await Promise.all(paths.map(async (path) => (await fetch(`${address}/api/${path}`)).text()));
  await post(address, '/api/runs/none/stop', {});
}

describe.runIf(process.platform === 'linux')(
  'The SHARED lock on an open SQLite file',
  { timeout: 120_000 },
  () => {
    const expectLock = (service: ServiceProcess, file: string) =>
      expect(hasSharedLock(service.child.pid, file)).toBe(true);

    /** Flags of a service, and how its process is started. */
    type Start = [name: string, flags: string[], options: Parameters<typeof spawnService>[1]];

    const checkStart = async (_name: string, flags: string[], options: Start[2]) => {
      const location = await makeSample();
      onTestFinished(() => location.remove());
      const { file } = location;
      const { service, address } = await startService(
        ['--db', file, '--port', '0', ...flags],
        options,
      );
      expectLock(service, file);
      await useThreads(address);
      expectLock(service, file);
    };

    test.each<Start>([['read-only', ['--read-only'], {}]])('is held by a service %s', checkStart);

    // A window starts the service with a channel; the sources take long to start.
    test.skipIf(whySkipped).each<Start>([
      ['as the window starts it', ['--choose', '*'], { hasIpc: true }],
      ['from the sources', [], { entry: join(root, 'server/main.ts') }],
    ])(`is held by a service %s${whySkipped}`, checkStart);

    test('is held after files were listed, inspected and chosen', async () => {
      const location = await makeSample();
      onTestFinished(() => location.remove());
      const { file, folder } = location;
      copyFileSync(file, join(folder, 'other.db'));
      const { service, address } = await startService([
        '--db',
        file,
        '--port',
        '0',
        `--choose=${folder}`,
      ]);
      await (await fetch(`${address}/api/databases`)).text();
      expectLock(service, file);
      expect(await post(address, '/api/databases/test', { file: 'test.db' })).toBe(200);
      expectLock(service, file);
      expect(await post(address, '/api/databases/open', { file: 'other.db' })).toBe(200);
      await useThreads(address);
      expectLock(service, join(folder, 'other.db'));
      expect(await post(address, '/api/databases/open', { file: 'test.db' })).toBe(200);
      await (await fetch(`${address}/api/databases`)).text();
      await useThreads(address);
      expectLock(service, file);
    });

    test('is held by a service from the bundle, also after an import from the folder of the database itself', async () => {
      const location = await makeSample();
      onTestFinished(() => location.remove());
      const { file, folder } = location;
      const { service, address } = await startService(['--db', file, '--port', '0']);
      expectLock(service, file);
      await useThreads(address);
      expectLock(service, file);
      for (const path of [folder, file, `${file}-shm`]) {
        const started = await fetch(`${address}/api/import`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ path }),
        });
        expect(started.status).toBe(202);
        const { importId } = (await started.json()) as ResponseBody<'startImport'>;
        await (await fetch(`${address}/api/import/${importId}/events`)).text();
        expectLock(service, file);
      }
    });

    test('is held after the tables of an old runner were backed up and replaced', async () => {
      const location = await makeSqliteLocation();
      onTestFinished(() => location.remove());
      const { file, folder } = location;
      mkdirSync(join(folder, 'results'));
      const handle = new SqliteDatabase(file);
      handle.exec('create table runs (run_id text); pragma journal_mode = wal');
      handle.close();
      const { service, address } = await startService([
        '--db',
        file,
        '--port',
        '0',
        '--legacy=replace',
      ]);
      expect(readdirSync(folder).some((name) => name.includes('.legacy-'))).toBe(true);
      expectLock(service, file);
      await useThreads(address);
      expectLock(service, file);
    });
  },
);

const writers = [...foreignWriters, ...(isLong ? [await createJdbcWriter()] : [])];
const rounds = isLong ? 50 : 3;

describe('While a service follows a SQLite file,', () => {
  let location: Awaited<ReturnType<typeof makeSample>>;
  let service: ServiceProcess;
  let address: string;
  beforeAll(async () => {
    location = await makeSample();
    service = spawnService(['--db', location.file, '--port', '0']);
    address = parseAddress(await service.readyLine);
  });
  afterAll(async () => {
    service.child.kill('SIGTERM');
    await service.exitCode;
    await location.remove();
  });

  for (const [writer, program] of writers.entries()) {
    const { name, missingReason } = program;
    test.skipIf(missingReason !== undefined)(
      `each of ${rounds} changes by ${name} is shown and reported, and each stop request is written${missingReason === undefined ? '' : ` (not tried: ${missingReason})`}`,
      { timeout: 600_000 },
      async () => {
        const { file } = location;
        const control = new SqliteDatabase(file, { readonly: true });
        const completed = control
          .prepare<[], { runId: string; experimentId: string }>(
            `select run_id as runId, experiment_id as experimentId from runs
             where status = 'COMPLETED' and best_fitness is not null order by run_id limit 1`,
          )
          .get();
        // Only the service keeps the file open: each program is the last to close it, but for the service.
        control.close();
        const { runId = '', experimentId = '' } = completed ?? {};
        const shown = async () =>
          ((await (await fetch(`${address}/api/runs/${runId}`)).json()) as ResponseBody<'getRun'>)
            .bestFitness;
        const analysis = async () =>
          (await fetch(`${address}/api/experiments/${experimentId}/analysis`)).text();
        const followed = await followChanges(address);
        const requested: string[] = [];
        for (let round = 1; round <= rounds; round += 1) {
          const fitness = 10_000 * (writer + 1) + round + 0.5;
          const running = `running-${writer}-${round}`;
          const before = await analysis();
          const events = followed.count();
          await program.execute(
            file,
            `update runs set best_fitness = ${fitness} where run_id = '${runId}';
             update iterations set best_fitness = ${fitness} where run_id = '${runId}';
             insert into runs (run_id, experiment_id, seed, status, start_time)
             values ('${running}', '${experimentId}', 1, 'RUNNING', '2026-11-21T10:00:00Z')`,
          );
          expect(await shown()).toBe(fitness);
          expect(await analysis()).not.toBe(before);
          await followed.waitForMore(events);
          expect(await post(address, `/api/runs/${running}/stop`, {})).toBeLessThan(300);
          requested.push(running);
        }
        followed.close();
        const after = new SqliteDatabase(file, { readonly: true });
        const stops = after.prepare('select target_id from control_requests').pluck().all();
        expect(stops).toEqual(expect.arrayContaining(requested));
        expect(after.pragma('integrity_check', { simple: true })).toBe('ok');
        after.close();
      },
    );
  }
});
