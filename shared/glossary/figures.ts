import type { Term } from './term.ts';

/** Terms of the statistics of experiments and groups. */
export const figureTerms = {
  trace: {
    name: 'Trace',
    words: ['trace', 'traces'],
    definition:
      'The history of the best-so-far fitness of a run over its evaluations. It uses the best so far, because the best of a population may be worse than that of an earlier one.',
  },
  bestSoFar: {
    name: 'Best so far',
    definition: 'The best fitness of a run up to an iteration, in its direction.',
    formula: 'the running minimum, or maximum, of the best fitness of each iteration',
  },
  direction: {
    name: 'Direction',
    words: ['direction', 'directions', 'minimised', 'maximised'],
    definition:
      'Whether fitness is minimised or maximised. Taken from the URL, else from the configuration, else from the problem type, else inferred from the traces; the page shows the source.',
  },
  target: {
    name: 'Target',
    words: ['target', 'targets'],
    definition:
      'The fitness that a run must reach to count as solved: from the URL, else from the configuration. Without a target, success only means that a run completed.',
    formula: 'reached where best so far ≤ target (minimised) or ≥ target (maximised)',
  },
  budget: {
    name: 'Budget',
    words: ['budget', 'budgets'],
    definition: 'Total number of evaluations of a run, whether it reached its target or not.',
  },
  evaluationsToTarget: {
    name: 'Evaluations to target',
    words: ['evaluations to target', 'evaluations to the target', 'time to target', 'to target'],
    definition:
      'Number of evaluations of a run when it reached the target. The resolution is one generation, because the runner writes at its end; for imported runs, one row of their data.',
  },
  censored: {
    name: 'Censored',
    words: ['censored', 'censors'],
    definition:
      'A run that ended before it reached the target: its time to the target is unknown, only that it exceeds its budget.',
  },
  solved: {
    name: 'Solved',
    words: ['solved', 'unsolved'],
    definition: 'A run that reached its target at any time. Without a target, a completed run.',
  },
  successRate: {
    name: 'Success rate',
    words: ['success rate', 'success rates', 'success'],
    definition: 'Share of all runs that reached the target, with Wilson interval.',
    formula: 'solved / all runs; interval: Wilson score, 95 %',
    runs: 'All runs, including failed and running ones; a running run counts as unsolved until it reaches the target.',
    source: 'Wilson 1927',
  },
  ert: {
    name: 'ERT',
    words: ['ERT', 'ERTs', 'expected runtime', 'expected runtimes'],
    definition:
      'Expected running time: expected number of evaluations to reach the target when unsuccessful runs are restarted.',
    formula:
      '(evaluations to target of the solved runs + budgets of the others) / number of solved runs; ∞ without solved runs',
    runs: 'All runs with evaluations. Evaluations of a solved run after it reached the target do not count.',
    source: 'Auger & Hansen 2005; Hansen et al. 2016',
  },
  sp1: {
    name: 'SP1',
    definition:
      'Success performance: the mean evaluations of the solved runs divided by the success rate, i.e. assuming unsuccessful runs cost as much as successful ones.',
    formula: 'mean evaluations to target of the solved runs / success rate; ∞ without solved runs',
    runs: 'Solved runs for the mean, all runs for the rate.',
    source: 'Auger & Hansen 2005',
  },
  ecdf: {
    name: 'ECDF',
    words: ['ECDF', 'ECDFs'],
    definition:
      'Empirical distribution of running times: the share of runs, or of (run, target) pairs, solved within a budget. Higher and further left is better.',
    formula: 'number solved within x evaluations / total number',
    runs: 'Unsolved ones remain in the denominator, so the curve ends below 1.',
    source: 'Hansen et al. 2016',
  },
  accuracyLevel: {
    name: 'Accuracy level',
    words: ['accuracy level', 'accuracy levels', 'levels'],
    definition:
      'One of six levels between the initial value of the runs and the target or, without a target, the best value of any run.',
    formula: 'f ≤ best + τ (start − best) with τ = 0.1, 0.01, 0.001, 1e−5, 1e−7 and 0',
    source: 'Moré & Wild 2009',
  },
  dataProfile: {
    name: 'Data profile',
    words: ['data profile', 'data profiles'],
    definition:
      'Share of (run, accuracy level) pairs solved within a budget, in multiples of the dimension plus one.',
    source: 'Moré & Wild 2009',
  },
  performanceProfile: {
    name: 'Performance profile',
    words: ['performance profile', 'performance profiles'],
    definition:
      'Share of accuracy levels for which the ERT of a group is within a factor of the best group’s ERT.',
    formula: 'share of levels with ERT / best ERT ≤ τ; an unsolved level has an infinite ratio',
    source: 'Dolan & Moré 2002',
  },
  interval: {
    name: '95 % CI',
    words: ['95 % CI', '95 % interval', '95 % t-interval', 'interval', 'intervals'],
    definition:
      'Confidence interval: 95 % of intervals constructed this way contain the true value. Student’s t for a mean, order statistics for a median, Wilson’s for a success rate, MOVER for the ERT. Intervals of tests of pairs are simultaneous: all of them together contain the true values in 95 % of the cases (Bonferroni over pairs and measures). This is stricter than the adjustment of p-values, so such an interval can contain “no difference” although the difference is significant. If all runs are solved and no common budget is known, the interval of the ERT assumes that every run succeeds, and is not shown below 15 runs.',
    formula: 'mean ± t(0.975, n − 1) · s / √n; undefined for a single run',
  },
  quartiles: {
    name: 'Quartiles',
    words: ['quartiles', 'quartile', 'IQR'],
    definition:
      'A quarter of the values lie below the first quartile, three quarters below the third; the IQR is the distance between them.',
    formula: 'type 7 of Hyndman & Fan; whiskers at the most extreme value within 1.5 IQR',
    source: 'Hyndman & Fan 1996',
  },
  sampleSize: {
    name: 'n',
    words: [],
    definition: 'Number of values behind a statistic.',
    runs: 'For best fitness: completed runs with a value. For curves: runs with a value at that point.',
  },
  standardDeviation: {
    name: 'Standard deviation',
    words: ['standard deviation', 'standard deviations', 'std'],
    definition: 'Spread of values around their mean.',
    formula: '√(sum of squared distances / (n − 1)); undefined for a single value',
  },
  instance: {
    name: 'Problem instance',
    words: ['problem instance', 'instance', 'instances'],
    definition:
      'A problem with fixed configuration: type, parameters, representation. Runs of different instances are never pooled into one test. In COCO, one of the shifted and rotated versions of a function.',
  },
  seed: {
    name: 'Seed',
    words: ['seed', 'seeds'],
    definition:
      'Seed of the run’s random number generator. The same configuration with the same seed repeats the run.',
  },
} as const satisfies Record<string, Term>;
