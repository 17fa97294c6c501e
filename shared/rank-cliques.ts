/** Two groups and whether they are shown to differ. */
interface Pair {
  a: string;
  b: string;
  significant: boolean;
}

/**
 * Returns first and last index of each bar of a rank diagram: `groups` are in the order of their ranks, and any two that are not
 * shown to differ have a bar in common. Bars inside others are left out. A pair that is not among `pairs` is not
 * shown to differ.
 */
export function barsOver(groups: readonly string[], pairs: readonly Pair[]): [number, number][] {
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

/**
 * First and last index of each largest set of two or more ranks that differ by less than the critical
 * difference. `ranks` rise; sets that lie inside another are left out. Demšar 2006.
 */
export function cliquesOf(
  ranks: readonly number[],
  criticalDifference: number,
): [number, number][] {
  const cliques: [number, number][] = [];
  for (const [first, rank] of ranks.entries()) {
    const last = ranks.findLastIndex((other) => other - rank < criticalDifference);
    const isInside = last <= (cliques.at(-1)?.[1] ?? -1);
    if (last > first && !isInside) cliques.push([first, last]);
  }
  return cliques;
}
