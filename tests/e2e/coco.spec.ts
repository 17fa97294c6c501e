import type { DatabaseSync } from 'node:sqlite';
import type { Page } from 'playwright/test';
import { expect, expectAccessible, tellChange, test } from './service.ts';

const rows = (page: Page, table: string) =>
  page.getByRole('grid', { name: table }).locator('tbody tr[aria-rowindex]');

const dialog = (page: Page) => page.getByRole('dialog');

test('the list of campaigns is searched, filtered, and followed while one of them runs', async ({
  page,
  service,
  database,
}) => {
  addRunningCampaign(database);
  await page.goto(service.url);
  await page.keyboard.press('g');
  await page.keyboard.press('c');
  await expect(page).toHaveTitle('COCO campaigns · Evoscope');
  await expect(rows(page, 'COCO campaigns')).toHaveCount(2);
  const running = rows(page, 'COCO campaigns').filter({ hasText: 'Second' });
  await expect(running).toContainText('1 of 48');
  await tellChange(page, service, () => addTrial(database, 2));
  await expect(running).toContainText('2 of 48');
  await page.getByRole('button', { name: /^Status any/ }).click();
  await page.getByRole('checkbox', { name: 'RUNNING' }).check();
  await page.keyboard.press('Escape');
  await expect(rows(page, 'COCO campaigns')).toHaveCount(1);
  await expect(page).toHaveURL(/status=RUNNING/);
  await page.getByPlaceholder('Search ids, names, notes').fill('nothing like this');
  await expect(page.getByText('No campaign matches these filters')).toBeVisible();
  await page.getByRole('button', { name: 'Clear all filters' }).click();
  await expect(rows(page, 'COCO campaigns')).toHaveCount(2);
  await expectAccessible(page);
});

test('a campaign says which of its trials failed, and each trial leads to its run', async ({
  page,
  service,
  database,
}) => {
  failTrials(database, 3);
  await page.goto(`${service.url}/coco/bbob-small?tab=trials`);
  await expect(page).toHaveTitle('BBOB f1 f8, d2 d3 · Evoscope');
  await expect(page.getByText('COMPLETED_WITH_ERRORS')).toBeVisible();
  await expect(page.getByText('trials=48, success=18, failed=3')).toBeVisible();
  await expect(rows(page, 'Trials of the campaign')).toHaveCount(48);
  for (const [filter, value, left] of [
    ['Optimizer', 'cma-es', 24],
    ['Function', '1', 12],
    ['Dimension', '3', 6],
    ['Reached target', 'false', 3],
  ] as const) {
    await page.getByRole('button', { name: `${filter} any` }).click();
    await page.getByRole('checkbox', { name: value, exact: true }).check();
    await page.keyboard.press('Escape');
    await expect(rows(page, 'Trials of the campaign')).toHaveCount(left);
  }
  await page.reload();
  await expect(rows(page, 'Trials of the campaign')).toHaveCount(3);
  await expect(page).toHaveURL(/optimizer=cma-es&functionId=1&dimension=3&reachedTarget=false/);
  await expectAccessible(page);
  await page.goto(`${service.url}/coco/bbob-small?tab=trials`);
  await rows(page, 'Trials of the campaign').filter({ hasText: 'FAILED' }).first().focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/runs\/bbob-small-gaussian-f1-d2-i1-r1$/);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('bbob-small-gaussian');
});

