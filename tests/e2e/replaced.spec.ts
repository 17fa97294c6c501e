import { existsSync, renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Locator, Page } from 'playwright/test';
import { findArchive } from '#tests/support/import-data.ts';
import { writeSampleFile } from '#tests/support/sample-file.ts';
import { expect, expectAccessible, startService, test, type RunningService } from './service.ts';

const silent = 'long-rastrigin-r02';
const replacedMessage =
  'Another database has replaced the one that the page showed, and the service changed nothing in the new one. Reload to see it';

test.describe('a replaced or deleted database file', () => {
  test.describe.configure({ mode: 'serial' });
  let service: RunningService;
  test.beforeAll(async () => {
    service = await startService('sample');
    replaceFile();
  });
  test.afterAll(() => service.stop());

  /** Replaces the file with another one with the same ids, in which a RUNNING run has been silent for a long time. */
  function replaceFile(): void {
    const other = `${service.databasePath}.other`;
    writeSampleFile(other);
    const database = new DatabaseSync(other, { timeout: 10_000 });
    database.exec(`
      UPDATE runs SET start_time = '2025-03-01T10:00:00Z' WHERE run_id = '${silent}';
      UPDATE iterations SET created_at = '2025-03-01T10:00:00Z' WHERE run_id = '${silent}'`);
    database.close();
    for (const end of ['-wal', '-shm']) rmSync(service.databasePath + end, { force: true });
    renameSync(other, service.databasePath);
  }

  function readContent(): unknown {
    const database = new DatabaseSync(service.databasePath, { timeout: 10_000 });
    const tables = ['experiments', 'runs', 'coco_campaigns', 'control_requests', 'events'];
    const counts = tables.map((table) =>
      database.prepare(`SELECT COUNT(*) AS n FROM ${table}`).get(),
    );
    const failed = database.prepare(`SELECT run_id FROM runs WHERE status = 'FAILED'`).all();
    database.close();
    return { counts, failed };
  }

  const dialog = (page: Page) => page.getByRole('dialog');

  /** Replaces the file while a dialog is open. Expects that the dialog reports it and changes no rows. */
  async function expectRefused(page: Page, confirm: Locator): Promise<void> {
    replaceFile();
    const before = readContent();
    await expect(dialog(page).getByRole('alert')).toContainText(
      `${replacedMessage} DATABASE_CHANGED`,
    );
    await expect(confirm).toHaveAttribute('aria-disabled', 'true');
    await confirm.click({ force: true });
    expect(readContent()).toEqual(before);
  }

  test('is reported by the dialog that requests a stop', async ({ page }) => {
    await page.goto(`${service.url}/runs/${silent}`);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await expectRefused(page, dialog(page).getByRole('button', { name: 'Request stop' }));
    await expectAccessible(page, '[role=dialog]');
    await dialog(page).getByRole('button', { name: 'Reload the page' }).click();
    await expect(dialog(page)).toHaveCount(0);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await dialog(page).getByRole('button', { name: 'Request stop' }).click();
    await expect(page.getByRole('region', { name: 'Stop request' })).toBeVisible();
  });

  test('is reported by the dialog that settles a run', async ({ page }) => {
    await page.goto(`${service.url}/runs/${silent}`);
    await page.getByRole('button', { name: 'Mark as failed…' }).click();
    await expectRefused(page, dialog(page).getByRole('button', { name: 'Mark as FAILED' }));
  });

  test('is reported by the dialog that deletes experiments', async ({ page }) => {
    await page.goto(`${service.url}/experiments`);
    await page.getByLabel('Select all rows shown').check();
    await page.getByRole('button', { name: /^Delete \d+ selected/ }).click();
    await expect(dialog(page).getByText('Permanently deletes:')).toBeVisible();
    await expectRefused(page, dialog(page).getByRole('button', { name: /^Delete \d+ exp/ }));
  });

  test('is reported by the dialog that deletes a campaign', async ({ page }) => {
    await page.goto(`${service.url}/coco`);
    await page.getByRole('link', { name: 'BBOB f1 f8, d2 d3' }).click();
    await page.getByRole('button', { name: 'Delete campaign' }).click();
    await expect(dialog(page).getByText('Permanently deletes:')).toBeVisible();
    await expectRefused(page, dialog(page).getByRole('button', { name: 'Delete 1 campaign' }));
  });

  test('is reported by the page of imports, which imports nothing', async ({ page }) => {
    await page.goto(`${service.url}/import`);
    await page.getByLabel('Archive or table').setInputFiles(findArchive('coco-gen-mixint')!);
    await expect(page.getByText('50 runs to add')).toBeVisible();
    replaceFile();
    const before = readContent();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await expect(page.getByRole('alert')).toContainText(`${replacedMessage} DATABASE_CHANGED`);
    await expect(page.getByRole('button', { name: 'Retry' })).toHaveCount(0);
    expect(readContent()).toEqual(before);
  });

  test('is reported on confirmation, and a removed file is not created again', async ({ page }) => {
    await page.goto(`${service.url}/runs/${silent}`);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    for (const end of ['', '-wal', '-shm']) rmSync(service.databasePath + end, { force: true });
    await dialog(page).getByRole('button', { name: 'Request stop' }).click();
    await expect(dialog(page).getByRole('alert')).toContainText(
      `The database file ${service.databasePath} is missing, so the service read and changed nothing. Restore it, then try again DATABASE_UNAVAILABLE`,
    );
    // The page is not live any more, and shows why.
    await expect(page.getByText('Not up to date:').first()).toContainText(
      `The database file ${service.databasePath} is missing`,
    );
    await expect(page.locator('.live')).toContainText('Offline since');
    expect(existsSync(service.databasePath)).toBe(false);
  });
});
