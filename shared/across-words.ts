import { describeCount, formatCount, formatPValue, formatShare } from './number-format.ts';
import type { Across, AcrossCell, AcrossInstance, CellMeasure } from './schemas/analysis-across.ts';

/** Descriptions of the measures of the cells, for captions. */
export const cellWords: Readonly<Record<CellMeasure, string>> = {
  median: 'Median best fitness of the started runs (beyond a target: the target)',
  mean: 'Mean best fitness of the started runs (beyond a target: the target)',
  ert: 'Expected runtime (ERT) in evaluations to the target of each instance',
  success: 'Success rate, by the target of each instance',
  anytime: 'Mean anytime performance (share of levels reached, over the logarithm of the budget)',
};

/**
 * Returns the rule for bold cells and asterisks. While a run is RUNNING, returns the statement that the table marks no
 * cell.
 */
export function describeMarks({ guard }: Pick<Across, 'guard'>): string {
  if (guard.isInterim) return 'The table marks no cell while a run is RUNNING.';
  return (
    'Bold: significantly better than every other group that the tests compare it with on the instance. Asterisk: no other group is ' +
    'significantly better, and some group is significantly worse (0.05, adjusted over measures, pairs and instances).'
  );
}

/**
 * Returns whether cells of an instance get an asterisk, that is, whether a group is significantly worse than another
 * and no group is bold.
 */
export function hasAsterisks(
  cells: readonly Pick<AcrossCell, 'clearlyBest' | 'indistinguishable'>[],
): boolean {
  const isDecided = cells.some(({ indistinguishable }) => indistinguishable === false);
  return isDecided && cells.every(({ clearlyBest }) => !clearlyBest);
}

/** Definitions of the difference of a pair on an instance, by scale, as clauses: "a difference is …". */
export const pairScaleWords: Readonly<Record<Across['pairTests']['scale'], string>> = {
  log10Ert: 'a difference is the log10 ratio of their ERT',
  log10Precision: 'a difference is the log10 ratio of their distances to the known optimum',
  successRate: 'a difference is that of their success rates',
  anytime: 'a difference is that of their anytime performance',
};

/**
 * Returns the rule by which tests name a better group. If groups have different numbers of runs, also states which runs
 * the tests use. While a run is RUNNING, returns only the statement that the tests claim nothing.
 */
export function describePairClaims({
  pairTests,
  instances,
}: Pick<Across, 'pairTests'> & {
  instances: readonly Pick<AcrossInstance, 'differences'>[];
}): string {
  if (pairTests.isInterim) return 'Interim, because runs are RUNNING: the tests claim nothing.';
  const hasUnequalRuns = instances.some(({ differences }) => differences.runs !== null);
  return (
    'The tests name the better group where the adjusted p-value is at most 0.05.' +
    (hasUnequalRuns
      ? ' Where two groups have different numbers of runs, their test uses equally many of both, the first ones.'
      : '')
  );
}

/** Returns a sentence about the instances that the tests of pairs omit; empty if there are none. */
export function describeUnscaledInstances({
  pairTests: { unscaled },
}: Pick<Across, 'pairTests'>): string {
  if (unscaled.length === 0) return '';
  return `Omitted from these tests, because fitness is comparable across instances only with a known optimum: ${unscaled.join('; ')}.`;
}

/**
 * Returns a sentence if the tests of pairs have too few blocks for any significant difference; empty if some pair can
 * be significant, without tested pairs, and while a run is RUNNING.
 */
export function describeUnattainableSignificance({
  pairTests: { pairs, isInterim },
}: Pick<Across, 'pairTests'>): string {
  const attainablePValues = pairs.flatMap(({ attainablePValue }) => attainablePValue ?? []);
  const smallestPValue = Math.min(...attainablePValues);
  if (isInterim || attainablePValues.length === 0 || smallestPValue <= 0.05) return '';
  return (
    `No difference of a pair can be significant at 0.05: with so few blocks that differ, and ` +
    `${describeCount(attainablePValues.length, 'tested pair')}, the smallest possible adjusted p-value is ${formatPValue(smallestPValue)}.`
  );
}

/** Returns the definition of a block of ranks and tests over instances, as a clause. */
export function describeBlocks({ blocks }: Pick<Across, 'blocks'>): string {
  return blocks === 'function'
    ? 'a function is one block, averaged over its dimensions and numbered instances'
    : 'an instance is one block';
}

/** Returns the instances that ranks and tests across instances include: "the 3 instances that all groups share". */
export function describeTestedInstances({
  missing,
  instances,
}: Pick<Across, 'missing'> & { instances: readonly Pick<AcrossInstance, 'isShared'>[] }): string {
  const sharedCount = instances.filter(({ isShared }) => isShared).length;
  const instanceCount = describeCount(instances.length, 'instance');
  if (missing === 'worst') return `all ${instanceCount}, where a group without results is worst`;
  if (missing === 'pairwise') return `those of ${instanceCount} on which both groups have results`;
  return `the ${describeCount(sharedCount, 'instance')} that all groups share`;
}

/**
 * Returns the differences between the groups on an instance: "budget (1 000 to 5 000), runs (10 to 15)"; empty if all
 * are null.
 */
export function describeDifference({ differences }: Pick<AcrossInstance, 'differences'>): string {
  const { budget, runs, completed } = differences;
  return [
    ...(budget ? [`budget (${formatCount(budget.least)} to ${formatCount(budget.most)})`] : []),
    ...(runs ? [`runs (${formatCount(runs.least)} to ${formatCount(runs.most)})`] : []),
    ...(completed
      ? [`completed runs (${formatShare(completed.least)} to ${formatShare(completed.most)})`]
      : []),
  ].join(', ');
}
