import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright/test';
import { makeBenchmark } from '#tests/support/benchmark-data.ts';
import { findArchive } from '#tests/support/import-data.ts';
import { expect, expectAccessible, startService, test, type RunningService } from './service.ts';

const mixed = findArchive('coco-gen-mixint')!;
const path = (page: Page) => page.getByLabel('Or path of a folder or file on this computer');
const card = (page: Page, name: string) => page.getByRole('region', { name });

test.describe('the page of imports', () => {
  test.describe.configure({ mode: 'serial' });
  let service: RunningService;
  test.beforeAll(async () => {
    service = await startService('empty');
  });
  test.afterAll(() => service.stop());

  test('shows the contents of an archive, imports it, and links to its campaign', async ({
    page,
  }) => {
    await page.goto(`${service.url}/import`);
    await expect(page).toHaveTitle('Import · Evoscope');
    await page.getByRole('button', { name: 'Load sample campaign' }).click();
    await expect(card(page, 'Contents')).toContainText('735 runs to add');
    await page.reload();
    await expectAccessible(page);
    await page.getByLabel('Archive or table').setInputFiles(mixed);
    const contents = card(page, 'Contents');
    await expect(contents).toContainText('50 runs to add');
    await expect(contents.getByRole('row').nth(1)).toHaveText(/^bbob-mixint11050\D*1\u2009116$/);
    await expect(page.getByRole('textbox', { name: 'Data set name' })).toHaveValue(
      'coco-gen-mixint',
    );
    await expectAccessible(page);
    await page.getByRole('textbox', { name: 'Data set name' }).fill('mixed integers');
    await page.getByRole('button', { name: 'Check again' }).click();
    await contents.getByLabel('Use as reference for other campaigns').check();
    await contents.getByRole('button', { name: 'Import', exact: true }).click();
    const done = card(page, '“mixed integers” imported');
    await expect(done).toContainText('50 runs added');
    await expect(done.getByRole('link', { name: 'bbob-mixint' })).toHaveAttribute(
      'href',
      /^\/coco\/imp-[0-9a-f]{16}$/,
    );
    const link = await done.getByRole('link', { name: 'bbob-mixint' }).getAttribute('href');
    const id = link?.replace('/coco/', '') ?? '';
    const erts = await page.request.get(`${service.url}/api/coco/campaigns/${id}/erts`);
    expect(await erts.json()).toMatchObject({ referenceKind: 'stored' });
    await page.reload();
    await expect(done).toContainText('50 runs added');
    await expectAccessible(page);
  });

  test('follows a running import when the page is opened again, and cancels it', async ({
    page,
  }) => {
    await page.goto(`${service.url}/`);
    await page.request.post(`${service.url}/api/import?name=again`, { data: { sample: true } });
    await page.getByRole('link', { name: 'Import' }).click();
    await card(page, 'Importing').getByRole('button', { name: 'Cancel' }).click();
    await expect(card(page, 'Not imported')).toContainText('cancelled');
  });

  test('lists the errors of a dropped file with their lines', async ({ page }) => {
    await page.goto(`${service.url}/import`);
    const dropped = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      const rows = 'algorithm,seed,evaluations,best\nA,1,1,5\nA,1,x,4\nA,1,9,2\n';
      transfer.items.add(new File([rows], 'broken.csv'));
      return transfer;
    });
    await page.locator('.import-drop').dispatchEvent('drop', { dataTransfer: dropped });
    const notes = card(page, 'Import notes');
    await expect(
      notes.getByRole('row').filter({ hasText: 'Incomplete or non-numeric row' }),
    ).toContainText(/skippedbroken\.csv31$/);
    await expectAccessible(page);
  });

  test('renames algorithms, and imports data without a known suite as experiments', async ({
    page,
  }) => {
    await page.goto(`${service.url}/import`);
    const rows = ['alg', 'B'].flatMap((algorithm) =>
      [1, 2].map((instance) => `${algorithm},f7,${instance},100,5`),
    );
    await page.getByLabel('Archive or table').setInputFiles({
      name: 'named.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(['algorithm,problem,instance,evaluations,best', ...rows].join('\n')),
    });
    const contents = card(page, 'Contents');
    await expect(contents).toContainText('no suite: experiments only');
    await contents.getByText('Rename 2 algorithms').click();
    await contents.getByLabel('alg', { exact: true }).fill('B');
    const again = contents.getByRole('button', { name: 'Check again' });
    await expect(again).toHaveAttribute('aria-disabled', 'true');
    await expect(contents.getByText('Another algorithm has this name.')).toHaveCount(2);
    await expectAccessible(page);
    await contents.getByLabel('alg', { exact: true }).fill('CMA-ES');
    await again.click();
    await contents.getByRole('button', { name: 'Import', exact: true }).click();
    const done = card(page, '“named” imported');
    await done.getByRole('link', { name: 'experiments of no suite' }).click();
    await expect(page).toHaveURL(/\/experiments\?/);
    await expect(page.getByRole('row').filter({ hasText: 'CMA-ES' })).toHaveCount(1);
    await expect(page.getByRole('row')).toHaveCount(3);
  });

  test('shows why a path cannot be read, and works with the keyboard', async ({ page }) => {
    await page.goto(`${service.url}/`);
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await path(page).fill('"/nothing/there"');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('alert')).toContainText(
      'There is no file or folder at /nothing/there. Correct the path SOURCE_UNREADABLE',
    );
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Choose another source' }).click();
    await expect(card(page, 'Not imported')).toHaveCount(0);
  });

  test('offers another name or a replacement if the name has other data, and deletes a data set', async ({
    page,
  }) => {
    const two = { functions: 1, dimensions: [2], instances: 2 };
    const [short, long] = [makeBenchmark(two), makeBenchmark({ ...two, rows: 60 })];
    await page.goto(`${service.url}/import`);
    const inspectFolder = async (folder: string) => {
      await path(page).fill(folder);
      await page.getByRole('button', { name: 'Check', exact: true }).click();
      const name = page.getByRole('textbox', { name: 'Data set name' });
      await expect(name).toBeVisible();
      await name.fill('made');
      await page.getByRole('button', { name: 'Check again' }).click();
    };
    await inspectFolder(short.folder);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await expect(card(page, '“made” imported')).toBeVisible();
    await inspectFolder(long.folder);
    const conflict = card(page, 'Name already used for different data');
    await expect(conflict).toContainText('"made" exists with other values');
    await expect(page.getByRole('textbox', { name: 'Data set name' })).toBeFocused();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Replace data set…' }).click();
    await expect(page.getByText('Everything imported as “made”', { exact: false })).toBeVisible();
    await page.getByRole('button', { name: 'Replace and import' }).click();
    await expect(card(page, '“made” imported')).toContainText('2 runs added');
    short.remove();
    long.remove();
    await page.getByRole('button', { name: 'Delete data set made' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete data set made' });
    await expect(dialog.getByRole('region', { name: 'What will be deleted' })).toContainText(
      /Trials2.*Experiments1Runs2Iterations120/,
    );
    await dialog.getByRole('button', { name: 'Delete 1 data set' }).click();
    await expect(page.getByText('Deleted made: 2 runs, 120 iterations.')).toBeVisible();
    await expect(page.getByRole('link', { name: 'made', exact: true })).toHaveCount(0);
  });

  test('shows the progress, and stores no rows after a cancellation', async ({ page }) => {
    const large = makeBenchmark();
    await page.goto(`${service.url}/import`);
    await path(page).fill(large.folder);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const busy = card(page, 'Importing');
    await expect(busy).toContainText(/Writing: .* of 2\u2009160 runs/);
    await busy.getByRole('button', { name: 'Cancel' }).click();
    await expect(page.getByRole('alert')).toContainText(
      'The import was cancelled and changed nothing IMPORT_CANCELLED',
    );
    await expect(page.getByRole('button', { name: 'Retry' })).toBeVisible();
    const response = await page.request.get(
      `${service.url}/api/coco/campaigns?q=evoscope-benchmark`,
    );
    expect(await response.json()).toMatchObject({ total: 0 });
    large.remove();
  });

  test('watches a folder, shows new rows, notes and errors, and stops', async ({ page }) => {
    const folder = mkdtempSync(join(tmpdir(), 'evoscope-watched-'));
    const data = join(folder, 'IOHprofiler_f1_DIM2.dat');
    await page.goto(`${service.url}/import`);
    await path(page).fill(folder);
    await page.getByLabel('Keep watching').check();
    await page.getByRole('textbox', { name: 'Data set name' }).fill('live');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Watch folder' }).click();
    const watched = card(page, 'Watched folders');
    const row = watched.getByRole('row').filter({ hasText: folder });
    await expect(row).toContainText('Waiting for files');
    await expect(watched).toContainText('it does not begin again after a restart');
    writeFileSync(data, 'evaluations raw_y\n1 5\n3 4\n5 2');
    await expect(row).toContainText(/Watching112/);
    await expectAccessible(page);
    writeFileSync(data, 'evaluations raw_y\n');
    await expect(card(page, 'Import notes')).toContainText(
      'File became shorter while the folder was watched; stored rows remain',
    );
    renameSync(folder, `${folder}-moved`);
    await expect(row).toContainText('Interrupted');
    await expect(watched).toContainText(
      `The folder ${folder} no longer exists. Watching continues when it exists again.`,
    );
    renameSync(`${folder}-moved`, folder);
    await expect(row).toContainText('Watching');
    await page.reload();
    await path(page).fill(folder);
    await page.getByLabel('Keep watching').check();
    await page.getByRole('button', { name: 'Watch folder' }).click();
    await expect(page.getByRole('alert')).toContainText(
      `The service already watches "${folder}". Stop watching it first IMPORT_RUNNING`,
    );
    await page.getByRole('button', { name: `Stop watching ${folder}` }).click();
    await expect(row).toContainText('Ended');
    await row.getByRole('link', { name: folder }).click();
    await expect(page).toHaveURL(/\/experiments\?/);
    await expect(page.getByRole('row').filter({ hasText: 'live' })).toHaveCount(1);
    rmSync(folder, { recursive: true });
  });
});
