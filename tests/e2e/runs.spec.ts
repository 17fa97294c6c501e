import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright/test';
import { expect, expectAccessible, startService, test } from './service.ts';

const rows = (page: Page) => page.locator('tbody tr[aria-rowindex]');
const searchField = (page: Page) => page.getByRole('textbox', { name: 'Search runs' });
const pageInfo = (page: Page) => page.locator('.pager');

async function openExplorer(page: Page, address = '/'): Promise<void> {
  await page.goto(address);
  await expect(page.getByRole('heading', { level: 1, name: 'Runs' })).toBeVisible();
  await expect(rows(page).first()).toBeVisible();
}

async function filterBy(page: Page, filter: string, value: RegExp): Promise<void> {
  await page.getByRole('button', { name: new RegExp(`^${filter} `) }).click();
  await page.getByRole('checkbox', { name: value }).check();
  await page.keyboard.press('Escape');
}

test.describe('the run explorer', () => {
  test('applies filters at once; a reload keeps them, and Back removes them', async ({ page }) => {
    await openExplorer(page);
    await filterBy(page, 'Algorithm', /^umda/);
    await expect(pageInfo(page)).toContainText('of 24 runs');
    await filterBy(page, 'Problem', /^onemax/);
    await expect(page.getByRole('button', { name: 'Remove filter problem: onemax' })).toBeVisible();
    await expect(rows(page)).toHaveCount(21);
    await page.reload();
    await expect(rows(page)).toHaveCount(21);
    await expect(page.getByRole('button', { name: 'Remove filter algorithm: umda' })).toBeVisible();
    await page.goBack();
    await expect(pageInfo(page)).toContainText('of 24 runs');
    await page.getByRole('button', { name: 'Remove filter algorithm: umda' }).click();
    await expect(pageInfo(page)).toContainText('of 111 runs');
  });

  test('filters by best fitness, refuses invalid numbers, and hides COCO trials by default', async ({
    page,
  }) => {
    await openExplorer(page);
    await page.getByRole('button', { name: 'Best any' }).click();
    await page.getByLabel('At least').fill('abc');
    await expect(page.getByText('Enter a number, such as 0.5 or 1e-3.')).toBeVisible();
    await page.getByLabel('At least').fill('39');
    await page.getByLabel('At most').fill('40');
    await expect(page).toHaveURL(/minBest=39&maxBest=40/);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'Remove filter best ≥ 39' })).toBeVisible();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect(pageInfo(page)).toContainText('of 111 runs');
    await page.getByRole('button', { name: '48 COCO trials hidden' }).click();
    await expect(pageInfo(page)).toContainText('of 159 runs');
    await expect(page).toHaveURL(/trials=include/);
    await page.getByRole('button', { name: 'COCO trials included' }).click();
    await expect(pageInfo(page)).toContainText('of 111 runs');
  });

  test('stores sort, page and size in the URL, so a reload and Back restore them', async ({
    page,
  }) => {
    await openExplorer(page);
    await page.getByRole('button', { name: 'Runtime', exact: true }).click();
    await expect(page).toHaveURL(/sort=-runtime/);
    await expect(page.getByRole('columnheader', { name: 'Runtime' })).toHaveAttribute(
      'aria-sort',
      'descending',
    );
    await page.getByRole('button', { name: 'Page 3', exact: true }).click();
    await expect(pageInfo(page)).toContainText('51–75 of 111 runs');
    await expect(page).toHaveURL(/page=3/);
    await page.reload();
    await expect(pageInfo(page)).toContainText('51–75 of 111 runs');
    await page.getByRole('button', { name: /^Per page / }).click();
    await page.getByRole('option', { name: '100' }).click();
    await expect(pageInfo(page)).toContainText('1–100 of 111 runs');
    await page.goBack();
    await expect(pageInfo(page)).toContainText('51–75 of 111 runs');
  });

  test('works with the keyboard: search, move, select, open and go back', async ({ page }) => {
    await openExplorer(page);
    await page.keyboard.press('/');
    await expect(searchField(page)).toBeFocused();
    await page.keyboard.type('tsp8-ehm');
    await expect(pageInfo(page)).toContainText('of 5 runs');
    await page.keyboard.press('ArrowDown');
    await expect(rows(page).first()).toBeFocused();
    await page.keyboard.press('ArrowUp');
    await expect(page.getByRole('button', { name: 'Started', exact: true })).toBeFocused();
    await page.keyboard.press('ArrowLeft');
    await expect(page.getByRole('button', { name: 'What is Runtime?' })).toBeFocused();
    await page.keyboard.press('ArrowLeft');
    await expect(page.getByRole('button', { name: 'Runtime', exact: true })).toBeFocused();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await expect(rows(page).nth(2)).toBeFocused();
    await page.keyboard.press('Space');
    await expect(rows(page).nth(2)).toHaveAttribute('aria-selected', 'true');
    await expect(page.getByText('1 selected', { exact: true })).toBeVisible();
    await page.keyboard.press('End');
    await expect(rows(page).nth(4)).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\/runs\/tsp8-ehm-r01/);
    await page.goBack();
    await expect(searchField(page)).toHaveValue('tsp8-ehm');
    await expect(rows(page)).toHaveCount(5);
  });

  test('shows, orders and hides columns, hides constant columns, and stores the choice', async ({
    page,
  }) => {
    await openExplorer(page, '/?q=tsp8-ehm');
    const headings = () => page.getByRole('columnheader').allInnerTexts();
    await page.getByRole('button', { name: 'Columns' }).click();
    for (const name of [/^Hide constant columns/, 'Compact rows']) {
      await expect(page.getByRole('checkbox', { name })).toBeInViewport();
    }
    await page.getByRole('checkbox', { name: 'Seed' }).check();
    await page.getByRole('button', { name: 'Move Seed earlier' }).click();
    await page.getByLabel('Parameters as columns').fill('populationsize');
    await page.getByRole('checkbox', { name: 'algorithm.populationSize' }).click();
    await page.keyboard.press('Escape');
    const parameter = page.getByRole('columnheader', { name: 'algorithm.populationSize' });
    await expect(parameter).toBeInViewport({ ratio: 1 });
    const chosen = await headings();
    expect(chosen.slice(0, 3)).toEqual(['', 'Run', 'algorithm.populationSize']);
    expect(chosen.slice(-4)).toEqual(['Runtime', 'Seed', 'Started', 'Actions']);
    await page.reload();
    await expect(rows(page)).toHaveCount(5);
    expect(await headings()).toEqual(chosen);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: /^Hide constant columns/ }).check();
    await expect(page.getByText(/^Hidden: .*Algorithm/)).toBeInViewport({ ratio: 1 });
    await page.keyboard.press('Escape');
    await expect(page.getByRole('columnheader', { name: 'Algorithm' })).toHaveCount(0);
    await expect(page.getByRole('columnheader', { name: 'Seed' })).toBeVisible();
    await openExplorer(page);
    expect(await headings()).toEqual(chosen);
  });

  test('exports all matching runs as CSV, not only the current page', async ({ page }) => {
    await openExplorer(page, '/?size=10&algorithm=umda');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save CSV' }).click();
    const file = await (await download).path();
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\r\n');
    expect(lines).toHaveLength(1 + 24);
    expect(lines[0]).toMatch(/^Run,Algorithm,Problem,Status,Message,Best,/);
    expect(lines.slice(1).every((line) => line.includes(',umda,'))).toBe(true);
  });

  test('shows that no runs match the filters, and offers to clear them', async ({ page }) => {
    await page.goto('/?q=no-run-has-this-name');
    await expect(page.getByText('No runs match these filters')).toBeVisible();
    // There are no rows to select, so the box stays unchecked.
    const selectAll = page.getByRole('checkbox', { name: 'Select all rows shown' });
    await selectAll.click();
    await expect(selectAll).not.toBeChecked();
    await page.locator('.panel').getByRole('button', { name: 'Clear filters' }).click();
    await expect(pageInfo(page)).toContainText('of 111 runs');
    await expect(searchField(page)).toHaveValue('');
  });

  test('shows an error with its code, and retries', async ({ page }) => {
    const problem = {
      type: 'about:blank',
      title: 'Database unavailable',
      status: 503,
      detail: 'The database does not respond',
      instance: '/api/runs',
      code: 'DATABASE_UNAVAILABLE',
    };
    // With change events, the page would retry automatically.
    await page.route('**/api/changes', (route) => route.abort());
    await page.route('**/api/runs?*', (route) =>
      route.fulfill({
        status: 503,
        contentType: 'application/problem+json',
        body: JSON.stringify(problem),
      }),
    );
    await page.goto('/');
    await expect(page.getByText('The database does not respond')).toBeVisible();
    await expect(page.getByText('DATABASE_UNAVAILABLE')).toBeVisible();
    await page.unroute('**/api/runs?*');
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect(pageInfo(page)).toContainText('of 111 runs');
  });

  test('opens a run from the command palette', async ({ page }) => {
    await openExplorer(page);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('zdt1-mo');
    await expect(page.getByRole('option', { name: /zdt1-mo/ })).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\/runs\/zdt1-mo/);
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await expect(page.getByRole('heading', { level: 1, name: 'Runs' })).toBeVisible();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('gallery');
    await expect(page.getByText(/or command matches “gallery”/)).toBeVisible();
  });
});

