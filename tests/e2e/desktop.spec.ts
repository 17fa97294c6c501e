import { bridgeToken, installBridge } from './desktop-bridge.ts';
import { expect, expectAccessible, test } from './service.ts';

test('in the window, the menus open pages, and the pages have the theme of the window', async ({
  page,
  sample,
}) => {
  const bridge = await installBridge(page, `${sample.url}/`);
  await page.goto('/');
  await expect(page.getByRole('row').nth(1)).toBeVisible();
  await bridge.send({ type: 'go', path: '/import' });
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Import');
  await bridge.send({ type: 'show', dialog: 'keys' });
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  await page.keyboard.press('Escape');
  await bridge.send({ type: 'notice', kind: 'failure', text: 'The service was started again.' });
  // A loading page has this role too.
  const notice = page.getByRole('status').filter({ hasText: 'The service was started again.' });
  await expect(notice).toBeVisible();

  const settings = { theme: 'dark', notifies: false, fixedPort: null, isRecording: false } as const;
  await bridge.send({
    type: 'state',
    state: { settings, address: `${sample.url}/`, watchedRuns: [] },
  });
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  expect(await bridge.calls()).toEqual([]);
  await page.getByRole('button', { name: /^Theme/ }).click();
  await page.getByRole('menuitemradio', { name: 'Light' }).click();
  await expect.poll(() => bridge.calls()).toEqual(['changeSettings({"theme":"light"})']);
});

test('the settings of the window show address and token for scripts, and store a port', async ({
  page,
  sample,
}) => {
  const bridge = await installBridge(page, `${sample.url}/`);
  await page.goto('/help');
  await bridge.send({ type: 'show', dialog: 'settings' });
  const dialog = page.getByRole('dialog', { name: 'Settings' });
  await expect(dialog).toContainText(`'${sample.url}/api/runs'`);
  await expect(dialog).not.toContainText(bridgeToken);
  expect(await bridge.calls()).toEqual([]);
  await dialog.getByRole('button', { name: 'Show the token' }).click();
  await expect(dialog).toContainText(bridgeToken);
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Hide the token' }).click();
  await expect(dialog).not.toContainText(bridgeToken);

  const port = dialog.getByLabel('Fixed port');
  await port.fill('80');
  await expect(dialog).toContainText(
    'Enter a whole number from 1024 to 65535, or leave the field empty.',
  );
  await port.press('Enter');
  await port.fill('7171');
  await port.press('Enter');
  await dialog.getByRole('checkbox', { name: /^Notify me/ }).check();
  await dialog.getByRole('checkbox', { name: 'Store the runs that programs send' }).check();
  await expect
    .poll(() => bridge.calls())
    .toEqual([
      'readToken()',
      'changeSettings({"fixedPort":7171})',
      'changeSettings({"notifies":true})',
      'changeSettings({"isRecording":true})',
    ]);
});

test('the open settings survive the end of the service, and show the address of the next one', async ({
  page,
  service,
}) => {
  const bridge = await installBridge(page, service.url);
  await page.goto(service.url);
  await bridge.send({ type: 'show', dialog: 'settings' });
  const dialog = page.getByRole('dialog');
  await expect(dialog.locator('.window-example')).toContainText(`${service.url}/api/runs`);
  const settings = {
    theme: 'system',
    notifies: false,
    fixedPort: null,
    isRecording: false,
  } as const;
  const sendAddress = (address: string) =>
    bridge.send({ type: 'state', state: { settings, address, watchedRuns: [] } });
  await sendAddress('');
  await expect(dialog).toContainText('The service is not running.');
  for (const name of ['Copy the address', 'Show the token', 'Copy the token'])
    await expect(dialog.getByRole('button', { name })).toHaveAttribute('aria-disabled', 'true');
  await sendAddress('http://127.0.0.1:40123/');
  await expect(dialog.locator('.window-example')).toContainText('http://127.0.0.1:40123/api/runs');
});

test('the page of a run watches the run, and switches notifications on once', async ({
  page,
  service,
  database,
}) => {
  database.exec("UPDATE runs SET status = 'RUNNING' WHERE run_id = 'ckpt-umda'");
  const bridge = await installBridge(page, `${service.url}/`);
  await page.goto(`${service.url}/runs/ckpt-umda`);
  const button = page.getByRole('button', { name: 'Notify me' });
  await button.click();
  await expect(page.getByText(/^Notifications are on/)).toBeVisible();
  await expect(button).toHaveAttribute('aria-pressed', 'true');
  await button.click();
  await expect(button).toHaveAttribute('aria-pressed', 'false');
  expect(await bridge.calls()).toEqual([
    'changeSettings({"notifies":true})',
    'watchRun("ckpt-umda", true)',
    'watchRun("ckpt-umda", false)',
  ]);
  database.exec("UPDATE runs SET status = 'COMPLETED' WHERE run_id = 'ckpt-umda'");
  await expect(button).toHaveCount(0);
});

test('a plain browser has no settings of the window', async ({ page }) => {
  await page.goto('/help');
  await expect(page.getByRole('region', { name: 'For scripts' })).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('settings of the window');
  await expect(page.getByRole('dialog')).toContainText(
    /^.*No run, experiment, campaign or command/,
  );
});
