import { expect, expectAccessible, test } from './service.ts';

test('the card of a term shows the formula with the values of the page and the included runs, and links to all terms', async ({
  page,
}) => {
  await page.goto('/problems/onemax');
  const head = page.getByRole('columnheader', { name: /^ERT/ });
  await head.getByRole('button', { name: 'What is ERT, 95 % CI?' }).press('Enter');
  const card = page.getByRole('dialog', { name: 'ERT' });
  await expect(card).toContainText('∞ without solved runs');
  await expect(card).toContainText(/umda: \([\d\s]+ \+ [\d\s]+\) \/ 10 = 878\.4/);
  await expect(card).toContainText('umda: all 15 runs');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(head).toHaveAttribute('aria-sort', 'none');
  await head.getByRole('button', { name: 'ERT, 95 % CI', exact: true }).click();
  await expect(head).toHaveAttribute('aria-sort', 'descending');

  const ecdf = page.getByRole('region', { name: 'Runtime ECDF' }).locator('[data-term=ecdf]');
  await ecdf.first().hover();
  const ecdfCard = page.getByRole('dialog', { name: 'ECDF' });
  await expect(ecdfCard).toContainText('the curve ends below 1');
  // The card is not modal: shortcuts work while it is open, and close it.
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox')).toBeFocused();
  await expect(ecdfCard).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('combobox')).toHaveCount(0);
  await page.mouse.move(0, 0);
  await ecdf.first().hover();
  await expect(ecdfCard).toBeVisible();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await ecdf.first().hover();
  await page.mouse.move(0, 0);
  await expect(ecdfCard).toHaveCount(0);
  await ecdf.first().click();
  await ecdfCard.getByRole('link', { name: 'All terms' }).click();
  await expect(page).toHaveURL(/\/help#ecdf$/);
  await expect(page.locator('#ecdf')).toBeInViewport();
});

test('the help opens with the keyboard and describes the API', async ({ page }) => {
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
  const ways = page.getByRole('region', { name: 'Get your runs in' });
  await expect(ways).toContainText('/api/record');
  await expect(ways).toContainText('evoscope runs.db --record');
  await expect(ways).toContainText('evoscope import --watch exdata');
  await expect(ways).toContainText('class RecordRun');
  await expect(ways).toContainText('using Downloads');
  await expect(ways).toContainText('evoscope.start(');
  await expect(ways).toContainText('mlflow.set_tracking_uri(');
  const assistants = page.getByRole('region', { name: 'Ask an assistant' });
  await expect(assistants).toContainText(/"url": "http:\/\/127\.0\.0\.1:\d+\/mcp"/);
  await expect(assistants).toContainText('"args": ["mcp", "/path/to/runs.db"]');
  const scripts = page.getByRole('region', { name: 'API for scripts' });
  await expect(scripts).toContainText('export EVOSCOPE_URL=http://127.0.0.1:');
  await expect(scripts).toContainText("--header 'Accept: text/csv'");
  await scripts.getByRole('button', { name: 'Python' }).click();
  await expect(page).toHaveURL(/language=py/);
  await expect(scripts).toContainText('csv.DictReader');
  await scripts.getByRole('button', { name: 'R', exact: true }).click();
  await expect(scripts).toContainText('read.csv(');
  await expect(scripts).toContainText('R needs a package for this');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Show keyboard shortcuts (?)' }).click();
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toContainText(
    'Help: glossary, shortcuts, API',
  );
});
