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

/** Sizes between those of the gate. */
export const otherSizes: readonly Size[] = [
  { width: 800, height: 600 },
  { width: 1920, height: 1080 },
];

/**
 * What cannot be read at the present size: heads, titles, buttons and badges whose text is wider or higher than
 * themselves, or which something around them cuts off; and a page that is wider than its place.
 */
export function clipped(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const isHidden = (element: Element): boolean =>
      !element.checkVisibility({ visibilityProperty: true }) ||
      getComputedStyle(element).clipPath === 'inset(50%)' ||
      element.closest('.visually-hidden, .rail-word') !== null;
    const name = (element: Element): string =>
      `${element.localName}.${element.className} “${element.textContent.trim().slice(0, 40)}”`;
    const hides = (overflow: string): boolean => /hidden|clip/.test(overflow);
    const isCut = (element: Element): boolean => {
      const { overflowX, overflowY } = getComputedStyle(element);
      return (
        (element.scrollWidth > element.clientWidth + 1 && hides(overflowX)) ||
        (element.scrollHeight > element.clientHeight + 1 && hides(overflowY))
      );
    };
    /** Whether it stands beyond the window though nothing was scrolled. */
    const isOutside = (element: Element): boolean => {
      const { left, top, right, bottom } = element.getBoundingClientRect();
      return left < 0 || top < 0 || right > innerWidth + 1 || bottom > innerHeight + 1;
    };
    /** Whether something around that does not scroll shows less than all of it. */
    const isCovered = (element: Element): boolean => {
      const box = element.getBoundingClientRect();
      for (let around = element.parentElement; around; around = around.parentElement) {
        const { overflowX } = getComputedStyle(around);
        if (/auto|scroll/.test(overflowX)) return false;
        const edge = around.getBoundingClientRect();
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
      ...texts.filter((element) => isCut(element) || isCovered(element)).map(name),
      ...head.filter(isOutside).map((element) => `${name(element)} is outside`),
      ...(main && main.scrollWidth > main.clientWidth + 1 ? ['the page scrolls sideways'] : []),
      ...(scrollHeight > clientHeight ? ['the frame scrolls'] : []),
      ...(title && title.width > 20 && title.height > 10 ? [] : ['the title is gone']),
    ];
  });
}
