import { sum } from './sum.ts';

/**
 * Number of ways to choose `chosen` of the scores, ascending integers, with a sum of at most `limit`; in
 * doubles, by additions only, so that nothing cancels. Of the first a + b scores a are chosen without the
 * last of them or with it, as the a-th: ways(a, b, s) = ways(a, b − 1, s) + ways(a − 1, b, s − last), where
 * sums are counted from the lowest of each a, in steps of the scores' common divisor. Streitberg & Röhmel
 * 1986.
 */
export function countSubsets(scores: readonly number[], chosen: number, limit: number): number {
  const step = commonStep(scores);
  const places = scores.map((score) => (score - (scores[0] ?? 0)) / step);
  const last = Math.floor((limit - sum(scores.slice(0, chosen))) / step);
  if (last < 0) return 0;
  const rows = Array.from({ length: chosen + 1 }, () => new Float64Array(last + 1).fill(1, 0, 1));
  for (let b = 1; b <= scores.length - chosen; b += 1) {
    let highest = 0;
    for (let a = 1; a <= chosen; a += 1) {
      const shift = (places[a + b - 1] ?? 0) - (places[a - 1] ?? 0);
      highest += shift;
      addShifted(rows[a], rows[a - 1], shift, Math.min(highest, last));
    }
  }
  return sum(rows[chosen] ?? []);
}

/** Largest integer that divides all distances between the scores; 1 when they are all equal. */
function commonStep(scores: readonly number[]): number {
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  return scores.reduce((step, score) => divisor(step, score - (scores[0] ?? 0)), 0) || 1;
}

function addShifted(
  target: Float64Array | undefined,
  source: Float64Array | undefined,
  shift: number,
  last: number,
): void {
  if (!target || !source) return;
  for (let place = shift; place <= last; place += 1) {
    target[place] = (target[place] ?? 0) + (source[place - shift] ?? 0);
  }
}
