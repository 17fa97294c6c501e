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
