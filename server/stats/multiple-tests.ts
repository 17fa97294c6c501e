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

/** What a pair of groups was found on several measures; null where nothing could be tested. */
export interface PairOfMeasures {
  /** That the groups are alike on all measures. */
  pValue: number | null;
  /** Of each measure, adjusted for the number of measures of this pair. */
  measures: readonly (number | null)[];
}

/** P-values of a pair among all pairs; a claim is one of at most alpha. */
export interface ClaimedPair {
  /** Of the pair, Holm's adjustment over the pairs. */
  holmAdjustedPValue: number | null;
  /** Of each measure, adjusted for the number of measures and of pairs. */
  measures: (number | null)[];
}

/**
 * Adjusts the p-values of pairs and their measures for the number of testable pairs, m. At level alpha a measure is claimed if
 * its p-value times (m − the number of pairs of which all measures are claimed) is at most alpha: the factor falls
 * for whole pairs only, because a pair that truly differs on one measure says nothing about the others. The adjusted p-value is the
 * smallest such alpha, at most 1. A claim on a measure implies that Holm's procedure rejects its pair. Null stays null; a
 * pair without a p-value is not one of the m.
 */
export function holmClaims(pairs: readonly PairOfMeasures[]): ClaimedPair[] {
  const holmAdjusted = holmAdjust(pairs.map(({ pValue }) => pValue));
  const testable = pairs.filter(({ pValue }) => pValue !== null);
  const largest = testable.map(({ measures }) => Math.max(...measures.map((value) => value ?? 0)));
  // The level from which on each number of pairs is claimed as a whole.
  const levels = [
    0,
    ...holmAdjust(largest)
      .map(Number)
      .sort((a, b) => a - b),
  ];
  // Levels rise and factors fall with the number of pairs: the smallest of the larger ones is where they cross.
  const adjust = (pValue: number) => {
    const productAt = (whole: number) => (testable.length - whole) * pValue;
    let [low, high] = [0, levels.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((levels[middle] ?? Infinity) < productAt(middle)) low = middle + 1;
      else high = middle;
    }
    return Math.min(1, levels[low] ?? 1, productAt(Math.max(0, low - 1)));
  };
  return pairs.map(({ pValue, measures }, index) => ({
    holmAdjustedPValue: holmAdjusted[index] ?? null,
    measures: measures.map((value) => (value === null || pValue === null ? null : adjust(value))),
  }));
}
