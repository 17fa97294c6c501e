import type { Page } from 'playwright/test';
import { findClippedElements, defaultSize, gateSizes, otherSizes, type Size } from './clipped.ts';
import { walkByTab } from './focus-walk.ts';
import { expect, expectAccessible, inCompleteMode, test, withExperimentId } from './service.ts';

/** Checks of a page. Each check leaves the page as it was, except for the theme. */
interface Checks {
  /** Whether to expect that axe finds nothing. */
  readonly axe?: true;
  /** Terms that the page must explain, among others. Each term of the page must open a card. */
  readonly terms?: readonly string[];
  /** Whether to expect that nothing is truncated at any size. */
  readonly sizes?: true;
  /** Whether to expect that Tab and Enter never lose the focus. */
  readonly keys?: true;
}

const comparison =
  '/compare?run=onemax40-pbil-r01&run=onemax40-umda-r01&reference=onemax40-umda-r01';

/** Pages of every kind, with each check at least once. Filters leave few rows, because all rows of a table are alike. */
const pages: Readonly<Record<string, Checks>> = {
  '/': { terms: ['status', 'diagnosis'], sizes: true },
  '/?q=onemax60&algorithm=umda': { axe: true, keys: true },
  '/experiments': { terms: ['ert', 'successRate'], sizes: true },
  '/experiments?q=small&algorithm=umda': { keys: true },
  '/experiments/{OneMax 40, PBIL}': {
    axe: true,
    terms: ['ert', 'sp1', 'successRate', 'interval', 'direction'],
    sizes: true,
    keys: true,
  },
  '/problems': { axe: true, sizes: true, keys: true },
  '/problems/onemax': {
    terms: ['instance', 'ert', 'a12', 'holm', 'friedman', 'criticalDifference', 'ecdf'],
    sizes: true,
    keys: true,
  },
  '/problems/onemax?tab=across': { axe: true, terms: ['averageRank'], sizes: true },
  '/problems/onemax?tab=parameters': { axe: true, sizes: true },
  '/coco': { terms: ['suite', 'trial'], sizes: true, keys: true },
  '/coco/bbob-small': {
    terms: ['ertRatio', 'geometricMean', 'completeness'],
    sizes: true,
    keys: true,
  },
  '/coco/bbob-small?tab=erts': { terms: ['ert', 'reference'] },
  '/coco/bbob-small?tab=ecdf': { terms: ['ecdf', 'area'], sizes: true, keys: true },
  [comparison]: { sizes: true, keys: true },
  '/runs/adaptive30-pbil?finding=TARGET_REACHED': {
    axe: true,
    terms: ['bestSoFar', 'TARGET_REACHED', 'ADAPTIVE_STORM', 'status'],
    sizes: true,
    keys: true,
  },
  '/runs/long-rastrigin-r01?tab=iterations': {
    terms: ['elite', 'standardDeviation'],
    sizes: true,
    keys: true,
  },
  '/runs/adaptive30-pbil?tab=events': { axe: true, sizes: true, keys: true },
  '/runs/tsp8-ehm-r01?tab=insights': { terms: ['kendall', 'entropy', 'adjacency'], keys: true },
  '/runs/xor3-umda-r01?tab=tree': { axe: true, keys: true },
  '/import': { axe: true, sizes: true, keys: true },
  '/help': { sizes: true, keys: true },
  '/no/such/page': { sizes: true, keys: true },
};

/** Checks of pages whose parts (a table, charts, a comparison or a configuration) are checked on another page. */
const similarPages: typeof pages = {
  '/?q=onemax&algorithm=umda&size=10': { axe: true, keys: true },
  '/experiments?algorithm=umda': { keys: true },
  '/experiments/{OneMax 40, PBIL}?tab=problem': { axe: true, sizes: true, keys: true },
  '/experiments/{OneMax 40, PBIL}?tab=config': { axe: true, sizes: true, keys: true },
  '/experiments/{OneMax 40, PBIL}?tab=runs': { axe: true, sizes: true, keys: true },
  '/problems/onemax?tab=across': { keys: true },
  '/runs/adaptive30-pbil?tab=config': { sizes: true, keys: true },
  '/runs/sphere5-cma-r01?tab=diversity': { keys: true },
};

// The tests are independent. This file is the last one by its name, and its short tests keep all workers busy until the end.
test.describe.configure({ mode: 'parallel', timeout: 240_000 });

function declareTests(checksByPage: typeof pages): void {
  for (const [address, checks] of Object.entries(checksByPage)) {
    test(`${address} passes the checks ${Object.keys(checks).join(', ')}`, async ({ page }) => {
      await open(page, address);
      const { axe, terms, sizes, keys } = checks;
      // The first check, because the header of a scrolled page is outside the window.
      if (sizes) await test.step('sizes', () => expectNothingClipped(page, gateSizes));
      if (axe) await test.step('axe', () => expectAccessible(page));
      if (terms) await test.step('terms', () => expectTermsExplained(page, terms));
      if (keys) await test.step('keys', () => expectFocusNeverLost(page, address));
    });
  }
}

declareTests(pages);

inCompleteMode(() => {
  declareTests(similarPages);

  for (const [address, { sizes }] of Object.entries({ ...similarPages, ...pages })) {
    if (!sizes) continue;
    test(`${address} truncates nothing at the other sizes`, async ({ page }) => {
      await open(page, address);
      await expectNothingClipped(page, otherSizes);
    });
  }
});

async function open(page: Page, address: string): Promise<void> {
  await page.goto(await withExperimentId(page, address));
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.locator('.skeleton')).toHaveCount(0, { timeout: 60_000 });
}

/** Ids of the terms whose cards were opened. A term has the same card on all pages. */
const openedTerms = new Set<string>();

/** Opens the card of each term with Enter. Expects that Escape closes it and returns the focus. */
async function expectTermsExplained(page: Page, expectedTerms: readonly string[]): Promise<void> {
  await expect.poll(() => getTermIds(page)).toEqual(expect.arrayContaining([...expectedTerms]));
  for (const id of (await getTermIds(page)).filter((one) => !openedTerms.has(one))) {
    openedTerms.add(id);
    const term = page.locator(`main [data-term="${id}"]`).first();
    await term.press('Enter');
    const card = page.getByRole('dialog');
    await expect(card, id).toContainText(/\w{3}/);
    await expect(card).toContainText('All terms');
    await page.keyboard.press('Escape');
    await expect(card).toHaveCount(0);
    await expect(term).toBeFocused();
  }
}

/** Returns the ids of the terms on the page without duplicates. */
function getTermIds(page: Page): Promise<string[]> {
  return page
    .locator('main [data-term]')
    .evaluateAll((all) => [
      ...new Set(all.map((one) => (one as HTMLElement).dataset['term'] ?? '')),
    ]);
}

async function expectNothingClipped(page: Page, sizes: readonly Size[]): Promise<void> {
  for (const size of sizes) {
    await page.setViewportSize(size);
    await expect
      .poll(() => findClippedElements(page), `${size.width} × ${size.height}`)
      .toEqual([]);
  }
  await page.setViewportSize(defaultSize);
  // A table chooses its columns in the frame after a change of its width.
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
}

/** The button that opens the same palette on all pages, and the page on which the test presses it. */
const palette = { name: 'Go to…Ctrl K', address: '/?q=onemax60&algorithm=umda' };

async function expectFocusNeverLost(page: Page, address: string): Promise<void> {
  const reached = await walkByTab(page, address === palette.address ? [] : [palette.name]);
  expect(reached.length).toBeGreaterThan(1);
}
