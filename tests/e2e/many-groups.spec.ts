import type { Page } from 'playwright/test';
import { openDatabase } from '#server/db/open.ts';
import { parseDatabaseUrl } from '#server/db/url.ts';
import { insert, insertExperiment, insertRun } from '#tests/support/rows.ts';
import { findClippedElements } from './clipped.ts';
import { expect, startService, test, type RunningService } from './service.ts';

const groupCount = 30;
const runsPerGroup = 5;
const iterationsPerRun = 20;
const evaluationsPerIteration = 50;

/** Returns names that differ only at their ends; the longest are wider than a column. */
const getAlgorithm = (index: number): string =>
  `${['cma-es', 'umda', 'differential-evolution', 'pbil'][index % 4]}-variant-${index + 1}`;

/**
 * Adds the algorithms on one problem instance, each with one configuration and a few runs. Each algorithm is better
 * than the previous one.
 */
async function addGroups(url: string): Promise<void> {
  const database = await openDatabase(parseDatabaseUrl(url, { workingDirectory: process.cwd() }));
  try {
    for (let index = 0; index < groupCount; index++) {
      const experimentId = index.toString(16).padStart(64, '0');
      await insertExperiment(database, experimentId, {
        algorithm_type: getAlgorithm(index),
        problem_type: 'sphere',
      });
      for (let run = 0; run < runsPerGroup; run++) {
        const runId = `run-${index}-${run}`;
        const fitnessAt = (iteration: number): number =>
          100 * Math.exp(-(0.05 + 0.01 * index + 0.004 * ((run * 7 + index * 3) % 11)) * iteration);
        await insertRun(database, experimentId, runId, {
          seed: run + 1,
          best_fitness: fitnessAt(iterationsPerRun - 1),
          iterations: iterationsPerRun,
          evaluations: iterationsPerRun * evaluationsPerIteration,
        });
        const iterations = Array.from({ length: iterationsPerRun }, (_, iteration) => ({
          run_id: runId,
          iteration,
          evaluations: (iteration + 1) * evaluationsPerIteration,
          best_fitness: fitnessAt(iteration),
        }));
        await insert(database, 'iterations', ...iterations);
      }
    }
  } finally {
    await database.close();
  }
}

/** Returns the visible texts of charts that overlap another text or are not entirely inside their chart. */
function findUnreadableTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const findings: string[] = [];
    for (const canvas of document.querySelectorAll('.chart-canvas')) {
      const { left, right } = canvas.getBoundingClientRect();
      const texts = [...canvas.querySelectorAll('svg text')]
        .filter((text) => text.checkVisibility() && text.textContent.trim() !== '')
        .map((text) => ({ text: text.textContent, box: text.getBoundingClientRect() }));
      texts.forEach(({ text, box }, index) => {
        if (box.left < left - 1 || box.right > right + 1) findings.push(`${text} is outside`);
        for (const { text: next, box: other } of texts.slice(index + 1)) {
          const isNextTo = box.right <= other.left + 1 || other.right <= box.left + 1;
          const isAbove = box.bottom <= other.top + 2 || other.bottom <= box.top + 2;
          if (!isNextTo && !isAbove) findings.push(`${text} overlaps ${next}`);
        }
      });
    }
    return findings;
  });
}

