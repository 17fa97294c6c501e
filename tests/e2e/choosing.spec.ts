import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Page } from 'playwright/test';
import type { DesktopDatabases } from '#shared/desktop.ts';
import { writeSampleFile } from '#tests/support/sample-file.ts';
import { installBridge } from './desktop-bridge.ts';
import { expect, expectAccessible, startService, test, type RunningService } from './service.ts';

/** The tests of this file share these and depend on their order: no database is open before the first test. */
let folder: string;
let service: RunningService;

/** Writes the sample with only a few of its runs. */
function writeSmallSample(file: string): void {
  writeSampleFile(file);
  const database = new DatabaseSync(file);
  database.exec(`pragma foreign_keys = off; delete from runs where run_id not like 'tsp8-ehm%'`);
  database.close();
}

const at = (path: string) => `${service.url}${path}`;
const choose = (page: Page, name: string) =>
  page.getByRole('grid', { name: 'SQLite databases' }).getByText(name).click();
const openByRequest = (page: Page, file: string) =>
  page.request.post(at('/api/databases/open'), { data: { file } });
const databaseName = (page: Page) => page.getByRole('button', { name: /^Database: / });

test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'evoscope-choose-'));
  mkdirSync(join(folder, 'older'));
  writeSampleFile(join(folder, 'all.db'));
  writeSmallSample(join(folder, 'older', 'few.db'));
  writeFileSync(join(folder, 'empty.db'), '');
  service = await startService('none', ['--choose', folder, '--choose-postgres', '127.0.0.1']);
});
test.afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('every page is the page to choose a database until one is open; other tabs follow each choice', async ({
  page,
}) => {
  const other = await page.context().newPage();
  await page.goto(at('/experiments'));
  await other.goto(at('/runs/long-rastrigin-r02'));
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Choose a database');
  await expect(page).toHaveTitle('Choose a database · Evoscope');
  await expect(other.getByText('No database is open yet.')).toBeVisible();
  await expectAccessible(page);

  await choose(page, 'all.db');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Runs');
  await expect(databaseName(page)).toHaveText('all.db');
  await expect(databaseName(other)).toHaveText('all.db');

  // A tab with charts and an event stream, which reports the choice.
  await other.goto(at('/runs/long-rastrigin-r02'));
  await expect(other.locator('.chart-canvas').first()).toBeVisible();
  await databaseName(page).click();
  await page.getByRole('menuitem', { name: 'Open another database…' }).click();
  await expect(
    page.getByText(/^all\.db is open \(.*Opening another one replaces it in every tab/),
  ).toBeVisible();
  await choose(page, 'older/few.db');
  for (const tab of [page, other]) {
    await expect(databaseName(tab)).toHaveText('few.db');
    await expect(tab).toHaveURL(`${service.url}/`);
    await expect(tab.getByText('long-rastrigin-r02')).toHaveCount(0);
    await expect(tab.getByText(/^1–5 of 5 runs$/)).toBeVisible();
  }

  await databaseName(page).click();
  await page.getByRole('menuitem', { name: 'all.db' }).click();
  await expect(databaseName(other)).toHaveText('all.db');
});

test('a page without change events shows no response of another database', async ({ page }) => {
  await openByRequest(page, 'all.db');
  await page.route('**/api/changes', (route) => route.abort());
  await page.goto(at('/?sort=status'));
  await expect(page.getByText(/^1–25 of 111 runs$/)).toBeVisible();
  // A response of the first database that is pending when the second one is opened.
  const release = Promise.withResolvers<void>();
  const isPending = Promise.withResolvers<void>();
  await page.route(/\/api\/runs\?.*q=nothing/, async (route) => {
    const response = await route.fetch();
    isPending.resolve();
    await release.promise;
    await route.fulfill({ response });
  });
  await page.getByRole('textbox', { name: 'Search runs' }).fill('nothing');
  await isPending.promise;
  await openByRequest(page, 'older/few.db');
  release.resolve();
  // The next request is refused, because the page still shows the first database, unless an earlier request was refused.
  await page.getByRole('textbox', { name: 'Search runs' }).fill('tsp8');
  await expect(databaseName(page)).toHaveText('few.db');
  await expect(page).not.toHaveURL(/sort=status/);
  await expect(page.getByText(/^1–5 of 5 runs$/)).toBeVisible();
});

test('a database is created only after a confirmation', async ({ page }) => {
  await openByRequest(page, 'all.db');
  await page.goto(at('/welcome#new'));
  await expect(page.getByLabel('File name').first()).toBeFocused();
  await page.getByLabel('File name').first().fill('all');
  await expect(
    page.getByText('A file of this name already exists. Open it from the list'),
  ).toBeVisible();
  await page.getByLabel('File name').first().fill('mine');
  await page.keyboard.press('Enter');
  const confirmation = page.getByRole('dialog', { name: 'Create a new database?' });
  await expect(confirmation).toContainText('mine.db does not exist yet. Create a new database?');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(confirmation).toHaveCount(0);
  await expect(page.getByText(/^all\.db is open \(/)).toBeVisible();
  await page.getByRole('button', { name: 'Create database' }).click();
  await expect(confirmation).toBeVisible();
  // Another program creates a file of this name while the dialog is open.
  const file = join(folder, 'mine.db');
  const other = new DatabaseSync(file);
  other.exec('create table notes (text text)');
  other.close();
  // The list of files may show the file before the service has refused the request. Without the file, it would accept it.
  const refusal = page.waitForResponse('**/api/databases/open');
  await confirmation.getByRole('button', { name: 'Create database' }).click();
  expect((await refusal).ok()).toBe(false);
  await expect(
    page.getByText(
      /^(Another program replaced or deleted the database to confirm, so the service changed nothing\. Open it again|A file of this name already exists. Open it from the list)/,
    ),
  ).toBeVisible();
  rmSync(file);
  // A list that the service was reading before can contain the file. Then the page would not create it.
  await expect(async () => {
    await page.reload();
    await expect(page.getByRole('grid', { name: 'SQLite databases' })).toBeVisible();
    await expect(page.getByText('mine.db')).toHaveCount(0, { timeout: 1_000 });
  }).toPass();
  await page.getByLabel('File name').first().fill('mine');
  await page.getByRole('button', { name: 'Create database' }).click();
  await confirmation.getByRole('button', { name: 'Create database' }).click();
  await expect(databaseName(page)).toHaveText('mine.db');
});

test('the form of a connection shows errors by field, before and after an attempt', async ({
  page,
}) => {
  await page.goto(at('/welcome'));
  const form = page.locator('#connect');
  await form.getByRole('button', { name: 'Connect' }).click();
  await expect(form.getByText('Enter the name or address of the server.')).toBeVisible();
  await expect(form.getByText('Enter the name of the database.')).toBeVisible();
  await form.getByLabel('Server').fill('127.0.0.1');
  await form.getByLabel('Port').fill('1');
  await form.getByLabel('Database').fill('runs');
  await form.getByRole('button', { name: 'Test' }).click();
  const silent =
    'The PostgreSQL server of postgres: 127.0.0.1:1/runs does not respond: ECONNREFUSED. Check the host and the port';
  await expect(form.locator('.field-error')).toHaveText(silent);
  await form.getByLabel('Server').fill('db.example');
  await form.getByRole('button', { name: 'Connect' }).click();
  await expect(form.getByRole('alert')).toContainText(
    'This service may not connect to that server',
  );
});

test('the page creates sample data and opens them', async ({ page }) => {
  await page.goto(at('/welcome'));
  await page.getByRole('button', { name: 'Create sample data' }).click();
  await expect(page.getByText(/^Creating sample data…/)).toBeVisible();
  await expect(databaseName(page)).toHaveText('sample.db', { timeout: 60_000 });
  await expect(page.getByRole('link', { name: /^COCO/ })).toContainText('1');
});

test('in the window, a dialog or a drop chooses files, and the page lists recent databases', async ({
  page,
}) => {
  const windows = await startService('none', ['--choose=*', '--choose-postgres=*']);
  const inWindow = (path: string) => `${windows.url}${path}`;
  await installBridge(page, inWindow('/'));
  const files = { open: join(folder, 'all.db'), dropped: join(folder, 'older', 'few.db') };
  await page.addInitScript((paths) => {
    const remembered = () => JSON.parse(sessionStorage.getItem('remembered') ?? '[]') as string[];
    const databases: DesktopDatabases = {
      chooseFile: () => Promise.resolve(paths.open),
      getPath: (file) =>
        file instanceof File && file.name === 'all.db' ? paths.open : paths.dropped,
      listRecent: () =>
        Promise.resolve(
          remembered().map((location) => ({
            id: location,
            name: `was ${location.split('/').at(-1)}`,
            location,
          })),
        ),
      openRecent: () => Promise.resolve({ failure: 'Its disk is not there.' }),
      removeRecent: (id) => {
        const left = remembered().filter((location) => location !== id);
        sessionStorage.setItem('remembered', JSON.stringify(left));
        return Promise.resolve();
      },
      addRecent: ({ file }) => {
        sessionStorage.setItem('remembered', JSON.stringify([file, ...remembered()]));
        return Promise.resolve();
      },
    };
    Object.assign(window.desktop ?? {}, { databases });
  }, files);
  await page.goto(inWindow('/'));
  await page.getByRole('button', { name: 'Select file…' }).click();
  await expect(databaseName(page)).toHaveText('all.db');
  await page.goto(inWindow('/welcome'));
  await expectAccessible(page);
  const drop = async (selector: string, name: string) =>
    page.locator(selector).dispatchEvent('drop', {
      dataTransfer: await page.evaluateHandle((fileName) => {
        const dropped = new DataTransfer();
        dropped.items.add(new File([''], fileName));
        return dropped;
      }, name),
    });
  await drop('.welcome', 'few.db');
  await expect(databaseName(page)).toHaveText('few.db');
  await page.goto(inWindow('/welcome'));
  await page.getByRole('button', { name: `was all.db ${files.open}` }).click();
  await expect(page.getByRole('button', { name: /was few.db/ })).toHaveCount(0);
  await expect(page.getByRole('alert')).toHaveText('Its disk is not there.');
  await page.getByRole('button', { name: 'Remove was all.db from list' }).click();
  await expect(page.getByRole('heading', { name: 'Recent' })).toHaveCount(0);
  await databaseName(page).click();
  await page.getByRole('menuitem', { name: 'Show address and token…' }).click();
  await expect(page.getByRole('dialog', { name: 'Settings' })).toContainText(windows.url);
  await page.goto(inWindow('/experiments'));
  await drop('h1', 'notes.txt');
  await drop('h1', 'all.db');
  await expect(databaseName(page)).toHaveText('all.db');
  await windows.stop();
});
