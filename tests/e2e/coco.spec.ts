import { DatabaseSync } from 'node:sqlite';
import type { Page } from 'playwright/test';
import { openDatabase } from '#server/db/open.ts';
import { parseDatabaseUrl } from '#server/db/url.ts';
import { failure, letTrialsFail } from '#tests/support/failed-trials.ts';
import { addCampaign } from './generated-campaign.ts';
import {
  expect,
  expectAccessible,
  inCompleteMode,
  requestsTo,
  type RunningService,
  startService,
  changeDatabase,
  test,
} from './service.ts';

/**
 * A service with the sample and other rows that the runner can write: failed trials, a doubtful reference, a RUNNING
 * campaign and a large one. The tests of this file share it and depend on their order: the last one deletes a campaign.
 */
let service: RunningService;
let database: DatabaseSync;

test.beforeAll(async () => {
  service = await startService('sample');
  database = new DatabaseSync(service.databasePath, { timeout: 10_000 });
  database.exec('PRAGMA busy_timeout = 10000');
  addRunningCampaign();
  await failTrials();
  addDoubtfulReference();
  addCampaign(database, { id: 'large', optimizers: 4, instances: 15, iterations: 12 });
});

test.afterAll(async () => {
  database.close();
  await service.stop();
});

const rows = (page: Page, table: string) =>
  page.getByRole('grid', { name: table }).locator('tbody tr[aria-rowindex]');

const dialog = (page: Page) => page.getByRole('dialog');

