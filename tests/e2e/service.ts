import { AxeBuilder } from '@axe-core/playwright';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import {
  expect,
  test as base,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright/test';
import { writeSampleFile } from '#tests/support/sample-file.ts';

/** A service in a process of its own, over a database of its own. */
export interface RunningService {
  url: string;
  /** Path of the SQLite file, or the URL that the service was given. */
  databasePath: string;
  process: ChildProcess;
  stop(): Promise<void>;
}

const root = join(import.meta.dirname, '../..');

/**
 * Starts the built service on a free port, over a fresh copy of the real runner's sample (`sample`), a new
 * database (`empty`), the one at a URL, or none (`none`), and waits for its ready line. `parameters` are flags of the
 * service. Rejects when it ends before.
 */
export async function startService(
  content: 'sample' | 'empty' | 'none' | URL,
  parameters: string[] = [],
): Promise<RunningService> {
  const directory = await mkdtemp(join(tmpdir(), 'evoscope-e2e-'));
  const file = join(directory, content === 'sample' ? 'runner-sample.db' : 'empty.db');
  const databasePath = content instanceof URL ? content.href : file;
  if (content === 'sample') writeSampleFile(file);
  const named = content === 'none' ? [] : ['--db', databasePath];
  const flags = [...named, '--port', '0', ...parameters];
  const service = spawnNode(['dist/server/main.js', ...flags]);
  service.stderr?.pipe(createWriteStream(join(directory, 'service.log')));
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

async function readyUrl(service: ChildProcess): Promise<string> {
  if (!service.stdout) throw new Error('the service has no standard output');
  for await (const line of createInterface(service.stdout)) {
    const url = /ready at (http:\S+?)\/? /.exec(line)?.[1];
    if (url) return url;
  }
  throw new Error('the service ended before it was ready');
}

/** An address with the id of the sample's experiment of this name where it stands in braces. */
export async function withExperimentId(page: Page, address: string): Promise<string> {
  const name = /\{(.+)\}/.exec(address)?.[1];
  if (name === undefined) return address;
  const answer = await page.request.get(`/api/experiments?q=${encodeURIComponent(name)}`);
  const { items } = (await answer.json()) as { items: { experimentId: string }[] };
  return address.replace(`{${name}}`, items[0]?.experimentId ?? '');
}

/** Starts a program of the project with its own Node. */
export function spawnNode(parameters: string[]): ChildProcess {
  const node = join(root, 'node_modules/.bin/node');
  return spawn(node, parameters, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
}

/**
 * Changes a service's database and waits until the service has told everybody who listens, then until a
 * request of the page made after that is answered: a page that reacts at once has asked by then.
 */
export async function tellChange(
  page: Page,
  service: RunningService,
  change: () => void,
): Promise<void> {
  const stream = await fetch(`${service.url}/api/changes`);
  const events = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  await events?.read();
  change();
  await events?.read();
  await events?.cancel();
  await page.evaluate(() => fetch('/api/health').then((response) => response.text()));
}

/** The requests that the page sends from now on to paths that match. */
export function requestsTo(page: Page, path: RegExp): URL[] {
  const requests: URL[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (path.test(url.pathname)) requests.push(url);
  });
  return requests;
}

interface WorkerFixtures {
  /** A service over the real sample, to which tests must not write. */
  sample: RunningService;
  sharedContext: BrowserContext;
}

interface TestFixtures {
  /** A service over a copy of the sample that the test may change. */
  service: RunningService;
  /** The database of `service`, as a runner would open it. */
  database: DatabaseSync;
  /** Settings, such as a time zone, for which the test gets a context of its own. */
  ownContext: BrowserContextOptions | undefined;
}

/**
 * Playwright's test. The tests of a worker share a service and a browser context, whose cache then holds the
 * compiled scripts of the pages; cookies, storage and permissions are cleared after each test.
 */
export const test = base.extend<TestFixtures, WorkerFixtures>({
  sample: [
    async ({ browserName: _browser }, use) => {
      const service = await startService('sample');
      await use(service);
      await service.stop();
    },
    { scope: 'worker' },
  ],
  sharedContext: [
    async ({ browser, sample }, use) => {
      // Nothing moves, so that nothing is waited for or drawn twice.
      const context = await browser.newContext({ baseURL: sample.url, reducedMotion: 'reduce' });
      await use(context);
      await context.close();
    },
    { scope: 'worker' },
  ],
  ownContext: [undefined, { option: true }],
  context: async ({ browser, sample, sharedContext, ownContext }, use) => {
    if (ownContext === undefined) {
      await use(sharedContext);
      await clear(sharedContext);
    } else {
      const context = await browser.newContext({ baseURL: sample.url, ...ownContext });
      await use(context);
      await context.close();
    }
  },
  baseURL: async ({ sample }, use) => use(sample.url),
  service: async ({ browserName: _browser }, use) => {
    const service = await startService('sample');
    await use(service);
    await service.stop();
  },
  database: async ({ service }, use) => {
    const database = new DatabaseSync(service.databasePath);
    database.exec('PRAGMA busy_timeout = 10000');
    await use(database);
    database.close();
  },
});

async function clear(context: BrowserContext): Promise<void> {
  await Promise.all(context.pages().map((page) => page.close()));
  await context.unrouteAll();
  await context.clearPermissions();
  await context.setStorageState({ cookies: [], origins: [] });
}

/**
 * Fails when axe finds anything on the page as it stands: all its rules in the light theme, the contrast of
 * colours in the dark one. Left out are the pictures inside of charts, and the rows of a table after so many: all are
 * made alike.
 */
export async function expectAccessible(page: Page): Promise<void> {
  await showTheme(page, 'light');
  const findings = await findingsOf(axe(page));
  await showTheme(page, 'dark');
  findings.push(...(await findingsOf(axe(page).withRules('color-contrast'))));
  await showTheme(page, 'light');
  expect(findings).toEqual([]);
}

function axe(page: Page): AxeBuilder {
  // Without the legacy mode each analysis opens a page more, for frames of other sites.
  return new AxeBuilder({ page })
    .setLegacyMode()
    .exclude('.chart-canvas > *')
    .exclude('tbody > tr:nth-child(n + 9)');
}

async function findingsOf(builder: AxeBuilder): Promise<string[]> {
  const { violations } = await builder.analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

/** Has the system ask for a theme, and waits until the page shows it. */
async function showTheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
  await page.evaluate(() =>
    Promise.allSettled(document.getAnimations().map(({ finished }) => finished)),
  );
}

export { expect };
