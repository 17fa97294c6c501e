import SqliteDatabase from 'better-sqlite3';
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { bundleService } from '#build/bundle.ts';
import type { runSmallAnalyses } from '#server/runtime/warm-up.ts';
import { findArchive } from '#tests/support/import-data.ts';
import { importThrough } from '#tests/support/imports.ts';
import { resolveProgramFile } from '#tests/support/programs.ts';
import { parseAddress, spawnService } from '#tests/support/service-process.ts';

const modules = join(import.meta.dirname, '../../node_modules');
let directory = '';
let output = '';

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'evoscope-bundle-'));
  output = join(directory, 'dist', 'server');
  symlinkSync(modules, join(directory, 'node_modules'));
  // The build clears the previous bundle.
  cpSync(dirname(resolveProgramFile('main')), output, { recursive: true });
  writeFileSync(join(output, 'left-over.js'), '');
  await bundleService(output);
}, 60_000);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('the bundle contains the service, the programs of its threads, the sample runner with its campaign, and the importer', () => {
  const programs = readdirSync(output).filter((name) => !/-[0-9A-Z]{8}\.js$/.test(name));
  expect(programs.sort()).toEqual([
    'NOTICES.txt',
    'import-worker.js',
    'importer.js',
    'index-worker.js',
    'main.js',
    'mcp.js',
    'prepare-worker.js',
    'sample',
    'sample-runner.js',
    'verifier.js',
    'worker.js',
  ]);
});

test.each(['worker', 'import-worker', 'prepare-worker', 'index-worker'])(
  'the program of the thread %s loads less than 1 MB of script, including shared files',
  (name) => {
    expect(countLoadedBytes(`${name}.js`)).toBeGreaterThan(10_000);
    expect(countLoadedBytes(`${name}.js`)).toBeLessThan(1_000_000);
  },
);

test('no script imports the module http in the way that also loads the HTTP client of Node', () => {
  const scripts = readdirSync(output).filter((name) => name.endsWith('.js'));
  const importsHttp = (name: string) =>
    /\bfrom ?"(node:)?https?"/.test(readFileSync(join(output, name), 'utf8'));
  expect(scripts.filter(importsHttp)).toEqual([]);
});

/** Returns the bytes of a script and of all its static imports, each counted once. */
function countLoadedBytes(name: string, seen = new Set<string>()): number {
  if (seen.has(name)) return 0;
  seen.add(name);
  const text = readFileSync(join(output, name), 'utf8');
  const imports = text.matchAll(/(?:^|[;}\n])import(?:[\w$\s{},*]+from)?"\.\/([^"]+)"/g);
  return [...imports].reduce(
    (sum, [, other = '']) => sum + countLoadedBytes(other, seen),
    Buffer.byteLength(text),
  );
}

test('without its sources, the bundle fills a database, and its threads respond', async () => {
  const file = join(directory, 'sample.db');
  const sample = ['--only', 'onemax40-umda', '--seeds', '2', '--iterations', '3', '--db', file];
  execFileSync(process.execPath, [join(output, 'sample-runner.js'), ...sample]);
  const service = spawnService(['--db', file, '--port', '0'], {
    entry: join(output, 'main.js'),
    cwd: tmpdir(),
  });
  onTestFinished(() => void service.child.kill('SIGKILL'));
  const address = parseAddress(await service.readyLine);
  const response = await fetch(`${address}/api/analysis/problem/onemax`);
  expect(await response.json()).toMatchObject({ algorithms: [{ algorithm: 'umda' }] });
  const source = { path: findArchive('coco-bfgs-2019-mini')! };
  expect(await importThrough({ url: address }, source)).toMatchObject({ status: 'done' });
  const database = new SqliteDatabase(file, { readonly: true });
  const names = database.prepare(`select name from sqlite_master where type = 'index'`).pluck();
  await vi.waitFor(() => expect(names.all()).toContain('idx_evoscope_runs_extremes'), {
    timeout: 30_000,
  });
  database.close();
  service.child.kill('SIGTERM');
  expect(await service.exitCode).toBe(0);
}, 60_000);

test.skipIf(process.platform !== 'linux')(
  'a service of the bundle starts the threads of analyses before the first request for one',
  async () => {
    const file = join(directory, 'prepared.db');
    const sample = ['--only', 'onemax40-umda', '--seeds', '1', '--iterations', '3', '--db', file];
    execFileSync(process.execPath, [join(output, 'sample-runner.js'), ...sample]);
    // A service that only reads has no thread that builds indexes.
    const flags = ['--db', `jdbc:sqlite:${file}?mode=ro`, '--port', '0'];
    const service = spawnService(flags, { entry: join(output, 'main.js'), cwd: tmpdir() });
    onTestFinished(() => void service.child.kill('SIGKILL'));
    const address = parseAddress(await service.readyLine);
    const tasks = `/proc/${service.child.pid}/task`;
    const countThreads = () =>
      readdirSync(tasks)
        .map((id) => readFileSync(`${tasks}/${id}/comm`, 'utf8'))
        .filter((name) => name === 'WorkerThread\n').length;
    const threadCount = countThreads();
    expect(threadCount).toBeGreaterThan(0);
    expect((await fetch(`${address}/api/analysis/problem/onemax`)).status).toBe(200);
    expect(countThreads()).toBe(threadCount);
  },
  60_000,
);

test('the bundle contains the analyses that warm up a thread', async () => {
  const name = readdirSync(output).find((file) => file.startsWith('warm-up-')) ?? '';
  const warmUp = (await import(join(output, name))) as {
    runSmallAnalyses: typeof runSmallAnalyses;
  };
  await expect(warmUp.runSmallAnalyses({ version: '1' }, () => false)).resolves.toBeUndefined();
});

test('without its sources, the bundle writes the sample campaign, and does not change it a second time', () => {
  const options = [join(output, 'sample-runner.js'), '--coco', '--db', join(directory, 'coco.db')];
  for (let time = 0; time < 2; time += 1) {
    const printedText = execFileSync(process.execPath, options).toString();
    expect(printedText).toBe('bbob-sample: 5 optimizers on bbob, 735 runs\n');
  }
  const database = new SqliteDatabase(join(directory, 'coco.db'), { readonly: true });
  expect(database.prepare('select count(*) from coco_trials').pluck().get()).toBe(735);
  database.close();
});

test('without its sources, the bundle imports an archive', () => {
  const archive = findArchive('coco-bfgs-2019-mini')!;
  const options = [join(output, 'importer.js'), archive, '--db', join(directory, 'imported.db')];
  const result = execFileSync(process.execPath, options, { stdio: ['ignore', 'pipe', 'ignore'] });
  expect(JSON.parse(result.toString())).toMatchObject({ campaigns: [{ suite: 'bbob', runs: 15 }] });
});
