/**
 * Sum of the values with Neumaier's compensation: the error does not grow with their number, and terms
 * that cancel do not spoil the rest. Infinite when a term or the plain sum is; 0 for no values.
 * Neumaier 1974.
 */
export function sum(values: ArrayLike<number>): number {
  let total = 0;
  let correction = 0;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? NaN;
    const next = total + value;
    const larger = Math.abs(total) >= Math.abs(value) ? total : value;
    correction += larger - next + (larger === total ? value : total);
    total = next;
  }
  return Number.isFinite(correction) ? total + correction : total;
}
