import type { Locator, Page } from 'playwright/test';
import { expect, requestsTo, test } from './service.ts';

const getHandle = (page: Page): Locator => page.getByRole('slider', { name: 'Target' });

/** Returns the middle of the grip, and the box of its canvas. */
async function getGrip(page: Page) {
  const handle = getHandle(page);
  await handle.scrollIntoViewIfNeeded();
  const grip = await handle.boundingBox();
  const canvas = await page.locator('.chart-canvas', { has: handle }).boundingBox();
  if (!grip || !canvas) throw new Error('there is no target to drag');
  return { x: grip.x + grip.width - 12, y: grip.y + grip.height / 2, canvas };
}

test('dragging the target in the convergence chart updates tables and charts, and adds one entry to the browser history', async ({
  page,
}) => {
  await page.goto('/problems/onemax');
  await expect(getHandle(page)).toHaveAttribute('aria-valuetext', 'target 40');
  const ert = page.getByRole('grid', { name: 'Groups' }).getByRole('row').nth(1);
  await expect(ert).toContainText('1 205');
  const requests = requestsTo(page, /^\/api\/analysis\/problem\/onemax$/);
  const { x, y, canvas } = await getGrip(page);
  await page.mouse.move(x, y);
  await page.mouse.down();
  // The benchmark measures the rate of requests. A page that waits for the end of the drag would send one request.
  for (let step = 1; step <= 6; step++) {
    await page.mouse.move(x, y + (canvas.height / 18) * step);
    await expect.poll(() => requests.length).toBeGreaterThanOrEqual(step);
  }
  await expect(page).toHaveURL(/[?&]target=3\d/);
  await expect(ert).not.toContainText('1 205');
  await expect(page.locator('.previous-data')).toHaveCount(0);
  await page.mouse.up();
  const reached = (await getHandle(page).getAttribute('aria-valuenow')) ?? '';
  await expect(page).toHaveURL(new RegExp(`[?&]target=${reached}$`));
  await expect(page.getByRole('button', { name: /^Target/ })).toContainText(reached);
  expect(requests.at(-1)?.searchParams.get('target')).toBe(reached);

  await page.goBack();
  await expect(page).toHaveURL(/\/problems\/onemax$/);
  await expect(ert).toContainText('1 205');
  await expect(getHandle(page)).toHaveAttribute('aria-valuetext', 'target 40');
});

test('keys move the target, Esc restores it, and a button sets it if there is none', async ({
  page,
}) => {
  await page.goto('/problems/small-tsp');
  await page.getByRole('button', { name: 'Set a target' }).click();
  const handle = getHandle(page);
  await expect(handle).toBeFocused();
  await expect(page).toHaveURL(/[?&]target=/);
  const value = async () => Number(await handle.getAttribute('aria-valuenow'));
  const set = await value();
  await page.keyboard.press('ArrowUp');
  await expect.poll(value).toBeGreaterThan(set);
  // Each response can change the axis, so the test compares values, not the ends of the axis.
  const raised = await value();
  await page.keyboard.press('End');
  await expect.poll(value).toBeGreaterThan(raised);
  await page.keyboard.press('PageDown');
  await page.keyboard.press('Home');
  await expect.poll(value).toBeLessThan(set);
  const lowest = await value();
  await expect(page).toHaveURL(new RegExp(`target=${lowest}$`));
  await page.keyboard.down('PageUp');
  await expect.poll(value).toBeGreaterThan(lowest);
  await page.keyboard.press('Escape');
  expect(await value()).toBe(lowest);
  await expect(page).toHaveURL(new RegExp(`target=${lowest}$`));
});

test('a target stricter than that of the runs shows a warning next to its control; without a target, the page suggests targets', async ({
  page,
}) => {
  await page.goto('/problems/onemax?target=41');
  await expect(page.locator('.target-warning')).toContainText(
    '33 of 45 runs stopped at the target of their configuration (40) before they could reach 41,',
  );
  await page.goto('/problems/small-tsp');
  const sentence = page.getByText('Set a target to get success rates, ERT and tests of runtime');
  await expect(sentence).toBeVisible();
  const first = page.locator('.target-note > .button').first();
  const target = (await first.textContent()) ?? '';
  await first.click();
  await expect(page.getByRole('button', { name: /^Target/ })).toContainText(target);
  await expect(sentence).toBeHidden();
});

test('the ECDF over several targets has the profile levels by default, and stores typed targets in the URL', async ({
  page,
}) => {
  await page.goto('/problems/onemax');
  const card = page.getByRole('region', { name: 'ECDF over targets' });
  await expect(card).toContainText(
    'Default targets, chosen from these data (values attained at the profile levels): 40, 39',
  );
  await expect(card).toContainText('one of 2 targets');
  const field = card.getByRole('textbox', { name: 'Targets' });
  await field.fill('thirty');
  await expect(card).toContainText('Targets must be numbers (10,1,1e-8) or powers of ten');
  await field.fill('30, 35, 38, 40');
  await expect(card).toContainText('one of 4 targets');
  await expect(card).not.toContainText('Default targets');
  await page.reload();
  await expect(field).toHaveValue('30, 35, 38, 40');
  await card.getByRole('button', { name: 'Table' }).click();
  await expect(card.getByRole('table')).toContainText('umda');
});
