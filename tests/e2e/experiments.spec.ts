import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { DatabaseSync } from 'node:sqlite';
import type { Page, Route } from 'playwright/test';
import {
  expect,
  expectAccessible,
  inCompleteMode,
  requestsTo,
  spawnNode,
  startService,
  test,
} from './service.ts';

const rows = (page: Page) => page.locator('tbody tr[aria-rowindex]');
const pager = (page: Page) => page.locator('.pager');
const dialog = (page: Page) => page.getByRole('dialog');
const getRow = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });

async function openList(page: Page, url: string, search = ''): Promise<void> {
  await page.goto(`${url}/experiments${search}`);
  await expect(page.getByRole('heading', { level: 1, name: 'Experiments' })).toBeVisible();
  await expect(rows(page).first()).toBeVisible();
}

function countRows(database: DatabaseSync, table: string, where: string): number {
  const row = database.prepare(`SELECT COUNT(*) AS n FROM ${table} WHERE ${where}`).get();
  return Number(row?.['n']);
}

test.describe('the list of experiments', () => {
  test('stores filters, sort and page in the URL, so a reload restores them', async ({
    page,
    sample,
  }) => {
    await openList(page, sample.url, '?size=10');
    await page.getByRole('button', { name: 'Next ›' }).click();
    await expect(page).toHaveURL(/page=2/);
    // The new rows change the widths of the columns, which would move the heading away from the pointer.
    await expect(rows(page)).toHaveCount(9);
    await page.getByRole('button', { name: 'Runs', exact: true }).click();
    await expect(page).toHaveURL(/sort=-runs/);
    await expect(page).not.toHaveURL(/page=2/);
    await expect(rows(page).first()).toContainText('15 runs: 15 completed');
    await page.getByRole('button', { name: /^Status / }).click();
    await page.getByRole('checkbox', { name: 'FAILED' }).check();
    await page.keyboard.press('Escape');
    await expect(rows(page)).toHaveCount(1);
    await page.reload();
    await expect(rows(page)).toHaveCount(1);
    await expect(rows(page)).toContainText('FAILED');
    await page.getByRole('button', { name: 'Remove filter status: FAILED' }).click();
    await expect(rows(page)).toHaveCount(10);
  });

  test('keeps the selection over pages, with a box that shows all, some or none', async ({
    page,
    sample,
  }) => {
    await openList(page, sample.url, '?size=10');
    const all = page.getByLabel('Select all rows shown');
    await rows(page).nth(1).getByRole('checkbox').check();
    expect(await all.evaluate((box: HTMLInputElement) => box.indeterminate)).toBe(true);
    await all.check();
    await expect(page.getByText('10 selected', { exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'Next ›' }).click();
    await expect(rows(page)).toHaveCount(9);
    await expect(all).not.toBeChecked();
    await rows(page).first().getByRole('checkbox').check();
    await expect(page.getByText('11 selected', { exact: true })).toBeVisible();
    await page.getByRole('button', { name: '‹ Previous' }).click();
    await expect(all).toBeChecked();
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await expect(all).not.toBeChecked();
    await expect(page.getByRole('button', { name: /^Delete \d+ selected/ })).toBeHidden();
  });

  test('shows success rate and ERT of experiments with a target, and hides COCO trials by default', async ({
    page,
    sample,
  }) => {
    await openList(page, sample.url);
    await expect(getRow(page, 'OneMax 40, compact GA')).toContainText(/86\.7\s%1\s205/);
    const noTarget = getRow(page, 'Rosenbrock 3, CMA-ES').getByRole('gridcell');
    await expect(noTarget.filter({ hasText: /^–$/ })).toHaveCount(2);
    await page.getByRole('button', { name: 'Columns' }).click();
    for (const name of ['Median', 'n']) {
      await page.getByRole('checkbox', { name, exact: true }).check();
    }
    await page.keyboard.press('Escape');
    await expect(page.getByRole('columnheader', { name: 'Median' })).toBeInViewport();
    await expect(getRow(page, 'OneMax 40, compact GA')).toContainText(/404015/);
    await expect(pager(page)).toContainText('of 19 experiments');
    await page.getByRole('button', { name: '48 COCO trials hidden' }).click();
    await expect(pager(page)).toContainText('of 67 experiments');
    await expect(page).toHaveURL(/trials=include/);
  });

  test('shows why it is empty', async ({ page, sample }) => {
    await page.goto(`${sample.url}/experiments?q=nothing-like-this`);
    await expect(page.getByText('No experiments match these filters')).toBeVisible();
    await page.locator('.panel').getByRole('button', { name: 'Clear filters' }).click();
    await expect(rows(page)).toHaveCount(19);
  });

  test('and its dialogs have no findings of axe', async ({ page, sample }) => {
    await openList(page, sample.url);
    await page.getByLabel('Select all rows shown').check();
    await expectAccessible(page);
    await page.getByRole('button', { name: /^Delete \d+ selected/ }).click();
    await expect(dialog(page).getByText('Permanently deletes:')).toBeVisible();
    await expectAccessible(page, '[role=dialog]');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Stop \d+ selected/ }).click();
    await expect(dialog(page)).toBeVisible();
    await expectAccessible(page, '[role=dialog]');
  });
});

