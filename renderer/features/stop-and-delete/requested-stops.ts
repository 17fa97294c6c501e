import { createSignal } from 'solid-js';

const storageKey = 'evoscope.requested-stops';

const [requestedKeys, setRequestedKeys] = createSignal<ReadonlySet<string>>(new Set(readStored()));

/** Whether this window has requested that run or experiment to stop, so that its row shows the progress. */
export function isStopRequestedHere(kind: 'run' | 'experiment', id: string): boolean {
  return requestedKeys().has(getKey(kind, id));
}

/** Remembers, until the window closes, that this run or experiment was requested to stop. */
export function rememberStopRequest(kind: 'run' | 'experiment', id: string): void {
  setRequestedKeys((previous) => new Set([...previous, getKey(kind, id)]));
  try {
    sessionStorage.setItem(storageKey, JSON.stringify([...requestedKeys()]));
  } catch {
    // Without storage the rows show the progress until the page is reloaded.
  }
}

function getKey(kind: 'run' | 'experiment', id: string): string {
  return `${kind} ${id}`;
}

function readStored(): string[] {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? '[]');
    return Array.isArray(value) ? value.map(String) : [];
  } catch {
    return [];
  }
}
