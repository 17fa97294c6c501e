import type { Page } from 'playwright/test';
import { expect, test, withExperimentId } from './service.ts';

test('the rail has only icons with tooltips in a narrow window; text, spacing and icons grow on a wide screen', async ({
  page,
}) => {
  await page.goto('/');
  const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: /^Runs/ });
  await page.setViewportSize({ width: 1280, height: 800 });
  expect((await link.boundingBox())?.width).toBeGreaterThan(100);
  await page.setViewportSize({ width: 960, height: 800 });
  expect((await link.boundingBox())?.width).toBeLessThan(50);
  await expect(link).toHaveAttribute('title', 'Runs');

  const measure = () =>
    page.evaluate(() => {
      const size = (selector: string) =>
        document.querySelector(selector)?.getBoundingClientRect().height;
      return [
        parseFloat(getComputedStyle(document.body).fontSize),
        size('.rail-link'),
        size('.rail-link .icon'),
      ];
    });
  await page.setViewportSize({ width: 1920, height: 1080 });
  const usual = await measure();
  await page.setViewportSize({ width: 3840, height: 2160 });
  const wide = await measure();
  wide.forEach((value, index) => expect(value! / usual[index]!).toBeGreaterThan(1.4));
});

/** Returns how far cells of the first rows extend under the column of actions, and badges beyond their cells. */
function findCoveredCells(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const findings: string[] = [];
    for (const row of document.querySelectorAll('tbody tr[aria-rowindex]')) {
      const edge = row.querySelector('.table-actions')?.getBoundingClientRect().left ?? Infinity;
      for (const cell of row.querySelectorAll('td:not(.table-actions)')) {
        const inside = cell.querySelector('.badge');
        const end = (inside ?? cell).getBoundingClientRect().right;
        const room = Math.min(edge, inside ? cell.getBoundingClientRect().right : edge);
        if (end > room + 1) findings.push(`${cell.textContent}: ${end - room} px`);
      }
    }
    return findings;
  });
}

test('a stop without response fits into its status cell, and the column of actions covers no cell', async ({
  page,
  service,
  database,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${service.url}/?status=RUNNING&status=FAILED`);
  const actions = page.getByRole('columnheader').last();
  await expect(page.getByRole('button', { name: /^Stop long/ })).toBeVisible();
  const before = await actions.boundingBox();
  expect(await findCoveredCells(page)).toEqual([]);
  await page.getByRole('button', { name: /^Stop long/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Request stop' }).click();
  await expect(page.getByText('Stop requested', { exact: true })).toBeVisible();
  database.exec("UPDATE control_requests SET requested_at = '2026-01-01T00:00:00Z'");
  await expect(page.getByText(/^No response for/)).toBeVisible();
  expect(await findCoveredCells(page)).toEqual([]);
  expect((await actions.boundingBox())?.width).toBeLessThanOrEqual(before?.width ?? 0);
  await page.setViewportSize({ width: 800, height: 600 });
  const badges = page.locator('tbody .badge');
  for (const badge of await badges.all()) await expect(badge).toBeInViewport({ ratio: 1 });
});

test('every column is completely visible at 1280 pixels, also the experiment column and the columns of pairs', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  for (const address of ['/', '/experiments', '/problems/onemax']) {
    await page.goto(address);
    await expect(page.locator('tbody tr').first()).toBeVisible();
    expect(await findCoveredCells(page)).toEqual([]);
    for (const table of await page.locator('.table-scroll').all()) {
      const beyond = () => table.evaluate((element) => element.scrollWidth - element.clientWidth);
      await expect.poll(beyond, address).toBeLessThanOrEqual(1);
    }
  }
});

test('a seed of nineteen digits is in the details, so the header of the run has one line', async ({
  page,
  service,
  database,
}) => {
  database.exec("UPDATE runs SET seed = 9007199254740993123 WHERE run_id = 'adaptive30-pbil'");
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${service.url}/runs/adaptive30-pbil`);
  await page.getByRole('button', { name: 'Show details' }).click();
  await expect(page.locator('.facts')).toContainText('Seed9007199254740993123');
  const tops = await page
    .locator('.stat')
    .evaluateAll((boxes) => boxes.map((box) => box.getBoundingClientRect().top));
  expect(new Set(tops).size).toBe(1);
});

