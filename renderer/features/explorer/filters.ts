import { parseParamFilter, parseDecimal, getTextStart } from '#shared/syntax.ts';
import type { Facets } from '#shared/schemas/service.ts';
import { maximumSearchLength } from '#shared/words.ts';
import { formatMinute } from '#renderer/ui/time.ts';
import type { UrlChanges } from '#renderer/state/url.ts';
import { isWireTime, toUtcTime } from './local-time.ts';

/** Describes one filter of a list: its names in the URL are its names in the query of the service. */
export type Filter =
  /** A search text, under `q`. */
  | { kind: 'search'; label: string; placeholder: string }
  /** Several of the values in the database or of known values. */
  | {
      kind: 'choice';
      name: string;
      label: string;
      options: (facets: Facets | undefined) => Option[];
      /** Returns the displayed text of a value; default: the value. */
      getLabel?: (value: string) => string;
      /** Whether it is not shown while there are no values. */
      isOptional?: boolean;
    }
  /** A time range, under `from` and `to`; `verb` names the event. */
  | { kind: 'times'; label: string; verb: string }
  /** A range of numbers, under the names of its two ends. */
  | { kind: 'numbers'; label: string; names: readonly [string, string] }
  /** Conditions on parameters, under `param`; all of them must be true. */
  | { kind: 'params' };

/** A value to filter by. */
export interface Option {
  value: string;
  /** Displayed text; default: the value. */
  label?: string;
  /** Number of rows with it, where known. */
  count?: number;
}

/** The texts of all filters by their names in the URL; unset names are omitted. */
export type FilterValues = Readonly<Record<string, readonly string[]>>;

/** An active filter, as a removable chip. */
export interface Chip {
  text: string;
  /** URL changes that remove it. */
  without: UrlChanges;
}

/** Returns the names of a filter in the URL. */
export function getNames(filter: Filter): readonly string[] {
  switch (filter.kind) {
    case 'search':
      return ['q'];
    case 'choice':
      return [filter.name];
    case 'times':
      return ['from', 'to'];
    case 'numbers':
      return filter.names;
    default:
      return ['param'];
  }
}

/** Returns the filters in the URL; values that the service would refuse (an invalid time) are ignored. */
export function readFilters(
  filters: readonly Filter[],
  texts: (name: string) => readonly string[],
): FilterValues {
  const entries = filters.flatMap((filter) =>
    getNames(filter).map((name): [string, readonly string[]] => [name, clean(filter, texts(name))]),
  );
  return Object.fromEntries(entries.filter(([, values]) => values.length > 0));
}

function clean(filter: Filter, texts: readonly string[]): readonly string[] {
  switch (filter.kind) {
    case 'choice':
      return texts;
    case 'params':
      return texts.filter((text) => typeof parseParamFilter(text) !== 'string');
    case 'search':
      return texts.slice(0, 1).map((text) => getTextStart(text, maximumSearchLength).trim());
    default:
      return texts
        .slice(0, 1)
        .filter((text) =>
          filter.kind === 'times' ? isWireTime(text) : parseDecimal(text) !== undefined,
        );
  }
}

/** Returns one chip for each active filter, in the order of the filters. */
export function getChips(filters: readonly Filter[], values: FilterValues): Chip[] {
  return filters.flatMap((filter) =>
    getNames(filter).flatMap((name, end) => {
      const texts = values[name] ?? [];
      return texts.map((text) => ({
        text: formatChip(filter, end === 0, text),
        without: { [name]: texts.filter((other) => other !== text) },
      }));
    }),
  );
}

function formatChip(filter: Filter, isFirst: boolean, text: string): string {
  switch (filter.kind) {
    case 'search':
      return `search: ${text}`;
    case 'choice':
      return `${filter.label.toLowerCase()}: ${filter.getLabel?.(text) ?? text}`;
    case 'times':
      return isFirst
        ? `${filter.verb} from ${formatMinute(toUtcTime(text, 'start'))}`
        : `${filter.verb} to ${formatMinute(toUtcTime(text, 'end'))}`;
    case 'numbers':
      return `${filter.label.toLowerCase()} ${isFirst ? '≥' : '≤'} ${text}`;
    default:
      return text;
  }
}

/** Returns the URL changes that drop all filters and go to the first page. */
export function getClearingChanges(filters: readonly Filter[]): UrlChanges {
  return Object.fromEntries(
    [...filters.flatMap(getNames), 'page'].map((name) => [name, undefined]),
  );
}

type FacetName = 'algorithms' | 'models' | 'problems' | 'statuses';

/** Returns a choice among values of the database, with the numbers of runs that have them. */
export function makeFacetFilter(name: string, label: string, list: FacetName): Filter {
  const options = (facets: Facets | undefined): Option[] =>
    (facets?.[list] ?? []).map((value) => ({ value, count: facets?.runCounts[list][value] ?? 0 }));
  return { kind: 'choice', name, label, options };
}

/** Returns a choice among known values, or those that `words` finds, with their texts by `getLabel`. */
export function makeWordFilter(
  name: string,
  label: string,
  words: (facets: Facets | undefined) => readonly unknown[] | undefined,
  getLabel: (value: string) => string = (value) => value,
): Filter {
  const options = (facets: Facets | undefined): Option[] =>
    (words(facets) ?? []).map((value) => ({
      value: String(value),
      label: getLabel(String(value)),
    }));
  return { kind: 'choice', name, label, options, getLabel };
}

/** Returns a choice among tags, which is not shown until something has a tag. */
export function makeTagFilter(
  tags: (facets: Facets | undefined) => readonly string[] | undefined,
): Filter {
  const options = (facets: Facets | undefined): Option[] =>
    (tags(facets) ?? []).map((value) => ({ value }));
  return { kind: 'choice', name: 'tag', label: 'Tag', options, isOptional: true };
}
