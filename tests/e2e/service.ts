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

/** A service in a process of its own, over a database of its own. */
export interface RunningService {
  url: string;
  /** Path of the SQLite file, or the URL that the service was given. */
  databasePath: string;
  process: ChildProcess;
  stop(): Promise<void>;
}

const root = join(import.meta.dirname, '../..');

/** Ports of ended services, the last one at the end. */
const freedPorts: string[] = [];

/** Where the services of this worker were. */
const origins = new Set<string>();

/**
 * Starts the built service over a fresh copy of the real runner's sample (`sample`), a new
 * database (`empty`), the one at a URL, or none (`none`), and waits for its ready line. `parameters` are flags of the
 * service. Rejects when it ends before. Its port is one that a service of this worker has left, if there is one: what
 * browsers fetched from there is still in their caches.
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
  const start = async (port: string) => {
    const flags = [...named, '--port', port, ...parameters];
    const service = spawnNode(['dist/server/main.js', ...flags]);
    service.stderr?.pipe(createWriteStream(join(directory, 'service.log')));
    return { process: service, url: await readyUrl(service) };
  };
  const freed = freedPorts.pop();
  // Somebody else may have it by now.
  const service = await (freed === undefined ? start('0') : start(freed).catch(() => start('0')));
  origins.add(new URL(service.url).origin);
  const stop = async () => {
    if (service.process.exitCode === null && service.process.signalCode === null) {
      service.process.kill('SIGTERM');
      await once(service.process, 'exit');
      freedPorts.push(new URL(service.url).port);
    }
    await rm(directory, { recursive: true, force: true });
  };
  return { ...service, databasePath, stop };
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

/** Starts a program of the project with its own Node, which keeps what it made of the sources. */
export function spawnNode(parameters: string[]): ChildProcess {
  const node = join(root, 'node_modules/.bin/node');
  const env = { ...process.env, NODE_COMPILE_CACHE: join(root, '.cache/compiled') };
  return spawn(node, parameters, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
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
  sharedContext: SharedContext;
  /** Answers the service that `service` is, which it starts at first and when a test has ended it. */
  freshService: () => Promise<RunningService>;
}

interface SharedContext {
  context: BrowserContext;
  /** An idle page on the services' site: with it, the process that draws them outlives the pages of each test. */
  idlePage: Page;
  devtools: CDPSession;
}

interface TestFixtures {
  /** A service over a copy of the sample that the test may change; the next test finds the sample again. */
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

/** Makes a service's database the sample again, in one transaction, as another program would. */
async function restore({ databasePath }: RunningService, sample: RunningService): Promise<void> {
  const source = new DatabaseSync(sample.databasePath, { readOnly: true });
  await backup(source, databasePath, { rate: 1_000_000 });
  source.close();
  await rm(`${databasePath}.evoscope.json`, { force: true });
}

/** Closes a test's pages and removes what they stored. The cache stays, which `setStorageState` would clear. */
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

/** The dearest of axe's rules. */
const contrast = 'color-contrast';

/**
 * Fails when axe finds anything on the page as it stands: all its rules in the theme that is shown, the contrast of
 * colours in the other one, which stays. Left out are the pictures inside of charts, and the rows of a table after so
 * many: all are made alike. Over a page that was asked before, colours are those of `overlay` alone, a selector.
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
  await turnTheme(page);
  findings.push(...(await colours()));
  expect(findings).toEqual([]);
}

async function getFindings(page: Page, rules: axe.RunOptions, of = 'html'): Promise<string[]> {
  const violations = await page.evaluate(
    async ([include, options]) => {
      const { axe: loaded } = window as unknown as { axe: typeof axe };
      const exclude = [['.chart-canvas > *'], ['tbody > tr:nth-child(n + 9)']];
      return (await loaded.run({ include: [include], exclude }, options)).violations;
    },
    [of, { ...rules, resultTypes: ['violations'] } satisfies axe.RunOptions] as const,
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

/** Has the system ask for the other theme, and waits until the page shows it. */
async function turnTheme(page: Page): Promise<void> {
  const shown = await page.locator('html').getAttribute('data-theme');
  const colorScheme = shown === 'dark' ? 'light' : 'dark';
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
  await page.evaluate(() =>
    Promise.allSettled(document.getAnimations().map(({ finished }) => finished)),
  );
}

export { expect };
