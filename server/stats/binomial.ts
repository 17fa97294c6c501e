/** Number of ways to choose k of n things, in floating point; 1 for k = 0, Infinity beyond its range. */
export function binomial(n: number, k: number): number {
  let result = 1;
  for (let index = 1; index <= k; index += 1) result = (result * (n - k + index)) / index;
  return result;
}
