import { DatabaseSync } from 'node:sqlite';
import type { Page } from 'playwright/test';
import { addCampaign } from './generated-campaign.ts';
import {
  expect,
  expectAccessible,
  inCompleteMode,
  type RunningService,
  startService,
  test,
} from './service.ts';

/** A service with a campaign of 100 optimizers × 24 functions × 6 dimensions, with one trial per cell. */
let service: RunningService;

test.beforeAll(async () => {
  service = await startService('sample');
  const database = new DatabaseSync(service.databasePath, { timeout: 10_000 });
  addCampaign(database, { id: 'wide', optimizers: 100, instances: 1, iterations: 3 });
  database.close();
});

test.afterAll(async () => {
  await service.stop();
});

/** Returns the number of nodes of the page: elements, texts and comments. */
const countNodes = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const nodes = document.createTreeWalker(document, NodeFilter.SHOW_ALL);
    let count = 1;
    while (nodes.nextNode()) count += 1;
    return count;
  });

const grid = (page: Page, name: string) => page.getByRole('grid', { name });

const getFocused = (page: Page) => page.locator(':focus');

test('each page of a campaign with 100 optimizers has at most 5,000 nodes', async ({ page }) => {
  const open = async (query: string, heading: string): Promise<void> => {
    await page.goto(`${service.url}/coco/wide?${query}`);
    await expect(page.getByRole('heading', { name: heading, exact: true })).toBeVisible();
  };
  const charts = (count: number) =>
    expect(page.locator('.js-plotly-plot .xaxislayer-above')).toHaveCount(count);

  await open('tab=overview', 'Completeness');
  await expect(grid(page, 'Completeness').getByRole('link')).not.toHaveCount(0);
  await charts(1);
  expect(await countNodes(page)).toBeLessThan(5000);
  await open('tab=erts', 'Tests by dimension');
  expect(await countNodes(page)).toBeLessThan(5000);
  await open('tab=ecdf', 'Area by dimension');
  await charts(6);
  expect(await countNodes(page)).toBeLessThan(5000);
  await open('tab=ecdf&grid=group', 'f20–f24, weakly structured');
  await charts(5);
  expect(await countNodes(page)).toBeLessThan(5000);
  await open('tab=trials', 'wide');
  await expect(grid(page, 'Trials').getByRole('row')).toHaveCount(51);
  expect(await countNodes(page)).toBeLessThan(5000);
  await open('tab=optimizers', 'Aggregates of the runner');
  await expect(grid(page, 'Optimizers').getByRole('row')).toHaveCount(101);
  expect(await countNodes(page)).toBeLessThan(5000);
});

test('the keyboard reads the completeness of a large campaign by cell, and scrolling keeps the focus', async ({
  page,
}) => {
  await page.goto(`${service.url}/coco/wide`);
  const completeness = grid(page, 'Completeness');
  await expect(completeness).toHaveAttribute('aria-rowcount', '601');
  await expect(completeness).toHaveAttribute('aria-colcount', '26');
  await completeness.getByRole('link').first().focus();
  await page.keyboard.press('Control+End');
  const last = /optimizer 100, f24, dimension 40: 1 trial of 1 planned/;
  await expect(getFocused(page)).toHaveAccessibleName(last);
  await expect(page.locator('.completeness-reading')).toHaveText(last);
  await expect(page.locator('tr:has(:focus)')).toHaveAttribute('aria-rowindex', '601');
  for (const key of ['PageUp', 'ArrowDown', 'ArrowLeft']) await page.keyboard.press(key);
  await expect(getFocused(page)).toHaveAccessibleName(/optimizer 99, f23, dimension 5:/);
  // The focused cell is retained while the user scrolls to other rows. Rendering moves its row, but no key is lost.
  const duringScroll = await page.locator('.completeness-scroll').evaluate((element) => {
    const { promise, resolve } = Promise.withResolvers<string | null | undefined>();
    const readFocus = () => resolve(document.activeElement?.getAttribute('aria-label'));
    element.addEventListener('scroll', readFocus, { once: true });
    element.scrollTo(0, 0);
    return promise;
  });
  expect(duringScroll).toMatch(/optimizer 99, f23, dimension 5:/);
  await expect(
    completeness.getByRole('link', { name: /optimizer 1, f1, dimension 2:/ }),
  ).toBeVisible();
  await expect(getFocused(page)).toHaveAccessibleName(/optimizer 99, f23, dimension 5:/);
  await expectAccessible(page);
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByText(/of 600 rows are printed: those in view/)).toBeVisible();
  await page.emulateMedia({ media: null });
  await getFocused(page).press('Enter');
  await expect(page).toHaveURL(
    /tab=trials&optimizer=optimizer(\+|%20)99&functionId=23&dimension=5$/,
  );
});

inCompleteMode(() => {
  test('the expected runtimes of many optimizers keep their column widths, and the function visible, while they scroll', async ({
    page,
  }) => {
    await page.goto(`${service.url}/coco/wide?tab=erts`);
    const erts = grid(page, 'Expected runtimes');
    await expect(erts).toHaveAttribute('aria-colcount', '103');
    const columns = () =>
      erts
        .locator('th')
        .evaluateAll((heads) => heads.map((head) => head.getBoundingClientRect().width));
    const before = await columns();
    const row = erts.getByRole('row').nth(1);
    await row.focus();
    await page.keyboard.press('End');
    await expect(page.locator('tr:focus')).toHaveAttribute('aria-rowindex', '145');
    await erts.locator('xpath=..').evaluate((element) => element.scrollBy(100_000, 0));
    const cells = page.locator('tr:focus td:visible');
    await expect(cells.last()).toHaveAttribute('aria-colindex', '103');
    await expect(cells.first()).toHaveText('f24');
    await expect(cells.first()).toBeInViewport();
    expect(await columns()).toEqual(before);
    expect(await countNodes(page)).toBeLessThan(5000);
    await expectAccessible(page);
  });
});