test('names of 200 characters without spaces fit into the pages of their run, comparison and problem', async ({
  page,
  service,
  database,
}) => {
  const name = 'name'.repeat(50);
  database.exec(`
    UPDATE experiments SET algorithm_type = '${name}' || model_type, model_type = '${name}', problem_type = '${name}',
      run_name = '${name}'
    WHERE problem_type = 'sphere'`);
  await page.setViewportSize({ width: 1280, height: 800 });
  const list = (await (
    await page.request.get(`${service.url}/api/runs?problem=${name}`)
  ).json()) as {
    items: { runId: string; experimentId: string }[];
  };
  const [first, second] = list.items;
  for (const path of [
    `/runs/${first?.runId}`,
    `/experiments/${first?.experimentId}`,
    `/compare?run=${first?.runId}&run=${second?.runId}`,
    `/problems/${name}`,
  ]) {
    await page.goto(`${service.url}${path}`);
    await expect(page.locator('.chart-legend').first()).toBeVisible();
    const wide = await page
      .locator(
        '.stat :is(strong, small), .compare-lead, .verdict li, .chart-legend-entry, .notes li',
      )
      .evaluateAll((parts) =>
        parts
          .filter((part) => part.getBoundingClientRect().right > innerWidth)
          .map((part) => `${part.className} ${part.textContent}`),
      );
    expect(wide, path).toEqual([]);
  }
  for (const [path, table, heading] of [
    [`/compare?run=${first?.runId}&run=${second?.runId}`, 'Results', 'Diagnosis'],
    [`/problems/${name}?tab=across`, 'Average ranks', 'Losses'],
    [`/problems/${name}?tab=across`, 'Tests of pairs', 'Better'],
  ] as const) {
    await page.goto(`${service.url}${path}`);
    const card = page.getByRole('region', { name: table, exact: true });
    const last = card.getByRole('columnheader').filter({ hasText: heading }).last();
    const { x, width } = (await last.boundingBox()) ?? { x: NaN, width: NaN };
    expect(x + width, table).toBeLessThan(1280);
  }
});

test('the tick labels of a chart grow with the text of the page', async ({ page }) => {
  await page.goto('/runs/adaptive30-pbil');
  const ratio = () =>
    page.evaluate(() => {
      const size = (element: Element | null) =>
        element ? parseFloat(getComputedStyle(element).fontSize) : NaN;
      return size(document.querySelector('.xtick text')) / size(document.body);
    });
  for (const width of [1280, 3840]) {
    await page.setViewportSize({ width, height: 1000 });
    await expect.poll(ratio, `${width} pixels`).toBeGreaterThan(0.8);
  }
});

test('the header of a run, an experiment and a campaign has one line of facts: its tabs begin within 150 pixels', async ({
  page,
}) => {
  const experiment = await withExperimentId(page, '/experiments/{onemax40-cga}');
  for (const height of [800, 1080]) {
    await page.setViewportSize({ width: height === 800 ? 1280 : 1920, height });
    for (const path of ['/runs/long-rastrigin-r01', experiment, '/coco/bbob-small']) {
      await page.goto(path);
      const tabs = await page.getByRole('tablist').first().boundingBox();
      expect(tabs?.y, `${path} at ${height}`).toBeLessThanOrEqual(150);
    }
  }
  await page.getByRole('button', { name: 'Show details' }).click();
  await expect(page.locator('.facts-details')).toContainText('bbob-small');
});