async function expectWholeTable(page: Page, name: string): Promise<void> {
  const table = page.getByRole('grid', { name, exact: true });
  const scroller = table.locator('xpath=..');
  const widths = () =>
    scroller.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  await expect.poll(widths, `${name} is wider than its card`).toBeLessThanOrEqual(1);
  const head = table.getByRole('columnheader').first();
  await head.scrollIntoViewIfNeeded();
  const top = async () => (await head.boundingBox())?.y;
  const before = await top();
  const columns = () =>
    table
      .locator('th')
      .evaluateAll((heads) => heads.map((one) => one.getBoundingClientRect().width));
  const columnsBefore = await columns();
  await scroller.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
  expect(await scroller.evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(100);
  expect(await top()).toBe(before);
  await expect(head).toBeInViewport({ ratio: 1 });
  await expect(
    table.locator(`tr[aria-rowindex="${await table.getAttribute('aria-rowcount')}"]`),
  ).toBeVisible();
  expect(await columns()).toEqual(columnsBefore);
  await scroller.evaluate((element) => element.scrollTo({ top: 0 }));
}

/** Returns the titles of charts with more than the padding of their card below them. */
function findChartsWithGap(page: Page): Promise<(string | undefined)[]> {
  return page.locator('.chart-card').evaluateAll((cards) => {
    const bottom = (card: Element, part: string) =>
      card.querySelector(part)?.getBoundingClientRect().bottom ?? NaN;
    return cards
      .filter((card) => !(bottom(card, '.card-content') - bottom(card, '.chart-canvas') < 20))
      .map((card) => card.querySelector('h2')?.textContent);
  });
}

/** Returns how many names in the first rows of a table do not show their ends. */
function countHiddenEnds(page: Page, name: string): Promise<number> {
  return page
    .getByRole('grid', { name, exact: true })
    .locator('tbody tr[aria-rowindex] .both-ends > :last-child')
    .evaluateAll((ends) => {
      const isHidden = (end: Element): boolean => {
        const cell = end.closest('td')?.getBoundingClientRect();
        return !cell || end.getBoundingClientRect().right > cell.right + 1;
      };
      return ends.length === 0 ? NaN : ends.filter(isHidden).length;
    });
}

/** Expects that the entries of a legend neither overlap nor extend beyond their card, and that a search finds the grey ones. */
async function expectReadableLegend(page: Page, title: string): Promise<void> {
  const card = page.getByRole('region', { name: title, exact: true });
  await card.scrollIntoViewIfNeeded();
  const legend = card.getByRole('list', { name: 'Emphasised series' });
  const faults = await legend.evaluate((list) => {
    const { left, right } = list.getBoundingClientRect();
    const boxes = [...list.children].map((entry) => entry.getBoundingClientRect());
    return boxes.filter(
      (box, index) =>
        box.left < left - 1 ||
        box.right > right + 1 ||
        boxes
          .slice(index + 1)
          .some(
            (other) =>
              box.right > other.left + 1 &&
              other.right > box.left + 1 &&
              box.bottom > other.top + 1 &&
              other.bottom > box.top + 1,
          ),
    ).length;
  });
  expect(faults, title).toBe(0);
  await legend.getByRole('button', { name: /^\d+ more$/ }).click();
  const search = page.getByRole('dialog').getByRole('textbox', { name: 'Search series' });
  await search.fill('variant-12');
  await expect(page.getByRole('dialog').getByRole('checkbox')).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
}

test.describe(`a problem with ${groupCount} groups`, () => {
  let service: RunningService;

  test.beforeAll(async () => {
    service = await startService('empty');
    await addGroups(`jdbc:sqlite:${service.databasePath}`);
  });

  test.afterAll(() => service.stop());

  test('is readable at 1280 × 800: verdict, legends, tables, rank diagram', async ({ page }) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${service.url}/problems/sphere`);
    await expect(page.locator('.verdict li')).toHaveCount(1);
    expect(await findClippedElements(page)).toEqual([]);

    for (const name of ['Groups', 'Pairwise tests'])
      await test.step(name, () => expectWholeTable(page, name));
    expect(await countHiddenEnds(page, 'Pairwise tests')).toBe(0);
    for (const title of ['Convergence', 'ECDF over targets'])
      await test.step(`legend of ${title}`, () => expectReadableLegend(page, title));

    const names = page.getByRole('grid', { name: 'Groups' }).locator('tbody tr td:first-child');
    const firstNames = (await names.allTextContents()).slice(0, 4);
    expect(firstNames.map((name) => name.trim())).toEqual(
      [1, 5, 9, 13].map((number) => `cma-es-variant-${number}`),
    );
    expect(await findChartsWithGap(page)).toEqual([]);

    const ranks = page.getByRole('region', { name: 'Mean ranks' });
    await ranks.scrollIntoViewIfNeeded();
    const ranked = ranks.locator('svg text', { hasText: '-variant-' });
    await expect(ranked).toHaveCount(groupCount);
    expect(await findUnreadableTexts(page)).toEqual([]);
  });
});
