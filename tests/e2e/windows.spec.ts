import { DatabaseSync } from 'node:sqlite';
import type { BrowserContext, CDPSession, Page } from 'playwright/test';
import { maximumStreams } from '#server/http/changes.ts';
import { expect, startService, test, type RunningService } from './service.ts';

const liveDot = (page: Page, name: string | RegExp = 'Live') =>
  page.getByRole('button', { name, exact: true });
const limitText = `${maximumStreams} clients are already following the changes, which is the limit. Close one of them, or poll instead.`;
const firstRow = (page: Page) => page.locator('tbody tr[aria-rowindex]').first();

function addRun(service: RunningService, runId: string): void {
  const database = new DatabaseSync(service.databasePath, { timeout: 10_000 });
  database.exec(`
    PRAGMA busy_timeout = 10000;
    CREATE TEMP TABLE copied AS SELECT * FROM runs WHERE run_id = 'ckpt-umda';
    UPDATE copied SET run_id = '${runId}', start_time = '2026-11-21T23:00:00Z', status = 'RUNNING';
    DELETE FROM runs WHERE start_time = '2026-11-21T23:00:00Z';
    INSERT INTO runs SELECT * FROM copied;
  `);
  database.close();
}

/** Opens event streams of the service, and returns a function that closes them. */
async function openStreams(service: RunningService, count: number): Promise<() => void> {
  // References are stored, because a response without references closes its stream.
  const responses: Response[] = [];
  for (let index = 0; index < count; index += 1) {
    const response = await fetch(`${service.url}/api/changes`);
    expect(response.status).toBe(200);
    responses.push(response);
  }
  return () => responses.forEach((response) => void response.body?.cancel());
}

/** Returns the status of the response to another stream, and closes the stream at once. */
async function getStreamStatus(service: RunningService): Promise<number> {
  const closing = new AbortController();
  const { status } = await fetch(`${service.url}/api/changes`, { signal: closing.signal });
  closing.abort();
  return status;
}

async function openWindows(context: BrowserContext, service: RunningService, count: number) {
  const pages: Page[] = [];
  for (let index = 0; index < count; index += 1) {
    const page = await context.newPage();
    await page.goto(service.url);
    pages.push(page);
  }
  for (const page of pages) await expect(liveDot(page)).toBeVisible();
  return pages;
}

/** Kills the process of the shared worker, as a crash or the system would. */
async function killWorker(devtools: CDPSession): Promise<void> {
  const { targetInfos } = await devtools.send('Target.getTargets');
  const workers = targetInfos.filter(({ type }) => type === 'shared_worker');
  expect(workers).toHaveLength(1);
  for (const { targetId } of workers) await devtools.send('Target.closeTarget', { targetId });
}

test.describe('eight visible windows of a browser profile', () => {
  test.use({ ownContext: { reducedMotion: 'reduce' } });

  test('share one event stream, show changes of the database, and can send other requests', async ({
    context,
    browser,
  }) => {
    test.slow();
    const service = await startService('sample');
    // With these streams, the service accepts only one more.
    const closeStreams = await openStreams(service, maximumStreams - 1);
    const pages = await openWindows(context, service, 8);
    addRun(service, 'brand-new');
    for (const page of pages) await expect(firstRow(page)).toContainText('brand-new');
    const statuses = await Promise.all(
      pages.map((page) => page.evaluate(async () => (await fetch('/api/runs?size=1')).status)),
    );
    expect(statuses).toEqual(pages.map(() => 200));

    const refused = await fetch(`${service.url}/api/changes`);
    const { detail } = (await refused.json()) as { detail: string };
    expect(detail).toBe(limitText);

    // The other windows do not need the window that opened the stream.
    await pages.shift()?.close();
    addRun(service, 'after-close');
    for (const page of pages) await expect(firstRow(page)).toContainText('after-close');

    await killWorker(await browser.newBrowserCDPSession());
    await expect.poll(() => getStreamStatus(service)).toBe(200);
    addRun(service, 'after-kill');
    for (const page of pages) await expect(firstRow(page)).toContainText('after-kill');
    await expect.poll(() => getStreamStatus(service)).toBe(429);
    closeStreams();
    await service.stop();
  });

  test('connect again to a service that is restarted on the same port', async ({ context }) => {
    const service = await startService('sample');
    const pages = await openWindows(context, service, 3);
    await service.stop();
    for (const page of pages) await expect(liveDot(page, /^Offline since/)).toBeVisible();
    const next = await startService('sample', ['--port', new URL(service.url).port]);
    for (const page of pages) await expect(liveDot(page)).toBeVisible();
    addRun(next, 'after-restart');
    for (const page of pages) await expect(firstRow(page)).toContainText('after-restart');
    await next.stop();
  });
});

test.describe('a browser', () => {
  test.use({ ownContext: {} });

  for (const [what, script] of [
    ['without shared workers', 'delete globalThis.SharedWorker'],
    [
      'whose shared worker does not start',
      `globalThis.SharedWorker = class extends SharedWorker {
         constructor() { super('/assets/no-such-worker.js'); }
       }`,
    ],
  ] as const) {
    test(`${what} opens a stream for each window`, async ({ context, service }) => {
      await context.addInitScript(script);
      const [page] = await openWindows(context, service, 1);
      addRun(service, 'own-stream');
      await expect(firstRow(page!)).toContainText('own-stream');
    });
  }
});

test('a page whose stream the service refuses shows why, polls every 5 s, and is live when a stream is available', async ({
  page,
}) => {
  const service = await startService('sample');
  const closeStreams = await openStreams(service, maximumStreams);
  await page.goto(service.url);
  const dot = liveDot(page, 'Polling every 5 s');
  await expect(dot).toHaveAttribute(
    'title',
    `${limitText} This page updates every 5 s. Click to pause.`,
  );
  addRun(service, 'by-polling');
  await expect(firstRow(page)).toContainText('by-polling');
  closeStreams();
  await expect(liveDot(page)).toBeVisible();
  await service.stop();
});
