import { readFile } from 'node:fs/promises';
import type { DatabaseSync } from 'node:sqlite';
import type { Download, Page } from 'playwright/test';
import type { ProblemComparison } from '#shared/schemas/analysis.ts';
import { formatFitness, formatPValue, formatRuntime } from '#shared/number-format.ts';
import { expect, expectAccessible, requestsTo, changeDatabase, test } from './service.ts';

const group = (page: Page, name: string) =>
  page.getByRole('grid', { name: 'Groups' }).getByRole('row', { name: new RegExp(`^${name} `) });
const card = (page: Page, title: string) =>
  page.locator('section.card').filter({ has: page.getByRole('heading', { name: title }) });
const directionSelect = (page: Page) => page.getByRole('button', { name: /^Direction / });
const targetFilter = (page: Page) => page.getByRole('button', { name: /^Target / });

async function openProblem(page: Page, search = ''): Promise<void> {
  await page.goto(`/problems/onemax${search}`);
  await expect(page.getByRole('heading', { level: 1, name: 'onemax, length 40' })).toBeVisible();
  await expect(group(page, 'cga')).toBeVisible();
}

async function fetchComparison(url: string, problem = 'onemax'): Promise<ProblemComparison> {
  const response = await fetch(`${url}/api/analysis/problem/${problem}`);
  return (await response.json()) as ProblemComparison;
}

async function findExperimentId(url: string, name: string): Promise<string> {
  const response = await fetch(`${url}/api/experiments?size=200&q=${encodeURIComponent(name)}`);
  const { items } = (await response.json()) as {
    items: { experimentId: string; runName: string }[];
  };
  const experiment = items.find((item) => item.runName === name);
  if (!experiment) throw new Error(`no experiment is named ${name}`);
  return experiment.experimentId;
}

async function getText(download: Promise<Download>): Promise<string> {
  return readFile(await (await download).path(), 'utf8');
}

