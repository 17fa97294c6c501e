/** A tested pair, as far as it decides who is best. */
interface ClaimedPair {
  a: string;
  b: string;
  better: string;
  significant: boolean;
}

/**
 * The name that is significantly better than each of the other names: the only one that tables set in bold. Null for a
 * single name, and where a pair is missing, not significant, or favours the other.
 */
export function clearBest(names: readonly string[], pairs: readonly ClaimedPair[]): string | null {
  if (names.length < 2) return null;
  const wins = (name: string, other: string): boolean =>
    pairs.some(
      ({ a, b, better, significant }) =>
        significant &&
        better === name &&
        ((a === name && b === other) || (a === other && b === name)),
    );
  return names.find((name) => names.every((other) => other === name || wins(name, other))) ?? null;
}
