/** Maximum number of choices in a list without a search field. */
export const maximumWithoutSearch = 12;

/** Returns the names that contain every word of a text, in any case; all without words. */
export function getNamesMatching(names: readonly string[], text: string): readonly string[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return names;
  return names.filter((name) => words.every((word) => name.toLowerCase().includes(word)));
}

/** Returns the index of the entry that an arrow key moves to in a list, around its ends; 0 for an empty list. */
export function stepIndex(index: number, step: number, count: number): number {
  return count === 0 ? 0 : (index + step + count) % count;
}
