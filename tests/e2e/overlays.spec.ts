import type { Page } from 'playwright/test';
import { findClippedElements, defaultSize, gateSizes, otherSizes, type Size } from './clipped.ts';
import { expect, expectAccessible, inCompleteMode, test } from './service.ts';

type Name = string | RegExp;

/** Dialogs, and menus and other popovers, by page; each one is the name of the button that opens it. */
type Overlays = Readonly<
  Record<string, { dialogs?: readonly Name[]; menus?: readonly Name[]; sizes?: readonly Size[] }>
>;

/** One or more overlays of each kind. */
const overlays: Overlays = {
  '/': {
    dialogs: ['Keyboard shortcuts', 'Columns', /^Stop long-rastrigin/],
    menus: [/^Problem /, /^Parameters /, 'Views'],
  },
  '/experiments': { dialogs: ['Delete OneMax 40, PBIL'] },
  '/problems/onemax': { menus: [/^Target/] },
  '/coco': { dialogs: [/^Delete/] },
  '/runs/adaptive30-pbil': { dialogs: ['Edit notes'], menus: [/^Export/] },
  '/runs/adaptive30-pbil?tab=iterations': { dialogs: ['Open iteration 3'] },
  '/runs/long-rastrigin-r02': { dialogs: ['Mark as failed…'] },
};

/** Other overlays of the same kinds, and the dialogs at the other sizes. */
const similarOverlays: Overlays = {
  '/': {
    dialogs: [/^Go to…/, ...(overlays['/']?.dialogs ?? [])],
    menus: [/^Theme/, /^Best/, 'Started any', /^Per page/, /^Algorithm/],
    sizes: [...gateSizes, ...otherSizes],
  },
  '/experiments': { ...overlays['/experiments'], sizes: otherSizes },
  '/problems/onemax': {
    menus: [
      /^Instance/,
      /^Effect of interest/,
      /^Algorithms/,
      /^Direction/,
      /^Group by/,
      /^Measure/,
      /^Pairs of/,
    ],
  },
  '/coco': { ...overlays['/coco'], sizes: otherSizes },
  '/coco/bbob-small': {
    dialogs: ['Delete campaign'],
    menus: [/^Optimizer/, /^Cells/],
    sizes: [...gateSizes, ...otherSizes],
  },
  '/compare?run=onemax40-pbil-r01&run=onemax40-umda-r01': { menus: [/^Series/, /^Reference/] },
  '/runs/adaptive30-pbil': { dialogs: ['Edit notes'], sizes: otherSizes },
  '/runs/adaptive30-pbil?tab=iterations': { dialogs: ['Open iteration 3'], sizes: otherSizes },
  '/runs/long-rastrigin-r02': { dialogs: ['Mark as failed…'], sizes: otherSizes },
};

const anyOverlay = '[role="dialog"], [role="menu"], [role="listbox"]';

function declareTests(overlaysByPage: Overlays, suffix: string): void {
  for (const [address, { dialogs = [], menus = [], sizes = gateSizes }] of Object.entries(
    overlaysByPage,
  )) {
    test(`axe finds nothing in the overlays of ${address}; dialogs are inside the window at each size${suffix}`, async ({
      page,
    }) => {
      test.setTimeout(240_000);
      await page.goto(address);
      for (const name of dialogs) {
        await open(page, name);
        await expectInside(page, String(name), sizes);
        await expectAccessible(page, anyOverlay);
        await close(page);
      }
      for (const name of menus) {
        await open(page, name);
        await expectAccessible(page, anyOverlay);
        await close(page);
      }
    });
  }
}

declareTests(overlays, '');
inCompleteMode(() => declareTests(similarOverlays, ', others'));

async function open(page: Page, name: Name): Promise<void> {
  await page.getByRole('button', { name, exact: true }).first().click();
  await expect(page.locator(anyOverlay).first()).toBeVisible();
}

async function close(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await expect(page.locator(anyOverlay)).toHaveCount(0);
}

/** Expects that the dialog is inside the window at each size, with visible buttons and no truncated text. */
async function expectInside(page: Page, name: string, sizes: readonly Size[]): Promise<void> {
  const getPosition = () =>
    page.getByRole('dialog').evaluate((element) => {
      const { left, top, right, bottom } = element.getBoundingClientRect();
      const isInside = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
      const isWide = element.scrollWidth > element.clientWidth + 1;
      const footer = element.querySelector('.dialog-foot')?.getBoundingClientRect();
      if (footer && footer.bottom > bottom) return 'the footer is not visible without scrolling';
      return isInside && !isWide ? 'inside' : [left, top, right, bottom].join(' ');
    });
  for (const size of sizes) {
    await page.setViewportSize(size);
    await expect.poll(getPosition, `${name} at ${size.width} × ${size.height}`).toBe('inside');
    // Charts get their new width after the dialog.
    await expect.poll(() => findClippedElements(page)).toEqual([]);
  }
  await page.setViewportSize(defaultSize);
}