test('campaigns are searched, filtered, updated while one is RUNNING, and compared on one page', async ({
  page,
}) => {
  await page.goto(service.url);
  await page.keyboard.press('g');
  await page.keyboard.press('c');
  await expect(page).toHaveTitle('COCO campaigns · Evoscope');
  await expect(rows(page, 'COCO campaigns')).toHaveCount(3);
  const running = rows(page, 'COCO campaigns').filter({ hasText: 'Second' });
  await expect(running).toContainText('1 of 48');
  await changeDatabase(page, service, () => addTrial(2));
  await expect(running).toContainText('2 of 48');
  await page.getByRole('button', { name: /^Status any/ }).click();
  await page.getByRole('checkbox', { name: 'RUNNING' }).check();
  await page.keyboard.press('Escape');
  await expect(rows(page, 'COCO campaigns')).toHaveCount(1);
  await expect(page).toHaveURL(/status=RUNNING/);
  await page.getByPlaceholder('Search ids, names, notes').fill('nothing like this');
  await expect(page.getByText('No campaigns match these filters')).toBeVisible();
  await page.locator('.panel').getByRole('button', { name: 'Clear filters' }).click();
  await expect(rows(page, 'COCO campaigns')).toHaveCount(3);

  await running.getByRole('checkbox').check();
  await rows(page, 'COCO campaigns').filter({ hasText: 'BBOB f1' }).getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Compare' }).click();
  await expect(page).toHaveTitle('2 campaigns of bbob · Evoscope');
  await expect(page).toHaveURL(/\/coco\/second\?campaign=bbob-small$/);
  await expect(page.getByRole('tab')).toHaveCount(3);
  const legend = page.getByRole('list', { name: 'Series' }).first();
  await expect(legend).toHaveText('gaussian (Second)cma-esgaussian (BBOB f1 f8, d2 d3)');
  await expect(page.getByRole('heading', { name: 'Completeness of Second' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Remove Second' }).click();
  await expect(page).toHaveTitle('BBOB f1 f8, d2 d3 · Evoscope');
  await page.goto(`${service.url}/coco/second?campaign=nobody`);
  await expect(
    page.getByText('1 campaign not compared: nobody (There is no campaign'),
  ).toBeVisible();
  await page.getByRole('button', { name: 'Remove from the link' }).click();
  await expect(page).toHaveURL(/\/coco\/second$/);
});

test('a campaign shows which of its trials failed, and each trial links to its run', async ({
  page,
}) => {
  await page.goto(`${service.url}/coco/bbob-small?tab=trials`);
  await expect(page).toHaveTitle('BBOB f1 f8, d2 d3 · Evoscope');
  await expect(page.getByText('COMPLETED_WITH_ERRORS')).toBeVisible();
  await page.getByRole('button', { name: 'Show details' }).click();
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
  await expect(page.getByText('3 trials failed. ERT excludes failed trials')).toBeVisible();
  const failed = rows(page, 'Trials of the campaign').filter({ hasText: 'FAILED' });
  await failed.first().focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/runs\/bbob-small-gaussian-f1-d2-i1-r1$/);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('bbob-small-gaussian');
  await page.getByRole('button', { name: 'Show details' }).click();
  await expect(page.getByText('gaussian, f1, dimension 2, instance 1')).toBeVisible();
  await expect(page.getByText(failure).first()).toBeVisible();
  await page.getByRole('link', { name: 'BBOB f1 f8, d2 d3' }).click();
  await expect(page).toHaveURL(/\/coco\/bbob-small$/);
  await page.goBack();
  await page.goBack();
  await failed.last().getByRole('link').click();
  await expect(page.getByText('Trials that failed before starting have no run')).toBeVisible();
});

test('the overview marks infinite ratios and counts trials per cell, and each cell links to its trials', async ({
  page,
}) => {
  await page.goto(`${service.url}/coco/bbob-small`);
  const ratios = page.getByRole('application', { name: 'ERT ratio by dimension' });
  await expect(ratios.locator('.js-plotly-plot')).toBeVisible();
  await ratios.press('End');
  await expect(page.locator('.chart-readout').first()).toContainText('cma-es∞ · 1 of 2 solved');
  await expect(page.getByText('ERTs and solved trials omit 3 FAILED trials').first()).toBeVisible();
  const grid = page.getByRole('grid', { name: 'Completeness' });
  const failed = 'gaussian, f1, dimension 2: 6 trials of 6 planned, 3 of them failed';
  await expect(grid.getByRole('link', { name: failed })).toHaveText('3/6 ✕3');
  await expectAccessible(page);
  await grid.getByRole('link', { name: failed }).focus();
  for (const key of ['ArrowDown', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
  await expect(page).toHaveURL(/tab=trials&optimizer=gaussian&functionId=8&dimension=3/);
  await expect(rows(page, 'Trials of the campaign')).toHaveCount(6);
  await page.goto(`${service.url}/coco/bbob-small?tab=erts`);
  await expect(rows(page, 'Expected runtimes').nth(0)).toContainText('doubtful90');
  await expect(page.getByText('2 cells whose reference reports a finite ERT')).toBeVisible();
});

test('expected runtimes are shown next to their reference, for any targets, and exported as LaTeX', async ({
  page,
  sample,
}) => {
  await page.goto(`${sample.url}/coco/bbob-small?tab=erts`);
  const table = rows(page, 'Expected runtimes');
  await expect(table).toHaveCount(4);
  await expect(table.nth(0)).toContainText('f12×0.96386.676/6');
  await expect(table.nth(3)).toContainText('f83∞0/6∞0/6820');
  await expect(
    table.nth(0).getByTitle(/^95 % MOVER interval \d.* to \d.*; SP1 86.67$/),
  ).toBeVisible();
  await expect(
    table
      .nth(3)
      .getByTitle(/^SP1 ∞$/)
      .first(),
  ).toBeVisible();
  // A row may contain optimizers that share no instance.
  await expect(
    page.getByText('bold: significantly faster than every other optimizer in a test with it'),
  ).toBeVisible();
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
    page.getByRole('button', { name: 'Save LaTeX' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('campaign-bbob-small.tex');
});

test('the ECDF has a draggable budget handle and a field for targets, and keys change the function', async ({
  page,
  sample,
}) => {
  await page.goto(`${sample.url}/coco/bbob-small?tab=ecdf&grid=none&cells=all`);
  const areas = page.locator('.ecdf-areas tbody tr');
  const handle = page.getByRole('slider', { name: 'Budget' });
  const about = page.locator('.ecdf-view .card-description').first();
  await expect(handle).toHaveAttribute('aria-valuetext', '60 evaluations / dimension');
  const whole = await areas.first().textContent();
  await expectAccessible(page);
  const requests = requestsTo(page, /\/ecdf$/);
  const box = (await handle.boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x - 150, box.y + 40, { steps: 4 });
  await expect(areas.first()).not.toHaveText(whole ?? '');
  expect(requests).toEqual([]);
  const dragged = await areas.first().textContent();
  await page.mouse.up();
  await expect(page).toHaveURL(/budget=/);
  await expect.poll(() => requests.length).toBe(1);
  await expect(areas.first()).toHaveText(dragged ?? '');
  // Esc restores the budget, also after the handle is released.
  await page.keyboard.press('Escape');
  await expect(areas.first()).toHaveText(whole ?? '');
  await expect(handle).toHaveAttribute('aria-valuetext', '60 evaluations / dimension');
  await page.mouse.move(box.x + box.width / 2, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x - 50, box.y + 40, { steps: 2 });
  await expect(areas.first()).not.toHaveText(whole ?? '');
  await page.keyboard.press('Escape');
  await page.mouse.up();
  await expect(areas.first()).toHaveText(whole ?? '');
  await expect(page).not.toHaveURL(/budget=/);

  await page.locator('#main').focus();
  await page.keyboard.press('ArrowRight');
  await expect(page).toHaveURL(/functionId=1$/);
  await expect(about).toContainText('f1, all dimensions, 51 targets');
  await page.keyboard.press('ArrowDown');
  await expect(about).toContainText('f1, dimension 2, 51 targets');
  await page.keyboard.press('Space');
  await expect(about).toContainText('f1, all dimensions, 51 targets');
  await page.getByRole('button', { name: 'Previous function' }).click();
  await expect(about).toContainText('all functions, all dimensions, 51 targets');

  await page.getByRole('textbox', { name: 'Targets' }).fill('10, 1');
  await expect(about).toContainText('all dimensions, 2 targets');
  await page.getByRole('button', { name: /^Charts dimensions pooled/ }).click();
  await page.getByRole('option', { name: 'one per function group' }).click();
  const group = page.getByRole('application', { name: 'f1–f5, separable' });
  await expect(group.locator('.js-plotly-plot')).toBeVisible();
  await expect(page.getByRole('application')).toHaveCount(2);
});

test('the ECDF compares on shared cells in one chart per dimension, and lists the omitted cells', async ({
  page,
}) => {
  await page.goto(`${service.url}/coco/second?tab=ecdf&campaign=bbob-small`);
  await expect(page.getByRole('heading', { name: /dimension 2/ })).toBeVisible();
  await expect(
    page.getByText(/cells? omitted, because not every optimizer has them/),
  ).toBeVisible();
  await page.getByRole('button', { name: 'Show all cells' }).click();
  await expect(page).toHaveURL(/cells=all/);
  await expect(page.getByText('Do not rank them by these results.').first()).toBeVisible();
  await page.goBack();
  await page.getByRole('button', { name: 'Count missing as unsolved' }).click();
  await expect(page.getByText(/missing cells? counts? as unsolved/).first()).toBeVisible();
  await expectAccessible(page);
});

inCompleteMode(() => {
  test('a campaign of 8 640 trials is drawn within 1 s of processor time, and its handle moves within 1/30 s per frame', async ({
    page,
  }) => {
    await page.goto(`${service.url}/coco/large?tab=optimizers`);
    await expect(rows(page, 'Optimizers')).toHaveCount(4);
    const getProcessorTime = await watchProcessorTime(page);
    await page.getByRole('tab', { name: 'Overview' }).click();
    await expect(page.getByRole('grid', { name: 'Completeness' }).getByRole('link')).toHaveCount(
      576,
    );
    await expect(page.locator('.js-plotly-plot')).toHaveCount(2);
    expect(await getProcessorTime()).toBeLessThan(1);

    await page.getByRole('tab', { name: 'Runtime ECDF' }).click();
    const handle = page.getByRole('slider', { name: 'Budget' }).first();
    await expect(page.locator('.js-plotly-plot')).toHaveCount(6);
    await expect(page.locator('.ecdf-areas tbody tr')).toHaveCount(4);
    expect(await getProcessorTime()).toBeLessThan(1);
    const box = (await handle.boundingBox())!;
    const middle = box.x + box.width / 2;
    await page.mouse.move(middle, box.y + 30);
    await page.mouse.down();
    const positions = await watchPositions(page);
    for (let step = 0; step < 60; step += 1) await page.mouse.move(middle - 6 * step, box.y + 30);
    const work = await getProcessorTime();
    await page.mouse.up();
    expect(await positions()).toBeGreaterThan(20);
    expect(work / 60).toBeLessThan(1 / 30);
  });
});

test('the configuration of an optimizer opens from the table and from its URL', async ({
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

test('an ended campaign shows trials that an import adds, and that another program has deleted it', async ({
  page,
}) => {
  database.exec(`PRAGMA foreign_keys = off;
    UPDATE coco_campaigns SET status = 'COMPLETED' WHERE campaign_id = 'second'`);
  const trials = Number(
    database.prepare(`SELECT COUNT(*) AS n FROM coco_trials WHERE campaign_id = 'second'`).get()?.[
      'n'
    ],
  );
  await page.goto(`${service.url}/coco/second?tab=trials`);
  await expect(rows(page, 'Trials of the campaign')).toHaveCount(trials);
  await changeDatabase(page, service, () => addTrial(5));
  await expect(rows(page, 'Trials of the campaign')).toHaveCount(trials + 1);
  const rename = (from: string, to: string) =>
    database.exec(`UPDATE coco_campaigns SET campaign_id = '${to}' WHERE campaign_id = '${from}'`);
  await changeDatabase(page, service, () => rename('second', 'deleted'));
  await expect(page.getByText('Campaign not found')).toBeVisible();
  await changeDatabase(page, service, () => rename('deleted', 'second'));
  await expect(rows(page, 'Trials of the campaign')).toHaveCount(trials + 1);
});

test('an unknown campaign is reported; a campaign is deleted completely after its number of runs is typed', async ({
  page,
}) => {
  await page.goto(`${service.url}/coco/none%20such`);
  await expect(page.getByText('Campaign not found')).toBeVisible();
  await page.getByRole('link', { name: 'All campaigns' }).click();
  await rows(page, 'COCO campaigns').filter({ hasText: 'BBOB f1' }).click();
  await page.getByRole('button', { name: 'Delete campaign' }).click();
  await expect(dialog(page)).toContainText('Delete campaign BBOB f1 f8, d2 d3');
  await expect(dialog(page).locator('.removed-counts')).toContainText('Trials48');
  // Runs that are also trials of another campaign are not deleted.
  const own = database
    .prepare(
      `SELECT COUNT(*) AS n FROM coco_trials NATURAL JOIN (SELECT run_id FROM runs) WHERE campaign_id = 'bbob-small'
        AND run_id NOT IN (SELECT run_id FROM coco_trials WHERE campaign_id = 'second')`,
    )
    .get();
  const runs = String(own?.['n']);
  await page.getByLabel(`Type ${runs}, the number of runs, to confirm`).fill(runs);
  await dialog(page).getByRole('button', { name: 'Delete 1 campaign' }).click();
  await expect(page.getByText(`Deleted BBOB f1 f8, d2 d3: ${runs} runs`)).toBeVisible();
  await expect(rows(page, 'COCO campaigns')).toHaveCount(2);
  const left = database
    .prepare(`SELECT COUNT(*) AS n FROM coco_trials WHERE campaign_id = 'bbob-small'`)
    .get();
  expect(left?.['n']).toBe(0);
});

/** Adds a RUNNING campaign with the plan of the sample's campaign and one of its trials. */
function addRunningCampaign(): void {
  copyCampaignRows('coco_campaigns', '');
  database.exec(`UPDATE coco_campaigns SET name = 'Second', status = 'RUNNING', finished_at = NULL
    WHERE campaign_id = 'second'`);
  copyCampaignRows('coco_optimizer_configs', '');
  addTrial(1);
}

/** Adds a finished trial to the RUNNING campaign. */
function addTrial(index: number): void {
  copyCampaignRows(
    'coco_trials',
    `AND id = (SELECT MIN(id) + ${index} FROM coco_trials WHERE campaign_id = 'bbob-small')`,
  );
}

/** Copies rows of the sample's campaign into the one called `second`. */
function copyCampaignRows(table: string, where: string): void {
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

/** Makes the first three trials of the sample's campaign fail, with the rows that the runner writes. */
async function failTrials(): Promise<void> {
  const writer = await openDatabase(
    parseDatabaseUrl(service.databasePath, { workingDirectory: '/' }),
  );
  await letTrialsFail(writer);
  await writer.close();
}

/** Adds a reference as in a published table that has a sort key in place of an infinite ERT. */
function addDoubtfulReference(): void {
  database.exec(`INSERT INTO coco_reference_results
      (suite, optimizer_name, function_id, dimension, target_value, ert, success_rate, imported_at)
    VALUES ('bbob', 'refC', 1, 2, 0.01, 1e7, 0, '2026-01-01T00:00:00Z')`);
}

/**
 * Returns a function that returns the processor time of the page's thread in seconds since its previous call. This time
 * does not depend on other programs on the machine.
 */
async function watchProcessorTime(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const readProcessorTime = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN;
  };
  let before = await readProcessorTime();
  return async () => {
    const now = await readProcessorTime();
    const since = now - before;
    before = now;
    return since;
  };
}

/** Returns a function that counts the different positions of the handle since this call. Misses none on a busy machine. */
async function watchPositions(page: Page): Promise<() => Promise<number>> {
  const positions = await page
    .locator('.chart-handle')
    .first()
    .evaluateHandle((handle) => {
      const values = new Set<string | null>();
      const recordValue = () => values.add(handle.getAttribute('aria-valuenow'));
      new MutationObserver(recordValue).observe(handle, { attributeFilter: ['aria-valuenow'] });
      return values;
    });
  return () => positions.evaluate(({ size }) => size);
}
