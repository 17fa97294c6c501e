import { createSignal } from 'solid-js';
import { databaseHeader, noDatabaseId } from '#shared/words.ts';

/** The id of the database that this page shows; null until an answer has named it. */
const [shown, setShown] = createSignal<string | null>(idOfPage());

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

/** The id that the service named when it sent this page; null when it did not. */
function idOfPage(): string | null {
  if (typeof performance === 'undefined') return null;
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return navigation?.serverTiming?.find(({ name }) => name === 'opened')?.description ?? null;
}
