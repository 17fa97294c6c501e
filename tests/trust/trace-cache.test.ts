import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeOnEachDatabase, makeSqliteLocation } from '#tests/support/databases.ts';
import { whySkipped } from '#tests/support/long.ts';
import { insertExperiment, insertIterations, insertRun } from '#tests/support/rows.ts';
import { startRunningService, type RunningService } from '#tests/support/running-service.ts';
import { spawnService } from '#tests/support/service-process.ts';

/** Starts three services. */
const slowly = { timeout: 120_000 };

let parent: string;
let folder: string;
const services: RunningService[] = [];

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'evoscope-cache-'));
  folder = join(parent, 'traces');
});

afterEach(async () => {
  for (const service of services.splice(0)) await stop(service);
  rmSync(parent, { recursive: true, force: true });
});

async function start(url: string, cacheFolder = folder): Promise<RunningService> {
  const environment = { SVC_DB_URL: url, SVC_CACHE_DIR: cacheFolder, SVC_CACHE_SIZE: '8' };
  const service = await startRunningService(environment);
  services.push(service);
  return service;
}

async function stop({ process }: RunningService): Promise<void> {
  process.child.kill('SIGTERM');
  await process.exitCode;
}

function listFiles(): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => lstatSync(path).isFile());
}

describeOnEachDatabase('The cache of traces of a service', (database, engine) => {
  const why = engine === 'postgres' ? whySkipped : '';
  test.skipIf(why)(
    `is private, and serves a restarted service and a second one with the same responses${why}`,
    slowly,
    async () => {
      await insertExperiment(database(), 'e');
      for (const runId of ['r1', 'r2', 'r3']) {
        await insertRun(database(), 'e', runId, { status: 'COMPLETED' });
        await insertIterations(database(), runId, 500);
      }
      const path = '/api/experiments/e/analysis?direction=max&target=300';
      const first = await start(database().url);
      const response = await first.get(path);
      expect(lstatSync(folder).mode & 0o777).toBe(0o700);
      const files = listFiles();
      expect(files).toHaveLength(3);
      for (const file of files) expect(lstatSync(file).mode & 0o777).toBe(0o600);
      await stop(first);
      const yesterday = new Date(Date.now() - 86_400_000);
      for (const file of files) utimesSync(file, yesterday, yesterday);
      const [second, third] = await Promise.all([start(database().url), start(database().url)]);
      expect(await Promise.all([second.get(path), third.get(path)])).toEqual([response, response]);
      expect(listFiles().toSorted()).toEqual(files.toSorted());
      for (const file of files) expect(lstatSync(file).mtime > yesterday).toBe(true);
    },
  );
});

describe('The cache folder of a service', () => {
  test('is refused at the start if others can access it, and nothing is changed', async () => {
    const location = await makeSqliteLocation();
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    const service = spawnService(['--port', '0', '--db', location.file, '--cache-dir', folder]);
    expect(await service.exitCode).toBe(1);
    expect(service.output().stderr).toContain(
      `The cache folder ${folder} is accessible to others (mode 755). Set --cache-dir to a folder that only you can access\n`,
    );
    expect(readdirSync(location.folder)).toEqual([]);
    expect(lstatSync(folder).mode & 0o777).toBe(0o755);
    await location.remove();
  });

  test('that cannot be created turns the cache off with one line in the log', async () => {
    const location = await makeSqliteLocation();
    writeFileSync(join(parent, 'file'), '');
    const service = await start(location.url, join(parent, 'file', 'traces'));
    await service.get('/api/analysis/problems');
    await stop(service);
    const { stdout, stderr } = service.process.output();
    const lines = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('cache folder'));
    expect(lines).toEqual([expect.stringContaining('The service cannot use the cache folder ')]);
    await location.remove();
  });
});
