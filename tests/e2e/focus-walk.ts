import type { Page } from 'playwright/test';
import { expect } from './service.ts';

/** What has the focus, for messages: its tag, role and name; `body` when it was lost. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return 'body';
    const name = element.getAttribute('aria-label') ?? element.textContent.trim().slice(0, 40);
    // The cards of terms are opened by a walk of their own (walk.spec.ts).
    return `${element.matches('[data-term]') ? 'term' : element.localName} ${name}`;
  });
}

/** Whether the focused element, the field around it or its row shows a ring. */
function hasRing(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const element = document.activeElement;
    const places = [element, element?.closest('.field-box'), element?.querySelector('td')];
    return places.some((place) => {
      if (!place) return false;
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(place);
      return (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1) || boxShadow !== 'none';
    });
  });
}

/** What the focused element does: in a row or a card by its first word, as every one of them has the same. */
function getDeed(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    const name = element?.getAttribute('aria-label') ?? element?.textContent.trim() ?? '';
    const place = element?.closest('tbody tr, section.card')?.localName;
    return place === undefined ? name : `${name.split(' ')[0]} in a ${place}`;
  });
}

async function expectFocusKept(page: Page, after: string): Promise<void> {
  await expect.poll(() => focused(page), `after ${after}`).not.toBe('body');
}

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
    const element = await focused(page);
    // Behind the last control the browser's own have the focus.
    if (element === 'body') break;
    reached.push(element);
    // An update may render it again between the two questions.
    await expect.poll(() => hasRing(page), `${element} shows its focus`).toBe(true);
    if (!element.startsWith('button')) continue;
    const deed = await getDeed(page);
    if (done.has(deed)) continue;
    done.add(deed);
    await page.keyboard.press('Enter');
    await expectFocusKept(page, `Enter on ${element}`);
    const open = page.locator('[role="dialog"], [role="menu"], [role="listbox"]');
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
