import type { Page } from 'playwright/test';
import { expect } from './service.ts';

/** The focused element. */
interface Focus {
  /** As {@link focused} returns it. */
  readonly element: string;
  /** Whether the element, the field around it or its row shows a ring. */
  readonly hasRing: boolean;
  /** What it does: in a row or a card by its first word, as every one of them has the same. */
  readonly deed: string;
}

/** Returns all about the focused element by one request: a walk asks for it after each of its keys. */
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
    const name = label ?? text;
    const place = element?.closest('tbody tr, section.card')?.localName;
    const deed = place === undefined ? name : `${name.split(' ')[0]} in a ${place}`;
    if (!element || element === document.body) return { element: 'body', hasRing, deed };
    // The cards of terms are opened by a walk of their own (walk.spec.ts).
    const kind = element.matches('[data-term]') ? 'term' : element.localName;
    return { element: `${kind} ${label ?? text.slice(0, 40)}`, hasRing, deed };
  });
}

/** Returns what has the focus, for messages: its tag, role and name; `body` when it was lost. */
export async function focused(page: Page): Promise<string> {
  return (await readFocus(page)).element;
}

async function expectFocusKept(page: Page, after: string): Promise<void> {
  await expect.poll(() => focused(page), `after ${after}`).not.toBe('body');
}

const overlay = '[role="dialog"], [role="menu"], [role="listbox"]';

/**
 * Goes through all that Tab reaches, presses Enter on one button of each deed but those that were done before, closes
 * what that opens, and expects that something has the focus after every key and shows it. Answers what was reached.
 */
export async function walkByTab(page: Page, doneBefore: readonly string[]): Promise<string[]> {
  await page.locator('main').focus();
  const reached: string[] = [];
  const done = new Set(doneBefore);
  for (let step = 0; step < 120; step += 1) {
    await page.keyboard.press('Tab');
    const { element, hasRing, deed } = await readFocus(page);
    // Behind the last control the browser's own have the focus.
    if (element === 'body') break;
    reached.push(element);
    // An update may render it again meanwhile.
    if (!hasRing) {
      const isShown = async () => (await readFocus(page)).hasRing;
      await expect.poll(isShown, `${element} shows its focus`).toBe(true);
    }
    if (!element.startsWith('button') || done.has(deed)) continue;
    done.add(deed);
    await page.keyboard.press('Enter');
    await expectFocusKept(page, `Enter on ${element}`);
    const open = page.locator(overlay);
    if (await open.count()) {
      await page.keyboard.press('Tab');
      await expectFocusKept(page, `Tab inside what ${element} opened`);
      await page.keyboard.press('Escape');
      await expect(open).toHaveCount(0);
      await expectFocusKept(page, `Escape from what ${element} opened`);
    }
  }
  return reached;
}