test.describe('the page of an experiment', () => {
  test('shows its properties, stores the order of its runs in the URL, and filters its parameters', async ({
    page,
    sample,
  }) => {
    await openList(page, sample.url);
    await page.getByRole('link', { name: 'OneMax 40, compact GA' }).click();
    await expect(page).toHaveTitle(/OneMax 40, compact GA/);
    await expect(page.getByText('15 runs: 15 completed')).toBeVisible();
    await expect(page.getByText('maximise')).toBeVisible();
    await page.getByRole('tab', { name: 'Runs' }).click();
    const table = page.getByRole('grid', { name: 'Runs of the experiment' });
    await table.getByRole('button', { name: 'Seed', exact: true }).click();
    await expect(page).toHaveURL(/sort=seed/);
    await expect(table.getByRole('row').nth(1)).toContainText('1001');
    await page.reload();
    await expect(table.getByRole('row').nth(1)).toContainText('1001');
    await page.getByRole('tab', { name: 'Configuration' }).click();
    await page.getByRole('searchbox', { name: 'Search parameters' }).fill('algorithm pop');
    await expect(page).toHaveURL(/find=algorithm/);
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    await expect(page.getByRole('region', { name: 'configuration as JSON' })).toBeVisible();
    await page.reload();
    await expect(page.getByRole('region', { name: 'configuration as JSON' })).toBeVisible();
  });

  test('of an unknown id reports that, and links to all experiments', async ({ page, sample }) => {
    await page.goto(`${sample.url}/experiments/none`);
    await expect(page.getByText('Experiment not found')).toBeVisible();
    await page.getByRole('link', { name: 'All experiments' }).click();
    await expect(rows(page)).toHaveCount(19);
  });
});

