import { createSignal } from 'solid-js';

/** The first script of a page, whose name changes with every build of the pages. */
const entryScript = /<script type="module"[^>]* src="([^"]+)"/;

const storageKey = 'evoscope.reloaded-script';

const [hasUpdate, setHasUpdate] = createSignal(false);

/** Whether the service has other pages than this one, because Evoscope was updated after the page was loaded. */
export const isPageOutdated = hasUpdate;

/**
 * Checks whether the service still has the first script of this page. A page that cannot be read, or that another
 * program sent, changes nothing.
 */
export async function checkForUpdate(): Promise<void> {
  const ownScript = getOwnScript();
  const script = await fetchEntryScript();
  if (script !== null && ownScript !== null) setHasUpdate(script !== ownScript);
}

/**
 * Reloads the page because it needs scripts of the current build. Does nothing and returns false if the page was loaded
 * for this reason and has the same scripts as before, because another reload would not help.
 */
export function reloadForScripts(): boolean {
  const script = getOwnScript() ?? location.pathname;
  try {
    if (sessionStorage.getItem(storageKey) === script) return false;
    sessionStorage.setItem(storageKey, script);
  } catch {
    // Without storage, reloads could repeat without an end.
    return false;
  }
  location.reload();
  return true;
}

function getOwnScript(): string | null {
  return document.querySelector('script[type=module][src]')?.getAttribute('src') ?? null;
}

/** Returns the address of the first script in the HTML of a page; null for the HTML of another program. */
export function getEntryScript(html: string): string | null {
  return entryScript.exec(html)?.[1] ?? null;
}

async function fetchEntryScript(): Promise<string | null> {
  try {
    const response = await fetch('/', { headers: { accept: 'text/html' } });
    return response.ok ? getEntryScript(await response.text()) : null;
  } catch {
    return null;
  }
}
