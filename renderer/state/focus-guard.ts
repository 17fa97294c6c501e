import { onCleanup } from 'solid-js';
import { useEvent } from './use-event.ts';

const controls = 'a[href], button, input, select, textarea, summary, [tabindex]';

/** Elements at which the search for a neighbour also ends. */
const ends = 'main, .frame, body';

/**
 * Remembers the position of an element, to restore the focus after its removal. The returned function returns the
 * element itself while it can have the focus, else the control that took its position, the next or the previous one in
 * the nearest surrounding part that has any, else the dialog or page around it.
 */
export function rememberPlace(element: Element): () => HTMLElement | null {
  const way = getWay(element);
  return () => {
    if (element instanceof HTMLElement && canTakeFocus(element)) return element;
    for (const { parent, index } of way.filter((level) => level.parent.isConnected)) {
      if (parent.matches('[role="dialog"]')) return parent as HTMLElement;
      if (parent.matches(ends)) break;
      const next = getNeighbour(parent, index);
      if (next) return next;
    }
    return document.getElementById('main');
  };
}

/**
 * Prevents the focus from moving to the body while the calling component is mounted: when the focused element is
 * removed, is disabled or loses its `tabindex`, its neighbour gets the focus, and one that is moved keeps it. A closing
 * menu or dialog restores the focus first.
 */
export function guardFocus(): void {
  let findBack: (() => HTMLElement | null) | undefined;
  let focused: Element | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  useEvent('focusin', ({ target }) => {
    if (!(target instanceof Element)) return;
    focused = target;
    findBack = rememberPlace(target);
  });
  const isLost = (): boolean =>
    document.activeElement === null ||
    document.activeElement === document.body ||
    document.activeElement.matches(':disabled');
  const observer = new MutationObserver((changes) => {
    if (!isLost() || !changes.some((change) => takesAway(change, focused))) return;
    clearTimeout(timer);
    if (focused instanceof HTMLElement && canTakeFocus(focused)) {
      // It was only moved in the document. The next key may come before the timer ends.
      focused.focus({ preventScroll: true });
      return;
    }
    timer = setTimeout(() => {
      if (isLost()) findBack?.()?.focus({ preventScroll: true });
    });
  });
  observer.observe(document.body, {
    childList: true,
    subtree: true,
    attributeFilter: ['disabled', 'hidden', 'tabindex'],
  });
  onCleanup(() => {
    clearTimeout(timer);
    observer.disconnect();
  });
}

/** Returns the parents of an element, nearest first, each with the index of the child that leads to it. */
function getWay(element: Element): { parent: Element; index: number }[] {
  const way = [];
  for (let child = element; child.parentElement; child = child.parentElement) {
    const parent = child.parentElement;
    way.push({ parent, index: Array.prototype.indexOf.call(parent.children, child) });
  }
  return way;
}

function getNeighbour(parent: Element, index: number): HTMLElement | undefined {
  const children = [...parent.children];
  return (
    children.slice(index).flatMap(getControlsIn)[0] ??
    children.slice(0, index).flatMap(getControlsIn).at(-1)
  );
}

/**
 * Returns the controls in a part, and the part itself if it is one, that Tab reaches and that can have the focus, in
 * their order.
 */
export function getControlsIn(part: Element): HTMLElement[] {
  return [part, ...part.querySelectorAll(controls)].filter(
    (one): one is HTMLElement =>
      one instanceof HTMLElement && one.tabIndex >= 0 && canTakeFocus(one),
  );
}

function canTakeFocus(element: HTMLElement): boolean {
  return (
    element.isConnected &&
    element.matches(controls) &&
    !element.matches(':disabled, [inert] *') &&
    element.checkVisibility()
  );
}

function takesAway(change: MutationRecord, focused: Element | null): boolean {
  if (change.type === 'attributes') return change.target.contains(focused);
  return [...change.removedNodes].some((node) => node.contains(focused));
}
