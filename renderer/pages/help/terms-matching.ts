import type { Term } from '#shared/glossary.ts';

/**
 * Returns the terms whose name or definition contains every word of a search, those with a match in the name first; all
 * of them, in their order, without a word. Upper and lower case are equal.
 */
export function getTermsMatching<Entry extends readonly [id: string, term: Term]>(
  terms: readonly Entry[],
  search: string,
): readonly Entry[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word));
  const named = terms.filter(([, { name }]) => has(name));
  const others = terms.filter(
    ([, { name, definition }]) => !has(name) && has(`${name} ${definition}`),
  );
  return [...named, ...others];
}
