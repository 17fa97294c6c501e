/** A list as somebody wants to see it again: the search part of its address, by a name. */
export interface SavedView {
  name: string;
  /** Begins with `?`; '' is the list as it is at first. */
  search: string;
}

/** The views that a kept text holds; what is none of them is left out. */
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

/** The views with one more, in the order of their names; one of the same name is replaced. */
export function saveView(views: readonly SavedView[], saved: SavedView): SavedView[] {
  return [...views.filter(({ name }) => name !== saved.name), saved].sort((one, other) =>
    one.name.localeCompare(other.name, 'en', { numeric: true }),
  );
}

/** The search part of a view: what is looked at, not on which page. */
export function searchOfView(search: string): string {
  const kept = new URLSearchParams(search);
  kept.delete('page');
  return kept.size === 0 ? '' : `?${kept.toString()}`;
}