test.describe('in another time zone', () => {
  test.use({ ownContext: { timezoneId: 'Asia/Kolkata' } });

  test('a local time in the field is UTC in the URL', async ({ page }) => {
    await openExplorer(page);
    await page.getByRole('button', { name: 'Started any' }).click();
    await page.getByLabel('From (your time)').fill('2026-11-21T16:25');
    await expect(page).toHaveURL(/from=2026-11-21T10%3A55Z/);
    await page.keyboard.press('Escape');
    await expect(
      page.getByRole('button', { name: 'Remove filter started from 21 Nov 2026 16:25' }),
    ).toBeVisible();
    await expect(pageInfo(page)).toContainText('runs');
  });
});

test('the first Tab shows a link that skips the frame', async ({ page }) => {
  await openExplorer(page);
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
});

test('a selected theme is stored, and applied before the first paint', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await openExplorer(page);
  await page.getByRole('button', { name: 'Theme: System' }).click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.route('**/assets/**', (route) => route.abort());
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
});

test('an address without a page shows an error page with status 404', async ({ page }) => {
  const response = await page.goto('/no/such/page');
  expect(response?.status()).toBe(404);
  await expect(page.getByText('No page at /no/such/page')).toBeVisible();
  await expect(page).toHaveTitle('Page not found · Evoscope');
  await expectAccessible(page);
});

