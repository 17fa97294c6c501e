import type { Page } from 'playwright/test';
import { expect, expectAccessible, requestsTo, test } from './service.ts';

const running = 'long-rastrigin-r02';
const picture = (page: Page) => page.getByRole('application', { name: 'Fitness' });
const stat = (page: Page, term: string) => page.locator('.stat').filter({ hasText: term });
const tab = (page: Page, name: string) => page.getByRole('tab', { name });
const events = (page: Page) => page.getByRole('list', { name: 'Events' }).locator('.event-line');

/** Returns the range of x that a chart shows. */
async function getDrawnRange(page: Page): Promise<number[]> {
  return picture(page)
    .locator('.chart-plot')
    .evaluate(
      (element) =>
        (element as unknown as { layout: { xaxis: { range: number[] } } }).layout.xaxis.range,
    );
}

async function openRun(page: Page, address: string): Promise<void> {
  await page.goto(`/runs/${address}`);
  await expect(page.getByRole('tablist')).toBeVisible();
}

test.describe('the page of a run', () => {
  test('shows the result and that no iterations are stored, links to sibling runs, and searches parameters', async ({
    page,
  }) => {
    await openRun(page, 'onemax40-cga-r03');
    await expect(page).toHaveTitle('onemax40-cga-r03 · Evoscope');
    await expect(stat(page, 'Best')).toHaveText('Best39of target 40');
    await expect(stat(page, 'Evaluations')).toHaveText('Evaluations1\u2009200');
    await expect(page.getByText('No iterations recorded for this run.')).toBeVisible();
    await page.getByRole('link', { name: 'seed 1004 ›' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('onemax40-cga-r04');
    await tab(page, 'Configuration').click();
    await expect(page.getByRole('region', { name: 'Configuration as YAML' })).toContainText(
      'populationSize: 60',
    );
    await page.getByRole('button', { name: 'JSON' }).click();
    await expect(page.getByRole('region', { name: 'configuration as JSON' })).toContainText(
      '"populationSize": 60',
    );
    await expectAccessible(page);
    await page.getByRole('searchbox', { name: 'Search parameters' }).fill('population');
    const table = page.getByRole('grid', { name: 'Parameters' });
    await expect(
      table.getByRole('row').filter({ hasText: 'algorithm.populationSize' }),
    ).toContainText('60');
    await expect(page).toHaveURL(/find=population/);
  });

  test('shows the full error message, and the point of a run with one iteration', async ({
    page,
  }) => {
    await openRun(page, 'failed-copula');
    await expect(
      page.getByText(/^class com\..*in unnamed module of loader 'app'\)$/),
    ).toBeVisible();
    await expect(picture(page).locator('.points path')).toHaveCount(3);
    await expect(page.locator('.chart-legend .mark-sample')).toHaveCount(3);
  });

  test('shows the reason of a stop, and the checkpoint from which a run was resumed', async ({
    page,
  }) => {
    await openRun(page, 'long-rastrigin-r01');
    const request = page.getByRole('region', { name: 'Stop request' });
    await expect(request).toContainText('“wrong learning rate”');
    await expect(page.locator('.run-message')).toHaveCount(0);
    await page.getByRole('button', { name: 'Show details' }).click();
    await expect(page.locator('.facts-details')).toContainText(
      /Requested21 Nov.*Acknowledged21 Nov/,
    );
    await openRun(page, 'resumed-mimic');
    await page.getByRole('button', { name: 'Show details' }).click();
    await expect(
      page.getByText('Resumed from./results/checkpoints/resumed-mimic-iter-6.ckpt.yaml'),
    ).toBeVisible();
  });

  test('shows that a run is unknown, and links to all runs', async ({ page }) => {
    await page.goto('/runs/nope');
    await expect(
      page.getByText('There is no run with the id "nope". Select another run'),
    ).toBeVisible();
    await page.getByRole('link', { name: 'All runs' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Runs');
  });

  test('stores tab and axes in the URL; arrow keys change the tab', async ({ page }) => {
    await openRun(page, 'sphere5-cma-r01');
    await page.getByRole('button', { name: 'Evaluations', exact: true }).click();
    await page.getByRole('button', { name: 'Log y' }).click();
    await expect(page).toHaveURL(/by=evaluations&fitness\.y=linear/);
    await page.reload();
    await expect(page.getByRole('button', { name: 'Log y' })).toHaveAttribute(
      'aria-pressed',
      'false',
    );
    await expect(picture(page).locator('.ytitle')).toHaveText('fitness');
    await page.getByRole('link', { name: 'seed 1002 ›' }).click();
    await expect(page).toHaveURL(/sphere5-cma-r02\?by=evaluations&fitness\.y=linear$/);
    await expect(picture(page).locator('.xtitle')).toHaveText('evaluations');
    await expect(picture(page).locator('.ytitle')).toHaveText('fitness');
    await tab(page, 'Fitness').focus();
    await page.keyboard.press('ArrowRight');
    await expect(page).toHaveURL(/tab=diversity/);
    await expect(tab(page, 'Diversity')).toHaveAttribute('aria-selected', 'true');
  });

  test('opens an iteration with its telemetry, filters events by type and text, and opens a full payload', async ({
    page,
  }) => {
    await openRun(page, 'adaptive30-pbil?tab=iterations');
    await page.getByRole('button', { name: 'Open iteration 3', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Iteration 3' });
    await expect(dialog.getByRole('region', { name: 'diagnostics as JSON' })).toContainText(
      '"pbil_learning_rate": 0.35',
    );
    await dialog.getByRole('button', { name: 'Next ›' }).click();
    await expect(page).toHaveURL(/iteration=4/);
    await expect(page.getByRole('dialog', { name: 'Iteration 4' })).toContainText(
      '"iteration": 4.0',
    );
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Open iteration 3', exact: true })).toBeFocused();

    await tab(page, 'Events').click();
    await page.getByRole('button', { name: 'adaptive_action 30' }).click();
    await expect(page.locator('.pager')).toContainText('1–25 of 30 events');
    await page.getByRole('button', { name: 'Page 2', exact: true }).click();
    await expect(events(page)).toHaveCount(5);
    await page.getByRole('textbox', { name: 'Search payloads' }).fill('partial_restart');
    await expect(page.locator('.pager')).toContainText('of 3 events');
    await expect(page).toHaveURL(/eventType=adaptive_action&q=partial_restart$/);
    await events(page).first().click();
    await expect(page.getByRole('region', { name: 'payload as JSON' })).toContainText(
      '"trigger": "stagnation_low_diversity"',
    );
    await expect(page.getByRole('grid', { name: 'Adaptive actions' })).toContainText(
      'exploration_boost',
    );
    await page.getByRole('textbox', { name: 'Search payloads' }).fill('no such text');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect(page.locator('.pager')).toContainText('of 63 events');
  });
});

test('a RUNNING run draws new iterations and keeps the zoom; a finished run is not fetched again', async ({
  page,
  service,
  database,
}) => {
  const requests = requestsTo(page, /\/iterations$/);
  const addIteration = (iteration: number) =>
    database.exec(`INSERT INTO iterations
      (run_id, iteration, evaluations, best_fitness, mean_fitness, std_fitness, created_at)
      SELECT run_id, ${iteration}, evaluations + ${iteration}, 1.5, mean_fitness, std_fitness, created_at
      FROM iterations WHERE run_id = '${running}' AND iteration = 9`);
  await page.goto(`${service.url}/runs/${running}`);
  await expect(stat(page, 'Iterations')).toContainText('Iterations9');
  await picture(page).focus();
  await page.keyboard.press('+');
  await expect(page.getByRole('button', { name: 'Reset zoom' })).toBeVisible();
  const zoomed = await getDrawnRange(page);
  addIteration(10);
  await expect(stat(page, 'Iterations')).toContainText('Iterations10');
  await expect(stat(page, 'Best so far')).toContainText('1.5');
  expect(await getDrawnRange(page)).toEqual(zoomed);
  await expect(picture(page)).toBeFocused();
  // The service creates its index after its start. This change can cause one more fetch.
  const [first, ...later] = requests.map(({ search }) => search);
  expect(first).toBe('?fields=scalars');
  expect([...new Set(later)]).toEqual(['?fields=scalars&after=8']);

  await page.goto(`${service.url}/runs/onemax40-cga-r15`);
  await expect(picture(page)).toBeVisible();
  requests.length = 0;
  const summary = page.waitForResponse(/summary/);
  addIteration(11);
  await summary;
  expect(requests).toEqual([]);
});