test.describe('a problem', () => {
  test('is compared, read, copied and tested by pairs', async ({ page, sample, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await openProblem(page);
    await test.step('the largest instance is compared, with the values of the service', async () => {
      await expect(page.getByText('The other 3 instances are not pooled')).toBeVisible();
      for (const { label, atCommonBudget: commonBudget } of (await fetchComparison(sample.url))
        .algorithms) {
        const { ert = null, sp1 = null, meanBest = null } = commonBudget ?? {};
        for (const text of [formatRuntime(ert), formatRuntime(sp1), formatFitness(meanBest)]) {
          await expect(group(page, label)).toContainText(text);
        }
      }
      await expect(card(page, 'Groups')).toContainText(
        'Values within 1\u2009200 evaluations, the smallest common budget. Fitness beyond the target counts as the target. Bold:',
      );
      await expect(card(page, 'Mean ranks')).toContainText('15 blocks by seed');
      await expect(card(page, 'Mean ranks').locator('.chart-canvas')).toContainText('CD = 0.8558');
    });
    await test.step('the tables are copied as LaTeX', async () => {
      await page.getByRole('button', { name: 'Copy LaTeX', exact: true }).click();
      await expect(page.getByText('Copied the tables as LaTeX')).toBeVisible();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      expect(copied).toContain(String.raw`\begin{tabular}`);

      await page.getByRole('button', { name: 'Copy LaTeX of Groups' }).click();
      await expect(page.getByText('Copied Groups as LaTeX')).toBeVisible();
      const one = await page.evaluate(() => navigator.clipboard.readText());
      expect(one).toContain(String.raw`\label{tab:groups`);
      expect(one).not.toContain(String.raw`\label{tab:pairs`);
    });
    await test.step('the keyboard reads and leaves a chart', async () => {
      const ranks = card(page, 'Mean ranks');
      await ranks.locator('.chart-canvas').focus();
      await page.keyboard.press('t');
      const table = ranks.getByRole('region', { name: 'Mean ranks: numbers' });
      await expect(table).toBeFocused();
      await expect(table.getByRole('row').nth(1)).toContainText('cga');
      await expect(table.getByRole('row').nth(1)).toContainText('1.8');
      await page.keyboard.press('t');
      await expect(ranks.locator('.chart-canvas')).toBeFocused();
      await page.keyboard.press('?');
      const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
      await expect(list).toContainText('tThe chart with the focus as a table, and back');
      await page.keyboard.press('Escape');
      await expect(list).toHaveCount(0);
    });
    await test.step('the verdict comes first, and the pairs are shown by measure, as a table and as a matrix', async () => {
      const pairs = card(page, 'Pairwise tests');
      const { pairwise, verdict } = await fetchComparison(sample.url);
      const [first, byFitness] = [pairwise.runtime, pairwise.fitness].map((list) =>
        formatPValue(list?.[0]?.adjustedPValue),
      );
      await expect(card(page, 'Verdict').getByRole('listitem').first()).toHaveText(
        verdict[0]!.text,
      );
      const more = card(page, 'Verdict').getByRole('button', { name: / more$/ });
      if (await more.isVisible()) await more.click();
      await expect(card(page, 'Verdict').getByRole('listitem')).toHaveCount(verdict.length);
      await expect(pairs.getByRole('row', { name: /^cga pbil/ })).toContainText(String(first));
      await pairs.getByRole('button', { name: 'Matrix' }).click();
      await expect(page).toHaveURL(/pairs=matrix/);
      await expect(pairs.getByRole('row', { name: /^cga / })).toContainText(`p ${first}`);
      await pairs.getByRole('button', { name: /^Measure / }).click();
      await page.getByRole('option', { name: 'fitness' }).click();
      await expect(page).toHaveURL(/measure=fitness/);
      await expect(pairs.getByRole('row', { name: /^cga / })).toContainText(`p ${byFitness}`);
      await expectAccessible(page);
      await page.getByRole('button', { name: /^Algorithms / }).click();
      await expect(page.getByRole('checkbox', { name: 'umda' })).toBeVisible();
      await expectAccessible(page, '[role=dialog]');
    });
  });

  test('shows the sources of direction and target, which change the values and are stored in the URL', async ({
    page,
  }) => {
    await openProblem(page);
    await expect(directionSelect(page)).toHaveAccessibleName('Direction max from problem type');
    const row = card(page, 'Pairwise tests').getByRole('row', { name: /^cga umda / });
    await expect(row).toContainText('0.327');
    await directionSelect(page).click();
    await page.getByRole('option', { name: /^min/ }).click();
    await expect(page).toHaveURL(/direction=min/);
    await expect(directionSelect(page)).toHaveAccessibleName('Direction min chosen here');
    await expect(row).not.toContainText('0.327');
    await page.goBack();
    await expect(row).toContainText('0.327');
    await expect(directionSelect(page)).toHaveAccessibleName('Direction max from problem type');

    await targetFilter(page).click();
    await page.getByLabel('Target fitness').fill('abc');
    await expect(page.getByText('Enter a number, such as 0.5 or 1e-3.')).toBeVisible();
    await page.getByLabel('Target fitness').fill('38');
    await expect(page).toHaveURL(/target=38/);
    await page.keyboard.press('Escape');
    await expect(targetFilter(page)).toContainText('38');
    await expect(targetFilter(page)).toContainText('chosen here');
    await expect(group(page, 'cga').getByText('100.0 %').first()).toBeVisible();
    await page.reload();
    await expect(group(page, 'cga').getByText('100.0 %').first()).toBeVisible();
  });

  test('hides a group in all charts; hidden groups, instance, algorithms, grouping and axes are stored in the URL', async ({
    page,
  }) => {
    await openProblem(page);
    const umda = (chart: string) => card(page, chart).getByRole('button', { name: /^umda/ });
    const curves = (chart: string) => card(page, chart).locator('path.js-line').count();
    await expect(umda('Runtime ECDF')).toHaveAttribute('aria-pressed', 'true');
    await expect.poll(() => curves('Runtime ECDF')).toBe(3);
    await umda('Convergence').click();
    await expect(page).toHaveURL(/[?&]hide=umda/);
    await expect(umda('Runtime ECDF')).toHaveAttribute('aria-pressed', 'false');
    await expect.poll(() => curves('Runtime ECDF')).toBe(2);
    await expect(card(page, 'Best fitness').locator('path.box')).toHaveCount(2);
    await page.reload();
    await expect(umda('Data profile')).toHaveAttribute('aria-pressed', 'false');
    await umda('Data profile').click();
    await expect.poll(() => curves('Runtime ECDF')).toBe(3);

    await page.getByRole('button', { name: /^Algorithms / }).click();
    await page.getByRole('checkbox', { name: 'umda' }).uncheck();
    await page.keyboard.press('Escape');
    await expect(group(page, 'umda')).toHaveCount(0);
    await expect(page).toHaveURL(/algorithm=cga&algorithm=mimic&algorithm=pbil/);
    await card(page, 'Convergence').getByRole('button', { name: 'Median', exact: true }).click();
    await card(page, 'Convergence').getByRole('button', { name: 'Log x' }).click();
    await expect(page).toHaveURL(/average=median&convergence\.x=log/);
    await page.getByRole('button', { name: /^Group by / }).click();
    await page.getByRole('option', { name: 'experiment' }).click();
    await expect(page.getByRole('link', { name: /OneMax 40, PBIL/ })).toBeVisible();
    await page.reload();
    await expect(page.getByRole('link', { name: /OneMax 40, PBIL/ })).toBeVisible();
    await expect(card(page, 'Convergence').getByRole('button', { name: 'Log x' })).toHaveAttribute(
      'aria-pressed',
      'true',
    );
    await page.getByRole('button', { name: /^Instance / }).click();
    await page.getByRole('option', { name: /length 30/ }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'onemax, length 30' })).toBeVisible();
  });

  test('exports the displayed values as CSV and LaTeX', async ({ page, sample }) => {
    await page.goto('/problems/sphere');
    await expect(group(page, 'cma-es')).toBeVisible();
    const { algorithms, convergence } = await fetchComparison(sample.url, 'sphere');
    const cmaes = algorithms.find(({ algorithm }) => algorithm === 'cma-es');
    const groups = page.waitForEvent('download');
    await card(page, 'Groups').getByRole('button', { name: 'Save CSV' }).click();
    const lines = (await getText(groups)).split('\r\n');
    const commonBudget = cmaes?.atCommonBudget;
    const infinite = (value: number | null | undefined) => value ?? 'Inf';
    expect(lines[1]).toBe(
      ['cma-es', 10, 10, commonBudget?.runs, commonBudget?.solved, commonBudget?.successRate].join(
        ',',
      ) +
        `,${commonBudget?.successRateCi?.lower},${commonBudget?.successRateCi?.upper}` +
        `,${commonBudget?.ert},${commonBudget?.ertInterval?.lower},${infinite(commonBudget?.ertInterval?.upper)},${commonBudget?.sp1}` +
        `,${commonBudget?.meanBest},${commonBudget?.medianBest},${commonBudget?.stdBest}`,
    );

    const curve = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export Convergence' }).click();
    await page.getByRole('menuitem', { name: 'CSV, all numbers' }).click();
    const points = (await getText(curve)).trimEnd().split('\r\n');
    const last = convergence.find(({ name }) => name === 'cma-es')?.points.at(-1);
    expect(points.at(-1)).toContain(`${last?.x},${last?.mean},${last?.ciLower},${last?.ciUpper}`);

    const latex = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save LaTeX' }).click();
    const tex = await getText(latex);
    expect((await latex).suggestedFilename()).toMatch(/^[\w.-]+\.tex$/);
    expect(tex).toContain(String.raw`\toprule`);
    expect(tex).toContain(formatRuntime(commonBudget?.ert).replace('\u2009', String.raw`\,`));
  });

  test('without experiments is reported, and the page links to all problems', async ({ page }) => {
    await page.goto('/problems/no-such-problem');
    await expect(page.getByText('There is no experiment on the problem')).toBeVisible();
    await expect(page.getByRole('link', { name: 'Clear filters' })).toHaveCount(0);
    await page.goto('/problems/no-such-problem?instance=x');
    await expect(page.getByRole('link', { name: 'Clear filters' })).toBeVisible();
    await page.getByRole('link', { name: 'All problems' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Problems' })).toBeVisible();
  });

  test('shows an error with its code, and retries; shows a placeholder while it loads', async ({
    page,
  }) => {
    const problem = {
      type: 'about:blank',
      title: 'Database unavailable',
      status: 503,
      detail: 'The database does not respond',
      instance: '/api/analysis/problem/onemax',
      code: 'DATABASE_UNAVAILABLE',
    };
    const { promise: seenLoading, resolve: letFail } = Promise.withResolvers<void>();
    await page.route('**/api/analysis/problem/onemax', async (route) => {
      await seenLoading;
      await route.fulfill({
        status: 503,
        contentType: 'application/problem+json',
        body: JSON.stringify(problem),
      });
    });
    await page.goto('/problems/onemax');
    await expect(page.getByText('Loading comparison…')).toBeVisible();
    letFail();
    await expect(page.getByText('The database does not respond')).toBeVisible();
    await expect(page.getByText('DATABASE_UNAVAILABLE')).toBeVisible();
    await page.unroute('**/api/analysis/problem/onemax');
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect(group(page, 'cga')).toBeVisible();
  });
});

test('the keyboard searches, sorts and opens problems', async ({ page }) => {
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1, name: 'Runs' })).toBeVisible();
  await page.keyboard.press('g');
  await page.keyboard.press('p');
  await expect(page.getByRole('heading', { level: 1, name: 'Problems' })).toBeVisible();
  await expect(page.locator('tbody tr[aria-rowindex]')).toHaveCount(10);
  await page.keyboard.press('/');
  await page.keyboard.type('umda');
  await expect(page.locator('tbody tr[aria-rowindex]')).toHaveCount(3);
  await page.getByRole('columnheader', { name: 'Runs' }).getByRole('button').press('Enter');
  await expect(page).toHaveURL(/sort=-runs/);
  await page.locator('tbody tr[aria-rowindex]').first().focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/problems\/onemax$/);
  await expect(group(page, 'cga')).toBeVisible();
});

