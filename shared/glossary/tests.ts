import type { Term } from './term.ts';

/** Terms of the comparison of groups. */
export const testTerms = {
  wilcoxon: {
    name: 'Wilcoxon rank-sum test',
    words: ['Wilcoxon', 'rank-sum', 'Mann-Whitney'],
    definition:
      'Also Mann-Whitney: tests whether one of two samples tends to have larger values, using only ranks. Exact below 50 runs per group, ties included.',
    runs: 'All started runs within the common budget; for a group that pools several configurations, the configurations.',
    source: 'Mann & Whitney 1947; Streitberg & Röhmel 1986',
  },
  signedRank: {
    name: 'Wilcoxon signed-rank test',
    words: ['signed-rank test', 'signed-rank'],
    definition:
      'Tests whether one of two groups tends to be better, using the ranks of their differences on the same instances. Instances without a difference are dropped.',
    source: 'Wilcoxon 1945',
  },
  fisher: {
    name: 'Fisher’s exact test',
    words: ["Fisher's exact test", 'Fisher’s exact test', 'Fisher'],
    definition:
      'Tests whether two groups solve the target equally often, by enumerating all tables with the same totals.',
    formula:
      'p = sum of the probabilities of all tables that are at most as probable as the observed one',
    source: 'Fisher 1922',
  },
  rateDifference: {
    name: 'A − B',
    words: ['A − B', 'Newcombe'],
    definition:
      'Difference of the success rates of two groups, with Newcombe interval at 1 − 0.05 / (pairs · measures).',
    source: 'Newcombe 1998, method 10',
  },
  anytime: {
    name: 'Anytime performance',
    words: ['anytime performance', 'anytime'],
    definition:
      'Performance of a run over the whole common budget, not only at its end: share of accuracy levels reached, averaged over the logarithm of the budget. 1 = all levels immediately, 0 = none.',
    formula: 'mean over levels of max(0, 1 − log T / log B), B the common budget of the pair',
    runs: 'Within the common budget of the pair; a failed run counts as 0.',
  },
  pValue: {
    name: 'p',
    words: ['p-value', 'p-values'],
    definition:
      'Probability of a difference at least as large as the observed one if the groups did not differ. Two-sided.',
  },
  exact: {
    name: 'Exact or asymptotic',
    words: ['exact', 'asymptotic', 'method'],
    definition:
      'An exact p-value enumerates all possible arrangements of the values, ties included; an asymptotic one uses the normal or χ² distribution, which needs larger samples.',
  },
  holm: {
    name: 'Holm',
    words: ['Holm', 'adjusted p'],
    definition:
      'When many pairs are tested on several measures, some differ by chance. The p-values are adjusted over the measures of a pair (min-p permutation, step-down), then over the pairs (Holm), so that the probability of any false claim stays below 5 %.',
    formula:
      'p of the measure, adjusted over the measures of its pair, × number of tested pairs; the factor decreases only for pairs that differ on all measures',
    source: 'Westfall & Young 1993; Holm 1979',
  },
  commonBudget: {
    name: 'Common budget',
    words: ['common budget', 'granted budget', 'smallest common budget'],
    definition:
      'The number of evaluations within which two groups are compared: the minimum of the granted budgets, the evaluations of running runs, and the ends of stopped runs that missed the target. Beyond it, the data of both groups are incomplete.',
    runs: 'All started runs. A failed run counts as a failure of the algorithm unless failed runs are excluded.',
  },
  interim: {
    name: 'Interim',
    words: ['interim', 'one look'],
    definition:
      'A run of the groups is still running. Tests are shown without claims: testing after every run and stopping at the first significant result gives false claims in about one of five cases. Claims are valid for a single test after the last run.',
  },
  a12: {
    name: 'A12',
    words: ['A12', 'effect', 'large effect', 'medium effect', 'small effect', 'negligible effect'],
    definition:
      'Effect size: the probability that a run of A is better than a run of B, a tie counting one half. 0.5 = no difference, 1 = A always better.',
    formula:
      'P(A better) + ½ · P(tie); negligible below 0.56, small below 0.64, medium below 0.71, then large; interval by DeLong, at 1 − 0.05 / (pairs · measures)',
    source: 'Vargha & Delaney 2000',
  },
  shift: {
    name: 'Shift',
    words: ['shift', 'Hodges-Lehmann'],
    definition:
      'Difference of two groups in the unit of the measure: the median of all differences between a run of A and a run of B.',
    formula:
      'median of all a − b; interval from the Cth smallest to the Cth largest a − b, by the exact distribution of the rank-sum test at 0.05 / (pairs · measures)',
    runs: 'Undefined where a run of either group did not reach the target.',
    source: 'Hodges & Lehmann 1963',
  },
  notSignificant: {
    name: 'n.s.',
    words: ['n.s.', 'significant', 'not distinguishable', 'not shown to differ'],
    definition: 'Not significant at the 5 % level. This is not evidence of equivalence.',
  },
  runsNeeded: {
    name: 'Runs needed',
    words: ['runs needed', 'further runs', 'more runs'],
    definition:
      'Number of runs per group for which a test detects the smallest effect of interest with probability 0.8. Choose that effect in advance; do not use the observed effect. `GET /api/analysis/runs-needed` computes the number for any A12, power, level and number of pairs.',
    formula:
      'N = (z(1 − 0.05 / 2m) + z(0.8))² / (12 c (1 − c) (A12 − 1/2)²) for m pairs, c = share of one group; for success the exact power of Fisher’s test',
    source: 'Noether 1987; Casagrande, Pike & Smith 1978',
  },
  attainable: {
    name: 'Smallest attainable p',
    words: ['smallest attainable p', 'attainable p'],
    definition:
      'The smallest adjusted p-value possible with these values. If it is above 0.05, no difference can be significant: there are too few runs or too many equal values.',
    formula:
      'at least 2 / C(n₁ + n₂, n₁) × number of tested pairs, without other pairs that are significant on all measures',
  },
  friedman: {
    name: 'Friedman test',
    words: ['Friedman test', 'Friedman', 'blocks'],
    definition:
      'Ranks the groups within each block (a shared instance, function over its dimensions and numbered instances, or seed) and tests whether their mean ranks differ by more than chance.',
    source: 'Friedman 1937; Demšar 2006',
  },
  imanDavenport: {
    name: 'Iman-Davenport',
    definition:
      'A less conservative transformation of Friedman’s statistic, with the F distribution.',
    formula: 'F = (N − 1) χ² / (N (k − 1) − χ²) with k groups and N blocks',
    source: 'Iman & Davenport 1980',
  },
  kruskalWallis: {
    name: 'Kruskal-Wallis',
    definition:
      'Tests whether any of several independent samples tends to have larger values, using their pooled ranks. Used where groups share no blocks.',
    source: 'Kruskal & Wallis 1952',
  },
  averageRank: {
    name: 'Average rank',
    words: ['average rank', 'average ranks', 'mean rank', 'mean ranks'],
    definition:
      'The rank of a group (1 = best) averaged over the blocks; tied groups get the mean of their ranks.',
  },
  criticalDifference: {
    name: 'CD',
    words: ['CD', 'critical difference', 'critical differences', 'Nemenyi'],
    definition:
      'Critical difference of Nemenyi: smaller differences between mean ranks are not significant by ranks alone. It is drawn for scale only: bars join groups that do not differ significantly in the tests of pairs.',
    formula: 'q(0.05, k) · √(k (k + 1) / 6N) with k groups and N blocks',
    source: 'Nemenyi 1963; Demšar 2006',
  },
} as const satisfies Record<string, Term>;
