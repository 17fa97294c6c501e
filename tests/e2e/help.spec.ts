import { expect, expectAccessible, test } from './service.ts';

test('a term on a page is explained by keyboard, and leads to the help, where it stands with all others', async ({
  page,
}) => {
  await page.goto('/experiments');
  await page
    .getByRole('link', { name: /OneMax 40, PBIL/ })
    .first()
    .click();
  await page.getByRole('button', { name: 'ERT', exact: true }).press('Enter');
  const card = page.getByRole('dialog', { name: 'ERT' });
  await expect(card).toContainText('Expected running time');
  await expect(card).toContainText('∞ when none is solved');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'ERT', exact: true })).toBeFocused();
  await page.keyboard.press('Enter');
  await card.getByRole('link', { name: 'All terms' }).click();
  await expect(page).toHaveURL(/\/help#ert$/);
  await expect(page.locator('#ert')).toBeInViewport();
  await expect(page.locator('#a12')).toContainText('how large a difference is', {
    ignoreCase: true,
  });
  await expectAccessible(page);
});

test('the help is reached by keys and has the way to the API', async ({ page }) => {
  await page.goto('/');
  await expect(page.getByRole('row').nth(1)).toBeVisible();
  await page.keyboard.press('?');
  await page.getByRole('link', { name: /^Help:/ }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Help');
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Runs');
  await page.keyboard.press('g');
  await page.keyboard.press('h');
  await expect(page.getByRole('region', { name: 'For scripts' })).toContainText(
    '/api/runs?status=RUNNING',
  );
  await page.getByRole('button', { name: 'List of keys (?)' }).click();
  await expect(page.getByRole('dialog', { name: 'Keys' })).toContainText('Go to the help');
});
