import { createSignal, onCleanup } from 'solid-js';
import { keyName, matchKey } from './key-sequence.ts';
import { useEvent } from './use-event.ts';
import { readPreference, writePreference } from './preferences.ts';

/** Something the user can do now: by key, from the command palette, or both. */
export interface Command {
  /** What it does: "Copy the table". */
  description: string;
  /** Keys with a blank between those of a sequence: `g r`, `?`, `mod+k`; absent when it has none. */
  keys?: string;
  /** Absent for keys that an element handles itself and that are only listed. */
  run?: () => void;
  /** Whether it can be done now; always when absent. */
  isPossible?: () => boolean;
}

/** Time in which the next key of a sequence must come. */
const sequenceMillis = 1200;

/** What is open over the page, while its own keys alone count: dialogs, menus and lists of choices. Cards of terms do not count. */
const overlays = '[role="dialog"]:not(.term-card), [role="menu"], [role="listbox"]';

const [areSingleKeysOn, setSingleKeysOn] = createSignal(readPreference('single-keys') !== 'off');

/** Whether shortcuts without Ctrl or ⌘ are heard; who dictates or has a tremor switches them off. */
export const singleKeysAreOn = areSingleKeysOn;

/** Switches shortcuts without Ctrl or ⌘ on or off, and keeps that. */
export function chooseSingleKeys(on: boolean): void {
  setSingleKeysOn(on);
  writePreference('single-keys', on ? null : 'off');
}

/** In the groups in which components offer them. */
const [offers, setOffers] = createSignal<readonly (readonly Command[])[]>([]);

/** What can be done now, the frame's commands first. */
export function activeCommands(): readonly Command[] {
  return offers()
    .flat()
    .filter(({ isPossible }) => isPossible?.() ?? true);
}

/** Offers commands (keys, list of keys, command palette) while the calling component lives. */
export function useCommands(added: readonly Command[]): void {
  const own = [...added];
  setOffers((active) => [...active, own]);
  onCleanup(() => setOffers((active) => active.filter((offer) => offer !== own)));
}

/**
 * Listens to the keyboard while the calling component lives. Keys typed into a field stay there, and all rest
 * while a dialog or menu is open.
 */
export function listenToKeys(): void {
  let pending = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  useEvent('keydown', (event) => {
    const key = keyName(event);
    const isSingle = !key.startsWith('mod+');
    if (event.defaultPrevented || document.querySelector(overlays)) return;
    if (isSingle && (!areSingleKeysOn() || isTyping(event.target))) return;
    const runnable = activeCommands().filter((command) => command.run && command.keys);
    const step = matchKey(
      pending,
      key,
      runnable.map((command) => command.keys ?? ''),
    );
    pending = step.pending;
    clearTimeout(timer);
    timer = setTimeout(() => {
      pending = '';
    }, sequenceMillis);
    const hit = runnable.findLast((command) => command.keys === step.hit);
    if (!hit) return;
    event.preventDefault();
    hit.run?.();
  });
  onCleanup(() => clearTimeout(timer));
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !/^(checkbox|radio|button)$/.test(target.type);
  return target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName);
}
