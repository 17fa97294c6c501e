/**
 * Up to `count` whole budgets from `first` to `last`, evenly spaced by their logarithm (a `first` below 1
 * counts as 1), ascending and without repeats; both ends are among them. Empty when last < first or last < 1.
 */
export function logarithmicBudgets(first: number, last: number, count: number): number[] {
  const start = Math.max(1, first);
  const span = Math.log(last / start);
  return spacedBudgets(start, last, count, (share) => start * Math.exp(span * share));
}

/** Up to `count` whole budgets from `first` to `last` in equal steps; otherwise as the logarithmic ones. */
export function linearBudgets(first: number, last: number, count: number): number[] {
  return spacedBudgets(first, last, count, (share) => first + (last - first) * share);
}

function spacedBudgets(
  first: number,
  last: number,
  count: number,
  budgetAt: (share: number) => number,
): number[] {
  if (!(last >= first)) return [];
  const shares = Array.from({ length: count }, (_, index) => index / (count - 1));
  const inner = shares.slice(1, -1).map((share) => Math.round(budgetAt(share)));
  return [...new Set([first, ...inner, last])].filter((x) => x >= first && x <= last);
}
