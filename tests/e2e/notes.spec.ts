import type { Page } from 'playwright/test';
import type { Annotation } from '#shared/schemas/annotation.ts';
import { expect, expectAccessible, test } from './service.ts';

const group = (page: Page, name: string) =>
  page.getByRole('grid', { name: 'Groups' }).getByRole('row', { name: new RegExp(`^${name}`) });
const dialog = (page: Page) => page.getByRole('dialog');

async function annotate(url: string, path: string, content: object): Promise<void> {
  const address = `${url}/api/annotations/${path}`;
  const { version } = (await (await fetch(address)).json()) as Annotation;
  const response = await fetch(address, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ version, ...content }),
  });
  if (!response.ok) throw new Error(await response.text());
}

async function saveAs(page: Page, displayName: string): Promise<void> {
  await dialog(page).getByLabel('Display name').fill(displayName);
  await dialog(page).getByRole('button', { name: 'Save notes' }).click();
  await expect(dialog(page)).toBeHidden();
}

test.describe('a note', () => {
  test('on an algorithm shows its display name in table, legend, verdict, pairs and LaTeX', async ({
    page,
    service,
  }) => {
    await page.goto(service.url + '/problems/onemax');
    await group(page, 'cga').getByRole('button', { name: 'Edit notes on cga' }).click();
    await expectAccessible(page);
    await test.step('the text field has its usual keys', async () => {
      const note = dialog(page).getByRole('textbox', { name: 'Note', exact: true });
      await note.fill('first\nlast');
      await note.press('ArrowUp');
      await note.press('Home');
      await page.keyboard.type('the ');
      await expect(note).toHaveValue('the first\nlast');
    });
    await dialog(page).getByRole('checkbox').check();
    await saveAs(page, 'Compact <b>GA</b>');
    await test.step('the page shows the display name at once, with the stored name as tooltip', async () => {
      await expect(group(page, 'Compact <b>GA</b> \\(baseline\\)')).toBeVisible();
      await expect(page.locator('.swatch-name [title="cga"]')).toBeVisible();
      await expect(page.locator('.verdict')).toContainText('Compact <b>GA</b>');
      await expect(page.locator('.chart-legend').first()).toContainText(
        'Compact <b>GA</b> (baseline)',
      );
      await expect(page.locator('main b')).toHaveCount(0);
    });
    await test.step('pairs with the baseline come first', async () => {
      const pairs = page.getByRole('grid', { name: 'Pairwise tests' }).getByRole('row');
      await expect(pairs.nth(1)).toContainText('Compact <b>GA</b> (baseline)');
      await expect(pairs.nth(2)).toContainText('Compact <b>GA</b> (baseline)');
    });
    await test.step('LaTeX contains the escaped display name', async () => {
      const latex = await (await fetch(`${service.url}/api/analysis/problem/onemax/latex`)).text();
      expect(latex).toContain(
        'Compact \\textless{}b\\textgreater{}GA\\textless{}/b\\textgreater{} (baseline)',
      );
    });
    await test.step('the filter of algorithms shows the display name', async () => {
      await page.getByRole('button', { name: /^Algorithms/ }).click();
      await expect(page.getByRole('checkbox', { name: 'Compact <b>GA</b>' })).toBeVisible();
    });
    await test.step('tables across instances show the display name', async () => {
      await page.goto(`${service.url}/problems/onemax?tab=across`);
      for (const name of ['Across instances', 'Average ranks'])
        await expect(page.getByRole('grid', { name })).toContainText(
          'Compact <b>GA</b> (baseline)',
        );
    });
    await expectAccessible(page);
  });

  test('on an optimizer shows its display name in tables, charts and filters of a campaign', async ({
    page,
    service,
  }) => {
    await page.goto(`${service.url}/coco/bbob-small?tab=optimizers`);
    await page.getByRole('button', { name: 'Edit notes on cma-es' }).click();
    // A click in the dialog does not open the row.
    await dialog(page).getByRole('heading').click();
    await saveAs(page, 'Tuned CMA');
    await expect(page).not.toHaveURL(/config=/);
    const optimizers = page.getByRole('grid', { name: 'Optimizers' });
    await expect(optimizers).toContainText('Tuned CMA');
    await expectAccessible(page);
    for (const [tab, ...regions] of [
      ['overview', 'main .chart-legend', '.completeness'],
      ['ecdf&cells=all', 'main .chart-legend', '.ecdf-areas'],
      ['erts', 'main table'],
      ['trials', 'main table'],
    ] as const) {
      await page.goto(`${service.url}/coco/bbob-small?tab=${tab}`);
      for (const region of regions)
        await expect(page.locator(region).first()).toContainText('Tuned CMA');
    }
    await page.getByRole('button', { name: /^Optimizer / }).click();
    await page.getByRole('checkbox', { name: 'Tuned CMA' }).check();
    await expect(page).toHaveURL(/optimizer=cma-es/);
    await page.keyboard.press('Escape');
    await expect(
      page.getByRole('button', { name: 'Remove filter optimizer: Tuned CMA' }),
    ).toBeVisible();
    await page.goto(`${service.url}/coco/bbob-small`);
    await page.getByRole('button', { name: /^Optimizer / }).click();
    await page.getByRole('checkbox', { name: 'Tuned CMA' }).check();
    await expect(page).toHaveURL(/optimizer=cma-es/);
    // The previous results are pale until the filtered ones are there.
    await expect(page.locator('.previous-data')).toHaveCount(0);
    await expectAccessible(page);
  });

  test('on a run is shown in its header, in lists, in the palette and in a second window', async ({
    page,
    service,
    context,
  }) => {
    const runId = 'onemax40-pbil-r01';
    const other = await context.newPage();
    await other.goto(`${service.url}/runs/${runId}`);
    await expect(other.getByRole('heading', { level: 1, name: runId })).toBeVisible();
    await page.goto(`${service.url}/runs/${runId}`);
    await page.getByRole('button', { name: 'Edit notes' }).click();
    await expect(dialog(page).getByLabel('Display name')).toBeFocused();
    await dialog(page).getByLabel('Tags, separated by commas').fill('paper, tuned');
    await dialog(page).getByLabel('Note', { exact: true }).fill('Best of all.\nSee page 3.');
    await saveAs(page, 'Figure 3');
    for (const window of [page, other]) {
      await expect(window.getByRole('heading', { level: 1, name: 'Figure 3' })).toBeVisible();
      await expect(window.locator('.tags').first()).toHaveText('papertuned');
    }
    await page.getByRole('button', { name: 'Show details' }).click();
    await expect(page.getByText('See page 3.')).toBeVisible();
    await expectAccessible(page);
    await page.goto(service.url + '/');
    await page.getByRole('button', { name: /^Tag / }).click();
    await page.getByRole('checkbox', { name: 'paper' }).check();
    await expect(page).toHaveURL(/tag=paper/);
    await expect(page.getByRole('button', { name: 'Remove filter tag: paper' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('link', { name: 'Figure 3' })).toBeVisible();
    await expect(page.getByRole('grid', { name: 'Runs' }).getByRole('row')).toHaveCount(2);
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('combobox').fill('figure 3');
    await expect(page.getByRole('option', { name: /Figure 3/ })).toContainText(runId);
  });

  test('that another window has changed is not overwritten without confirmation', async ({
    page,
    service,
  }) => {
    const runId = 'onemax40-pbil-r02';
    await page.goto(`${service.url}/runs/${runId}`);
    await page.getByRole('button', { name: 'Edit notes' }).click();
    const note = dialog(page).getByLabel('Note', { exact: true });
    await note.fill('mine');
    await annotate(service.url, `run/${runId}`, { note: 'theirs' });
    await dialog(page).getByRole('button', { name: 'Save notes' }).click();
    await expect(dialog(page).getByRole('alert')).toContainText(
      'Another client changed the notes meanwhile, so the service did not save your change.',
    );
    await expect(dialog(page)).toContainText('theirs');
    await expect(note).toHaveValue('mine');
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Replace with mine' }).click();
    await expect(dialog(page)).toBeHidden();
    const stored = await (await fetch(`${service.url}/api/annotations/run/${runId}`)).json();
    expect(stored).toMatchObject({ note: 'mine' });
  });
});
