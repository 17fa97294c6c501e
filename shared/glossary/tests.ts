import type { Term } from './term.ts';

/** How groups are compared. */
export const testTerms = {
  wilcoxon: {
    name: 'Wilcoxon rank-sum test',
    words: ['Wilcoxon', 'rank-sum', 'Mann-Whitney'],
    definition:
      'Also Mann-Whitney: asks whether one of two samples tends to have larger values, by their ranks alone. Exact below 50 runs a group, ties included.',
    runs: 'All started runs within the common budget, or the configurations where a group pools several.',
    source: 'Mann & Whitney 1947; Streitberg & Röhmel 1986',
  },
  signedRank: {
    name: 'Wilcoxon signed-rank test',
    words: ['signed-rank test', 'signed-rank'],
    definition:
      'Asks whether one of two groups tends to be better, by the ranks of their differences on the same instances. Instances without a difference are dropped.',
    source: 'Wilcoxon 1945',
  },
  fisher: {
    name: 'Fisher’s exact test',
    words: ["Fisher's exact test", 'Fisher’s exact test', 'Fisher'],
    definition:
      'Asks whether two groups solve the target equally often, by counting all tables with the same totals.',
    formula: 'p = the sum of the probabilities of all tables at most as probable as this one',
    source: 'Fisher 1922',
  },
  rateDifference: {
    name: 'A − B',
    words: ['A − B', 'Newcombe'],
    definition:
      'By how much the success rates of two groups differ, with the interval of Newcombe.',
    source: 'Newcombe 1998, method 10',
  },
  anytime: {
    name: 'Anytime performance',
    words: ['anytime performance', 'anytime'],
    definition:
      'How good a run is all along the common budget, not only at its end: the share of accuracy levels reached, averaged over the logarithm of the budget. 1 is all at once, 0 is none.',
    formula: 'mean over levels of max(0, 1 − log T / log B), B the common budget of the pair',
    runs: 'Within the common budget of the pair; a failed run has 0.',
  },
  pValue: {
    name: 'p',
    words: ['p-value', 'p-values'],
    definition:
      'How often a difference at least as large as this one would come about by chance alone, if the groups did not differ. Two-sided.',
  },
  exact: {
    name: 'Exact or asymptotic',
    words: ['exact', 'asymptotic', 'method'],
    definition:
      'An exact p-value counts every way in which the values could have fallen, ties included; an asymptotic one takes the normal or χ² distribution instead, which needs larger samples.',
  },
  holm: {
    name: 'Holm',
    words: ['Holm', 'adjusted p'],
    definition:
      'When many pairs are tested on several measures, some differ by chance. The p-values are raised over the measures of a pair (min-p permutation, step-down), then over the pairs (Holm), so that the chance of any false claim stays below 5 %.',
    formula:
      'p of the measure, adjusted over the measures of its pair, × the number of tested pairs; the factor falls only for pairs that differ on all measures',
    source: 'Westfall & Young 1993; Holm 1979',
  },
  commonBudget: {
    name: 'Common budget',
    words: ['common budget', 'granted budget', 'smallest common budget'],
    definition:
      'The evaluations within which two groups are compared: the smallest budget that was granted, what running runs have spent, and where stopped runs ended that missed the target. Nothing beyond it is known of both.',
    runs: 'All started runs. A failed run counts as a failure of the algorithm unless failed runs are left out.',
  },
  interim: {
    name: 'Interim',
    words: ['interim', 'one look'],
    definition:
      'A run of the groups is still running. Tests are shown, but nothing is claimed: looking after every run and stopping at the first significant result makes false claims in one of five cases. The claim holds for one look, after the last run.',
  },
  a12: {
    name: 'A12',
    words: ['A12', 'effect', 'large effect', 'medium effect', 'small effect', 'negligible effect'],
    definition:
      'How large a difference is: the chance that a run of A is better than a run of B, a tie counting one half. 0.5 is no difference, 1 means that A always wins.',
    formula:
      'P(A better) + ½ · P(tie); negligible below 0.56, small below 0.64, medium below 0.71, then large; interval by DeLong',
    source: 'Vargha & Delaney 2000',
  },
  shift: {
    name: 'Shift',
    words: ['shift', 'Hodges-Lehmann'],
    definition:
      'By how much two groups differ, in what the measure counts in: the median of all differences between a run of A and a run of B.',
    runs: 'None where a run of either group did not reach the target.',
    source: 'Hodges & Lehmann 1963',
  },
  notSignificant: {
    name: 'n.s.',
    words: ['n.s.', 'significant', 'not distinguishable', 'not shown to differ'],
    definition:
      'Not significant: with these runs no difference is shown at 5 %. This is not evidence of equivalence.',
  },
  runsNeeded: {
    name: 'Runs needed',
    words: ['runs needed', 'further runs', 'more runs'],
    definition:
      'How many runs each group needs for a test to find the smallest effect of interest with probability 0.8. That effect is chosen in advance; the observed one must not be put in its place. `GET /api/analysis/runs-needed` computes it for any A12, power, level and number of pairs.',
    formula:
      'N = (z(1 − 0.05 / 2m) + z(0.8))² / (12 c (1 − c) (A12 − 1/2)²) for m pairs, c = share of one group; for success the exact power of Fisher’s test',
    source: 'Noether 1987; Casagrande, Pike & Smith 1978',
  },
  attainable: {
    name: 'Smallest attainable p',
    words: ['smallest attainable p', 'attainable p'],
    definition:
      'The smallest adjusted p-value that these values could give, however they fell to the two groups. Where it is above 0.05, no difference can be shown: there are too few runs, or too many equal values.',
    formula:
      'at least 2 / C(n₁ + n₂, n₁) × the number of tested pairs, without others that are claimed on all measures',
  },
  friedman: {
    name: 'Friedman test',
    words: ['Friedman test', 'Friedman', 'blocks'],
    definition:
      'Ranks the groups inside each block, an instance, a function over its dimensions, or a seed that all share, and asks whether their mean ranks differ by more than chance.',
    source: 'Friedman 1937; Demšar 2006',
  },
  imanDavenport: {
    name: 'Iman-Davenport',
    definition:
      'Friedman’s statistic turned into one that is less conservative, with the F distribution.',
    formula: 'F = (N − 1) χ² / (N (k − 1) − χ²) with k groups and N blocks',
    source: 'Iman & Davenport 1980',
  },
  kruskalWallis: {
    name: 'Kruskal-Wallis',
    definition:
      'Asks whether any of several independent samples tends to have larger values, by their pooled ranks. Used where groups share no blocks.',
    source: 'Kruskal & Wallis 1952',
  },
  averageRank: {
    name: 'Average rank',
    words: ['average rank', 'average ranks', 'mean rank', 'mean ranks'],
    definition:
      'The rank of a group, 1 for the best, averaged over the blocks; groups that tie share the mean of their ranks.',
  },
  criticalDifference: {
    name: 'CD',
    words: ['CD', 'critical difference', 'critical differences', 'Nemenyi'],
    definition:
      'Critical difference of Nemenyi: mean ranks that are closer than this are not shown to differ by ranks alone. It is drawn for scale only: bars join groups whose difference is not claimed by the tests of pairs.',
    formula: 'q(0.05, k) · √(k (k + 1) / 6N) with k groups and N blocks',
    source: 'Nemenyi 1963; Demšar 2006',
  },
} as const satisfies Record<string, Term>;
