import { formatCount } from '#shared/number-format.ts';
import type { Measure, MeasuredPair } from '#shared/schemas/analysis-measures.ts';
import type { ProblemComparison } from '#shared/schemas/analysis.ts';
import { measures } from '#shared/words.ts';

/** Returns the method of the p-value of a pair; "not tested" without one. */
export function describeMethod({ method }: Pick<MeasuredPair, 'method'>): string {
  return method ?? 'not tested';
}

/** The budget within which a pair is compared, or the reason why it is not. */
interface ComparedWithin {
  commonBudget: number | null;
  reason: string | null;
}

/** Returns the common budget of a pair in evaluations, or the reason why it is not compared. */
export function getComparedWithin({ commonBudget, reason }: ComparedWithin) {
  return reason ?? commonBudget;
}

/** Returns the text of {@link getComparedWithin}; "whole runs" for data without evaluations. */
export function formatComparedWithin({ commonBudget, reason }: ComparedWithin): string {
  return reason ?? (commonBudget === 0 ? 'whole runs' : formatCount(commonBudget));
}

/** Returns the name of the significantly better group; null without one. */
export function getBetterName(
  { better, significant }: Pick<MeasuredPair, 'better' | 'significant'>,
  getName: (algorithm: string) => string,
): string | null {
  return significant ? getName(better) : null;
}

/**
 * Returns whether the difference is significant: "yes", "n.s." or, while a run is RUNNING, "interim"; null without a
 * test.
 */
export function describeSignificance(
  { pValue, significant }: Pick<MeasuredPair, 'pValue' | 'significant'>,
  isInterim: boolean,
): string | null {
  if (pValue === null) return null;
  if (isInterim) return 'interim';
  return significant ? 'yes' : 'n.s.';
}

/** Returns the heading of the verdict: claims only where the tests support some. */
export function describeVerdict({
  verdict,
  guard,
}: Pick<ProblemComparison, 'verdict' | 'guard'>): string {
  if (guard.isInterim) return 'No claims before the last run has ended';
  if (!guard.pairs.some(({ isTested }) => isTested)) return 'No pairs of groups are tested';
  return verdict.some(({ kind }) => kind === 'claim')
    ? 'What the tests below support, strongest evidence first, and what they leave open'
    : 'The tests below support no claim';
}

/**
 * Returns the pairs, those of the baseline first, then claimed ones, then by adjusted and by unadjusted p-value; within
 * these groups, untested ones last. Ties stay in their order.
 */
export function sortClaimedFirst(
  pairs: readonly MeasuredPair[],
  baseline?: string,
): MeasuredPair[] {
  const isOfBaseline = ({ a, b }: MeasuredPair): boolean => a === baseline || b === baseline;
  return pairs.toSorted(
    (one, other) =>
      Number(isOfBaseline(other)) - Number(isOfBaseline(one)) ||
      Number(other.significant) - Number(one.significant) ||
      (one.adjustedPValue ?? 2) - (other.adjustedPValue ?? 2) ||
      (one.pValue ?? 2) - (other.pValue ?? 2),
  );
}

/** Returns the key of a pair within one response. */
export function getPairId({ a, b }: Pick<MeasuredPair, 'a' | 'b'>): string {
  return JSON.stringify([a, b]);
}

/** Describes test and measure of the pairs, for the line under the title. */
export const measureWords: Readonly<Record<Measure, string>> = {
  fitness: 'Two-sided rank-sum test of the best fitness within the common budget',
  runtime: 'Two-sided rank-sum test of evaluations to target (missed = ∞)',
  success: 'Fisher’s exact test of the runs that reached the target within the common budget',
  anytime:
    'Two-sided rank-sum test of the share of levels reached, averaged over the logarithm of the budget',
};

/** Returns the measures that the pairs are tested on, in their order. */
export function getTestedMeasures({ pairwise }: Pick<ProblemComparison, 'pairwise'>): Measure[] {
  return measures.filter((measure) => pairwise[measure] !== null);
}

/** Returns the requested measure if it is tested; else runtime with a target, else fitness. */
export function getShownMeasure(
  { pairwise }: Pick<ProblemComparison, 'pairwise'>,
  requested: Measure | undefined,
): Measure {
  if (requested !== undefined && pairwise[requested] !== null) return requested;
  return pairwise.runtime === null ? 'fitness' : 'runtime';
}
