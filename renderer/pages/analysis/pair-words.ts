import type { Measure, MeasuredPair } from '#shared/schemas/analysis-measures.ts';
import type { ProblemComparison } from '#shared/schemas/analysis.ts';
import { measures } from '#shared/words.ts';

/** How the p-value of a pair was found; "not tested" where there is none. */
export function methodWords({ method }: Pick<MeasuredPair, 'method'>): string {
  return method ?? 'not tested';
}

/** The name of the group that is claimed to be better; null without a claim. */
export function betterName(
  { better, significant }: Pick<MeasuredPair, 'better' | 'significant'>,
  nameOf: (algorithm: string) => string,
): string | null {
  return significant ? nameOf(better) : null;
}

/** Whether the difference is claimed: "yes", "n.s." or, while a run is RUNNING, "interim"; null where nothing was tested. */
export function significanceWords(
  { pValue, significant }: Pick<MeasuredPair, 'pValue' | 'significant'>,
  isInterim: boolean,
): string | null {
  if (pValue === null) return null;
  if (isInterim) return 'interim';
  return significant ? 'yes' : 'n.s.';
}

/** What the sentences of a verdict are: claims only where the tests support some. */
export function verdictWords({
  verdict,
  guard,
}: Pick<ProblemComparison, 'verdict' | 'guard'>): string {
  if (guard.isInterim) return 'Nothing is claimed before the last run has ended';
  if (!guard.pairs.some(({ isTested }) => isTested)) return 'No pair of groups is tested';
  return verdict.some(({ kind }) => kind === 'claim')
    ? 'What the tests below support, strongest evidence first, and what they leave open'
    : 'The tests below support no claim';
}

/** Identifies a pair among those of one answer. */
export function pairId({ a, b }: Pick<MeasuredPair, 'a' | 'b'>): string {
  return JSON.stringify([a, b]);
}

/** What the pairs are tested on and how, for the line under the title. */
export const measureWords: Readonly<Record<Measure, string>> = {
  fitness: 'Two-sided rank-sum test of the best fitness within the common budget',
  runtime: 'Two-sided rank-sum test of evaluations to target (missed = ∞)',
  success: 'Fisher’s exact test of the runs that reached the target within the common budget',
  anytime:
    'Two-sided rank-sum test of the share of levels reached, averaged over the logarithm of the budget',
};

/** The measures that the pairs are tested on, in their order. */
export function askableMeasures({ pairwise }: Pick<ProblemComparison, 'pairwise'>): Measure[] {
  return measures.filter((measure) => pairwise[measure] !== null);
}

/** The requested measure, where it is tested; else runtime where there is a target, else fitness. */
export function shownMeasure(
  { pairwise }: Pick<ProblemComparison, 'pairwise'>,
  asked: Measure | undefined,
): Measure {
  if (asked !== undefined && pairwise[asked] !== null) return asked;
  return pairwise.runtime === null ? 'fitness' : 'runtime';
}
