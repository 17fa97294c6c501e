import type { Page } from 'playwright/test';

/** A window size in CSS pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The window size of all tests. */
export const defaultSize: Size = { width: 1280, height: 800 };

/** Sizes that the gate checks: the default, its 200 % zoom, and the largest screen. */
export const gateSizes: readonly Size[] = [
  defaultSize,
  { width: 640, height: 400 },
  { width: 3840, height: 2160 },
];

/** Sizes between those of the gate, which only `npm run test:e2e` checks. */
export const otherSizes: readonly Size[] = [
  { width: 800, height: 600 },
  { width: 1920, height: 1080 },
];

/**
 * Returns the elements that cannot be read at the current size: headings, titles, buttons and badges that truncate
 * their text or that an ancestor clips. Reports also a page that scrolls sideways and a title that is not visible.
 */
export function findClippedElements(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const isHidden = (element: Element): boolean =>
      !element.checkVisibility({ visibilityProperty: true }) ||
      getComputedStyle(element).clipPath === 'inset(50%)' ||
      element.closest('.visually-hidden, .rail-word') !== null;
    const name = (element: Element): string =>
      `${element.localName}.${element.className} “${element.textContent.trim().slice(0, 40)}”`;
    const hides = (overflow: string): boolean => /hidden|clip/.test(overflow);
    const isTruncated = (element: Element): boolean => {
      const { overflowX, overflowY } = getComputedStyle(element);
      return (
        (element.scrollWidth > element.clientWidth + 1 && hides(overflowX)) ||
        (element.scrollHeight > element.clientHeight + 1 && hides(overflowY))
      );
    };
    /** Whether an element is outside the window before any scrolling. */
    const isOutside = (element: Element): boolean => {
      const { left, top, right, bottom } = element.getBoundingClientRect();
      return left < 0 || top < 0 || right > innerWidth + 1 || bottom > innerHeight + 1;
    };
    /** Whether an ancestor that does not scroll hides a part of an element. */
    const isClipped = (element: Element): boolean => {
      const box = element.getBoundingClientRect();
      for (let ancestor = element.parentElement; ancestor; ancestor = ancestor.parentElement) {
        const { overflowX } = getComputedStyle(ancestor);
        if (/auto|scroll/.test(overflowX)) return false;
        const edge = ancestor.getBoundingClientRect();
        if (overflowX !== 'visible' && (box.right > edge.right + 1 || box.left < edge.left - 1)) {
          return true;
        }
      }
      return box.right > innerWidth + 1;
    };
    const texts = [
      ...document.querySelectorAll(
        'h1, h2, h3, button, a.button, .select-value, .badge, .tab, .stat dd, .pager',
      ),
    ].filter((element) => !isHidden(element) && element.textContent.trim() !== '');
    const main = document.querySelector('main');
    const { scrollHeight, clientHeight } = document.documentElement;
    const head = [...document.querySelectorAll('.page-header > *, .page-header button')];
    const title = document.querySelector('h1')?.getBoundingClientRect();
    return [
      ...texts.filter((element) => isTruncated(element) || isClipped(element)).map(name),
      ...head.filter(isOutside).map((element) => `${name(element)} is outside`),
      ...(main && main.scrollWidth > main.clientWidth + 1 ? ['the page scrolls sideways'] : []),
      ...(scrollHeight > clientHeight ? ['the frame scrolls'] : []),
      ...(title && title.width > 20 && title.height > 10 ? [] : ['the title is not visible']),
    ];
  });
}
