import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { DatabaseSync } from 'node:sqlite';
import type { Page } from 'playwright/test';
import { expect, requestsTo, startService, changeDatabase, test } from './service.ts';

const rows = (page: Page) => page.locator('tbody tr[aria-rowindex]');
const row = (page: Page, runId: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name: runId, exact: true }) });

/** Adds a copy of a run, with a start after those of all other runs. */
function addRun(database: DatabaseSync, runId: string): void {
  database.exec(`
    CREATE TEMP TABLE copied AS SELECT * FROM runs WHERE run_id = 'ckpt-umda';
    UPDATE copied SET run_id = '${runId}', start_time = '2026-11-21T23:00:00Z', status = 'RUNNING';
    INSERT INTO runs SELECT * FROM copied;
    DROP TABLE copied;
  `);
}

test('an update keeps focus, selection and elements', async ({ page, service, database }) => {
  await page.goto(service.url);
  await expect(rows(page)).toHaveCount(25);
  await row(page, 'ckpt-umda').focus();
  await page.keyboard.press('Space');
  const rowElement = await row(page, 'ckpt-umda').elementHandle();
  addRun(database, 'brand-new');
  await expect(rows(page).first()).toContainText('brand-new');
  await expect(row(page, 'ckpt-umda')).toBeFocused();
  await expect(row(page, 'ckpt-umda')).toHaveAttribute('aria-selected', 'true');
  expect(await rowElement?.evaluate((element) => element === document.activeElement)).toBe(true);

  const first = await rows(page).first().elementHandle();
  database.exec("UPDATE runs SET status = 'FAILED' WHERE run_id = 'brand-new'");
  await expect(row(page, 'brand-new')).toContainText('FAILED');
  expect(await first?.evaluate((element) => element.isConnected)).toBe(true);
});

test('text typed while runs are added is not lost', async ({ page, service, database }) => {
  await page.goto(service.url);
  await expect(rows(page)).toHaveCount(25);
  const field = page.getByRole('textbox', { name: 'Search runs' });
  await field.focus();
  for (const [index, letter] of 'tsp8-plackett'.split('').entries()) {
    await page.keyboard.type(letter);
    if (index % 4 === 0)
      await changeDatabase(page, service, () => addRun(database, `during-${index}`));
  }
  await expect(field).toHaveValue('tsp8-plackett');
  await expect(rows(page)).toHaveCount(5);
});

test('when the row with the focus is deleted, its neighbour gets the focus', async ({
  page,
  service,
  database,
}) => {
  addRun(database, 'short-lived');
  await page.goto(service.url);
  await row(page, 'short-lived').focus();
  database.exec("DELETE FROM runs WHERE run_id = 'short-lived'");
  await expect(row(page, 'short-lived')).toHaveCount(0);
  await expect(rows(page).first()).toBeFocused();
});

test('the page of an ended run reports that another program has deleted the run', async ({
  page,
  service,
  database,
}) => {
  await page.goto(`${service.url}/runs/ckpt-umda`);
  await expect(page.getByRole('button', { name: 'Live', exact: true })).toBeVisible();
  await expect(page.getByText('COMPLETED').first()).toBeVisible();
  database.exec(`
    PRAGMA foreign_keys = off;
    DELETE FROM runs WHERE run_id = 'ckpt-umda';
  `);
  await expect(page.getByText('Run not found')).toBeVisible();
  await expect(
    page.getByText('There is no run with the id "ckpt-umda". Select another run'),
  ).toBeVisible();
  await expect(page.getByRole('button', { name: 'Stop', exact: true })).toHaveCount(0);
});

test('a new page sends each request once, and again after each change', async ({ page }) => {
  // A service that may write would create its indexes, which changes the database after its start.
  const service = await startService('sample', ['--read-only']);
  const requests = requestsTo(page, /^\/api\/(runs|facets|dashboard\/summary)$/);
  const paths = () => requests.map(({ pathname }) => pathname).sort();
  const each = ['/api/dashboard/summary', '/api/facets', '/api/runs'];
  let tries = 0;
  await expect(async () => {
    requests.splice(0);
    // A new address each time, because the browser caches the response of the previous one.
    await page.goto(`${service.url}/?try=${(tries += 1)}`);
    // A page sends its requests twice if the service was too busy to report the state of the database.
    const timings = await page.evaluate(() => {
      const [own] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
      return own?.serverTiming.map(({ name }) => name);
    });
    expect(timings).toContain('database');
  }).toPass();
  await expect(page.getByRole('button', { name: 'Live', exact: true })).toBeVisible();
  await expect(rows(page)).toHaveCount(25);
  // When another stream has started, the stream of the page has started too.
  await page.evaluate(async () => {
    const stream = new EventSource('/api/changes');
    await new Promise((resolve) => stream.addEventListener('message', resolve));
    stream.close();
    await fetch('/api/health');
  });
  expect(paths()).toEqual(each);
  const database = new DatabaseSync(service.databasePath, { timeout: 10_000 });
  addRun(database, 'brand-new');
  await expect(rows(page).first()).toContainText('brand-new');
  await expect.poll(paths).toEqual([...each, ...each].sort());
  database.close();
  await service.stop();
});

