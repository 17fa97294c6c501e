import { createSignal, onCleanup } from 'solid-js';
import { getKeyName, matchKey } from './key-sequence.ts';
import { useEvent } from './use-event.ts';
import { readPreference, writePreference } from './preferences.ts';
import { createRegistry } from './registry.ts';

/** A command of the user: by shortcut, from the command palette, or both. */
export interface Command {
  /** Its label: "Copy the table". */
  description: string;
  /** Keys, with a space between the keys of a sequence: `g r`, `?`, `mod+k`; absent without a shortcut. */
  keys?: string;
  /** Absent for keys that an element handles and that are only listed. */
  run?: () => void;
  /** Whether it is enabled; always when absent. */
  isPossible?: () => boolean;
}

/** Time within which the next key of a sequence must follow. */
const sequenceMillis = 1200;

/** Overlays that handle their own keys while they are open: dialogs, menus and listboxes, except the cards of terms. */
const overlays = '[role="dialog"]:not(.term-card), [role="menu"], [role="listbox"]';

const [areSingleKeysOn, setSingleKeysOn] = createSignal(readPreference('single-keys') !== 'off');

/** Whether shortcuts without Ctrl or ⌘ are enabled; users of speech input or with a tremor turn them off. */
export { areSingleKeysOn };

/** Enables or disables shortcuts without Ctrl or ⌘, and stores the choice. */
export function chooseSingleKeys(isOn: boolean): void {
  setSingleKeysOn(isOn);
  writePreference('single-keys', isOn ? null : 'off');
}

/** Registered commands, one list for each component. */
const offers = createRegistry<readonly Command[]>();

/** Returns the enabled commands, the frame's first. */
export function getActiveCommands(): readonly Command[] {
  return offers
    .list()
    .flat()
    .filter(({ isPossible }) => isPossible?.() ?? true);
}

/** Registers commands (shortcuts, list of shortcuts, command palette) while the calling component is mounted. */
export function useCommands(newCommands: readonly Command[]): void {
  offers.use([...newCommands]);
}

/**
 * Handles shortcuts while the calling component is mounted. Keys typed into a field are ignored, as are all keys while
 * a dialog or menu is open.
 */
export function listenToKeys(): void {
  let pending = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  useEvent('keydown', (event) => {
    const key = getKeyName(event);
    const isSingle = !key.startsWith('mod+');
    if (event.defaultPrevented || document.querySelector(overlays)) return;
    if (isSingle && (!areSingleKeysOn() || isTyping(event.target))) return;
    const runnable = getActiveCommands().filter((command) => command.run && command.keys);
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