test('the frame links to the description of the API', async ({ page }) => {
  await openExplorer(page);
  const address = await page.getByRole('link', { name: /API/ }).getAttribute('href');
  await page.goto(address ?? '');
  await expect(page.getByRole('heading', { name: /HTTP interface$/ })).toBeVisible();
});

test('pages show values that another program stored in place of integers', async ({
  page,
  service,
  database,
}) => {
  database.exec(`
    update runs set seed = 'no seed', start_time = '2027-01-01T00:00:00Z', evaluations = 'many1234', runtime_millis = 'long', iterations = 1.5
      where run_id = (select r.run_id from runs r join iterations i on i.run_id = r.run_id where status = 'COMPLETED' order by start_time desc limit 1);
    update experiments set max_iterations = 'enough' where experiment_id =
      (select experiment_id from runs where seed = 'no seed');
    update iterations set evaluations = 'few' where run_id = (select run_id from runs where seed = 'no seed');
    update iterations set iteration = 'last' where rowid = (select max(i.rowid) from iterations i
      join runs r on r.run_id = i.run_id where r.seed = 'no seed')`);
  const texts = ['no seed', 'many1234', 'long', '1.5'];
  await page.goto(
    `${service.url}/?status=COMPLETED&trials=include&cols=run,seed,iterations,evaluations,runtime`,
  );
  const row = rows(page).filter({ hasText: 'no seed' });
  for (const text of texts) await expect(row).toContainText(text);
  await row.getByRole('link').first().click();
  const head = page.locator('.page-facts');
  for (const text of [...texts, 'of max. enough']) await expect(head).toContainText(text);
  await page.getByRole('tab', { name: 'Iterations' }).click();
  await expect(page.getByText('Omitted: 1 row without a whole iteration number')).toBeVisible();
  await page.getByRole('link', { name: 'Open experiment' }).click();
  await page.getByRole('button', { name: 'Show details' }).click();
  await expect(page.getByText('enough')).toBeVisible();
  await page.getByRole('tab', { name: /^Runs/ }).click();
  await expect(rows(page).filter({ hasText: 'no seed' })).toContainText('many1234');
  await expect(page.locator('body')).not.toContainText('NaN');
});

