import { parseDecimal } from '#shared/decimal.ts';

/** How a value is written in the address under one name, and what a change of it does to the history. */
export interface UrlKind<Value> {
  /** The value that these texts stand for; what makes no sense is as if it were not said. */
  parse: (texts: readonly string[]) => Value;
  /** The texts of a value; none for the one that needs no word. */
  format: (value: Value) => readonly string[];
  /** Whether Back comes back to the former value (`push`) or to the page before it (`replace`). */
  history: (former: Value, next: Value) => 'push' | 'replace';
}

/** The texts that the router's value of a name stands for: trimmed, each once, empty ones left out. */
export function textsOf(value: string | string[] | undefined): readonly string[] {
  return [...new Set([value ?? []].flat().map((text) => text.trim()))].filter(Boolean);
}

/** One of some words; `fallback` needs none. Each choice can be taken back by Back. */
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

/** A text, '' by default, cut to its longest. Back leaves it as a whole: typing on adds nothing to the history. */
export function asText(maximumLength = 1000): UrlKind<string> {
  return {
    parse: ([text]) => (text ?? '').slice(0, maximumLength).trim(),
    format: (text) => (text === '' ? [] : [text]),
    history: (former) => (former === '' ? 'push' : 'replace'),
  };
}

/** Whether something is on, said by one word: a way of looking, which the history leaves out. */
export function asFlag(word: string): UrlKind<boolean> {
  return {
    parse: ([text]) => text === word,
    format: (isOn) => (isOn ? [word] : []),
    history: () => 'replace',
  };
}

/** A finite number, `fallback` when absent or not allowed. Each can be taken back by Back. */
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

/** Several texts, each once, in the order in which they stand; none by default. */
export function asList(): UrlKind<readonly string[]> {
  return { parse: (texts) => texts, format: (texts) => texts, history: () => 'push' };
}

/** The text that a part of a path stands for; a part with a broken `%` is taken as it is. */
export function decodePathText(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
