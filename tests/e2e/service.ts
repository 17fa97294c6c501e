import { AxeBuilder } from '@axe-core/playwright';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { gunzipSync } from 'node:zlib';
import { expect, test as base, type Page } from 'playwright/test';

/** A service in a process of its own, over a database of its own. */
export interface RunningService {
  url: string;
  /** Path of the SQLite file, or the URL that the service was given. */
  databasePath: string;
  process: ChildProcess;
  stop(): Promise<void>;
}

const nodeBinary = join(import.meta.dirname, '../../node_modules/.bin/node');
const root = join(import.meta.dirname, '../..');

/**
 * Starts the real service on a free port, over a fresh copy of the real runner's sample (`sample`), a new
 * database (`empty`) or the one at a URL, and waits for its ready line. `parameters` are flags of the service.
 * Rejects when it ends before.
 */
export async function startService(
  content: 'sample' | 'empty' | URL,
  parameters: string[] = [],
): Promise<RunningService> {
  const directory = await mkdtemp(join(tmpdir(), 'evoscope-e2e-'));
  const file = join(directory, content === 'sample' ? 'runner-sample.db' : 'empty.db');
  const databasePath = content instanceof URL ? content.href : file;
  if (content === 'sample') await unpackSample(file);
  const service = spawn(
    nodeBinary,
    ['server/main.ts', '--db', databasePath, '--port', '0', ...parameters],
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  service.stderr.pipe(createWriteStream(join(directory, 'service.log')));
  const url = await readyUrl(service);
  const stop = async () => {
    if (service.exitCode === null && service.signalCode === null) {
      service.kill('SIGTERM');
      await once(service, 'exit');
    }
    await rm(directory, { recursive: true, force: true });
  };
  return { url, databasePath, process: service, stop };
}

async function unpackSample(path: string): Promise<void> {
  const packed = await readFile(join(root, 'tests/fixtures/runner-sample.db.gz'));
  await writeFile(path, gunzipSync(packed));
}

async function readyUrl(service: ChildProcess): Promise<string> {
  if (!service.stdout) throw new Error('the service has no standard output');
  for await (const line of createInterface(service.stdout)) {
    const url = /ready at (http:\S+?)\/? /.exec(line)?.[1];
    if (url) return url;
  }
  throw new Error('the service ended before it was ready');
}

/** Runs a command of the project to its end, with the project's Node. */
export function spawnNode(parameters: string[]): ChildProcess {
  return spawn(nodeBinary, parameters, { cwd: root, stdio: 'pipe' });
}

/** Playwright's test, with one service per worker over the real sample, which tests must not write to. */
export const test = base.extend<object, { sample: RunningService }>({
  sample: [
    async ({ browserName: _browser }, use) => {
      const service = await startService('sample');
      await use(service);
      await service.stop();
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ sample }, use) => use(sample.url),
});

/** Sets the theme that the system asks for, and fails when axe finds anything on the page. */
export async function expectAccessible(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
  await page.waitForTimeout(100);
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`),
  ).toEqual([]);
}

export { expect };
