import { createSignal } from 'solid-js';
import { databaseHeader, identityHeader, noDatabaseId } from '#shared/words.ts';

/** The id of the database that this page shows; null until an answer has named it. */
const [shown, setShown] = createSignal<string | null>(timingOfPage('opened'));

/**
 * The identity of the database that this page shows, read before everything else that the page shows; null until the
 * service has named it. It stays until the page is loaded again: rows that were shown before another database took the
 * place may still be on the page, or in an open dialog.
 */
let identity: string | null = timingOfPage('identity');

const [currentIdentity, setCurrentIdentity] = createSignal(identity);

/** Records the identity of the database that is open now, where the service names one. */
export function noteIdentity(current: string | null | undefined): void {
  if (typeof current !== 'string') return;
  identity ??= current;
  setCurrentIdentity(current);
}

/** Whether another database has taken the place of the one that the page shows, such as another file at its path. */
export function isReplaced(): boolean {
  return currentIdentity() !== identity;
}

/** What a request that may change the database, or shows what would be changed, says of the one that is meant. */
export function identityHeaders(): Record<string, string> {
  return identity === null ? {} : { [identityHeader]: identity };
}

/** Whether the service has no database yet. */
export function isWithoutDatabase(): boolean {
  return shown() === noDatabaseId;
}

/** What a request says of the database that the page shows, so that no other one answers. */
export function databaseHeaders(): Record<string, string> {
  const id = shown();
  return id === null ? {} : { [databaseHeader]: id };
}

/**
 * Whether an answer, or an event, is of the database that this page shows. Where it is not, the page is left for the
 * first one of the other database, and whatever was answered is not to be shown. The first answer says which database
 * it is; one that names none is of no database.
 */
export function isOfShownDatabase(id: string | null): boolean {
  const known = shown();
  if (id === null || id === known) return true;
  if (known === null) {
    setShown(id);
    return true;
  }
  if (held > 0) isDue = true;
  else openFirstPage();
  return false;
}

/** How much is being done that is to come to its end before this page is left. */
let held = 0;
let isDue = false;

/** Does something to its end before this page is left, however soon it is told of another database. */
export async function beforeLeaving<Result>(work: () => Promise<Result>): Promise<Result> {
  held += 1;
  try {
    return await work();
  } finally {
    held -= 1;
    if (isDue && held === 0) openFirstPage();
  }
}

let isLeaving = false;

/** Loads the first page anew, once: nothing of what is shown, or on its way, survives that. */
export function openFirstPage(): void {
  if (!isLeaving) location.assign('/');
  isLeaving = true;
}

/** What the service said under this name when it sent this page; null when it said nothing. */
function timingOfPage(timing: string): string | null {
  if (typeof performance === 'undefined') return null;
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return navigation?.serverTiming?.find(({ name }) => name === timing)?.description ?? null;
}
