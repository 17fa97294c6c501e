import type { Page } from 'playwright/test';
import { expect } from './service.ts';

/** The focused element. */
interface Focus {
  /** Tag and name, see {@link getFocusedName}. */
  readonly element: string;
  /** Whether the element, the field around it or its row shows a focus ring. */
  readonly hasRing: boolean;
  /** Name of its action. Only the first word in a row or a card, because all rows and all cards have the same actions. */
  readonly action: string;
  /** Path of the page. */
  readonly path: string;
}

/** Reads all properties of the focused element in one request, because a walk reads them after each key. */
function readFocus(page: Page): Promise<Focus> {
  return page.evaluate(() => {
    const element = document.activeElement;
    const label = element?.getAttribute('aria-label');
    const text = element?.textContent.trim() ?? '';
    const hasRing = [element, element?.closest('.field-box'), element?.querySelector('td')].some(
      (place) => {
        if (!place) return false;
        const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(place);
        return (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1) || boxShadow !== 'none';
      },
    );
    const path = location.pathname;
    const name = label ?? text;
    const place = element?.closest('tbody tr, section.card')?.localName;
    const action = place === undefined ? name : `${name.split(' ')[0]} in a ${place}`;
    if (!element || element === document.body) return { element: 'body', hasRing, action, path };
    // The test of terms in walk.spec.ts opens their cards.
    const kind = element.matches('[data-term]') ? 'term' : element.localName;
    return { element: `${kind} ${label ?? text.slice(0, 40)}`, hasRing, action, path };
  });
}

/** Returns the tag (`term` for a term) and the name of the focused element, or `body` if no element has the focus. */
export async function getFocusedName(page: Page): Promise<string> {
  return (await readFocus(page)).element;
}

async function expectFocus(page: Page, after: string): Promise<void> {
  await expect.poll(() => getFocusedName(page), `after ${after}`).not.toBe('body');
}

const overlay = '[role="dialog"], [role="menu"], [role="listbox"]';

/**
 * Presses Tab until the last element of the page. Presses Enter on one button of each action that is not in
 * `doneBefore`, and closes the overlay that this opens. Returns from the pages that buttons open, and begins again
 * there. Expects that an element has the focus after every key and shows it. Returns the elements that the last walk
 * reached.
 */
export async function walkByTab(page: Page, doneBefore: readonly string[]): Promise<string[]> {
  const done = new Set(doneBefore);
  for (;;) {
    const reached = await walkOnce(page, done);
    if (reached) return reached;
    await page.goBack();
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.locator('.skeleton')).toHaveCount(0);
  }
}

/** Walks once, and adds the actions to `done`. Returns undefined if a button opened another page. */
async function walkOnce(page: Page, done: Set<string>): Promise<string[] | undefined> {
  await page.locator('main').focus();
  const reached: string[] = [];
  const start = (await readFocus(page)).path;
  for (let step = 0; step < 120; step += 1) {
    await page.keyboard.press('Tab');
    const { element, hasRing, action, path } = await readFocus(page);
    if (path !== start) return undefined;
    // After the last control, a control of the browser has the focus.
    if (element === 'body') break;
    reached.push(element);
    // An update can render the element again at this moment, and a page that a button opens can follow late.
    if (!hasRing) {
      const isShown = async () => {
        const focus = await readFocus(page);
        return focus.hasRing || focus.path !== start;
      };
      await expect.poll(isShown, `${element} shows its focus`).toBe(true);
    }
    if (!element.startsWith('button') || done.has(action)) continue;
    done.add(action);
    await page.keyboard.press('Enter');
    await expectFocus(page, `Enter on ${element}`);
    const open = page.locator(overlay);
    if (await open.count()) {
      await page.keyboard.press('Tab');
      await expectFocus(page, `Tab in the overlay of ${element}`);
      await page.keyboard.press('Escape');
      await expect(open).toHaveCount(0);
      await expectFocus(page, `Escape in the overlay of ${element}`);
    }
  }
  return reached;
}
