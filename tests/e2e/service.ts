import type axe from 'axe-core';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { backup, DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import {
  expect,
  test as base,
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  type Page,
} from 'playwright/test';
import { writeSampleFile } from '#tests/support/sample-file.ts';

/** A service in a separate process with a separate database. */
export interface RunningService {
  url: string;
  /** Path of the SQLite file, or the URL with which the service was started. */
  databasePath: string;
  process: ChildProcess;
  stop(): Promise<void>;
}

const root = join(import.meta.dirname, '../..');

/** Ports of stopped services, the most recent one last. */
const freePorts: string[] = [];

/** Origins of all services that this worker has started. */
const origins = new Set<string>();

/**
 * Starts the built service and waits for its ready line. `content` is its database: a fresh copy of the real runner's
 * sample (`sample`), a new database (`empty`), the database at a URL, or no database (`none`). `parameters` are flags
 * of the service. Rejects if the service ends before it is ready. Uses the port of a stopped service of this worker if
 * there is one, because browsers have the files of that origin in their caches.
 */
export async function startService(
  content: 'sample' | 'empty' | 'none' | URL,
  parameters: string[] = [],
): Promise<RunningService> {
  const directory = await mkdtemp(join(tmpdir(), 'evoscope-e2e-'));
  const file = join(directory, content === 'sample' ? 'runner-sample.db' : 'empty.db');
  const databasePath = content instanceof URL ? content.href : file;
  if (content === 'sample') writeSampleFile(file);
  const databaseFlags = content === 'none' ? [] : ['--db', databasePath];
  const start = async (port: string) => {
    const flags = [...databaseFlags, '--port', port, ...parameters];
    const service = spawnNode(['dist/server/main.js', ...flags]);
    service.stderr?.pipe(createWriteStream(join(directory, 'service.log')));
    return { process: service, url: await waitForReadyUrl(service) };
  };
  const usedPort = freePorts.pop();
  // Another program can have taken the port.
  const service = await (usedPort === undefined
    ? start('0')
    : start(usedPort).catch(() => start('0')));
  origins.add(new URL(service.url).origin);
  const stop = async () => {
    if (service.process.exitCode === null && service.process.signalCode === null) {
      service.process.kill('SIGTERM');
      await once(service.process, 'exit');
      freePorts.push(new URL(service.url).port);
    }
    await rm(directory, { recursive: true, force: true });
  };
  return { ...service, databasePath, stop };
}

async function waitForReadyUrl(service: ChildProcess): Promise<string> {
  if (!service.stdout) throw new Error('the service has no standard output');
  for await (const line of createInterface(service.stdout)) {
    const url = /ready at (http:\S+?)\/? /.exec(line)?.[1];
    if (url) return url;
  }
  throw new Error('the service ended before it was ready');
}

/**
 * Replaces the name of an experiment in braces, such as `{OneMax 40, PBIL}`, by the id of this experiment of the
 * sample. Returns an address without braces unchanged.
 */
export async function withExperimentId(page: Page, address: string): Promise<string> {
  const name = /\{(.+)\}/.exec(address)?.[1];
  if (name === undefined) return address;
  const response = await page.request.get(`/api/experiments?q=${encodeURIComponent(name)}`);
  const { items } = (await response.json()) as { items: { experimentId: string }[] };
  return address.replace(`{${name}}`, items[0]?.experimentId ?? '');
}

/** Starts a program of the project with the Node of the project, which caches the compiled sources. */
export function spawnNode(parameters: string[]): ChildProcess {
  const node = join(root, 'node_modules/.bin/node');
  const env = { ...process.env, NODE_COMPILE_CACHE: join(root, '.cache/compiled') };
  return spawn(node, parameters, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
}

/**
 * Changes the database of a service. Waits until the service has sent the event to all listeners, and then for the
 * response to a new request of the page. A page that reacts at once has sent its requests by then.
 */
export async function changeDatabase(
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

/** Returns the requests that the page sends from now on to matching paths. The array grows with each request. */
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
  sharedContext: SharedContext;
  /** Returns the service of `service`. Starts it for the first test, and again after a test has ended it. */
  freshService: () => Promise<RunningService>;
}

interface SharedContext {
  context: BrowserContext;
  /** An idle page on the origin of the services. It keeps the renderer process alive between the pages of the tests. */
  idlePage: Page;
  devtools: CDPSession;
}

interface TestFixtures {
  /** A service with a copy of the sample that the test may change. The next test gets the original sample again. */
  service: RunningService;
  /** The database of `service`, as a runner would open it. */
  database: DatabaseSync;
  /** Settings, such as a time zone, for which the test gets a separate context. */
  ownContext: BrowserContextOptions | undefined;
}

/**
 * Playwright's test. The tests of a worker share a service and a browser context, whose cache contains the
 * compiled scripts of the pages. Cookies, storage and permissions are cleared after each test.
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
      // Without animations, tests do not wait for them and pages draw nothing twice.
      const context = await browser.newContext({ baseURL: sample.url, reducedMotion: 'reduce' });
      const idlePage = await context.newPage();
      await idlePage.goto('/api/health');
      await use({ context, idlePage, devtools: await context.newCDPSession(idlePage) });
      await context.close();
    },
    { scope: 'worker' },
  ],
  ownContext: [undefined, { option: true }],
  context: async ({ browser, sample, sharedContext, ownContext }, use) => {
    if (ownContext === undefined) {
      await use(sharedContext.context);
      await clear(sharedContext);
    } else {
      const context = await browser.newContext({ baseURL: sample.url, ...ownContext });
      await use(context);
      await context.close();
    }
  },
  baseURL: async ({ sample }, use) => use(sample.url),
  freshService: [
    async ({ sample }, use) => {
      let service: RunningService | undefined;
      await use(async () => {
        if (service?.process.killed === false) {
          await restore(service, sample);
        } else {
          await service?.stop();
          service = await startService('sample');
        }
        return service;
      });
      await service?.stop();
    },
    { scope: 'worker' },
  ],
  service: async ({ freshService }, use) => use(await freshService()),
  database: async ({ service }, use) => {
    const database = new DatabaseSync(service.databasePath, { timeout: 10_000 });
    database.exec('PRAGMA busy_timeout = 10000');
    await use(database);
    database.close();
  },
});

/**
 * Declares tests that only `npm run test:e2e` runs. They repeat a check on another page of the same kind; the gate
 * reports them as skipped.
 */
export function inCompleteMode(declareTests: () => void): void {
  test.describe(() => {
    const isComplete = process.env['npm_lifecycle_event'] === 'test:e2e';
    test.skip(!isComplete, 'needs npm run test:e2e');
    declareTests();
  });
}

/** Restores the sample in the database of a service, in one transaction, as another program would. */
async function restore({ databasePath }: RunningService, sample: RunningService): Promise<void> {
  const source = new DatabaseSync(sample.databasePath, { readOnly: true });
  await backup(source, databasePath, { rate: 1_000_000 });
  source.close();
  await rm(`${databasePath}.evoscope.json`, { force: true });
}

/** Closes the pages of a test and deletes their storage, but not the cache, which `setStorageState` would clear. */
async function clear({ context, idlePage, devtools }: SharedContext): Promise<void> {
  const pages = context.pages().filter((page) => page !== idlePage);
  await Promise.all(pages.map((page) => page.close()));
  await context.unrouteAll();
  await context.clearPermissions();
  await context.clearCookies();
  for (const origin of origins) {
    await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  }
}

const axeScript = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** The slowest rule of axe. */
const contrast = 'color-contrast';

/**
 * Expects that axe finds nothing on the page as it is: with all its rules in the current theme, and with the rule for
 * contrast in the other theme, which the page keeps afterwards. Excludes the drawings in charts, and all but the first
 * rows of a table, because they are alike. `overlay` is the selector of an overlay on a page that was checked before:
 * then the contrast is checked only in the overlay.
 */
export async function expectAccessible(page: Page, overlay?: string): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeScript);
  const colours = () => getFindings(page, { runOnly: contrast }, overlay);
  const findings =
    overlay === undefined
      ? await getFindings(page, {})
      : [
          ...(await getFindings(page, { rules: { [contrast]: { enabled: false } } })),
          ...(await colours()),
        ];
  await switchTheme(page);
  findings.push(...(await colours()));
  expect(findings).toEqual([]);
}

async function getFindings(page: Page, rules: axe.RunOptions, scope = 'html'): Promise<string[]> {
  const violations = await page.evaluate(
    async ([include, options]) => {
      const { axe: loaded } = window as unknown as { axe: typeof axe };
      const exclude = [['.chart-canvas > *'], ['tbody > tr:nth-child(n + 9)']];
      return (await loaded.run({ include: [include], exclude }, options)).violations;
    },
    [scope, { ...rules, resultTypes: ['violations'] } satisfies axe.RunOptions] as const,
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

/** Emulates a system with the other theme, and waits until the page shows the theme. */
async function switchTheme(page: Page): Promise<void> {
  const currentTheme = await page.locator('html').getAttribute('data-theme');
  const colorScheme = currentTheme === 'dark' ? 'light' : 'dark';
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
  await page.evaluate(() =>
    Promise.allSettled(document.getAnimations().map(({ finished }) => finished)),
  );
}

export { expect };
