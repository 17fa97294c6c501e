import { createSignal, type Accessor } from 'solid-js';
import { readPreference, writePreference } from '#renderer/state/preferences.ts';
import { defaultColumnsText, formatColumns } from '#renderer/ui/table/columns.ts';
import type { ChosenColumns } from '#renderer/ui/table/types.ts';

/** A saved view of a list: the search part of its URL, by a name. */
export interface SavedView {
  name: string;
  /** Starts with `?`, or is '' for the default view of the list. */
  search: string;
}

/** Parses stored views; invalid ones are skipped. */
export function parseViews(text: string | null): SavedView[] {
  const parsed = readJson(text ?? '[]');
  if (!Array.isArray(parsed)) return [];
  return parsed.flatMap((view: Partial<SavedView> | null) =>
    typeof view?.name === 'string' && typeof view.search === 'string'
      ? [{ name: view.name, search: view.search }]
      : [],
  );
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Returns the views with one more, sorted by name; a view of the same name is replaced. */
export function saveView(views: readonly SavedView[], saved: SavedView): SavedView[] {
  return [...views.filter(({ name }) => name !== saved.name), saved].sort((one, other) =>
    one.name.localeCompare(other.name, 'en', { numeric: true }),
  );
}

/**
 * Returns the search part of a view: without the page number, and with the chosen columns, because a list without
 * columns in its URL shows those that were chosen last. The default columns depend on the window, so it lists none.
 */
export function getSearchOfView(search: string, chosenColumns: ChosenColumns): string {
  const params = new URLSearchParams(search);
  params.delete('page');
  if (!params.get('cols')) params.set('cols', formatColumns(chosenColumns) ?? defaultColumnsText);
  return `?${params.toString()}`;
}

/** Returns whether a view is the current one. A view that was stored without columns is, with any columns. */
export function isCurrentView(viewSearch: string, currentSearch: string): boolean {
  const [view, current] = [new URLSearchParams(viewSearch), new URLSearchParams(currentSearch)];
  if (!view.has('cols')) current.delete('cols');
  return view.toString() === current.toString();
}

/** The saved views of a list in this browser. */
interface SavedViews {
  views: Accessor<readonly SavedView[]>;
  /** Adds a view; see {@link saveView}. */
  save: (view: SavedView) => void;
  remove: (name: string) => void;
}

/** Creates the saved views of the list with this name. A change keeps the views that other windows saved. */
export function createSavedViews(listName: string): SavedViews {
  const key = `views.${listName}`;
  const [views, setViews] = createSignal(parseViews(readPreference(key)));
  const change = (apply: (previous: readonly SavedView[]) => SavedView[]): void => {
    const stored = readPreference(key);
    // Without storage, the views of this window are the only ones.
    const next = apply(stored === null ? views() : parseViews(stored));
    setViews(next);
    writePreference(key, JSON.stringify(next));
  };
  return {
    views,
    save: (view) => change((previous) => saveView(previous, view)),
    remove: (removed) => change((previous) => previous.filter(({ name }) => name !== removed)),
  };
}