test('the page of a growing run fetches only new iterations', async ({
  page,
  service,
  database,
}) => {
  await page.goto(`${service.url}/runs/long-rastrigin-r02?tab=iterations`);
  await expect(rows(page).first()).toBeVisible();
  const before = await rows(page).count();
  const requests = requestsTo(page, /\/iterations$/);
  database.exec(`
    CREATE TEMP TABLE copied AS SELECT * FROM iterations
      WHERE run_id = 'long-rastrigin-r02' ORDER BY iteration DESC LIMIT 1;
    UPDATE copied SET iteration = iteration + 1, evaluations = evaluations + 1, id = NULL;
    INSERT INTO iterations SELECT * FROM copied;
    DROP TABLE copied;
  `);
  await expect(rows(page)).toHaveCount(before + 1);
  // The service creates its index after its start. This change can cause one more fetch.
  expect(requests.length).toBeLessThanOrEqual(2);
  for (const { search } of requests) expect(search).toMatch(/fields=scalars&after=\d+$/);
});

test('comparisons are interim and claim nothing while a run is RUNNING, and show claims without a reload when the last run ends', async ({
  page,
  service,
  database,
}) => {
  const setStatus = (status: string, endTime: string | null) =>
    database
      .prepare("UPDATE runs SET status = ?, end_time = ? WHERE run_id = 'tsp8-plackett-r05'")
      .run(status, endTime);
  setStatus('RUNNING', null);
  const across = await page.context().newPage();
  const address = `${service.url}/problems/small-tsp`;
  await across.goto(`${address}?tab=across&cell=median`);
  await page.goto(address);
  const claim = page.getByText(
    'ehm-eda has better fitness within 640 evaluations than plackett-luce-eda',
  );
  const interim = 'Interim: 1 run still running, so the tests claim no difference yet.';
  const bold = (one: Page, name: string) => one.getByRole('grid', { name }).locator('strong');
  for (const one of [page, across]) await expect(one.getByText(interim)).toBeVisible();
  await expect(page.getByRole('grid', { name: 'Pairwise tests' })).toContainText('interim');
  await expect(claim).toHaveCount(0);
  await expect(page.getByRole('grid').locator('strong')).toHaveCount(0);
  await expect(across.getByRole('grid').locator('strong')).toHaveCount(0);

  setStatus('COMPLETED', '2026-11-21T23:00:00Z');
  await expect(claim).toBeVisible();
  for (const name of ['Groups', 'Pairwise tests'])
    await expect(bold(page, name)).not.toHaveCount(0);
  await expect(bold(across, 'Across instances')).not.toHaveCount(0);
  for (const one of [page, across]) {
    await expect(one.getByText('For one look at n = ')).toBeVisible();
    await expect(one.getByText(interim)).toHaveCount(0);
  }
});

test.describe('with a clock that is moved forward', () => {
  // All pages of a context share one clock permanently.
  test.use({ ownContext: {} });

  test.beforeEach(async ({ page, service }) => {
    await page.clock.install();
    await page.goto(service.url);
    await expect(rows(page)).toHaveCount(25);
  });

  test('a hidden page sends no requests, and updates when it becomes visible', async ({
    page,
    service,
    database,
  }) => {
    const show = (visibility: 'hidden' | 'visible') =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'visibilityState', { value, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, visibility);
    await show('hidden');
    const requests = requestsTo(page, /^\/api\/(?!health)/);
    await changeDatabase(page, service, () => addRun(database, 'while-hidden'));
    await page.clock.fastForward(60_000);
    expect(requests).toEqual([]);
    await show('visible');
    await expect(rows(page).first()).toContainText('while-hidden');
  });

  test('a paused page sends no requests, and updates when it is resumed', async ({
    page,
    service,
    database,
  }) => {
    await page.getByRole('button', { name: 'Live', exact: true }).click();
    const requests = requestsTo(page, /^\/api\/(?!health)/);
    await changeDatabase(page, service, () => addRun(database, 'while-paused'));
    await page.clock.fastForward(60_000);
    expect(requests).toEqual([]);
    await page.getByRole('button', { name: 'Paused' }).click();
    await expect(rows(page).first()).toContainText('while-paused');
  });
});

/** Prevents a page from loading the code of other pages before it needs them. */
function removePreloadLinks(): void {
  const removeLinks = () => {
    for (const link of document.querySelectorAll('link[data-paths]')) link.remove();
  };
  new MutationObserver(removeLinks).observe(document, { childList: true, subtree: true });
}

