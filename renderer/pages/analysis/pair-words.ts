import type { PairwiseTest } from '#shared/schemas/analysis.ts';

/** How the p-value of a pair was found; "no sample" when there was nothing to test. */
export function methodWords({ method }: Pick<PairwiseTest, 'method'>): string {
  return method ?? 'no sample';
}

/** Whom the effect size favours, with "n.s." when the test does not bear it out at 0.05; "–" for nobody. */
export function betterWords(
  pair: Pick<PairwiseTest, 'betterAlgorithm' | 'significantAt05' | 'pValue'>,
  nameOf: (algorithm: string) => string,
): string {
  if (pair.pValue === null || pair.betterAlgorithm === 'none') return '–';
  const name = nameOf(pair.betterAlgorithm);
  return pair.significantAt05 ? name : `${name}, n.s.`;
}

/** Identifies a pair among those of one answer. */
export function pairId(pair: Pick<PairwiseTest, 'algorithmA' | 'algorithmB'>): string {
  return JSON.stringify([pair.algorithmA, pair.algorithmB]);
}
