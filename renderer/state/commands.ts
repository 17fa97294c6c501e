import { createSignal, onCleanup } from 'solid-js';
import { keyName, matchKey } from './key-sequence.ts';

/** Something the user can do now: by key, from the command palette, or both. */
export interface Command {
  /** What it does: "Copy the table". */
  description: string;
  /** Keys with a blank between those of a sequence: `g r`, `?`, `mod+k`; absent when it has none. */
  keys?: string;
  /** Absent for keys that an element handles itself and that are only listed. */
  run?: () => void;
}

/** Time in which the next key of a sequence must come. */
const sequenceMillis = 1200;

const [commands, setCommands] = createSignal<readonly Command[]>([]);

/** What can be done now, the frame's commands first. */
export const activeCommands = commands;

/** Offers commands (keys, list of keys, command palette) while the calling component lives. */
export function useCommands(added: readonly Command[]): void {
  setCommands((active) => [...active, ...added]);
  onCleanup(() => setCommands((active) => active.filter((item) => !added.includes(item))));
}

/** Listens to the keyboard while the calling component lives; keys typed into a field stay there. */
export function listenToKeys(): void {
  let pending = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onKeyDown = (event: KeyboardEvent): void => {
    const key = keyName(event);
    if (event.defaultPrevented || (isTyping(event.target) && !key.startsWith('mod+'))) return;
    const runnable = commands().filter((command) => command.run && command.keys);
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
  };
  document.addEventListener('keydown', onKeyDown);
  onCleanup(() => {
    clearTimeout(timer);
    document.removeEventListener('keydown', onKeyDown);
  });
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !/^(checkbox|radio|button)$/.test(target.type);
  return target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName);
}
