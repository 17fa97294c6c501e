/** A tested pair of groups, as far as it decides which marks tables and diagrams show. */
export interface ClaimedPair {
  a: string;
  b: string;
  /** Null where the pair is not tested. */
  pValue: number | null;
  /** The group that the test favours, `none` for neither. */
  better: string;
  /** The difference is claimed, so that `better` is significantly better. */
  significant: boolean;
}

/**
 * Whether a group is significantly better than every other group that it is compared with: the only one that tables set in
 * bold. False for a group of which no pair is tested.
 */
export function isClearlyBest(group: string, pairs: readonly ClaimedPair[]): boolean {
  const own = pairs.filter(({ a, b, pValue }) => (a === group || b === group) && pValue !== null);
  return own.length > 0 && own.every(({ better, significant }) => significant && better === group);
}

/** Whether another group is significantly better; null for a group of which no pair is tested. */
export function isBeaten(group: string, pairs: readonly ClaimedPair[]): boolean | null {
  const own = pairs.filter(({ a, b, pValue }) => (a === group || b === group) && pValue !== null);
  if (own.length === 0) return null;
  return own.some(({ better, significant }) => significant && better !== group);
}

/**
 * Returns first and last index of each bar of a rank diagram: `groups` are in the order of their ranks, and any two that are not
 * shown to differ have a bar in common. Bars inside others are left out. A pair that is not among `pairs` is not
 * shown to differ.
 */
export function barsOver(
  groups: readonly string[],
  pairs: readonly Pick<ClaimedPair, 'a' | 'b' | 'significant'>[],
): [number, number][] {
  const different = new Set(
    pairs.flatMap(({ a, b, significant }) => (significant ? [key(a, b), key(b, a)] : [])),
  );
  const bars: [number, number][] = [];
  for (const [first, group] of groups.entries()) {
    const last = groups.findLastIndex((other) => !different.has(key(group, other)));
    const isInside = last <= (bars.at(-1)?.[1] ?? -1);
    if (last > first && !isInside) bars.push([first, last]);
  }
  return bars;
}

function key(a: string, b: string): string {
  return JSON.stringify([a, b]);
}
