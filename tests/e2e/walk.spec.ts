import type { Page } from 'playwright/test';
import { clipped, defaultSize, gateSizes, otherSizes, type Size } from './clipped.ts';
import { walkByTab } from './focus-walk.ts';
import { expect, expectAccessible, inCompleteMode, test, withExperimentId } from './service.ts';

/** What is asked of a page: each question takes it as it is, and leaves it as it was, but for the theme. */
interface Questions {
  /** Whether axe finds nothing. */
  readonly axe?: true;
  /** Terms that must be among those that it explains; each of its terms opens a card. */
  readonly terms?: readonly string[];
  /** Whether nothing is cut off at any size. */
  readonly sizes?: true;
  /** Whether Tab and Enter never lose the focus. */
  readonly keys?: true;
}

const comparison =
  '/compare?run=onemax40-pbil-r01&run=onemax40-umda-r01&reference=onemax40-umda-r01';

/** Every kind of page, with each question at least once. The rows of a table are alike: a filter leaves few of them. */
const pages: Readonly<Record<string, Questions>> = {
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

/** Questions about a page whose parts answer them on another one: a table, charts, a comparison or a configuration. */
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

// They have nothing in common; by its name this file comes last, when short tests keep all workers busy to the end.
test.describe.configure({ mode: 'parallel', timeout: 240_000 });

function declareTests(ofPages: typeof pages): void {
  for (const [address, questions] of Object.entries(ofPages)) {
    test(`${address} holds for ${Object.keys(questions).join(', ')}`, async ({ page }) => {
      await open(page, address);
      const { axe, terms, sizes, keys } = questions;
      // First, as a page that was scrolled has its head outside.
      if (sizes) await test.step('its sizes', () => expectNothingClipped(page, gateSizes));
      if (axe) await test.step('axe', () => expectAccessible(page));
      if (terms) await test.step('its terms', () => expectTermsExplained(page, terms));
      if (keys) await test.step('its keys', () => expectFocusNeverLost(page, address));
    });
  }
}

declareTests(pages);

inCompleteMode(() => {
  declareTests(similarPages);

  for (const [address, { sizes }] of Object.entries({ ...similarPages, ...pages })) {
    if (!sizes) continue;
    test(`${address} holds for the sizes between`, async ({ page }) => {
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

/** The ids of the terms whose cards were opened, which are the same on all pages. */
const opened = new Set<string>();

/** Opens the card of each term by Enter; Escape closes it and gives the focus back. */
async function expectTermsExplained(page: Page, wanted: readonly string[]): Promise<void> {
  await expect.poll(() => termIds(page)).toEqual(expect.arrayContaining([...wanted]));
  for (const id of (await termIds(page)).filter((one) => !opened.has(one))) {
    opened.add(id);
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

/** The ids of the terms on the page, each once. */
function termIds(page: Page): Promise<string[]> {
  return page
    .locator('main [data-term]')
    .evaluateAll((all) => [
      ...new Set(all.map((one) => (one as HTMLElement).dataset['term'] ?? '')),
    ]);
}

async function expectNothingClipped(page: Page, sizes: readonly Size[]): Promise<void> {
  for (const size of sizes) {
    await page.setViewportSize(size);
    await expect.poll(() => clipped(page), `${size.width} × ${size.height}`).toEqual([]);
  }
  await page.setViewportSize(defaultSize);
  // A table chooses its columns in the frame after a change of its width.
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
}

/** The button of all pages that opens the same on each of them, and the page where it is pressed. */
const palette = { name: 'Go to…Ctrl K', address: '/?q=onemax60&algorithm=umda' };

async function expectFocusNeverLost(page: Page, address: string): Promise<void> {
  const reached = await walkByTab(page, address === palette.address ? [] : [palette.name]);
  expect(reached.length).toBeGreaterThan(1);
}
