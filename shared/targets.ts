import { isDecimal } from './decimal.ts';

/** Most targets that one question has. */
export const maximumTargets = 500;

/** What a text of targets must be; said where it is not. */
export const targetsMessage =
  'must be numbers (10,1,1e-8) or powers of ten as from..to:count (2..-8:51), ' +
  `at most ${maximumTargets}`;

/**
 * The targets of some texts, each numbers between commas, or `from..to:count` for powers of ten whose exponents are evenly
 * spaced; each once, largest first. Null where a text is none, or where they are too many.
 */
export function parseTargets(texts: readonly string[]): number[] | null {
  const targets = texts.flatMap((text) => text.split(',')).flatMap(targetsIn);
  const isSound = targets.every(Number.isFinite) && targets.length <= maximumTargets;
  return isSound ? [...new Set(targets)].sort((a, b) => b - a) : null;
}

/** The targets that a text stands for; NaN where it is none. */
function targetsIn(text: string): number[] {
  const range = /^([+-]?\d+(?:\.\d+)?)\.\.([+-]?\d+(?:\.\d+)?):(\d{1,3})$/.exec(text.trim());
  if (range) return powersOfTen(Number(range[1]), Number(range[2]), Number(range[3]));
  return [isDecimal(text.trim()) ? Number(text) : NaN];
}

/** `count` powers of ten, their exponents evenly spaced from one to the other, both among them; `from` alone for 1. */
export function powersOfTen(from: number, to: number, count: number): number[] {
  if (count === 0) return [NaN];
  return Array.from({ length: count }, (_, index) =>
    count === 1 ? 10 ** from : 10 ** (from + ((to - from) * index) / (count - 1)),
  );
}
