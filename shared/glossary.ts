/** A term of the field, explained once for cards, help and captions. */
export interface Term {
  /** As it is written on the pages. */
  name: string;
  /** What it means, in a sentence or two. */
  definition: string;
  /** How it is computed, in words and signs; absent where there is nothing to compute. */
  formula?: string;
  /** Which runs enter, and which are left out; absent where that is plain. */
  runs?: string;
  /** Where it comes from. */
  source?: string;
}

/** All terms that the pages explain, by id. */
export const glossary = {
  trace: {
    name: 'Trace',
    definition:
      'The iterations of a run in the order of their evaluations. Its value is the best so far, because the best of one population may be worse than that of an earlier one.',
  },
  bestSoFar: {
    name: 'Best so far',
    definition: 'The best fitness that a run has found up to an iteration, in its direction.',
    formula: 'the running minimum, or maximum, of the best fitness of each iteration',
  },
  direction: {
    name: 'Direction',
    definition:
      'Whether less or more is better. It is taken from the address, else from the configuration, else from what is known of the problem type, else from the sign of the traces; the page says from which.',
  },
  target: {
    name: 'Target',
    definition:
      'The fitness that a run has to reach to count as solved: the one in the address, else the one of the configuration. Without one, success means only that a run was completed.',
    formula: 'reached where best so far ≤ target (minimised) or ≥ target (maximised)',
  },
  budget: {
    name: 'Budget',
    definition:
      'How many evaluations a run has spent in all, whether it reached its target or not.',
  },
  evaluationsToTarget: {
    name: 'Evaluations to target',
    definition:
      'How many evaluations a run had spent when it reached the target. It is known to one generation, at whose end the runner writes.',
  },
  censored: {
    name: 'Censored',
    definition:
      'A run that ended before it reached the target: how long it would have needed is not known, only that it is more than its budget.',
  },
  successRate: {
    name: 'Success rate',
    definition: 'The share of all runs that reached the target, with the interval of Wilson.',
    formula: 'solved / all runs; interval: Wilson score, 95 %',
    runs: 'All runs count, failed and running ones too: a running one is not solved until it reaches the target.',
    source: 'Wilson 1927',
  },
  ert: {
    name: 'ERT',
    definition:
      'Expected running time: how many evaluations it takes on average to reach the target once, when a run that missed it is followed by another.',
    formula:
      '(evaluations to target of the solved runs + budgets of the others) / number of solved runs; ∞ when none is solved',
    runs: 'All runs with evaluations. What a solved run spent after its hit does not count.',
    source: 'Auger & Hansen 2005; Hansen et al. 2016',
  },
  sp1: {
    name: 'SP1',
    definition:
      'Success performance: the evaluations of the solved runs, scaled by how often a run is solved, as if the others had cost as much.',
    formula: 'mean evaluations to target of the solved runs / success rate; ∞ when none is solved',
    runs: 'The solved runs for the mean, all runs for the rate.',
    source: 'Auger & Hansen 2005',
  },
  ecdf: {
    name: 'ECDF',
    definition:
      'Empirical distribution of running times: the share of runs, or of pairs of a run and a target, that were solved within a budget. Higher and further left is better.',
    formula: 'number solved within x evaluations / number of all',
    runs: 'Those that were never solved stay in the denominator, so that the curve ends below 1.',
    source: 'Hansen et al. 2016',
  },
  dataProfile: {
    name: 'Data profile',
    definition:
      'The share of pairs of a run and an accuracy level that were solved within a budget, measured in multiples of the dimension plus one.',
    source: 'Moré & Wild 2009',
  },
  performanceProfile: {
    name: 'Performance profile',
    definition:
      'The share of accuracy levels on which the ERT of a group is within a factor of the best group’s ERT.',
    formula:
      'share of levels with ERT / best ERT ≤ τ; a level that it never solves has an infinite ratio',
    source: 'Dolan & Moré 2002',
  },
  wilcoxon: {
    name: 'Wilcoxon rank-sum test',
    definition:
      'Also Mann-Whitney: asks whether one of two samples tends to have larger values, by their ranks alone. Exact below 50 runs a group, ties included.',
    runs: 'Fitness: completed runs with a finite or infinite value. Each is one independent run.',
    source: 'Mann & Whitney 1947; Streitberg & Röhmel 1986',
  },
  holm: {
    name: 'Holm',
    definition:
      'When many pairs are tested, some differ by chance. Holm’s method raises the p-values of a family of tests so that the chance of any false claim in it stays below 5 %.',
    formula: 'the smallest p × m, the next × (m − 1), …, never falling; m tests that could be done',
    source: 'Holm 1979',
  },
  a12: {
    name: 'A12',
    definition:
      'How large a difference is: the chance that a run of A is better than a run of B, a tie counting one half. 0.5 is no difference, 1 means that A always wins.',
    formula:
      'P(A better) + ½ · P(tie); negligible below 0.56, small below 0.64, medium below 0.71, then large',
    source: 'Vargha & Delaney 2000',
  },
  notSignificant: {
    name: 'n.s.',
    definition:
      'Not significant: with these runs no difference is shown at 5 %. That is not the same as showing that there is none.',
  },
  friedman: {
    name: 'Friedman test',
    definition:
      'Ranks the groups inside each block, an instance of the problem or a seed that all share, and asks whether their mean ranks differ by more than chance.',
    source: 'Friedman 1937; Demšar 2006',
  },
  criticalDifference: {
    name: 'CD',
    definition:
      'Critical difference: mean ranks that are closer than this are not shown to differ; a bar joins them in the diagram.',
    formula: 'q(0.05, k) · √(k (k + 1) / 6N) with k groups and N blocks',
    source: 'Nemenyi 1963; Demšar 2006',
  },
  instance: {
    name: 'Problem instance',
    definition:
      'A problem as it was configured: type, parameters, representation. Runs of different instances are never pooled into one test.',
  },
  diagnosis: {
    name: 'Diagnosis',
    definition:
      'What a careful colleague would say after a look at all curves of a run, each with its threshold. None is a verdict on an algorithm.',
  },
  silent: {
    name: 'Silent',
    definition:
      'A run that is RUNNING but has written nothing for long: the longer of a minute and twenty times its usual pause. Its runner may be gone.',
  },
} as const satisfies Record<string, Term>;

/** The id of a term. */
export type TermId = keyof typeof glossary;
