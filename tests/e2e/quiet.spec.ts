import type { BrowserContext, Page } from 'playwright/test';
import { expect, requestsTo, changeDatabase, test, withExperimentId } from './service.ts';

// All pages of a context share one clock permanently.
test.use({ ownContext: {} });

const runningRuns = ['long-rastrigin-r02', 'ckpt-umda'];

/** Pages with several queries that follow changes, some with a minimum interval. `npm run soak` opens more kinds of pages. */
const addresses = [
  '/',
  '/runs/ckpt-umda?tab=insights',
  '/experiments/{OneMax 40, PBIL}',
  '/problems/onemax',
  '/coco/bbob-small',
];

const roundMillis = 5_000;
const roundsOfQuiet = 60_000 / roundMillis;
/**
 * Rounds in which pages fetch a change: two of the longest minimum intervals, and one more for each fetch that is
 * pending at the change.
 */
const maximumRounds = 4;

/** A window in which {@link countPendingSubscriptions} runs. */
type CountingWindow = Window & { pendingSubscriptions?: number };

/** Counts the subscriptions of a window to which the shared worker has not responded yet. */
function countPendingSubscriptions(): void {
  const counting: CountingWindow = window;
  window.SharedWorker = class extends SharedWorker {
    constructor(script: string | URL, options?: string | WorkerOptions) {
      super(script, options);
      const { port } = this;
      const send = port.postMessage.bind(port) as (message: unknown) => void;
      port.postMessage = (message: unknown) => {
        counting.pendingSubscriptions =
          message === 'subscribe' ? (counting.pendingSubscriptions ?? 0) + 1 : 0;
        send(message);
      };
      port.addEventListener('message', () => (counting.pendingSubscriptions = 0));
    }
  };
}

/**
 * Returns the requests of all pages of a context, and a function that waits for all responses, also those of the shared
 * worker. The worker has the real clock: pages abandon it if it does not respond for 10 s on the clock of the test.
 */
async function watchRequests(context: BrowserContext) {
  const sentRequests: string[] = [];
  let pending = 0;
  await context.addInitScript(countPendingSubscriptions);
  context.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (!pathname.startsWith('/api/') || pathname === '/api/health') return;
    sentRequests.push(pathname + search);
    pending += 1;
    void request.response().finally(() => (pending -= 1));
  });
  const waitUntilSettled = async () => {
    const countAll = async () => {
      const counts = context
        .pages()
        .map((page) => page.evaluate(() => (window as CountingWindow).pendingSubscriptions ?? 0));
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, pending);
    };
    await expect.poll(countAll, { intervals: [10, 20] }).toBe(0);
  };
  return { sentRequests, waitUntilSettled };
}

async function passTime(
  context: BrowserContext,
  waitUntilSettled: () => Promise<void>,
): Promise<void> {
  await context.clock.runFor(roundMillis);
  await waitUntilSettled();
}

test('pages send no requests in the minute after the responses to the last change, although runs are RUNNING', async ({
  page,
  context,
  service,
  database,
}) => {
  test.slow();
  const ids = runningRuns.map((id) => `'${id}'`).join(', ');
  database.exec(`
    UPDATE runs SET status = 'RUNNING', end_time = NULL WHERE run_id IN (${ids})
      OR run_id IN (SELECT run_id FROM runs JOIN experiments USING (experiment_id)
                    WHERE problem_type = 'onemax' LIMIT 2);
    UPDATE iterations SET created_at = strftime('%Y-%m-%dT%H:%M:%SZ', 'now') WHERE run_id IN (${ids});
    UPDATE coco_campaigns SET status = 'RUNNING', finished_at = NULL;
  `);
  await context.clock.install();
  const { sentRequests, waitUntilSettled } = await watchRequests(context);
  await page.goto(service.url);
  const pages: Page[] = [page];
  for (const address of addresses.slice(1)) {
    const other = await context.newPage();
    const path = await withExperimentId(other, address);
    await other.goto(service.url + path);
    pages.push(other);
  }
  for (const each of pages)
    await expect(each.locator('main .skeleton')).toHaveCount(0, { timeout: 120_000 });
  await passTime(context, waitUntilSettled);
  sentRequests.splice(0);
  await changeDatabase(page, service, () =>
    database.exec(`UPDATE runs SET evaluations = 12345 WHERE run_id = 'ckpt-umda'`),
  );
  for (let round = 0; round < maximumRounds; round += 1) await passTime(context, waitUntilSettled);
  expect(sentRequests).not.toEqual([]);
  sentRequests.splice(0);
  for (let round = 0; round < roundsOfQuiet; round += 1) await passTime(context, waitUntilSettled);
  expect(sentRequests).toEqual([]);
  // The run is silent only because time has passed, which the page detects without a request.
  await expect(
    pages[1]!.getByText('The runner may have crashed', { exact: false }).first(),
  ).toBeVisible();
});

test('a page that becomes visible again sends no requests without a change, and each request once after a change', async ({
  page,
  context,
  service,
  database,
}) => {
  await context.clock.install();
  await page.goto(service.url);
  await expect(page.getByRole('button', { name: 'Live', exact: true })).toBeVisible();
  await expect(page.locator('main .skeleton')).toHaveCount(0);
  const { waitUntilSettled } = await watchRequests(context);
  await passTime(context, waitUntilSettled);
  const requests = requestsTo(page, /^\/api\/(?!health)/);
  const show = (visibility: 'hidden' | 'visible') =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'visibilityState', { value, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, visibility);
  const live = page.getByRole('button', { name: 'Live', exact: true });
  await show('hidden');
  await passTime(context, waitUntilSettled);
  await show('visible');
  await expect(live).toBeVisible();
  await passTime(context, waitUntilSettled);
  expect(requests).toEqual([]);
  await show('hidden');
  const statement = `UPDATE runs SET status = 'FAILED' WHERE run_id = 'ckpt-umda'`;
  await changeDatabase(page, service, () => database.exec(statement));
  await passTime(context, waitUntilSettled);
  expect(requests).toEqual([]);
  await show('visible');
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'ckpt-umda' }) });
  await expect(row).toContainText('FAILED');
  for (let round = 0; round < maximumRounds; round += 1) await passTime(context, waitUntilSettled);
  const paths = requests.map(({ pathname }) => pathname).sort();
  expect(paths).toEqual(['/api/dashboard/summary', '/api/facets', '/api/runs']);
});
