/** The evaluations of a run of the same experiment that is not RUNNING. */
export interface EndedSibling {
  /** Evaluations at which the run reached the target; null if it missed the target, or if this number is unknown. */
  evaluationsToTarget: number | null;
  /** Used evaluations; null or 0 if unknown. */
  evaluations: number | null;
}

/** The forecast of when a RUNNING run reaches its target, based on its ended siblings. */
export interface HitForecast {
  /** Number of siblings whose evaluations to target, finite or infinite, exceed the evaluations of the run. */
  siblings: number;
  /** Number of these siblings whose evaluations to target are finite. */
  reached: number;
  /** First quartile, median and third quartile of the evaluations to target of these siblings; null if infinite. */
  evaluations: { lower: number | null; median: number | null; upper: number | null };
}

/** Minimum number of siblings for a forecast. */
export const minimumSiblings = 5;

/**
 * Returns the forecast of the evaluations to target T of a run that has used `evaluations`: the quartiles of the
 * empirical distribution of T over its siblings, given T > `evaluations`. A sibling with unknown T, or one that missed
 * the target, counts as T = ∞ if it used more evaluations than the run. Otherwise it does not count, because it gives
 * no information about later evaluations. The quantile of a share p is the smallest number of evaluations with which at
 * least this share of the siblings reached the target. Returns null for fewer than {@link minimumSiblings} siblings
 * with T > `evaluations`.
 */
export function forecastHit(
  siblings: readonly EndedSibling[],
  evaluations: number,
): HitForecast | null {
  const runtimes = siblings
    .flatMap(({ evaluationsToTarget, evaluations: usedEvaluations }) => {
      if (evaluationsToTarget !== null) return evaluationsToTarget;
      return usedEvaluations !== null && usedEvaluations > evaluations ? Infinity : [];
    })
    .filter((runtime) => runtime > evaluations)
    .sort((a, b) => a - b);
  if (runtimes.length < minimumSiblings) return null;
  const computeQuantile = (share: number): number | null => {
    const runtime = runtimes[Math.ceil(share * runtimes.length) - 1] ?? Infinity;
    return runtime === Infinity ? null : runtime;
  };
  return {
    siblings: runtimes.length,
    reached: runtimes.filter((runtime) => runtime < Infinity).length,
    evaluations: {
      lower: computeQuantile(0.25),
      median: computeQuantile(0.5),
      upper: computeQuantile(0.75),
    },
  };
}