test.describe('an experiment', () => {
  test('shows its key values, curves, notes and success rate with interval, and its runs on request', async ({
    page,
    sample,
  }) => {
    const id = await findExperimentId(sample.url, 'Sphere 5, CMA-ES');
    await page.goto(`/experiments/${id}`);
    await expect(page.getByText('50.0 %')).toBeVisible();
    await expect(page.locator('.chart-canvas')).toHaveCount(9);
    await expect(page.getByText('to the end of the generation')).toBeVisible();
    const seeds = async (): Promise<number> => {
      const curve = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export Convergence' }).click();
      await page.getByRole('menuitem', { name: 'CSV, all numbers' }).click();
      const [headings = ''] = (await getText(curve)).split('\r\n');
      return headings.match(/, seed \d+/g)?.length ?? 0;
    };
    const file = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export Success by budget' }).click();
    await page.getByRole('menuitem', { name: 'CSV, all numbers' }).click();
    const lines = (await getText(file)).trim().split('\r\n');
    expect(lines[0]).toBe(
      'budget (evaluations),of all runs,"95 % interval, lower","95 % interval, upper"',
    );
    // 5 of 10 runs, by Wilson's formula.
    expect(lines.at(-1)).toMatch(/^\d+,0\.5,0\.2365\d+,0\.7634\d+$/);
    await expect(card(page, 'Best fitness').first()).toContainText(/Completed runs: n = \d+\./);
    expect(await seeds()).toBe(0);
    await card(page, 'Convergence').getByRole('button', { name: 'Runs', exact: true }).click();
    await expect(page).toHaveURL(/traces=shown/);
    await expect.poll(seeds).toBe(10);
    const chart = card(page, 'Convergence').locator('.chart-canvas');
    const place = await chart.locator('.chart-overlay').boundingBox();
    if (!place) throw new Error('The chart is not drawn');
    // Moves down in the middle of the chart until a single run is near.
    await expect(async () => {
      for (let part = 0.02; part < 1; part += 0.02) {
        await page.mouse.move(place.x + place.width / 2, place.y + place.height * part);
        if ((await chart.locator('.chart-readout-run').count()) > 0) break;
      }
      await expect(chart.locator('.chart-readout-run')).toContainText(/seed \d+click to open/);
    }).toPass();
    await page.mouse.down();
    await page.mouse.up();
    await expect(page).toHaveURL(/\/runs\/sphere5-cma-r\d+/);
  });

  test('without a target shows a note and neither success rate nor ERT; Back returns from another tab', async ({
    page,
    sample,
  }) => {
    const id = await findExperimentId(sample.url, 'Rastrigin 10, full Gaussian, long');
    await page.goto(`/experiments/${id}`);
    await expect(page.locator('.chart-canvas .main-svg').first()).toBeVisible();
    await expect(page.getByText('No target is set, so')).toBeVisible();
    await expect(page.locator('.stat').filter({ hasText: 'ERT' })).toHaveCount(0);
    await expect(card(page, 'Runtime ECDF')).toHaveCount(0);
    await expect(page.locator('.stat').filter({ hasText: 'Median best' })).toContainText('–');
    await expect(page.getByText('No run has been completed').first()).toBeVisible();
    await page.getByRole('tab', { name: 'Runs' }).click();
    await expect(page.getByRole('grid', { name: 'Runs of the experiment' })).toBeVisible();
    await page.goBack();
    await expect(page.locator('.chart-canvas .main-svg').first()).toBeVisible();
  });

  test('keeps direction and target in all tabs, and is compared on its instance', async ({
    page,
    sample,
  }) => {
    const id = await findExperimentId(sample.url, 'OneMax 40, UMDA, small population');
    const analyses: string[] = [];
    page.on('request', (request) => {
      if (/\/analysis\?/.test(request.url())) analyses.push(new URL(request.url()).search);
    });
    await page.goto(`/experiments/${id}?target=38`);
    await expect(targetFilter(page)).toContainText('chosen here');
    // Only the tab of the comparison requests it, because it reads all runs of the instance.
    expect(analyses).toEqual(['?target=38&sameProblem=false']);
    await page.getByRole('tab', { name: 'Analysis' }).focus();
    await page.keyboard.press('ArrowRight');
    await expect(page).toHaveURL(/target=38&tab=problem/);
    await expect(targetFilter(page)).toContainText('38');
    await expect(group(page, 'pbil')).toBeVisible();
    expect(analyses.at(-1)).toBe('?target=38');
    await page.getByRole('link', { name: /^Choose algorithms/ }).click();
    await expect(page).toHaveURL(/\/problems\/onemax\?instance=/);
  });
});

