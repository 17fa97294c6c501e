import type { Page } from 'playwright/test';
import { getFocusedName } from './focus-walk.ts';
import { expect, test } from './service.ts';

const dialog = (page: Page) => page.getByRole('dialog');
const busy = { code: 'DATABASE_BUSY', detail: 'The database is busy; try again in a moment' };
const rows = (page: Page) => page.locator('tbody tr[aria-rowindex]');

test('the last page of a list keeps the focus on Next, and shows that there is no further page', async ({
  page,
}) => {
  await page.goto('/?size=100&q=onemax40');
  const next = page.getByRole('button', { name: 'Next ›' });
  await expect(rows(page).first()).toBeVisible();
  await next.focus();
  await page.keyboard.press('Enter');
  await expect(next).toBeFocused();
  await expect(page.getByText('There is no further page.')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByText('There is no further page.')).toBeHidden();
});

test('a removed chip moves the focus to its neighbour, and the last chip to the button next to it', async ({
  page,
}) => {
  await page.goto('/?q=onemax40&algorithm=pbil');
  await page.getByRole('button', { name: /^Remove filter .*pbil/ }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: /^Remove filter/ })).toHaveCount(1);
  await expect
    .poll(() => getFocusedName(page))
    .toMatch(/^button (Clear filters|Remove filter|48 COCO)/);
  await page.getByRole('button', { name: /^Remove filter/ }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: /^Remove filter/ })).toHaveCount(0);
  await expect.poll(() => getFocusedName(page)).toMatch(/^button 48 COCO/);
});

test('Retry of a part moves the focus into the loaded part', async ({ page }) => {
  // With change events, the page would retry automatically.
  await page.route('**/api/changes', (route) => route.abort());
  await page.route('**/iterations?*', (route) => route.fulfill({ status: 503, json: busy }));
  await page.goto('/runs/adaptive30-pbil');
  const retry = page.getByRole('button', { name: 'Retry' });
  await retry.focus();
  await page.unroute('**/iterations?*');
  await retry.press('Enter');
  await expect(page.getByRole('application', { name: 'Fitness' })).toBeVisible();
  await expect(page.getByRole('tabpanel').locator(':focus')).toHaveCount(1);
});

test('a page without one of its parts shows why next to the rest, and retries', async ({
  page,
}) => {
  await page.route('**/api/changes', (route) => route.abort());
  const requests = /\/api\/.*(facets|insights|event-types|analysis\/problems|completeness|tests)/;
  await page.route(requests, (route) => route.fulfill({ status: 503, json: busy }));
  for (const [address, consequences] of [
    ['/', ['The choices of the filters could not be loaded']],
    [
      '/runs/onemax40-cga-r03?tab=events',
      ['The diagnosis could not be loaded', 'The kinds of events could not be loaded'],
    ],
    ['/problems/onemax', ['The choices of algorithms could not be loaded']],
    [
      '/coco/bbob-small?tab=trials',
      [
        'The choices of optimizers, functions and dimensions could not be loaded',
        'The choices of the filters could not be loaded',
      ],
    ],
    ['/coco/bbob-small?tab=erts', ['The tests of optimizers could not be loaded']],
  ] as const) {
    await page.goto(address);
    await expect(page.getByRole('status').filter({ hasText: busy.detail })).toHaveText(
      consequences.map((consequence) => `${consequence}: ${busy.detail} ${busy.code}Retry`),
    );
  }
  await page.unroute(requests);
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByText(busy.detail)).toHaveCount(0);
});

test('a checkbox that cannot be changed keeps the focus, and shows why', async ({ page }) => {
  await page.goto('/');
  await page.getByRole('button', { name: 'Columns' }).click();
  const box = dialog(page).getByRole('checkbox', { name: 'Run', exact: true });
  await box.focus();
  await page.keyboard.press('Space');
  await expect(box).toBeChecked();
  await expect(box).toBeFocused();
  await expect(page.getByText('It names the row and is always shown.')).toBeVisible();
});

test('Tab after the last control of a form next to its button moves to the control after the button', async ({
  page,
}) => {
  await page.goto('/');
  const button = page.getByRole('button', { name: 'Columns', exact: true });
  await button.focus();
  await page.keyboard.press('Tab');
  const after = await getFocusedName(page);
  await button.press('Enter');
  const form = dialog(page);
  await expect.poll(() => form.evaluate((one) => one.contains(document.activeElement))).toBe(true);
  await page.keyboard.press('Shift+Tab');
  await expect(button).toBeFocused();
  await expect(form).toBeVisible();
  await form.getByRole('button').last().focus();
  await page.keyboard.press('Tab');
  await expect(form).toHaveCount(0);
  expect(await getFocusedName(page)).toBe(after);
});

test('keys in a dialog trigger no shortcuts of the page', async ({ page }) => {
  await page.goto('/runs/long-rastrigin-r02');
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await dialog(page).getByLabel('Reason (optional)').fill('too slow');
  await dialog(page).getByRole('button', { name: 'Cancel' }).focus();
  await page.keyboard.press('g');
  await page.keyboard.press('p');
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.press('?');
  await expect(dialog(page)).toHaveCount(1);
  await expect(dialog(page).getByLabel('Reason (optional)')).toHaveValue('too slow');
  await expect(page).toHaveURL(/long-rastrigin-r02/);
});

test('shortcuts of one key can be switched off permanently, and the list shows it', async ({
  page,
}) => {
  await page.goto('/');
  await expect(rows(page).first()).toBeVisible();
  await page.keyboard.press('?');
  const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(keys).toContainText('Go to all problems');
  await keys.getByRole('checkbox').uncheck();
  await expect(keys).toContainText('Go to all problems (switched off)');
  await expect(keys.getByText('do something (switched off)')).toHaveCount(0);
  await page.reload();
  await expect(rows(page).first()).toBeVisible();
  await page.keyboard.press('?');
  await page.keyboard.press('ControlOrMeta+k');
  await expect(dialog(page)).toHaveCount(1);
  await expect(page.getByRole('combobox')).toBeFocused();
});

test('the palette opens a result of the typed text, not of the previous text', async ({ page }) => {
  await page.goto('/');
  await page.keyboard.press('ControlOrMeta+k');
  const field = page.getByRole('combobox');
  await field.fill('umda');
  await expect(page.getByRole('option').first()).toContainText('umda');
  const responses = Promise.withResolvers<void>();
  await page.route('**/api/{runs,experiments}?*', async (route) => {
    await responses.promise;
    await route.continue();
  });
  await field.fill('zzz');
  await page.keyboard.press('Enter');
  responses.resolve();
  await expect(
    page.getByText('No run, experiment, campaign or command matches “zzz”.'),
  ).toBeVisible();
  await expect(page).toHaveURL(/\/$/);
  await field.fill('ckpt-umda');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('ckpt-umda');
});

test('the palette can stop a RUNNING run, but not an ended run', async ({ page }) => {
  await page.goto('/runs/long-rastrigin-r02');
  await expect(page.getByRole('tablist')).toBeVisible();
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('stop this');
  await page.getByRole('option', { name: 'Stop this run' }).click();
  await expect(dialog(page)).toContainText('Requests the run to stop.');
  await page.goto('/runs/long-rastrigin-r01');
  await expect(page.getByRole('tablist')).toBeVisible();
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('stop this');
  await expect(page.getByText(/or command matches/)).toBeVisible();
});
