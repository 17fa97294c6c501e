/** A run of the same experiment that is not RUNNING, with its evaluations to target and its used evaluations. */
export interface EndedSibling {
  /** Evaluations at which the run reached the target; null if it missed the target, or if they are unknown. */
  evaluationsToTarget: number | null;
  /** Used evaluations; null or 0 if unknown. */
  evaluations: number | null;
}

/** The forecast of when a RUNNING run reaches its target, based on its ended siblings. */
export interface HitForecast {
  /** Number of siblings that used more evaluations than the run before they reached or missed the target. */
  siblings: number;
  /** Number of these siblings that reached the target later. */
  reached: number;
  /** First quartile, median and third quartile of their evaluations to target; null if too few reached the target. */
  evaluations: { lower: number | null; median: number | null; upper: number | null };
}

/** Minimum number of siblings for a forecast. */
export const minimumSiblings = 5;

/**
 * Returns the forecast of the evaluations to target T of a run that has used `evaluations`: the quartiles of the
 * empirical distribution of T over its siblings, given T > `evaluations`. A sibling that missed the target counts as
 * T = ∞ if it used more evaluations than the run; otherwise it does not count, because it gives no information about
 * later evaluations. A quantile p is the smallest T that at least a share p of the siblings did not exceed. Null for
 * fewer than {@link minimumSiblings} siblings with T > `evaluations`.
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
