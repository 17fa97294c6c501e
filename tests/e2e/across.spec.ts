import { readFile } from 'node:fs/promises';
import { expect, test } from './service.ts';

test('the comparison across instances shows an error of the list of problems, and retries', async ({
  page,
}) => {
  await page.route('**/api/analysis/problems', (route) =>
    route.fulfill({
      status: 503,
      contentType: 'application/problem+json',
      json: { code: 'DATABASE_BUSY', detail: 'The database is busy; try again in a moment' },
    }),
  );
  await page.goto('/problems/onemax?tab=across');
  await expect(page.getByText('The database is busy; try again in a moment')).toBeVisible();
  await page.unroute('**/api/analysis/problems');
  const retry = page.getByRole('button', { name: 'Retry' });
  const shared = page.getByRole('button', { name: 'Missing results shared by all' });
  // After a change event, the page itself requests what has failed, which removes the button.
  await expect(async () => {
    if (await retry.isVisible()) await retry.click({ timeout: 1_000 });
    await expect(shared).toBeVisible({ timeout: 1_000 });
  }).toPass();
});

test('a problem compares its algorithms across all instances, and links each instance to its page', async ({
  page,
}) => {
  await page.goto('/problems/sphere');
  await page.getByRole('tab', { name: 'Across instances' }).click();
  const table = page.getByRole('grid', { name: 'Across instances' });
  await expect(table.getByRole('row')).toHaveCount(1 + 14);
  await page.getByRole('button', { name: /^Cell / }).click();
  await page.getByRole('option', { name: 'ert' }).click();
  await expect(table.getByRole('row')).toHaveCount(1 + 2);
  // Each instance is compared within its common budget, and no difference here is significant.
  await expect(table.getByRole('row', { name: /^sphere/ })).toContainText('700');
  await expect(table.locator('strong')).toHaveCount(0);
  await page.getByRole('button', { name: /^Control / }).click();
  await page.getByRole('option', { name: 'cma-es' }).click();
  await expect(page).toHaveURL(/tab=across&cell=ert&control=cma-es/);
  const latex = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save LaTeX' }).click();
  expect(await readFile(await (await latex).path(), 'utf8')).toContain(
    'sphere, dimension 5 & $3\\,480$ & $1\\,710$',
  );
  await table.getByRole('link', { name: 'rastrigin, dimension 5' }).click();
  await expect(
    page.getByRole('heading', { level: 1, name: 'rastrigin, dimension 5' }),
  ).toBeVisible();
  await expect(page.getByRole('grid', { name: 'Groups' })).toBeVisible();
});