test('the overview marks what is infinite and counts trials per cell, each of which leads to its trials', async ({
  page,
  service,
  database,
}) => {
  failTrials(database, 3);
  await page.goto(`${service.url}/coco/bbob-small`);
  const ratios = page.getByRole('application', { name: 'ERT ratio by dimension' });
  await expect(ratios.locator('.js-plotly-plot')).toBeVisible();
  await ratios.press('End');
  await expect(page.locator('.chart-readout').first()).toContainText(
    'cma-es2.27556 · 1 of 2 solved',
  );
  await expect(page.getByText('3 trials failed, which is no result').first()).toBeVisible();
  const grid = page.getByRole('grid', { name: 'Completeness' });
  const failed = 'gaussian, f1, dimension 2: 6 trials of 6 planned, 3 of them failed';
  await expect(grid.getByRole('link', { name: failed })).toHaveText('3/6 ✕3');
  await expectAccessible(page);
  await grid.getByRole('link', { name: failed }).focus();
  for (const key of ['ArrowDown', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
  await expect(page).toHaveURL(/tab=trials&optimizer=gaussian&functionId=8&dimension=3/);
  await expect(rows(page, 'Trials of the campaign')).toHaveCount(6);
});

test('expected runtimes stand beside their reference, to any targets, and leave as LaTeX', async ({
  page,
  sample,
}) => {
  await page.goto(`${sample.url}/coco/bbob-small?tab=erts`);
  const table = rows(page, 'Expected runtimes');
  await expect(table).toHaveCount(4);
  await expect(table.nth(0)).toContainText('f12×0.96386.676/6');
  await expect(table.nth(3)).toContainText('f83∞0/6∞0/6820');
  await expectAccessible(page);
  const targets = page.getByRole('textbox', { name: 'Targets' });
  await targets.fill('10,x');
  await expect(page.getByText('Targets must be numbers (10,1,1e-8) or powers')).toBeVisible();
  await targets.fill('1..-1:3');
  await expect(page).toHaveURL(/ertTargets=1\.\.-1(:|%3A)3/);
  await expect(page.getByRole('columnheader', { name: 'Target' })).toBeVisible();
  await expect(page.getByText('No reference results of the suite bbob')).toBeVisible();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'LaTeX', exact: true }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('campaign-bbob-small.tex');
});

test('the configuration of an optimizer opens from the table and by its address', async ({
  page,
  sample,
}) => {
  await page.goto(`${sample.url}/coco/bbob-small?tab=optimizers`);
  await expect(rows(page, 'Aggregates of the runner')).toHaveCount(4);
  await rows(page, 'Optimizers').filter({ hasText: 'gaussian' }).click();
  await expect(dialog(page)).toContainText('populationSize: 20');
  await page.reload();
  await expect(dialog(page)).toContainText('Configuration of gaussian');
  await expectAccessible(page);
});

test('a campaign that is not there says so; one that is goes as a whole once its runs are typed', async ({
  page,
  service,
  database,
}) => {
  await page.goto(`${service.url}/coco/none%20such`);
  await expect(page.getByText('Campaign not found')).toBeVisible();
  await page.getByRole('link', { name: 'All campaigns' }).click();
  await rows(page, 'COCO campaigns').first().click();
  await page.getByRole('button', { name: 'Delete campaign' }).click();
  await expect(dialog(page)).toContainText('Delete campaign BBOB f1 f8, d2 d3');
  await expect(dialog(page).locator('.removed-counts')).toContainText('Trials48');
  await page.getByLabel('Type 48, the number of runs, to confirm').fill('48');
  await dialog(page).getByRole('button', { name: 'Delete 1 campaign' }).click();
  await expect(page.getByText(/Deleted BBOB f1 f8, d2 d3: 48 runs/)).toBeVisible();
  await expect(page.getByText('This database has no campaigns yet')).toBeVisible();
  const left = database.prepare('SELECT COUNT(*) AS n FROM coco_trials').get();
  expect(left?.['n']).toBe(0);
});

/** A campaign that runs, with the plan of the sample's and one of its trials. */
function addRunningCampaign(database: DatabaseSync): void {
  copyCampaignRows(database, 'coco_campaigns', '');
  database.exec(`UPDATE coco_campaigns SET name = 'Second', status = 'RUNNING', finished_at = NULL
    WHERE campaign_id = 'second'`);
  copyCampaignRows(database, 'coco_optimizer_configs', '');
  addTrial(database, 1);
}

/** Ends one more trial of the running campaign. */
function addTrial(database: DatabaseSync, index: number): void {
  copyCampaignRows(
    database,
    'coco_trials',
    `AND id = (SELECT MIN(id) + ${index} FROM coco_trials WHERE campaign_id = 'bbob-small')`,
  );
}

/** Copies rows of the sample's campaign into the one called `second`. */
function copyCampaignRows(database: DatabaseSync, table: string, where: string): void {
  const columns = database
    .prepare(
      `SELECT name FROM pragma_table_info('${table}') WHERE name NOT IN ('id', 'campaign_id')`,
    )
    .all()
    .map(({ name }) => String(name))
    .join(', ');
  database.exec(`INSERT INTO ${table} (campaign_id, ${columns})
    SELECT 'second', ${columns} FROM ${table} WHERE campaign_id = 'bbob-small' ${where}`);
}

/** Lets the first trials of the sample's campaign have failed, as the runner writes that. */
function failTrials(database: DatabaseSync, count: number): void {
  database.exec(`
    UPDATE coco_trials SET status = 'FAILED', reached_target = 0, evals_to_target = NULL
      WHERE id IN (SELECT id FROM coco_trials WHERE campaign_id = 'bbob-small' ORDER BY id LIMIT ${count});
    UPDATE coco_campaigns SET status = 'COMPLETED_WITH_ERRORS', notes = 'trials=48, success=18, failed=${count}'
      WHERE campaign_id = 'bbob-small';`);
}
