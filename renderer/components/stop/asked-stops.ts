import { createSignal } from 'solid-js';

const storageKey = 'evoscope.asked-stops';

const [asked, setAsked] = createSignal<ReadonlySet<string>>(new Set(readKept()));

/** Whether this window asked that run or experiment to stop, so that its row follows the request. */
export function wasAskedHere(kind: 'run' | 'experiment', id: string): boolean {
  return asked().has(keyOf(kind, id));
}

/** Remembers, until the window closes, that a run or experiment was asked to stop. */
export function rememberAsked(kind: 'run' | 'experiment', id: string): void {
  setAsked((known) => new Set([...known, keyOf(kind, id)]));
  try {
    sessionStorage.setItem(storageKey, JSON.stringify([...asked()]));
  } catch {
    // Without storage the rows follow until the page is loaded anew.
  }
}

function keyOf(kind: 'run' | 'experiment', id: string): string {
  return `${kind} ${id}`;
}

function readKept(): string[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? '[]');
    return Array.isArray(kept) ? kept.map(String) : [];
  } catch {
    return [];
  }
}
