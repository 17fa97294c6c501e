/** A saved view of a list: the search part of its URL, by a name. */
export interface SavedView {
  name: string;
  /** Starts with `?`; '' is the default view of the list. */
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

/** Returns the search part of a view: without the page number. */
export function searchOfView(search: string): string {
  const params = new URLSearchParams(search);
  params.delete('page');
  return params.size === 0 ? '' : `?${params.toString()}`;
}
