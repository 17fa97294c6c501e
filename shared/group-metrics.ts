import type { Guard } from './schemas/analysis-guard.ts';
import type { Measure } from './schemas/analysis-measures.ts';
import type { GroupSummary } from './schemas/analysis.ts';

/** The values of a group in a table. */
export interface GroupMetrics {
  runs: number;
  /** Number of successful runs. Without a target, it is the number of COMPLETED runs, or 0 within a common budget. */
  solved: number;
  /** Share of successful runs; null without runs or without a target. */
  successRate: number | null;
  successRateCi: GroupSummary['successRateCi'];
  /**
   * Expected runtime in evaluations; Infinity if no run reached the target; null if it is unknown, without runs, and
   * without a target.
   */
  ert: number | null;
  /** 95 % interval of `ert` (MOVER), with Infinity for an infinite end; null if there is none. */
  ertInterval: { lower: number; upper: number } | null;
  /** SP1 in evaluations; Infinity and null as for `ert`. */
  sp1: number | null;
  medianBest: number | null;
  meanBest: number | null;
  stdBest: number | null;
}

/**
 * Returns the displayed runtime: Infinity if `value` is null and there are runs but no successful one, else `value`.
 */
export function getRuntime(
  { totalRuns, successfulRuns }: Pick<GroupSummary, 'totalRuns' | 'successfulRuns'>,
  value: number | null,
): number | null {
  return value === null && totalRuns > 0 && successfulRuns === 0 ? Infinity : value;
}

/**
 * Returns the values of a group in tables. They apply within the smallest common budget of the tested pairs, or,
 * without a common budget, to whole runs. Returns null if there is a common budget, but no tested pair includes the
 * group.
 */
export function getGroupMetrics(
  group: GroupSummary,
  { commonBudget }: Pick<Guard, 'commonBudget'>,
  hasTarget: boolean,
): GroupMetrics | null {
  if (commonBudget === null) {
    const { totalRuns: runs, successfulRuns: solved } = group;
    return selectByTarget(
      { ...group, runs, solved, ertInterval: group.ertMoverInterval },
      hasTarget,
    );
  }
  return group.atCommonBudget && selectByTarget(group.atCommonBudget, hasTarget);
}

type SummaryMetrics = Omit<GroupMetrics, 'ertInterval'> & Pick<GroupSummary, 'ertInterval'>;

function selectByTarget(values: SummaryMetrics, hasTarget: boolean): GroupMetrics {
  const { runs, solved, medianBest, meanBest, stdBest, ertInterval } = values;
  const missingMetrics = {
    successRate: null,
    successRateCi: null,
    ert: null,
    ertInterval: null,
    sp1: null,
  };
  const hasNoSuccess = runs > 0 && solved === 0;
  const successMetrics = {
    successRate: runs === 0 ? null : values.successRate,
    successRateCi: values.successRateCi,
    ert: hasNoSuccess ? Infinity : values.ert,
    ertInterval: ertInterval && {
      lower: ertInterval.lower ?? Infinity,
      upper: ertInterval.upper ?? Infinity,
    },
    sp1: hasNoSuccess ? Infinity : values.sp1,
  };
  return {
    runs,
    solved,
    medianBest,
    meanBest,
    stdBest,
    ...(hasTarget ? successMetrics : missingMetrics),
  };
}

/**
 * Returns the rule for the best fitness of runs that have passed the target, for captions. The text is empty without a
 * target. It is also empty without a common budget, because the values then belong to whole runs.
 */
export function describePassedTarget(
  { commonBudget }: Pick<Guard, 'commonBudget'>,
  hasTarget: boolean,
): string {
  return hasTarget && commonBudget !== null
    ? 'Fitness beyond the target counts as the target.'
    : '';
}

/** The rule for bold cells, for captions. */
export const boldRule =
  'Bold: significantly better than every other group that the tests compare it with (0.05, adjusted over measures and pairs).';

/** Returns whether a group is significantly better on a measure in all of its tested pairs; false without any. */
export function isBestOn(group: Pick<GroupSummary, 'bestOn'>, measure: Measure): boolean {
  return group.bestOn.includes(measure);
}

/** Returns the name of a group or optimizer in tables and legends, followed by "(baseline)" for the baseline. */
export function formatGroupTitle({
  label,
  isBaseline = false,
}: {
  label: string;
  isBaseline?: boolean | undefined;
}): string {
  return isBaseline ? `${label} (baseline)` : label;
}
