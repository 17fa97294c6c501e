import type { PairwiseTest } from '#shared/schemas/analysis.ts';

/** How the p-value of a pair was found; "no sample" when there was nothing to test. */
export function methodWords({ method }: Pick<PairwiseTest, 'method'>): string {
  return method ?? 'no sample';
}

/** The name of the group that the effect size favours; null when it favours nobody or nothing was tested. */
export function betterName(
  pair: Pick<PairwiseTest, 'betterAlgorithm' | 'pValue'>,
  nameOf: (algorithm: string) => string,
): string | null {
  const isNobody = pair.pValue === null || pair.betterAlgorithm === 'none';
  return isNobody ? null : nameOf(pair.betterAlgorithm);
}

/** Whether the test bears the difference out at 0.05 after Holm: "yes" or "n.s."; null when nothing was tested. */
export function significanceWords({
  pValue,
  significantAt05,
}: Pick<PairwiseTest, 'pValue' | 'significantAt05'>): string | null {
  if (pValue === null) return null;
  return significantAt05 ? 'yes' : 'n.s.';
}

/** Identifies a pair among those of one answer. */
export function pairId(pair: Pick<PairwiseTest, 'algorithmA' | 'algorithmB'>): string {
  return JSON.stringify([pair.algorithmA, pair.algorithmB]);
}
