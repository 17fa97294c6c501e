import { onCleanup } from 'solid-js';
import { useEvent } from './use-event.ts';

const controls = 'a[href], button, input, select, textarea, summary, [tabindex]';

/** Where the search for a neighbour ends besides a dialog. */
const ends = 'main, .frame, body';

/**
 * Remembers where an element stands, so that the focus finds back when it is gone: the answer is the element
 * itself while it can have the focus, else the control that took its place, the next or the one before in the
 * nearest surrounding part that has any, else the dialog or the page around it.
 */
export function rememberPlace(element: Element): () => HTMLElement | null {
  const way = wayOf(element);
  return () => {
    if (element instanceof HTMLElement && canTakeFocus(element)) return element;
    for (const { parent, index } of way.filter((level) => level.parent.isConnected)) {
      if (parent.matches('[role="dialog"]')) return parent as HTMLElement;
      if (parent.matches(ends)) break;
      const found = neighbour(parent, index);
      if (found) return found;
    }
    return document.getElementById('main');
  };
}

/**
 * Keeps the focus from falling to the body while the calling component lives: when what has it is removed or
 * disabled, its neighbour takes it over. What closes by itself (a menu, a dialog) gives the focus back first.
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
    timer = setTimeout(() => {
      if (isLost()) findBack?.()?.focus({ preventScroll: true });
    });
  });
  observer.observe(document.body, {
    childList: true,
    subtree: true,
    attributeFilter: ['disabled', 'hidden'],
  });
  onCleanup(() => {
    clearTimeout(timer);
    observer.disconnect();
  });
}

/** The parents of an element, nearest first, each with the index of the child that leads to it. */
function wayOf(element: Element): { parent: Element; index: number }[] {
  const way = [];
  for (let child = element; child.parentElement; child = child.parentElement) {
    const parent = child.parentElement;
    way.push({ parent, index: Array.prototype.indexOf.call(parent.children, child) });
  }
  return way;
}

function neighbour(parent: Element, index: number): HTMLElement | undefined {
  const children = [...parent.children];
  return (
    children.slice(index).flatMap(controlsIn)[0] ??
    children.slice(0, index).flatMap(controlsIn).at(-1)
  );
}

function controlsIn(part: Element): HTMLElement[] {
  return [part, ...part.querySelectorAll(controls)].filter(
    (one): one is HTMLElement =>
      one instanceof HTMLElement && one.matches(controls) && one.tabIndex >= 0 && canTakeFocus(one),
  );
}

function canTakeFocus(element: HTMLElement): boolean {
  return (
    element.isConnected &&
    element !== document.body &&
    !element.matches(':disabled, [inert] *') &&
    element.checkVisibility()
  );
}

function takesAway(change: MutationRecord, focused: Element | null): boolean {
  if (change.type === 'attributes') return change.target.contains(focused);
  return [...change.removedNodes].some((node) => node.contains(focused));
}
