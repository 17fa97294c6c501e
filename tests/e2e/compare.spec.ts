import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright/test';
import { expect, expectAccessible, test } from './service.ts';

const select = (page: Page, run: string) =>
  page
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name: run, exact: true }) })
    .getByRole('checkbox')
    .check();
const results = (page: Page) => page.getByRole('grid', { name: 'Results' });
const lead = (page: Page) => page.locator('.compare-lead');
const legend = (page: Page) => page.getByRole('list', { name: 'Series' }).first();

/** Returns the address of the comparison of these runs of the sample. */
function getComparisonAddress(...runs: string[]): string {
  return `/compare?${runs.map((run) => `run=${run}`).join('&')}`;
}

test('three runs of each of two experiments are selected in the list and compared, and the link shows the same comparison', async ({
  page,
}) => {
  await page.goto('/?q=sphere5&size=100&sort=seed-asc');
  await select(page, 'sphere5-gauss-r01');
  const compare = page.getByRole('button', { name: 'Compare', exact: true });
  await compare.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('A comparison needs at least two runs.')).toBeVisible();
  for (const run of ['gauss-r02', 'gauss-r03', 'cma-r01', 'cma-r02', 'cma-r03']) {
    await select(page, `sphere5-${run}`);
  }
  await compare.click();
  await expect(page).toHaveTitle('Compare 6 runs · Evoscope');
  await expect(lead(page)).toHaveText(
    '6 runs of 2 experiments on sphere, dimension 5; lower is better, the target is 0.001. 5 of 6 reached the target, ' +
      'the first after 680 evaluations: cma-es, seed 1003. 6 parameters differ: algorithm.populationSize, ' +
      'algorithm.selectionRatio, algorithm.type and 3 more.',
  );
  await expect(legend(page).getByRole('button')).toHaveText([
    'gaussian-eda, seed 1001',
    'gaussian-eda, seed 1002',
    'gaussian-eda, seed 1003',
    'cma-es, seed 1001',
    'cma-es, seed 1002',
    'cma-es, seed 1003',
  ]);
  const parameters = page.getByRole('grid', { name: 'Parameters that differ' });
  await expect(parameters.getByRole('row', { name: /^algorithm\.populationSize/ })).toHaveText(
    /60\s*40$/,
  );

  await page.getByRole('button', { name: 'Remove gaussian-eda, seed 1002' }).click();
  await expect(page).toHaveTitle('Compare 5 runs · Evoscope');
  await expect(results(page).getByRole('row')).toHaveCount(1 + 5);
  await page.getByRole('button', { name: 'cma-es, seed 1001 as reference' }).click();
  const difference = page.getByRole('heading', { name: /^Difference from cma-es/ });
  await expect(difference).toBeVisible();
  const better = results(page).getByRole('row', { name: /^cma-es, seed 1003/ });
  await expect(better).toContainText('0.000953885 −0.00265031, better');
  await expect(better).toContainText('680 −40');
  await expect(parameters.getByRole('row', { name: /^algorithm\.type/ })).toHaveText(
    /≠ gaussian-eda\s*cma-es$/,
  );

  await page.getByRole('button', { name: /^Series / }).click();
  await page.getByRole('checkbox', { name: 'Standard deviations: mean' }).check();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('heading', { name: /^Standard deviations/ })).toBeVisible();
  await expect(page.getByRole('list', { name: 'Series' })).toHaveCount(3);

  await expect(results(page).getByRole('link', { name: 'Target reached' })).toHaveCount(4);
  const resultText = await results(page).innerText();
  await page.reload();
  await expect(results(page).getByRole('link', { name: 'Target reached' })).toHaveCount(4);
  expect(await results(page).innerText()).toBe(resultText);
  await expect(page.getByRole('list', { name: 'Series' })).toHaveCount(3);
  const axes = page.getByRole('group', { name: 'Curves over' });
  await axes.getByRole('button', { name: 'Time' }).click();
  await page.getByRole('button', { name: 'Table' }).first().click();
  await expect(page.getByRole('columnheader', { name: 'time since the start (s)' })).toBeVisible();
  const file = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save CSV' }).first().click();
  expect(await readFile(await (await file).path(), 'utf8')).toContain(
    '"cma-es, seed 1001",sphere5-cma-r01,true,',
  );
  await page.goBack();
  await page.goBack();
  await expect(page.getByRole('heading', { name: /^Standard deviations/ })).toHaveCount(0);
  await expect(difference).toBeVisible();
  await expectAccessible(page);
});

