import { createSignal } from 'solid-js';
import { databaseHeader, identityHeader, noDatabaseId } from '#shared/words.ts';

/** The id of the database that this page shows; null until a response has named it. */
const [shownId, setShownId] = createSignal<string | null>(getTimingOfPage('opened'));

/**
 * The identity of the database that this page shows, read before everything else on the page; null until the service
 * has named it. It stays until the page is reloaded: rows of a replaced database may still be on the page, or in an
 * open dialog.
 */
let identity: string | null = getTimingOfPage('identity');

const [currentIdentity, setCurrentIdentity] = createSignal(identity);

/** Records the identity of the open database, where the service names one. */
export function noteIdentity(current: string | null | undefined): void {
  if (typeof current !== 'string') return;
  identity ??= current;
  setCurrentIdentity(current);
}

/** Whether the service has opened another database than the page shows, such as another file at its path. */
export function isReplaced(): boolean {
  return currentIdentity() !== identity;
}

/** Returns the headers that name the database for a request that changes data, or previews a change. */
export function makeIdentityHeaders(): Record<string, string> {
  return identity === null ? {} : { [identityHeader]: identity };
}

/** Whether the service has no database yet. */
export function isWithoutDatabase(): boolean {
  return shownId() === noDatabaseId;
}

/** Returns the headers that name the database of the page, so that no other one responds. */
export function makeDatabaseHeaders(): Record<string, string> {
  const id = shownId();
  return id === null ? {} : { [databaseHeader]: id };
}

/**
 * Whether a response or event is from the database that this page shows. If not, the page navigates to the first page
 * of the other database, and the response must not be shown. The first response sets the database. True for null: such
 * a response is from no database.
 */
export function isOfShownDatabase(id: string | null): boolean {
  const previous = shownId();
  if (id === null || id === previous) return true;
  if (previous === null) {
    setShownId(id);
    return true;
  }
  if (pendingCount > 0) isDue = true;
  else openFirstPage();
  return false;
}

/** Number of operations to finish before this page is left. */
let pendingCount = 0;
let isDue = false;

/** Finishes some work before this page is left, even if another database is opened meanwhile. */
export async function runBeforeLeaving<Result>(work: () => Promise<Result>): Promise<Result> {
  pendingCount += 1;
  try {
    return await work();
  } finally {
    pendingCount -= 1;
    if (isDue && pendingCount === 0) openFirstPage();
  }
}

let isLeaving = false;

/** Loads the first page, once: nothing of the current content or of pending responses survives. */
export function openFirstPage(): void {
  if (!isLeaving) location.assign('/');
  isLeaving = true;
}

/** Returns a server timing of the response with this page; null without one. */
function getTimingOfPage(timing: string): string | null {
  if (typeof performance === 'undefined') return null;
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return navigation?.serverTiming?.find(({ name }) => name === timing)?.description ?? null;
}
