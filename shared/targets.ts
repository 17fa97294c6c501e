import { isDecimal } from './decimal.ts';

/** Maximum number of targets in one request. */
export const maximumTargets = 500;

/** Error message for invalid targets. */
export const targetsMessage =
  'must be numbers (10,1,1e-8) or powers of ten as from..to:count (2..-8:51), ' +
  `at most ${maximumTargets}`;

/**
 * Parses targets: each text has numbers separated by commas, or `from..to:count` for powers of ten with evenly spaced
 * exponents. Removes duplicates and sorts, largest first; empty without texts. Null if a text is invalid, a target is
 * not finite, or there are more than {@link maximumTargets}.
 */
export function parseTargets(texts: readonly string[]): number[] | null {
  const targets = texts.flatMap((text) => text.split(',')).flatMap(parseTargetList);
  const isValid = targets.every(Number.isFinite) && targets.length <= maximumTargets;
  return isValid ? [...new Set(targets)].sort((a, b) => b - a) : null;
}

/** Returns the targets of a text; `[NaN]` for an invalid text. */
function parseTargetList(text: string): number[] {
  const range = /^([+-]?\d+(?:\.\d+)?)\.\.([+-]?\d+(?:\.\d+)?):(\d{1,3})$/.exec(text.trim());
  if (range) return listPowersOfTen(Number(range[1]), Number(range[2]), Number(range[3]));
  return [isDecimal(text.trim()) ? Number(text) : NaN];
}

/**
 * Returns `count` powers of ten with evenly spaced exponents from `from` to `to`: only 10^`from` for a count of 1, and
 * `[NaN]` for a count of 0.
 */
export function listPowersOfTen(from: number, to: number, count: number): number[] {
  if (count === 0) return [NaN];
  return Array.from({ length: count }, (_, index) =>
    count === 1 ? 10 ** from : 10 ** (from + ((to - from) * index) / (count - 1)),
  );
}