test('pages show a stopped service as offline, keep their rows, report missing data, and continue when the service is back', async ({
  page,
  browser,
  service,
}) => {
  // A context with a separate cache.
  const context = await browser.newContext();
  const freshPage = await context.newPage();
  await freshPage.addInitScript(removePreloadLinks);
  // A page loads the code of the others after its own.
  const loading = page.waitForResponse('**/assets/ProblemsPage-*.js');
  for (const one of [page, freshPage]) {
    await one.goto(service.url);
    await expect(rows(one)).toHaveCount(25);
    await expect(one.getByRole('button', { name: 'Live', exact: true })).toBeVisible();
  }
  await loading;
  service.process.kill('SIGTERM');
  await once(service.process, 'exit');
  for (const [one, sentence] of [
    [page, 'The service does not respond.'],
    [freshPage, 'so this page could not be loaded'],
  ] as const) {
    await expect(one.getByRole('button', { name: /^Offline since \d\d:\d\d$/ })).toBeVisible();
    await expect(rows(one)).toHaveCount(25);
    await one.getByRole('link', { name: /^Problems/ }).click();
    const failure = one.getByRole('alert').filter({ hasText: 'UNREACHABLE' });
    await expect(failure).toContainText(sentence);
    await one.getByRole('button', { name: 'Retry' }).click();
    await expect(failure).toBeVisible();
  }
  const same = pathToFileURL(service.databasePath);
  const next = await startService(same, ['--port', new URL(service.url).port]);
  for (const one of [page, freshPage]) {
    await expect(one.getByRole('heading', { level: 1 })).toHaveText('Problems');
    await expect(one.getByRole('link', { name: 'onemax' })).toBeVisible();
  }
  await context.close();
  await next.stop();
});

test('a page whose script is missing after an update of Evoscope reloads', async ({
  page,
  service,
}) => {
  await page.addInitScript(removePreloadLinks);
  await page.goto(service.url);
  await expect(rows(page)).toHaveCount(25);
  await page.route('**/assets/ProblemsPage-*.js', (route) => route.fulfill({ status: 404 }), {
    times: 1,
  });
  await page.getByRole('link', { name: /^Problems/ }).click();
  await expect(page.getByRole('link', { name: 'onemax' })).toBeVisible();
});

test('a page shows that Evoscope was updated when the service responds again', async ({
  page,
  service,
}) => {
  await page.goto(service.url);
  await expect(page.getByRole('button', { name: 'Live', exact: true })).toBeVisible();
  // The page of the next version has another first script.
  const body = '<script type="module" crossorigin src="/assets/index-next.js"></script>';
  await page.route(service.url, (route, request) =>
    request.isNavigationRequest() ? route.continue() : route.fulfill({ body }),
  );
  await page.getByRole('button', { name: 'Live', exact: true }).click();
  await page.getByRole('button', { name: 'Paused' }).click();
  const notice = page.getByRole('alert').filter({ hasText: 'Evoscope was updated' });
  await expect(notice).toBeVisible();
  await notice.getByRole('button', { name: 'Reload' }).click();
  await expect(rows(page)).toHaveCount(25);
  await expect(notice).toBeHidden();
});

/** Paths that each tab of a RUNNING run fetches after a change, except the counts of the rail. */
const requestsOfTabs: Readonly<Record<string, readonly string[]>> = {
  fitness: ['', '/insights', '/iterations'],
  insights: ['', '/insights', '/iterations'],
  iterations: ['', '/checkpoints', '/insights', '/iterations'],
  config: ['', '/insights', '/iterations'],
};

const getPaths = (requests: readonly URL[]): string[] =>
  requests.map(({ pathname }) => pathname.replace('/api/runs/ckpt-umda', '')).sort();

test('after a change, a tab of a RUNNING run fetches only its own data, each path once', async ({
  page,
  service,
  database,
}) => {
  database.exec("UPDATE runs SET status = 'RUNNING', end_time = NULL WHERE run_id = 'ckpt-umda'");
  // All tabs at once: each waits until 4 s after its last fetch.
  const windows: { name: string; requests: URL[] }[] = [];
  for (const [name, expected] of Object.entries(requestsOfTabs)) {
    const window = windows.length === 0 ? page : await page.context().newPage();
    const requests = requestsTo(window, /^\/api\/runs\//);
    windows.push({ name, requests });
    await window.goto(`${service.url}/runs/ckpt-umda?tab=${name}`);
    await expect(window.locator('main .skeleton')).toHaveCount(0);
    await expect(window.getByRole('button', { name: 'Live', exact: true })).toBeVisible();
    await expect.poll(() => getPaths(requests)).toEqual(expect.arrayContaining([...expected]));
  }
  const getPathsOfTabs = () =>
    Object.fromEntries(windows.map(({ name, requests }) => [name, getPaths(requests)]));
  // A page also fetches when its event stream opens. Then the count starts again.
  let evaluations = 7000;
  await expect(async () => {
    for (const { requests } of windows) requests.splice(0);
    evaluations += 1;
    await changeDatabase(page, service, () =>
      database.exec(`UPDATE runs SET evaluations = ${evaluations} WHERE run_id = 'ckpt-umda'`),
    );
    await expect.poll(getPathsOfTabs, { timeout: 8_000 }).toEqual(requestsOfTabs);
  }).toPass();
});
