import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright/test';
import { expect, expectAccessible, inCompleteMode, test } from './service.ts';

const card = (page: Page, title: string) =>
  page.getByRole('region', { name: title, exact: true }).filter({ has: page.getByRole('heading') });
const picture = (page: Page, title: string) => card(page, title).locator('.chart-canvas');
const focusMode = (page: Page) => page.getByRole('dialog', { name: 'Heat map' });

/** Opens the gallery with only these charts. */
async function openGallery(page: Page, ...charts: string[]): Promise<void> {
  await page.goto(`/gallery?${charts.map((id) => `chart=${id}`).join('&')}`);
  if (!charts.includes('empty')) await expect(page.locator('.main-svg').first()).toBeVisible();
}

async function exportChart(
  page: Page,
  title: string,
  item: string,
): Promise<{ name: string; content: Buffer }> {
  await page.getByRole('button', { name: `Export ${title}` }).click();
  const downloadPromise = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: item }).click();
  const download = await downloadPromise;
  return { name: download.suggestedFilename(), content: await readFile(await download.path()) };
}

test('charts are drawn and exported without violations of the content security policy', async ({
  page,
}) => {
  await page.addInitScript(() => {
    const violations: string[] = [];
    Object.assign(globalThis, { violations });
    document.addEventListener('securitypolicyviolation', (event) =>
      violations.push(`${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  const reports: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') reports.push(message.text());
  });
  await openGallery(page, 'fitness', 'thinned');
  const png = await exportChart(page, 'Fitness', 'PNG');
  expect([png.name, png.content.subarray(1, 4).toString()]).toEqual(['gallery-fitness.png', 'PNG']);
  const svg = await exportChart(page, 'Fitness', 'SVG');
  expect(svg.content.toString()).toContain('best so far');
  const csv = await exportChart(page, 'Thinned', 'CSV, all numbers');
  const lines = csv.content.toString().trim().split('\r\n');
  expect(lines[0]).toBe(
    'evaluations,best so far,best,mean,"mean ± std, lower","mean ± std, upper",target 0.01',
  );
  expect(lines).toHaveLength(50_001);
  // A violation that a script catches does not appear in the console.
  expect([...reports, ...(await page.evaluate<string[]>('violations'))]).toEqual([]);
});

test('a chart of a dark page is exported in light colours with the requested width, font, legend and caption', async ({
  page,
}) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await openGallery(page, 'decades', 'ranks');
  await page.getByRole('button', { name: 'Export Seventeen decades' }).click();
  await page.getByRole('menuitemradio', { name: '85 mm' }).click();
  const downloadPromise = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'SVG' }).click();
  const svg = (await readFile(await (await downloadPromise).path())).toString();
  expect(svg).toMatch(/^<svg [^>]*width="321"/);
  expect(svg).toMatch(/<rect width="100%" height="100%" fill="#fff(fff)?"\/>/);
  expect(svg).toContain('src:url(data:font/woff2;base64,');
  for (const text of [
    '>umda, n = 11<',
    '>Seventeen decades<',
    '>Medians with quartiles of three',
  ]) {
    expect(svg).toContain(text);
  }
  expect(svg).not.toContain('#131a20');
  // Exponents are not counted, because their size is relative to that of their text.
  const sizes = [...svg.matchAll(/font-size(?:="|:\s*)([\d.]+)(?:px)?["';]/g)].map(([, size]) =>
    Number(size),
  );
  expect(sizes.length).toBeGreaterThan(10);
  expect(Math.min(...sizes) * 0.75).toBeGreaterThanOrEqual(7);
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  const tex = await exportChart(page, 'Seventeen decades', 'LaTeX (pgfplots) with its data');
  expect(tex.name).toBe('gallery-decades.tex');
  expect(tex.content.toString()).toMatch(/width=85mm[^]*\\addlegendentry\{umda, n = 11\}/);
  const ranks = await exportChart(page, 'Friedman ranks', 'SVG');
  expect(ranks.content.toString()).toContain('cma-es 1.4');
});

test('a row has at most three charts, and the last row is always full', async ({ page }) => {
  await openGallery(page, 'fitness', 'whole', 'histogram', 'ranks');
  const rows = () =>
    page.locator('.chart-grid').evaluate((grid) => {
      const boxes = [...grid.children].map((one) => one.getBoundingClientRect());
      const right = grid.getBoundingClientRect().right;
      const tops = [...new Set(boxes.map(({ top }) => Math.round(top)))];
      const rowAt = (y: number) => boxes.filter(({ top }) => Math.round(top) === y);
      return tops.map((y) => [
        rowAt(y).length,
        Math.max(...rowAt(y).map((one) => one.right)) > right - 2,
      ]);
    });
  const full = (...counts: number[]) => counts.map((count) => [count, true]);
  for (const [width, expected] of [
    [800, full(1, 1, 1, 1)],
    [1280, full(2, 2)],
    [3840, full(3, 1)],
  ] as const) {
    await page.setViewportSize({ width, height: 1000 });
    await expect.poll(rows).toEqual(expected);
  }
  await page.goto('/gallery?chart=fitness&chart=whole&chart=histogram');
  await page.setViewportSize({ width: 1280, height: 1000 });
  await expect.poll(rows).toEqual(full(2, 1));
});

test('hovering shows all series at one x, in all charts with the same axis', async ({ page }) => {
  await openGallery(page, 'fitness', 'thinned', 'metrics');
  await picture(page, 'Fitness').hover({ position: { x: 200, y: 120 } });
  const values = picture(page, 'Fitness').locator('.chart-readout');
  await expect(values).toHaveText(/^iteration \d+best so far[\d.]+best[\d.]+mean.+ \[.+, .+\]$/);
  const title = await values.locator('strong').textContent();
  await expect(picture(page, 'Heat map').locator('.chart-readout')).toHaveText(title ?? '');
  await expect(picture(page, 'Thinned').locator('.chart-readout')).toHaveCount(0);
});

test('keys move the cursor over the values and announce them, and replace the drawing by a table', async ({
  page,
}) => {
  await openGallery(page, 'fitness');
  await picture(page, 'Fitness').focus();
  for (const key of ['Home', 'ArrowRight', 'ArrowRight', 'ArrowLeft'])
    await page.keyboard.press(key);
  await expect(picture(page, 'Fitness').locator('strong')).toHaveText('iteration 1');
  await expect(picture(page, 'Fitness').locator('[aria-live]')).toHaveText(
    /^iteration 1, best so far [\d.]+, best [\d.]+, mean /,
  );
  await page.keyboard.press('t');
  const numbers = page.getByRole('region', { name: 'Fitness: numbers' });
  await expect(numbers).toBeFocused();
  await expect(numbers.getByRole('columnheader').first()).toHaveText('iteration');
  await page.keyboard.press('t');
  await expect(picture(page, 'Fitness')).toBeFocused();
  await expect(numbers).toHaveCount(0);
});

test('the cursor of a heat map with 512 × 400 cells moves without drawing the cells again', async ({
  page,
}) => {
  await openGallery(page, 'large');
  const chart = picture(page, 'Large heat map');
  await expect(chart.locator('.heatmaplayer image')).toBeVisible();
  await chart.focus();
  await chart.locator('.chart-plot').evaluate((element) => {
    const plot = element as unknown as { on(event: string, listener: () => void): void };
    plot.on('plotly_afterplot', () => element.classList.add('drawn-again'));
  });
  const millis = await chart.evaluate((element) => {
    const press = (key: string) =>
      element.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    press('ArrowRight');
    const times = Array.from({ length: 20 }, (_, step) => {
      const start = performance.now();
      press(step % 2 === 0 ? 'ArrowRight' : 'ArrowDown');
      return performance.now() - start;
    });
    return times.sort((one, other) => one - other)[10] ?? Infinity;
  });
  expect(millis).toBeLessThan(16);
  await expect(chart.locator('.chart-readout')).toHaveText(/^iteration 1010[\d.]+$/);
  // Lets the tasks run that the keys have scheduled.
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
  await expect(chart.locator('.drawn-again')).toHaveCount(0);
});

test('updates retain the zoom and the hidden series', async ({ page }) => {
  await openGallery(page, 'growing');
  const plot = picture(page, 'Growing').locator('.chart-plot');
  const range = () =>
    plot.evaluate(
      (element) =>
        (element as unknown as { layout: { xaxis: { range: number[] } } }).layout.xaxis.range,
    );
  const length = () =>
    plot.evaluate(
      (element) => (element as unknown as { calcdata: unknown[][] }).calcdata[0]?.length ?? 0,
    );
  await card(page, 'Growing').getByRole('button', { name: 'mean' }).click();
  await picture(page, 'Growing').focus();
  await page.keyboard.press('-');
  const [zoomed, before] = [await range(), await length()];
  await expect.poll(length).toBeGreaterThan(before + 1);
  expect(await range()).toEqual(zoomed);
  const mean = card(page, 'Growing').getByRole('button', { name: 'mean' });
  await expect(mean).toHaveAttribute('aria-pressed', 'false');
  await page.keyboard.press('0');
  await expect(card(page, 'Growing').getByRole('button', { name: 'Reset zoom' })).toHaveCount(0);
});

test('a chart without values shows why, and offers no choice of axes', async ({ page }) => {
  await openGallery(page, 'empty');
  await expect(card(page, 'No data')).toContainText('No iteration has been written yet');
  await expect(card(page, 'No data').getByRole('button', { name: 'Log y' })).toHaveCount(0);
});

test('a heat map has no LaTeX export, and has a focus mode', async ({ page }) => {
  await openGallery(page, 'metrics');
  await page.getByRole('button', { name: 'Export Heat map' }).click();
  await page.getByRole('menuitem', { name: 'LaTeX (pgfplots)' }).click();
  await expect(page.getByText(/A heat map cannot be exported for pgfplots/)).toBeVisible();
  await test.step('opens only with its button or Enter, closes in three ways, and returns the focus', async () => {
    const opener = card(page, 'Heat map').getByRole('button', { name: 'Focus' });
    await picture(page, 'Heat map').click({ position: { x: 300, y: 100 } });
    await expect(focusMode(page)).toHaveCount(0);
    await opener.click();
    await page.keyboard.press('Escape');
    await expect(focusMode(page)).toHaveCount(0);
    await expect(opener).toBeFocused();
    await opener.click();
    await expect(focusMode(page)).toBeVisible();
    // The dialog listens for clicks outside it only after the click that opened it.
    await expect(async () => {
      await page.mouse.click(5, 5);
      await expect(focusMode(page)).toHaveCount(0, { timeout: 1_000 });
    }).toPass();
    await picture(page, 'Heat map').focus();
    await page.keyboard.press('Enter');
    await focusMode(page).getByRole('button', { name: 'Close' }).click();
    await expect(focusMode(page)).toHaveCount(0);
    await expect(picture(page, 'Heat map')).toBeFocused();
  });
  await test.step('keeps the focus inside', async () => {
    await card(page, 'Heat map').getByRole('button', { name: 'Focus' }).click();
    await expect(focusMode(page)).toBeVisible();
    for (let press = 0; press < 12; press += 1) {
      await page.keyboard.press('Tab');
      expect(
        await focusMode(page).evaluate((dialog) => dialog.contains(document.activeElement)),
      ).toBe(true);
    }
    await page.keyboard.press('Escape');
    await expect(focusMode(page)).toHaveCount(0);
  });
  await test.step('pins and unpins a cell with a click and with a key', async () => {
    await card(page, 'Heat map').getByRole('button', { name: 'Focus' }).click();
    const dialog = focusMode(page);
    const readout = dialog.locator('.focus-readout');
    await dialog.locator('.heatmaplayer image').waitFor();
    await dialog.locator('.nsewdrag').click({ position: { x: 300, y: 50 } });
    await expect(readout).toContainText(/Pinned: entropy · iteration \d+ · [\d.]+/);
    await dialog.getByRole('button', { name: 'Unpin' }).click();
    await expect(readout).not.toContainText('Pinned');
    await dialog.locator('.chart-canvas').focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter'])
      await page.keyboard.press(key);
    await expect(readout).toContainText('Pinned: drift_l2 · iteration 0 · no value');
    await page.keyboard.press('Enter');
    await expect(readout).not.toContainText('Pinned');
    await page.keyboard.press('Escape');
    await expect(focusMode(page)).toHaveCount(0);
  });
  await test.step('zooms, and changes and resets the range of colours', async () => {
    await card(page, 'Heat map').getByRole('button', { name: 'Focus' }).click();
    const dialog = focusMode(page);
    await dialog.getByLabel('Zoom').fill('3');
    await expect(dialog.locator('output')).toHaveText('3.00×');
    await dialog.getByLabel('Colour from').fill('2');
    await expect(dialog.getByText('Enter a value below')).toBeVisible();
    await dialog.getByLabel('Colour from').fill('0.5');
    await expect(dialog.getByText('Enter a value below')).toHaveCount(0);
    await expect(dialog.locator('.cbaxis text').first()).toHaveText('0.5');
    await dialog.getByRole('button', { name: 'Reset range' }).click();
    await expect(dialog.getByLabel('Colour from')).toHaveValue('0');
  });
});

/** One chart of each kind; the other charts differ only in their values. */
const kinds =
  'fitness empty metrics actions ecdf decades histogram boxes points ranks ratios handle'.split(
    ' ',
  );

inCompleteMode(() => {
  test('axe finds nothing on the gallery and in the focus mode', async ({ page }) => {
    await openGallery(page, ...kinds);
    await expect(picture(page, 'Heat map').locator('.heatmaplayer image')).toBeVisible();
    await expectAccessible(page);
    await card(page, 'Heat map').getByRole('button', { name: 'Focus' }).click();
    await expect(focusMode(page)).toBeVisible();
    await expectAccessible(page, '[role=dialog]');
  });
});