test('the header of a campaign with many functions and instances also has one line', async ({
  page,
  service,
  database,
}) => {
  const instances = [1, 51, 71, 91].flatMap((first) =>
    Array.from({ length: 10 }, (_, index) => first + index),
  );
  database
    .prepare(
      "UPDATE coco_campaigns SET functions_json = '[1,3,5,8,15,24]', dimensions_json = '[2,3,5,10]', instances_json = ?",
    )
    .run(JSON.stringify(instances));
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${service.url}/coco/bbob-small`);
  await expect(page.locator('.stat').last()).toContainText('91–100');
  expect((await page.getByRole('tablist').boundingBox())?.y).toBeLessThanOrEqual(150);
});

test('a page prints completely and without its controls, and forced colours show which buttons are pressed', async ({
  page,
}) => {
  await page.goto('/problems/onemax');
  const pressed = page.getByRole('button', { name: 'All runs' });
  await expect(pressed).toHaveAttribute('aria-pressed', 'true');
  await page.emulateMedia({ media: 'print' });
  await expect(page.locator('.rail')).toBeHidden();
  await expect(page.getByRole('button', { name: 'Save archive' })).toBeHidden();
  const { shown, whole } = await page
    .locator('main')
    .evaluate((main) => ({ shown: main.clientHeight, whole: main.scrollHeight }));
  expect(shown).toBeGreaterThan(1500);
  expect(whole).toBeLessThanOrEqual(shown + 1);
  // The width of A4 between its margins.
  await page.setViewportSize({ width: 703, height: 1000 });
  const beyondPaper = () =>
    page.locator('main').evaluate((main) => main.scrollWidth - main.clientWidth);
  await expect.poll(beyondPaper).toBeLessThanOrEqual(1);
  await page.emulateMedia({ media: 'screen', forcedColors: 'active' });
  const colour = (name: string) =>
    page
      .getByRole('button', { name, exact: true })
      .first()
      .evaluate((button) => getComputedStyle(button).backgroundColor);
  expect(await colour('All runs')).not.toBe(await colour('Solved only'));
  const legendEntry = page
    .getByRole('list', { name: 'Series' })
    .first()
    .getByRole('button')
    .first();
  const textColour = () => legendEntry.evaluate((button) => getComputedStyle(button).color);
  const shownColour = await textColour();
  await legendEntry.click();
  await expect.poll(textColour).not.toBe(shownColour);
  await page.emulateMedia({ forcedColors: 'none' });
});

/** Returns the controls outside running text that are smaller than 24 × 24 pixels, the minimum size of targets (WCAG 2.5.8). */
function findSmallControls(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const controls = document.querySelectorAll(
      'button:not(.term, .term-mark), .button, .select, [role="tab"], .crumbs a, input:not([type="checkbox"])',
    );
    return [...controls]
      .filter((control) => control.checkVisibility({ visibilityProperty: true }))
      .map((control) => control.closest('.field-box') ?? control)
      .map((control) => ({ control, box: control.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 1 && (box.width < 23.9 || box.height < 23.9))
      .map(
        ({ control, box }) => `${control.outerHTML.slice(0, 120)}: ${box.width} × ${box.height}`,
      );
  });
}

test('every control is at least 24 pixels wide and high', async ({ page }) => {
  const experiment = await withExperimentId(page, '/experiments/{onemax40-cga}');
  for (const address of [
    '/',
    experiment,
    '/problems/onemax',
    '/runs/adaptive30-pbil?tab=config',
    '/runs/adaptive30-pbil?tab=events',
    '/runs/xor3-umda-r01?tab=tree',
    '/coco/bbob-small?tab=ecdf',
    '/import',
    '/help',
  ]) {
    await page.goto(address);
    await expect(page.locator('main :is(.card, table)').first()).toBeVisible();
    await expect(page.locator('.skeleton')).toHaveCount(0);
    expect(await findSmallControls(page), address).toEqual([]);
  }
});

test('an experiment whose running runs are all silent has an amber status', async ({ page }) => {
  await page.goto('/experiments?status=RUNNING');
  const status = page.locator('tbody .badge');
  await expect(status).toHaveText('RUNNING');
  await expect(status).toHaveClass(/badge-other/);
  await page.locator('tbody a').first().click();
  await expect(page.locator('.page-facts .badge')).toHaveClass(/badge-other/);
});

test('few functions use more of a wide window than their numbers need', async ({ page }) => {
  const width = async () =>
    (await page.locator('.completeness').first().boundingBox())?.width ?? NaN;
  await page.goto('/coco/bbob-small');
  await page.setViewportSize({ width: 1920, height: 1080 });
  // Two functions: columns of 6 rem each, and the column of names.
  await expect.poll(width).toBeGreaterThan(300);
  await page.setViewportSize({ width: 640, height: 400 });
  await expect.poll(width).toBeLessThan(600);
});
