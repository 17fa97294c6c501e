import { useParams, useSearchParams } from '@solidjs/router';
import { createMemo, type Accessor } from 'solid-js';
import { decodePathText, getTexts, type UrlKind } from './url-kinds.ts';

/** Names in the URL with their new texts; undefined removes a name. */
export type UrlChanges = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The search part of the URL. */
export interface Url {
  /** Returns all texts of a name, trimmed, each once, without empty ones; reactive by name. */
  texts: (name: string) => readonly string[];
  write: (changes: UrlChanges, history: 'push' | 'replace') => void;
}

/** The URL of the calling component's page. Several writes at the same time are all applied. */
export function useUrl(): Url {
  const [search, setSearch] = useSearchParams();
  return {
    texts: (name) => getTexts(search[name]),
    write: (changes, history) =>
      setSearch(changes as Parameters<typeof setSearch>[0], { replace: history === 'replace' }),
  };
}

/**
 * A value in the URL under `name`, as a signal. Setting it removes the names `resets`, such as the page of a list after
 * another search.
 */
export function createUrlSignal<Value>(
  name: string,
  kind: UrlKind<Value>,
  resets: readonly string[] = [],
): [Accessor<Value>, (value: Value) => void] {
  const url = useUrl();
  const value = createMemo(() => kind.parse(url.texts(name)));
  const set = (next: Value): void =>
    url.write(
      {
        ...Object.fromEntries(resets.map((reset) => [reset, undefined])),
        [name]: kind.format(next),
      },
      kind.history(value(), next),
    );
  return [value, set];
}

/** Returns a part of the page's path, such as the id of a run; '' when the path has none of that name. */
export function usePathText(name: string): Accessor<string> {
  const params = useParams<Record<string, string>>();
  return createMemo(() => decodePathText(params[name] ?? ''));
}