test('an empty database shows how to fill it', async ({ page }) => {
  const service = await startService('empty');
  try {
    await page.goto(service.url);
    await expect(page.getByText('This database has no runs yet')).toBeVisible();
    await expect(page.getByText(`npm run sample -- --db '${service.databasePath}'`)).toBeVisible();
  } finally {
    await service.stop();
  }
});

test.describe('the list of runs', () => {
  test('shows the progress and the last activity of a RUNNING run, and why a run failed', async ({
    page,
  }) => {
    await openExplorer(page, '/?status=RUNNING&status=FAILED');
    await expect(pageInfo(page)).toContainText('of 2 runs');
    const running = rows(page).filter({ hasText: 'RUNNING' });
    await expect(running).toContainText('9 of 5 000');
    await expect(running).toContainText('600 000');
    await page.getByRole('button', { name: 'What is Best?' }).click();
    await expect(page.getByRole('dialog')).toContainText(
      'of a RUNNING run up to its latest iteration, but sorted and filtered by the stored value',
    );
    await page.keyboard.press('Escape');
    await expect(running).toContainText(/silent \d+ (h|d)/);
    const failed = rows(page).filter({ hasText: 'FAILED' });
    await expect(failed.locator('.cell-message')).toHaveAttribute('title', /class com\./);
  });

  test('filters by the value of a parameter, and sorts by its column', async ({ page }) => {
    await openExplorer(page, '/?cols=run,p.algorithm.populationSize');
    await page.getByRole('button', { name: /^Parameters / }).click();
    const condition = page.getByLabel('Condition');
    await condition.fill('populationSize > many');
    await condition.press('Enter');
    await expect(page.getByText('needs a finite number after >, not "many"')).toBeVisible();
    await condition.fill('populationSize in 80, 160');
    await condition.press('Enter');
    await page.keyboard.press('Escape');
    await expect(
      page.getByRole('button', { name: 'Remove filter populationSize = [80, 160]' }),
    ).toBeVisible();
    await page.getByRole('button', { name: 'algorithm.populationSize' }).click();
    await expect(page).toHaveURL(/sort=p\.algorithm\.populationSize/);
    const cell = rows(page).first().getByRole('gridcell').nth(2);
    await expect(cell).toHaveText('80');
    await expect(cell).toHaveClass(/align-end/);
    await test.step('also next to a parameter with a comma in its path', async () => {
      await openExplorer(page, '/?cols=run,p-size%252C%2520all,p.algorithm.populationSize');
      await expect(page.getByRole('columnheader', { name: 'size, all' })).toBeVisible();
      await expect(rows(page).getByRole('gridcell', { name: '80', exact: true })).not.toHaveCount(
        0,
      );
    });
  });

  test('saves, opens and deletes named views', async ({ page }) => {
    await openExplorer(page, '/?status=FAILED');
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByLabel('Save view as').fill('What failed');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.goto('/');
    await expect(pageInfo(page)).toContainText('of 111 runs');
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('link', { name: 'What failed' }).click();
    await expect(pageInfo(page)).toContainText('of 1 run');
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('button', { name: 'Delete What failed' }).click();
    await expect(page.getByRole('link', { name: 'What failed' })).toHaveCount(0);
  });

  test('opens a run with a click, and selects text with a drag', async ({ page }) => {
    await openExplorer(page, '/?q=zdt1-mo');
    const cell = page.getByRole('gridcell', { name: 'mo-eda-skeleton' });
    const box = await cell.boundingBox();
    if (!box) throw new Error('the cell is not drawn');
    await page.mouse.move(box.x + 8, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 80, box.y + box.height / 2, { steps: 4 });
    await page.mouse.up();
    expect(await page.evaluate(() => getSelection()?.toString())).toMatch(/eda/);
    await expect(page).toHaveURL(/q=zdt1-mo/);
    await page.getByRole('gridcell', { name: 'zdt', exact: true }).click();
    await expect(page).toHaveURL(/\/runs\/zdt1-mo/);
  });
});
