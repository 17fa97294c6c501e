import type { BrowserContext, Page } from 'playwright/test';
import { expect, requestsTo, tellChange, test, withExperimentId } from './service.ts';

// All pages of a context have the same clock, permanently.
test.use({ ownContext: {} });

const runningRuns = ['long-rastrigin-r02', 'ckpt-umda'];

/** Pages with several queries that changes concern, some with a minimum interval; `npm run soak` opens more kinds. */
const addresses = [
  '/',
  '/runs/ckpt-umda?tab=insights',
  '/experiments/{OneMax 40, PBIL}',
  '/problems/onemax',
  '/coco/bbob-small',
];

const roundMillis = 5_000;
const roundsOfQuiet = 60_000 / roundMillis;
/** Two of the longest minimum intervals, and one for each fetch that a change met under way. */
const mostRounds = 4;

/** A window in which {@link countUnanswered} runs. */
type CountingWindow = Window & { unanswered?: number };

/** Counts the subscriptions of a window to the shared worker that it has not answered yet. */
function countUnanswered(): void {
  const counting: CountingWindow = window;
  window.SharedWorker = class extends SharedWorker {
    constructor(script: string | URL, options?: string | WorkerOptions) {
      super(script, options);
      const { port } = this;
      const send = port.postMessage.bind(port) as (message: unknown) => void;
      port.postMessage = (message: unknown) => {
        counting.unanswered = message === 'subscribe' ? (counting.unanswered ?? 0) + 1 : 0;
        send(message);
      };
      port.addEventListener('message', () => (counting.unanswered = 0));
    }
  };
}

/**
 * Returns the requests of all pages of a context, and a function that waits for the responses to all of them, and for
 * the answers of the shared worker: its time is real, and pages leave it if it does not answer for 10 s of theirs.
 */
async function watchRequests(context: BrowserContext) {
  const sent: string[] = [];
  let pending = 0;
  await context.addInitScript(countUnanswered);
  context.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (!pathname.startsWith('/api/') || pathname === '/api/health') return;
    sent.push(pathname + search);
    pending += 1;
    void request.response().finally(() => (pending -= 1));
  });
  const isSettled = async () => {
    const countAll = async () => {
      const counts = context
        .pages()
        .map((page) => page.evaluate(() => (window as CountingWindow).unanswered ?? 0));
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, pending);
    };
    await expect.poll(countAll, { intervals: [10, 20] }).toBe(0);
  };
  return { sent, isSettled };
}

async function passTime(context: BrowserContext, isSettled: () => Promise<void>): Promise<void> {
  await context.clock.runFor(roundMillis);
  await isSettled();
}

test('pages ask nothing in the minute after the answers to the last change, though runs go on', async ({
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
  const { sent, isSettled } = await watchRequests(context);
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
  await passTime(context, isSettled);
  sent.splice(0);
  await tellChange(page, service, () =>
    database.exec(`UPDATE runs SET evaluations = 12345 WHERE run_id = 'ckpt-umda'`),
  );
  for (let round = 0; round < mostRounds; round += 1) await passTime(context, isSettled);
  expect(sent).not.toEqual([]);
  sent.splice(0);
  for (let round = 0; round < roundsOfQuiet; round += 1) await passTime(context, isSettled);
  expect(sent).toEqual([]);
  // Time alone made it silent, which the page knows without a request.
  await expect(
    pages[1]!.getByText('The runner may have crashed', { exact: false }).first(),
  ).toBeVisible();
});

test('a page that is shown again asks nothing when nothing changed, and each thing once when something did', async ({
  page,
  context,
  service,
  database,
}) => {
  await context.clock.install();
  await page.goto(service.url);
  await expect(page.getByRole('button', { name: 'Live', exact: true })).toBeVisible();
  await expect(page.locator('main .skeleton')).toHaveCount(0);
  const { isSettled } = await watchRequests(context);
  await passTime(context, isSettled);
  const asked = requestsTo(page, /^\/api\/(?!health)/);
  const show = (visibility: 'hidden' | 'visible') =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'visibilityState', { value, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, visibility);
  const live = page.getByRole('button', { name: 'Live', exact: true });
  await show('hidden');
  await passTime(context, isSettled);
  await show('visible');
  await expect(live).toBeVisible();
  await passTime(context, isSettled);
  expect(asked).toEqual([]);
  await show('hidden');
  const changeName = `UPDATE runs SET status = 'FAILED' WHERE run_id = 'ckpt-umda'`;
  await tellChange(page, service, () => database.exec(changeName));
  await passTime(context, isSettled);
  expect(asked).toEqual([]);
  await show('visible');
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'ckpt-umda' }) });
  await expect(row).toContainText('FAILED');
  for (let round = 0; round < mostRounds; round += 1) await passTime(context, isSettled);
  const paths = asked.map(({ pathname }) => pathname).sort();
  expect(paths).toEqual(['/api/dashboard/summary', '/api/facets', '/api/runs']);
});