test.describe('while a runner writes', () => {
  // All pages of a context share one clock permanently.
  test.use({ ownContext: {} });

  const runningName = 'Rastrigin 10, full Gaussian, long';
  /** Adds an iteration to the RUNNING run, 60 000 evaluations after its last one. */
  const addIteration = (database: DatabaseSync): void => {
    database.exec(`
      INSERT INTO iterations (run_id, iteration, evaluations, best_fitness, mean_fitness, std_fitness,
        metrics_json, diagnostics_json, created_at)
      SELECT run_id, iteration + 1, evaluations + 60000, best_fitness * 0.9, mean_fitness, std_fitness,
        '{}', '{}', created_at
      FROM iterations WHERE run_id = 'long-rastrigin-r02' ORDER BY iteration DESC LIMIT 1`);
  };
  const getZoom = (page: Page): Promise<unknown> =>
    card(page, 'Convergence')
      .locator('.chart-plot')
      .evaluate(
        (element) =>
          (element as unknown as { layout: { xaxis: { range: unknown } } }).layout.xaxis.range,
      );

  test('the analysis updates at most every four seconds, and keeps the zoom', async ({
    page,
    service,
    database,
  }) => {
    const id = await findExperimentId(service.url, runningName);
    await page.clock.install();
    await page.goto(`${service.url}/experiments/${id}`);
    const chart = card(page, 'Convergence').locator('.chart-canvas');
    await expect(chart.locator('.main-svg').first()).toBeVisible();
    const whole = await getZoom(page);
    await chart.focus();
    await page.keyboard.press('+');
    await expect.poll(() => getZoom(page)).not.toEqual(whole);
    const zoom = await getZoom(page);
    await page.evaluate(() => document.querySelector('#main')?.scrollTo(0, 150));
    const requests = requestsTo(page, /\/analysis$/);
    const add = () => changeDatabase(page, service, () => addIteration(database));
    await page.clock.pauseAt(Date.now() + 60_000);
    await add();
    await expect.poll(() => requests.length).toBe(1);
    await add();
    await page.clock.runFor(3000);
    await add();
    expect(requests).toHaveLength(1);
    const secondRequest = async () => {
      await page.clock.runFor(500);
      return requests.length;
    };
    await expect.poll(secondRequest).toBe(2);
    await page.clock.resume();
    expect(await getZoom(page)).toEqual(zoom);
    await expect(chart).toBeFocused();
    expect(await page.evaluate(() => document.querySelector('#main')?.scrollTop)).toBe(150);
  });

  test('a finished experiment is not requested again until its runs change', async ({
    page,
    service,
    database,
  }) => {
    const id = await findExperimentId(service.url, 'Sphere 5, CMA-ES');
    await page.clock.install();
    await page.goto(`${service.url}/experiments/${id}`);
    await expect(page.locator('.chart-canvas').first()).toBeVisible();
    await expect(page.getByRole('button', { name: 'Live', exact: true })).toBeVisible();
    const requests = requestsTo(page, /\/analysis$/);
    for (let count = 0; count < 3; count += 1) {
      await changeDatabase(page, service, () => addIteration(database));
      await page.clock.fastForward(5000);
    }
    expect(requests).toEqual([]);
    database.exec(
      `UPDATE runs SET status = 'FAILED' WHERE experiment_id = '${id}' AND seed = (
         SELECT min(seed) FROM runs WHERE experiment_id = '${id}')`,
    );
    await expect(page.getByText('1 run has not completed').first()).toBeVisible();
    expect(requests.length).toBeGreaterThan(0);
  });

  test('an experiment without runs shows that it has none, and updates when it has one', async ({
    page,
    service,
    database,
  }) => {
    database.exec(`
      CREATE TEMP TABLE copied AS SELECT * FROM experiments WHERE run_name = 'Sphere 5, CMA-ES';
      UPDATE copied SET experiment_id = 'without-runs', config_hash = 'none', run_name = 'Nothing yet';
      INSERT INTO experiments SELECT * FROM copied;
    `);
    await page.goto(`${service.url}/experiments`);
    await expect(page.getByRole('row', { name: 'Sphere 5, CMA-ES' })).toContainText('21 Nov');
    await expect(page.getByRole('row', { name: 'Nothing yet' })).toContainText('sphere');
    await expect(page.getByRole('row', { name: 'Nothing yet' })).not.toContainText('21 Nov');
    await page.goto(`${service.url}/experiments/without-runs`);
    await expect(page.getByText('This experiment has no runs yet')).toBeVisible();
    database.exec(`
      CREATE TEMP TABLE one AS SELECT * FROM runs WHERE experiment_id = (
        SELECT experiment_id FROM experiments WHERE run_name = 'Sphere 5, CMA-ES') LIMIT 1;
      UPDATE one SET run_id = 'first-run', experiment_id = 'without-runs';
      INSERT INTO runs SELECT * FROM one;
    `);
    await expect(page.locator('.stat').filter({ hasText: 'Solved' })).toContainText('of 1 run');
  });
});