test('an impossible comparison shows the reason and an alternative', async ({ page }) => {
  await page.goto('/compare');
  await expect(page.getByText('No runs chosen')).toBeVisible();
  await expect(page.getByText(/^Select 2 to 20 rows in a list of runs/)).toBeVisible();
  await expectAccessible(page);
  const [first, second] = ['onemax40-umda-r01', 'onemax40-umda-r02'];
  await page.goto(getComparisonAddress(first, 'gone'));
  await expect(page.getByText('There is no run with the id "gone".')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Compare the others' })).toHaveCount(0);
  await page.goto(getComparisonAddress(first, 'gone', second, 'lost'));
  await expect(
    page.getByText('There are no runs with the ids "gone", "lost". Select other runs.'),
  ).toBeVisible();
  await page.getByRole('button', { name: 'Compare the others' }).click();
  await expect(results(page).getByRole('row')).toHaveCount(1 + 2);
  await page.getByRole('button', { name: 'Remove umda, seed 1001' }).click();
  await page.goto(getComparisonAddress(...Array.from({ length: 21 }, (_, n) => `r${n}`)));
  await expect(page.getByText('21 runs are selected; at most 20 can be compared.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Compare the first 20' })).toBeVisible();
  await page.route('**/api/analysis/runs?*', (route) =>
    route.fulfill({
      status: 503,
      contentType: 'application/problem+json',
      body: JSON.stringify({ code: 'DATABASE_BUSY', detail: 'The database is busy' }),
    }),
  );
  await page.goto(getComparisonAddress(first, second));
  await expect(page.getByRole('alert')).toContainText('The database is busy');
  await page.unroute('**/api/analysis/runs?*');
  await page.route('**/api/analysis/runs/telemetry?*', (route) => route.abort());
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect(results(page)).toBeVisible();
  const late = page.getByText(
    'Series and diagnoses are not up to date: The service does not respond.',
  );
  await expect(late).toBeVisible();
  await page.unroute('**/api/analysis/runs/telemetry?*');
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect(late).toHaveCount(0);
});

test('a RUNNING run grows on the page, which keeps focus, rows, zoom and an open list', async ({
  page,
  service,
  database,
}) => {
  const [running, ended] = ['long-rastrigin-r02', 'long-rastrigin-r01'];
  await page.goto(
    `${service.url}${getComparisonAddress(running, ended)}&best.zoomX=100000..500000`,
  );
  const row = results(page).getByRole('row', { name: /seed 7002/ });
  await expect(row).toContainText('600 000');
  await row.focus();
  const rowElement = await row.elementHandle();
  const addIteration = (iteration: number, evaluations: number): void =>
    database.exec(`
      INSERT INTO iterations (run_id, iteration, evaluations, best_fitness, mean_fitness, std_fitness, created_at)
      VALUES ('${running}', ${iteration}, ${evaluations}, 30.5, 40, 1, '2026-11-21T10:55:46Z')
    `);
  addIteration(10, 660_000);
  await expect(row).toContainText('660 000');
  await expect(row).toContainText('30.5');
  await expect(row).toBeFocused();
  expect(await rowElement?.evaluate((element) => element.isConnected)).toBe(true);
  await expect(page.getByRole('button', { name: 'Reset zoom' })).toBeVisible();

  await page.getByRole('button', { name: 'Reference none' }).click();
  addIteration(11, 720_000);
  await expect(page.getByText('720\u2009000', { exact: true })).toBeVisible();
  await expect(page.getByRole('option', { name: 'emna, seed 7002' })).toBeVisible();
});

test('ended runs of which another program deletes one show that it is missing, and the others can be compared', async ({
  page,
  service,
  database,
}) => {
  const deleted = 'long-rastrigin-r01';
  await page.goto(
    `${service.url}${getComparisonAddress(deleted, 'sphere5-gauss-r01', 'sphere5-gauss-r02')}`,
  );
  await expect(results(page).getByRole('row', { name: /seed 7001/ })).toBeVisible();
  database.exec(`PRAGMA foreign_keys = off; DELETE FROM runs WHERE run_id = '${deleted}'`);
  await expect(page.getByText('A run is missing')).toBeVisible();
  await page.getByRole('button', { name: 'Compare the others' }).click();
  await expect(page).toHaveTitle('Compare 2 runs · Evoscope');
  await expect(results(page).getByRole('row', { name: /seed 7001/ })).toHaveCount(0);
});

test('the runs of an experiment are compared from its table with the palette, and from its chart; at most 20 are possible', async ({
  page,
}) => {
  await page.goto('/experiments?q=OneMax+40,+PBIL');
  await page.getByRole('link', { name: 'OneMax 40, PBIL' }).first().click();
  await page.getByRole('tab', { name: 'Runs' }).click();
  await select(page, 'onemax40-pbil-r01');
  await select(page, 'onemax40-pbil-r02');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('compare the selected');
  await page.keyboard.press('Enter');
  await expect(lead(page)).toContainText('No parameters differ; only the seeds do.');
  await expect(
    page.getByText('All runs belong to one experiment: only their seeds differ.'),
  ).toBeVisible();

  await page.goBack();
  await page.getByRole('tab', { name: 'Analysis' }).click();
  const chart = page.getByRole('region', { name: 'Convergence' });
  await chart.getByRole('button', { name: 'Runs', exact: true }).click();
  await chart.getByRole('button', { name: 'Compare' }).click();
  await expect(page).toHaveTitle('Compare 15 runs · Evoscope');

  await page.goto('/');
  await page.getByRole('checkbox', { name: /^Select all/ }).check();
  await page.getByRole('button', { name: 'Compare', exact: true }).focus();
  await expect(page.getByText('At most 20 runs can be compared; 25 are selected.')).toBeVisible();
});