test.describe('deleting', () => {
  test('while a runner writes shows how long the runner would wait, and needs a confirmation', async ({
    page,
    service,
    database,
  }) => {
    const name = 'OneMax 40, compact GA';
    const now = new Date().toISOString();
    const run = database
      .prepare(
        "SELECT run_id AS id FROM runs WHERE status = 'COMPLETED' AND experiment_id = (SELECT experiment_id FROM experiments WHERE run_name = ?)",
      )
      .get(name) as { id: string };
    // The service estimates the amount of JSON to delete from a few rows.
    database.exec(`
      INSERT INTO iterations (run_id, iteration, evaluations, best_fitness, mean_fitness, std_fitness, metrics_json, diagnostics_json, created_at)
      WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
      SELECT '${run.id}', i, i, 0, 0, 0, iif(i < 1400, printf('{"text":"%.*c"}', 50000, 'a'), '{}'), '{}', '${now}' FROM n;
      INSERT INTO runs (run_id, experiment_id, seed, status, start_time)
      SELECT 'live', experiment_id, 1, 'RUNNING', '${now}' FROM experiments WHERE run_name <> '${name}' LIMIT 1`);
    await openList(page, service.url);
    await page.getByRole('button', { name: `Delete ${name}` }).click();
    const box = dialog(page);
    await expect(box).toContainText(
      /A runner is writing to this database\. Deleting now blocks it for about \d+ s; after 10 s it times out and its run fails\./,
    );
    const submit = box.getByRole('button', { name: 'Delete 1 experiment' });
    await box.getByRole('textbox').fill('15');
    await expect(submit).toBeDisabled();
    await box.getByRole('checkbox', { name: 'Delete anyway' }).check();
    await submit.click();
    await expect(page.getByText(`Deleted ${name}: `, { exact: false })).toBeVisible({
      timeout: 30_000,
    });
    expect(countRows(database, 'experiments', `run_name = '${name}'`)).toBe(0);
  });

  test('with the keyboard keeps the focus in the dialog, requires the number of runs, and returns the focus', async ({
    page,
    service,
    database,
  }) => {
    await openList(page, service.url);
    const name = 'OneMax 40, PBIL';
    await getRow(page, name).focus();
    for (let step = 0; step < 6; step += 1) {
      await page.keyboard.press('Tab');
      const label = await page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
      if (label === `Delete ${name}`) break;
    }
    await expect(page.getByRole('button', { name: `Delete ${name}` })).toBeFocused();
    await page.keyboard.press('Enter');
    const field = dialog(page).getByRole('textbox');
    await expect(field).toBeFocused();
    for (let step = 0; step < 8; step += 1) {
      await page.keyboard.press('Tab');
      expect(await dialog(page).evaluate((box) => box.contains(document.activeElement))).toBe(true);
    }
    await page.keyboard.press('Escape');
    await expect(dialog(page)).toBeHidden();
    await expect(page.getByRole('button', { name: `Delete ${name}` })).toBeFocused();

    await page.keyboard.press('Enter');
    await expect(field).toBeFocused();
    await expect(dialog(page)).toContainText('Type 15, the number of runs, to confirm');
    await page.keyboard.type('1');
    await expect(dialog(page).getByRole('button', { name: 'Delete 1 experiment' })).toBeDisabled();
    await page.keyboard.press('Enter');
    await expect(dialog(page)).toBeVisible();
    await page.keyboard.type('5');
    await page.keyboard.press('Enter');
    await expect(dialog(page)).toBeHidden();
    await expect(page.getByText(/^Deleted OneMax 40, PBIL: 15 runs, /)).toBeVisible();
    await expect(getRow(page, name)).toBeHidden();
    expect(await page.evaluate(() => document.activeElement?.closest('main') !== null)).toBe(true);
    expect(countRows(database, 'experiments', `run_name = '${name}'`)).toBe(0);
    expect(countRows(database, 'runs', "run_id LIKE 'onemax40-pbil%'")).toBe(0);
  });

  test('many experiments shows the row counts, skips a RUNNING one, requires the number of runs, and updates the selection', async ({
    page,
    service,
    database,
  }) => {
    await openList(page, service.url);
    await page.getByLabel('Select all rows shown').check();
    await page.getByRole('button', { name: /^Delete \d+ selected/ }).click();
    const box = dialog(page);
    await expect(
      box.getByText('1 experiment cannot be deleted while a run of it is RUNNING'),
    ).toContainText('Rastrigin 10, full Gaussian, long (1 run)');
    await expect(box.getByRole('region', { name: 'What will be deleted' })).toContainText(
      'Runs109',
    );
    const submit = box.getByRole('button', { name: 'Delete 18 experiments' });
    await expect(submit).toBeDisabled();
    await box.getByRole('textbox').fill('109');
    await submit.click();
    await expect(page.getByText('Deleted 18 experiments.')).toBeVisible();
    await expect(box).toBeHidden();
    await expect(rows(page)).toHaveCount(1);
    await expect(page.getByText('1 selected', { exact: true })).toBeVisible();
    expect(countRows(database, 'runs', "experiment_id LIKE '0a45ee50%'")).toBe(2);
  });

  test('experiments requires the number of runs only for more than ten runs in total; a RUNNING experiment is skipped', async ({
    page,
    sample,
  }) => {
    await openList(page, sample.url);
    const select = (name: string) => getRow(page, name).getByRole('checkbox').check();
    await select('OneMax 60, UMDA');
    await select('Small TSP 8, ehm-eda');
    await page.getByRole('button', { name: /^Delete \d+ selected/ }).click();
    await expect(dialog(page).getByRole('button', { name: 'Delete 2 experiments' })).toBeEnabled();
    await expect(dialog(page).getByRole('textbox')).toBeHidden();
    await page.keyboard.press('Escape');
    await select('Rosenbrock 3, CMA-ES');
    await page.getByRole('button', { name: /^Delete \d+ selected/ }).click();
    await expect(dialog(page)).toContainText('Type 11, the number of runs, to confirm');
    const submit = dialog(page).getByRole('button', { name: 'Delete 3 experiments' });
    await expect(submit).toBeDisabled();
    await submit.focus();
    await expect(page.getByText('Type 11 first.')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog(page)).toBeHidden();
    await page.getByRole('button', { name: 'Delete Rastrigin 10, full Gaussian, long' }).click();
    await expect(dialog(page)).toContainText('skipped: 1 run RUNNING');
    await expect(dialog(page).getByRole('textbox')).toBeHidden();
    await expect(dialog(page).getByRole('button', { name: /^Delete/ })).toBeHidden();
  });

  test('an experiment that gets a run after the counting shows the new number, and requires it', async ({
    page,
    service,
    database,
  }) => {
    await openList(page, service.url);
    await page.getByRole('button', { name: 'Delete OneMax 40, PBIL' }).click();
    const field = dialog(page).getByRole('textbox');
    await field.fill('15');
    database.exec(`
      INSERT INTO runs (run_id, experiment_id, seed, status, start_time, end_time)
      SELECT 'late', experiment_id, 99, 'COMPLETED', created_at, created_at FROM experiments
      WHERE run_name = 'OneMax 40, PBIL'`);
    const submit = dialog(page).getByRole('button', { name: 'Delete 1 experiment' });
    await submit.click();
    await expect(dialog(page).getByRole('alert')).toContainText(
      'The data to delete have changed since they were counted.',
    );
    expect(countRows(database, 'experiments', "run_name = 'OneMax 40, PBIL'")).toBe(1);
    await expect(submit).toBeDisabled();
    await expect(field).toBeFocused();
    await field.fill('16');
    await page.keyboard.press('Enter');
    await expect(page.getByText(/^Deleted OneMax 40, PBIL: 16 runs, /)).toBeVisible();
  });

  test('an experiment from its page returns to the list', async ({ page, service }) => {
    await openList(page, service.url);
    await page.getByRole('link', { name: 'ZDT1 6, weighted sum' }).click();
    await page.getByRole('button', { name: 'Delete experiment' }).click();
    await dialog(page).getByRole('button', { name: 'Delete 1 experiment' }).click();
    // The first check, because the message disappears automatically.
    await expect(page.getByText(/^Deleted ZDT1 6, weighted sum: 1 run, /)).toBeVisible();
    await expect(page).toHaveURL(/\/experiments$/);
    await expect(rows(page)).toHaveCount(18);
  });

  /**
   * Deletes an experiment in a busy database, and retries when it is not busy. `makeBusy` returns a function that ends
   * the busy state.
   */
  async function deleteInBusyDatabase(
    page: Page,
    url: string,
    makeBusy: () => Promise<() => Promise<void>>,
  ): Promise<void> {
    await openList(page, url);
    await page.getByRole('button', { name: 'Delete ZDT1 6, weighted sum' }).click();
    const submit = dialog(page).getByRole('button', { name: 'Delete 1 experiment' });
    await expect(submit).toBeEnabled();
    const endBusy = await makeBusy();
    await submit.press('Enter');
    await expect(dialog(page).getByRole('alert')).toContainText('The database is busy');
    await endBusy();
    await expect(rows(page)).toHaveCount(19);
    await expect(dialog(page).getByRole('button', { name: 'Retry' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByText(/^Deleted ZDT1 6, weighted sum/)).toBeVisible();
    await expect(rows(page)).toHaveCount(18);
  }

  // The service sends this response after it has waited 10 s for a lock; `npm run test:e2e` also locks the database.
  test('shows that the database is busy, and works on retry', async ({ page, service }) => {
    const busy = { code: 'DATABASE_BUSY', detail: 'The database is busy; try again in a moment' };
    const respondBusy = (route: Route): Promise<void> =>
      route.request().method() === 'GET'
        ? route.continue()
        : route.fulfill({ status: 503, contentType: 'application/problem+json', json: busy });
    await deleteInBusyDatabase(page, service.url, async () => {
      await page.route('**/api/experiments/**', respondBusy);
      return () => page.unroute('**/api/experiments/**');
    });
  });

  inCompleteMode(() => {
    test('in a database that another program has locked shows the same error', async ({
      page,
      service,
      database,
    }) => {
      await deleteInBusyDatabase(page, service.url, () => {
        database.exec('BEGIN IMMEDIATE');
        return Promise.resolve(() => Promise.resolve(database.exec('ROLLBACK')));
      });
    });
  });

  test('and stopping without a running service keep the dialog and the typed text', async ({
    page,
    service,
  }) => {
    await openList(page, service.url);
    await page.getByRole('button', { name: 'Delete OneMax 40, PBIL' }).click();
    await dialog(page).getByRole('textbox').fill('15');
    service.process.kill('SIGKILL');
    await once(service.process, 'exit');
    await dialog(page).getByRole('button', { name: 'Delete 1 experiment' }).press('Enter');
    await expect(dialog(page).getByRole('alert')).toContainText('The service does not respond');
    await expect(dialog(page).getByRole('button', { name: 'Retry' })).toBeEnabled();
    await page.keyboard.press('Escape');
    await expect(dialog(page)).toBeHidden();
    await expect(page.getByRole('button', { name: 'Delete OneMax 40, PBIL' })).toBeFocused();

    await page.getByRole('button', { name: /^Stop Rastrigin/ }).click();
    const reason = dialog(page).getByLabel('Reason (optional)');
    await expect(reason).toBeFocused();
    await reason.fill('too slow');
    await dialog(page).getByRole('button', { name: 'Request stop' }).click();
    await expect(dialog(page).getByRole('alert')).toContainText('The service does not respond');
    await expect(reason).toHaveValue('too slow');
    await expect(dialog(page).getByRole('button', { name: 'Retry' })).toBeEnabled();
  });
});

test('a read-only database offers neither stop nor deletion, and shows why', async ({ page }) => {
  const service = await startService('sample', ['--read-only']);
  await openList(page, service.url);
  const remove = page.getByRole('button', { name: 'Delete ZDT1 6, weighted sum' });
  await expect(remove).toBeDisabled();
  await remove.focus();
  await expect(page.getByText(/open read-only: nothing can be stopped/)).toBeVisible();
  await expect(page.getByRole('button', { name: /^Stop Rastrigin/ })).toBeDisabled();
  await service.stop();
});

test.describe('stopping', () => {
  let runner: ChildProcess | undefined;
  test.afterEach(() => {
    runner?.kill('SIGKILL');
    runner = undefined;
  });

  function startRunner(databasePath: string): void {
    const flags = ['--live', '--interval', '300', '--seeds', '2', '--iterations', '400'];
    runner = spawnNode([
      'server/sample/main.ts',
      '--db',
      databasePath,
      '--only',
      'onemax40-umda',
      ...flags,
    ]);
  }

  test('an experiment from its row shows the request until its runs are STOPPED', async ({
    page,
    service,
    database,
  }) => {
    startRunner(service.databasePath);
    await page.goto(`${service.url}/experiments?status=RUNNING&sort=-created`);
    const row = rows(page).first();
    await expect(row).not.toContainText('Rastrigin');
    await expect(row).toContainText('2 running');
    const name = (await row.getByRole('link').textContent()) ?? '';
    await row.getByRole('button', { name: `Stop ${name}` }).click();
    await dialog(page).getByLabel('Reason (optional)').fill('converged long ago');
    await dialog(page).getByRole('button', { name: 'Request stop' }).click();
    await expect(page.getByText(`Requested ${name} to stop (2 runs).`)).toBeVisible();
    await page.goto(`${service.url}/experiments?sort=-created`);
    await expect(getRow(page, name)).toContainText('2 stopped');
    await getRow(page, name).getByRole('link').click();
    const request = page.getByRole('region', { name: 'Stop request' });
    await expect(request).toContainText('Stopped on request');
    await expect(request).toContainText('converged long ago');
    const stored = database
      .prepare("SELECT status FROM control_requests WHERE reason = 'converged long ago'")
      .all();
    expect(stored).toHaveLength(3);
    expect(stored.map((line) => line['status'])).toEqual(Array(3).fill('ACKNOWLEDGED'));
  });

  test('a run from its page shows the request until the run is STOPPED', async ({
    page,
    service,
  }) => {
    startRunner(service.databasePath);
    await page.goto(`${service.url}/?status=RUNNING`);
    const row = rows(page).filter({ hasText: 'onemax40-umda' }).first();
    await expect(row).toBeVisible({ timeout: 15_000 });
    await row.getByRole('link').first().click();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await dialog(page).getByRole('button', { name: 'Request stop' }).click();
    await expect(dialog(page)).toBeHidden();
    const request = page.getByRole('region', { name: 'Stop request' });
    await expect(request).toContainText('Stopped on request');
    await expect(page.locator('.stat-strip')).toContainText('STOPPED');
    // The runner's message about the end would repeat the same.
    await expect(page.locator('.run-message')).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Stop', exact: true })).toBeDisabled();
  });

  test('a run that ends before the request shows the reason without a retry', async ({
    page,
    service,
    database,
  }) => {
    await page.goto(`${service.url}/?status=RUNNING`);
    await page.getByRole('button', { name: /^Stop / }).click();
    database.exec("UPDATE runs SET status = 'COMPLETED' WHERE status = 'RUNNING'");
    await dialog(page).getByRole('button', { name: 'Request stop' }).click();
    await expect(dialog(page).getByRole('alert')).toContainText('COMPLETED');
    await expect(dialog(page).locator('.dialog-foot')).toHaveText('Close');
    await dialog(page).getByRole('button', { name: 'Close' }).last().click();
    await expect(dialog(page)).toBeHidden();
  });

  test('a run whose process has died shows in its row that there is no response', async ({
    page,
    service,
    database,
  }) => {
    await page.goto(`${service.url}/?status=RUNNING`);
    await page.getByRole('button', { name: /^Stop / }).click();
    await dialog(page).getByRole('button', { name: 'Request stop' }).click();
    await expect(rows(page).first()).toContainText('Stop requested');
    database.exec("UPDATE control_requests SET requested_at = '2026-01-01T00:00:00Z'");
    await expect(rows(page).first()).toContainText('No response for');
    await rows(page).first().getByRole('link').first().click();
    const request = page.getByRole('region', { name: 'Stop request' });
    await expect(request).toContainText('A run whose process has died does not respond');
  });

  test('an experiment without RUNNING runs shows that its next run will stop', async ({
    page,
    service,
    database,
  }) => {
    const id = database
      .prepare("SELECT experiment_id AS id FROM experiments WHERE run_name LIKE 'ZDT1%'")
      .get()?.['id'];
    database
      .prepare(
        `INSERT INTO control_requests (scope, target_id, action, requested_at, requested_by, status)
         VALUES ('experiment', ?, 'STOP', '2026-11-21T10:00:00Z', 'script', 'PENDING')`,
      )
      .run(String(id));
    await page.goto(`${service.url}/experiments/${String(id)}`);
    await expect(page.getByRole('region', { name: 'Stop request' })).toContainText(
      'The next run of this experiment will stop before its first iteration.',
    );
  });
});

test('if only the computed values fail, the list shows the stored rows, one error and Retry', async ({
  page,
}) => {
  let isFailing = true;
  await page.route(/[?&]figures=true/, (route) =>
    isFailing
      ? route.fulfill({
          status: 503,
          json: { code: 'DATABASE_BUSY', detail: 'The database is busy.' },
        })
      : route.continue(),
  );
  const computed = requestsTo(page, /^\/api\/experiments$/);
  const countFigureRequests = () =>
    computed.filter(({ searchParams }) => searchParams.has('figures')).length;
  await page.goto('/experiments');
  const line = page.getByRole('status').filter({ hasText: 'The database is busy.' });
  await expect(line).toHaveText(
    'Computed columns could not be loaded: The database is busy. DATABASE_BUSYRetry',
  );
  await expect(page.locator('tbody tr[aria-rowindex]')).not.toHaveCount(0);
  isFailing = false;
  const response = page.waitForResponse(/[?&]figures=true/);
  await line.getByRole('button', { name: 'Retry' }).click();
  expect((await response).status()).toBe(200);
  await expect(line).toHaveCount(0);
  const before = countFigureRequests();
  // Without a computed column, nothing is computed.
  await page.goto('/experiments?cols=name,status');
  await expect(page.locator('tbody tr[aria-rowindex]')).not.toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Live', exact: true })).toBeVisible();
  expect(countFigureRequests()).toBe(before);
});
