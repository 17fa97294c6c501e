import type { Measure, MeasuredPair } from '#shared/schemas/analysis-measures.ts';
import type { ProblemComparison } from '#shared/schemas/analysis.ts';
import { measures } from '#shared/words.ts';

/** How the p-value of a pair was found; "no sample" when there was nothing to test. */
export function methodWords({ method }: Pick<MeasuredPair, 'method'>): string {
  return method ?? 'no sample';
}

/** The name of the group that the effect size favours; null when it favours nobody or nothing was tested. */
export function betterName(
  pair: Pick<MeasuredPair, 'better' | 'pValue'>,
  nameOf: (algorithm: string) => string,
): string | null {
  const isNobody = pair.pValue === null || pair.better === 'none';
  return isNobody ? null : nameOf(pair.better);
}

/** Whether the test bears the difference out at 0.05 after Holm: "yes" or "n.s."; null when nothing was tested. */
export function significanceWords({
  pValue,
  significant,
}: Pick<MeasuredPair, 'pValue' | 'significant'>): string | null {
  if (pValue === null) return null;
  return significant ? 'yes' : 'n.s.';
}

/** Identifies a pair among those of one answer. */
export function pairId({ a, b }: Pick<MeasuredPair, 'a' | 'b'>): string {
  return JSON.stringify([a, b]);
}

/** What the pairs are tested on and how, for the line under the title. */
export const measureWords: Readonly<Record<Measure, string>> = {
  fitness: 'Best fitness of the completed runs, rank-sum',
  runtime: 'Evaluations to the target, without it infinite, rank-sum',
  success: "Runs that reached the target, Fisher's exact test",
  anytime: 'Share of levels reached, averaged over the logarithm of the budget, rank-sum',
};

/** The measures that a comparison can be asked on, in their order. */
export function askableMeasures({ pairwise }: Pick<ProblemComparison, 'pairwise'>): Measure[] {
  return measures.filter((measure) => pairwise[measure] !== null);
}

/** The measure that is asked for, where it can be; else runtime where there is a target, else fitness. */
export function shownMeasure(
  { pairwise }: Pick<ProblemComparison, 'pairwise'>,
  asked: Measure | undefined,
): Measure {
  if (asked !== undefined && pairwise[asked] !== null) return asked;
  return pairwise.runtime === null ? 'fitness' : 'runtime';
}
