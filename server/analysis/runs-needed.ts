import { computeFisherRuns, computeRankSumRuns } from '#server/stats/runs-needed.ts';
import type { RunsNeededResponse, RunsNeededQuery } from '#shared/schemas/analysis-design.ts';

/**
 * Returns the number of runs that each group needs to detect an effect or, for the measure `success`, a difference of
 * success rates. `effect` is null for `success`; `p1` and `p2` are null for the other measures. Reads no data.
 */
export function countRunsNeeded(query: RunsNeededQuery): RunsNeededResponse {
  const { measure, effect, p1 = 0, p2 = 1, power, alpha, pairs } = query;
  const commonFields = { measure, power, alpha, pairs };
  if (measure !== 'success') {
    const { a: runsPerGroup } = computeRankSumRuns({ effect, power, alpha, pairs });
    return {
      ...commonFields,
      effect,
      p1: null,
      p2: null,
      perGroup: runsPerGroup,
      method: 'noether',
    };
  }
  const { perGroup, method } = computeFisherRuns({ p1, p2, power, alpha, pairs });
  return { ...commonFields, effect: null, p1, p2, perGroup, method: `fisher-${method}` };
}
