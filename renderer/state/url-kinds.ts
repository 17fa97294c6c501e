import { parseDecimal, getTextStart } from '#shared/syntax.ts';

/** Kind of a value under one name in the URL: its texts, and the effect of a change on the history. */
export interface UrlKind<Value> {
  /** Parses the texts; invalid ones count as absent. */
  parse: (texts: readonly string[]) => Value;
  /** Returns the texts of a value; none for the default. */
  format: (value: Value) => readonly string[];
  /** Whether Back restores the previous value (`push`) or goes to the previous page (`replace`). */
  history: (previous: Value, next: Value) => 'push' | 'replace';
}

/** Returns the texts of a router value: trimmed, each once, without empty ones. */
export function getTexts(value: string | string[] | undefined): readonly string[] {
  return [...new Set([value ?? []].flat().map((text) => text.trim()))].filter(Boolean);
}

/** One of some words; `fallback` is the default. Back undoes each choice. */
export function asChoice<const Value extends string, const Fallback extends string | undefined>(
  values: readonly Value[],
  fallback: Fallback,
): UrlKind<Value | Fallback> {
  return {
    parse: ([text]) => values.find((value) => value === text) ?? fallback,
    format: (value) => (value === undefined || value === fallback ? [] : [value]),
    history: () => 'push',
  };
}

/**
 * A text, '' by default, truncated to the maximum length. Back removes it as a whole: continued typing adds nothing to
 * the history.
 */
export function asText(maximumLength = 1000): UrlKind<string> {
  return {
    parse: ([text]) => getTextStart(text ?? '', maximumLength).trim(),
    format: (text) => (text === '' ? [] : [text]),
    history: (previous) => (previous === '' ? 'push' : 'replace'),
  };
}

/** A flag, set by one word; a view option that is not in the history. */
export function asFlag(word: string): UrlKind<boolean> {
  return {
    parse: ([text]) => text === word,
    format: (isOn) => (isOn ? [word] : []),
    history: () => 'replace',
  };
}

/** A finite number, `fallback` when absent or invalid. Back undoes each change. */
export function asNumber<const Fallback extends number | undefined>(
  fallback: Fallback,
  isAllowed: (value: number) => boolean = Number.isFinite,
): UrlKind<number | Fallback> {
  return {
    parse: ([text]) => {
      const value = parseDecimal(text ?? '');
      return value !== undefined && isAllowed(value) ? value : fallback;
    },
    format: (value) => (value === undefined || value === fallback ? [] : [String(value)]),
    history: () => 'push',
  };
}

/** Several texts, each once, in their order; none by default. */
export function asList(): UrlKind<readonly string[]> {
  return { parse: (texts) => texts, format: (texts) => texts, history: () => 'push' };
}

/** Decodes a part of a path; a part with a broken `%` is taken as it is. */
export function decodePathText(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
