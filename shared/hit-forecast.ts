/** A finished run of the same experiment: when it reached the target, and what it used. */
export interface FinishedSibling {
  /** Null if it missed the target. */
  evaluationsToTarget: number | null;
  /** Evaluations that it used; null if unknown. */
  evaluations: number | null;
}

/** When a running run is expected to reach its target, by its finished siblings. */
export interface HitForecast {
  /** Siblings that had not reached the target after as many evaluations as the run has used. */
  siblings: number;
  /** Those of them that reached it later. */
  reached: number;
  /** First quartile, median and third quartile of their evaluations to target; null where fewer of them reached it. */
  evaluations: { lower: number | null; median: number | null; upper: number | null };
}

/** Fewest siblings that a forecast is made from. */
export const fewestSiblings = 5;

/**
 * Returns when a run that has used so many evaluations is expected to reach the target: the quartiles of the empirical
 * distribution of its siblings' evaluations to target T, given T > `evaluations`. Siblings that missed the target count as
 * T = ∞ if they used more evaluations than the run, and not at all otherwise, because they do not show what happens
 * later. A quantile p is the smallest T that at least p of the siblings did not exceed. Null for fewer than
 * {@link fewestSiblings}.
 */
export function forecastHit(
  siblings: readonly FinishedSibling[],
  evaluations: number,
): HitForecast | null {
  const times = siblings
    .flatMap(({ evaluationsToTarget, evaluations: used }) => {
      if (evaluationsToTarget !== null) return evaluationsToTarget;
      return used !== null && used > evaluations ? Infinity : [];
    })
    .filter((time) => time > evaluations)
    .sort((one, other) => one - other);
  if (times.length < fewestSiblings) return null;
  const quantile = (share: number): number | null => {
    const time = times[Math.ceil(share * times.length) - 1] ?? Infinity;
    return time === Infinity ? null : time;
  };
  return {
    siblings: times.length,
    reached: times.filter((time) => time < Infinity).length,
    evaluations: { lower: quantile(0.25), median: quantile(0.5), upper: quantile(0.75) },
  };
}
