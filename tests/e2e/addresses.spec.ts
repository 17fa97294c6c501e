import type { DatabaseSync } from 'node:sqlite';
import type { Locator, Page } from 'playwright/test';
import { expect, test } from './service.ts';

/** Ids that must be encoded in an address. Each one replaces the ids of a run, its experiment and its problem. */
const oddIds = ['a b:c+d 100%25', 'x/y?z#w größe 🐝', 'ö'.repeat(500)];

const whole = (page: Page, id: string): Locator => page.getByTitle(`${id} (click to copy)`).first();

const showDetails = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Show details' }).click();

test('runs, experiments and problems whose ids must be encoded open from the list and from their URLs', async ({
  page,
  service,
  database,
}) => {
  for (const [index, id] of oddIds.entries()) rename(database, index, id);
  for (const id of oddIds) {
    await page.goto(
      `${service.url}/?q=${encodeURIComponent(id.slice(0, 100))}&cols=run,experiment`,
    );
    await page.getByRole('row').nth(1).focus();
    await page.keyboard.press('Enter');
    await showDetails(page);
    await expect(whole(page, id)).toBeVisible();
    await page.reload();
    await showDetails(page);
    await expect(whole(page, id)).toBeVisible();
    for (const [kind, heading] of [
      ['experiments', `name of ${id.slice(0, 20)}`],
      ['problems', id],
    ]) {
      await page.goto(`${service.url}/${kind}/${encodeURIComponent(id)}`);
      await expect(page.getByRole('heading', { level: 1 })).toContainText(heading ?? '');
    }
  }
});

/** Changes the ids of the run with this index, its experiment and its problem to `id`. */
function rename(database: DatabaseSync, index: number, id: string): void {
  const run = database
    .prepare('SELECT run_id, experiment_id FROM runs ORDER BY run_id LIMIT 1 OFFSET ?')
    .get(index * 20);
  database.exec('PRAGMA foreign_keys = OFF');
  for (const table of ['runs', 'iterations', 'events', 'checkpoints']) {
    database
      .prepare(`UPDATE ${table} SET run_id = ? WHERE run_id = ?`)
      .run(id, String(run?.['run_id']));
  }
  for (const table of ['experiments', 'experiment_params', 'runs']) {
    database
      .prepare(`UPDATE ${table} SET experiment_id = ? WHERE experiment_id = ?`)
      .run(id, String(run?.['experiment_id']));
  }
  database
    .prepare('UPDATE experiments SET problem_type = ?, run_name = ? WHERE experiment_id = ?')
    .run(id, `name of ${id.slice(0, 20)}`, id);
}
