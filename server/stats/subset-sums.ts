import { sum } from './sum.ts';

/**
 * Number of ways to choose `chosen` of the scores, ascending integers, with a sum of at most `limit`; in doubles. Streitberg & Röhmel 1986.
 */
export function countSubsets(scores: readonly number[], chosen: number, limit: number): number {
  const step = commonStep(scores);
  const places = scores.map((score) => (score - (scores[0] ?? 0)) / step);
  const last = Math.floor((limit - sum(scores.slice(0, chosen))) / step);
  return last < 0 ? 0 : sum(countSums(places, chosen, last));
}

/**
 * Number of ways to choose `chosen` of the places, ascending integers, with each sum from the lowest possible one (index 0)
 * to `last` more; in doubles, by additions only, so that nothing cancels. Of the first a + b places, a are chosen without the
 * last of them or with it, as the a-th: ways(a, b, s) = ways(a, b − 1, s) + ways(a − 1, b, s − shift), where sums are
 * counted from the lowest of each a. Streitberg & Röhmel 1986.
 */
export function countSums(places: ArrayLike<number>, chosen: number, last: number): Float64Array {
  const rows = Array.from({ length: chosen + 1 }, () => new Float64Array(last + 1).fill(1, 0, 1));
  for (let b = 1; b <= places.length - chosen; b += 1) {
    let highest = 0;
    for (let a = 1; a <= chosen; a += 1) {
      const shift = (places[a + b - 1] ?? 0) - (places[a - 1] ?? 0);
      highest += shift;
      addShifted(rows[a], rows[a - 1], shift, Math.min(highest, last));
    }
  }
  return rows[chosen] ?? new Float64Array(last + 1);
}

/** Largest integer that divides all distances between the scores; 1 when they are all equal. */
export function commonStep(scores: ArrayLike<number>): number {
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  let step = 0;
  for (let index = 1; index < scores.length && step !== 1; index += 1) {
    step = divisor(step, Math.abs((scores[index] ?? 0) - (scores[0] ?? 0)));
  }
  return step || 1;
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
