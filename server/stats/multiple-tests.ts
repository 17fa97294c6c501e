/**
 * Holm's step-down adjustment of p-values, in the order given: the running maximum of (m − j + 1)·p over
 * the ascending p-values, at most 1. Null (untestable) stays null and is not part of the family of m.
 * Holm 1979.
 */
export function holmAdjust(pValues: readonly (number | null)[]): (number | null)[] {
  const family = pValues
    .flatMap((pValue, index) => (pValue === null ? [] : [{ pValue, index }]))
    .sort((a, b) => a.pValue - b.pValue);
  const adjusted: (number | null)[] = pValues.map(() => null);
  let running = 0;
  for (const [position, { pValue, index }] of family.entries()) {
    running = Math.max(running, Math.min(1, (family.length - position) * pValue));
    adjusted[index] = running;
  }
  return adjusted;
}
