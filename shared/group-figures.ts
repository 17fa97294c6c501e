import type { Guard } from './schemas/analysis-guard.ts';
import type { Measure } from './schemas/analysis-measures.ts';
import type { GroupSummary } from './schemas/analysis.ts';

/** What a table shows of a group. */
export interface GroupFigures {
  runs: number;
  solved: number;
  /** Null without runs and without a target. */
  successRate: number | null;
  successRateCi: GroupSummary['successRateCi'];
  /** Infinity where no run reached the target; null without a target. */
  ert: number | null;
  ertInterval: { lower: number; upper: number } | null;
  sp1: number | null;
  medianBest: number | null;
  meanBest: number | null;
  stdBest: number | null;
}

/**
 * Returns what tables show of a group: how it did within the smallest common budget of the groups, or, where there is no
 * common budget, over its whole runs. Null for a group that has no part in the common budget.
 */
export function figuresOf(
  group: GroupSummary,
  { commonBudget }: Pick<Guard, 'commonBudget'>,
  hasTarget: boolean,
): GroupFigures | null {
  if (commonBudget === null) {
    const { totalRuns: runs, successfulRuns: solved } = group;
    return withTarget({ ...group, runs, solved }, hasTarget);
  }
  return group.atCommonBudget && withTarget(group.atCommonBudget, hasTarget);
}

type Known = Omit<GroupFigures, 'ertInterval'> & Pick<GroupSummary, 'ertInterval'>;

function withTarget(known: Known, hasTarget: boolean): GroupFigures {
  const { runs, solved, medianBest, meanBest, stdBest, ertInterval } = known;
  const none = { successRate: null, successRateCi: null, ert: null, ertInterval: null, sp1: null };
  const isHopeless = runs > 0 && solved === 0;
  const success = {
    successRate: runs === 0 ? null : known.successRate,
    successRateCi: known.successRateCi,
    ert: isHopeless ? Infinity : known.ert,
    ertInterval: ertInterval && {
      lower: ertInterval.lower ?? Infinity,
      upper: ertInterval.upper ?? Infinity,
    },
    sp1: isHopeless ? Infinity : known.sp1,
  };
  return { runs, solved, medianBest, meanBest, stdBest, ...(hasTarget ? success : none) };
}

/** Why cells of a table are bold, for its caption. */
export const boldRule =
  'Bold: significantly better than every other group it is compared with (0.05, adjusted over measures and pairs).';

/** Whether a group is claimed to be better on a measure than every other group that it is compared with. */
export function isBestOn(group: Pick<GroupSummary, 'bestOn'>, measure: Measure): boolean {
  return group.bestOn.includes(measure);
}
