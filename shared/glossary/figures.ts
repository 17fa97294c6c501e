import type { Term } from './term.ts';

/** What the figures of an experiment and of its groups are made of. */
export const figureTerms = {
  trace: {
    name: 'Trace',
    words: ['trace', 'traces'],
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
    words: ['direction', 'directions', 'minimised', 'maximised'],
    definition:
      'Whether less or more is better. It is taken from the address, else from the configuration, else from what is known of the problem type, else from the sign of the traces; the page says from which.',
  },
  target: {
    name: 'Target',
    words: ['target', 'targets'],
    definition:
      'The fitness that a run has to reach to count as solved: the one in the address, else the one of the configuration. Without one, success means only that a run was completed.',
    formula: 'reached where best so far ≤ target (minimised) or ≥ target (maximised)',
  },
  budget: {
    name: 'Budget',
    words: ['budget', 'budgets'],
    definition:
      'How many evaluations a run has spent in all, whether it reached its target or not.',
  },
  evaluationsToTarget: {
    name: 'Evaluations to target',
    words: ['evaluations to target', 'evaluations to the target', 'time to target', 'to target'],
    definition:
      'How many evaluations a run had spent when it reached the target. It is known to one generation, at whose end the runner writes; of imported runs to one row of their data.',
  },
  censored: {
    name: 'Censored',
    words: ['censored', 'censors'],
    definition:
      'A run that ended before it reached the target: how long it would have needed is not known, only that it is more than its budget.',
  },
  solved: {
    name: 'Solved',
    words: ['solved', 'unsolved'],
    definition:
      'A run that reached its target at any time. Without a target, one that was completed.',
  },
  successRate: {
    name: 'Success rate',
    words: ['success rate', 'success rates', 'success'],
    definition: 'The share of all runs that reached the target, with the interval of Wilson.',
    formula: 'solved / all runs; interval: Wilson score, 95 %',
    runs: 'All runs count, failed and running ones too: a running one is not solved until it reaches the target.',
    source: 'Wilson 1927',
  },
  ert: {
    name: 'ERT',
    words: ['ERT', 'ERTs', 'expected runtime', 'expected runtimes'],
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
    words: ['ECDF', 'ECDFs'],
    definition:
      'Empirical distribution of running times: the share of runs, or of pairs of a run and a target, that were solved within a budget. Higher and further left is better.',
    formula: 'number solved within x evaluations / number of all',
    runs: 'Those that were never solved stay in the denominator, so that the curve ends below 1.',
    source: 'Hansen et al. 2016',
  },
  accuracyLevel: {
    name: 'Accuracy level',
    words: ['accuracy level', 'accuracy levels', 'levels'],
    definition:
      'One of six steps on the way from where the runs begin to the target, or without one to the best value that any of them found.',
    formula: 'f ≤ best + τ (start − best) with τ = 0.1, 0.01, 0.001, 1e−5, 1e−7 and 0',
    source: 'Moré & Wild 2009',
  },
  dataProfile: {
    name: 'Data profile',
    words: ['data profile', 'data profiles'],
    definition:
      'The share of pairs of a run and an accuracy level that were solved within a budget, measured in multiples of the dimension plus one.',
    source: 'Moré & Wild 2009',
  },
  performanceProfile: {
    name: 'Performance profile',
    words: ['performance profile', 'performance profiles'],
    definition:
      'The share of accuracy levels on which the ERT of a group is within a factor of the best group’s ERT.',
    formula:
      'share of levels with ERT / best ERT ≤ τ; a level that it never solves has an infinite ratio',
    source: 'Dolan & Moré 2002',
  },
  interval: {
    name: '95 % CI',
    words: ['95 % CI', '95 % interval', '95 % t-interval', 'interval', 'intervals'],
    definition:
      'Confidence interval: made so that in 95 of 100 repetitions of the whole experiment it holds the true value. Of a mean it is Student’s, of a success rate Wilson’s, of the ERT a bootstrap over the runs.',
    formula: 'mean ± t(0.975, n − 1) · s / √n; none for a single run',
  },
  quartiles: {
    name: 'Quartiles',
    words: ['quartiles', 'quartile', 'IQR'],
    definition:
      'A quarter of the values lies below the first, three quarters below the third; half of them in between (the IQR).',
    formula: 'type 7 of Hyndman & Fan; whiskers at the most extreme value within 1.5 IQR',
    source: 'Hyndman & Fan 1996',
  },
  sampleSize: {
    name: 'n',
    words: [],
    definition: 'How many values a figure is made of.',
    runs: 'Of best fitness: the completed runs with a value. Of curves: the runs that have one at that place.',
  },
  standardDeviation: {
    name: 'Standard deviation',
    words: ['standard deviation', 'standard deviations', 'std'],
    definition: 'How far values lie from their mean.',
    formula: '√(sum of squared distances / (n − 1)); none for a single value',
  },
  instance: {
    name: 'Problem instance',
    words: ['problem instance', 'instance', 'instances'],
    definition:
      'A problem as it was configured: type, parameters, representation. Runs of different instances are never pooled into one test. In COCO one of the shifted and rotated versions of a function.',
  },
  seed: {
    name: 'Seed',
    words: ['seed', 'seeds'],
    definition:
      'The number that the random generator of a run began with: the same configuration with the same seed repeats the run.',
  },
} as const satisfies Record<string, Term>;
