import type { Term } from './term.ts';

/** The words of COCO campaigns. */
export const cocoTerms = {
  campaign: {
    name: 'Campaign',
    words: ['campaign', 'campaigns'],
    definition:
      'A complete benchmark: optimizers on the functions, dimensions and instances of a suite, each combination at least once.',
    source: 'Hansen et al. 2021 (COCO)',
  },
  suite: {
    name: 'Suite',
    words: ['suite', 'suites'],
    definition: 'A collection of test functions, such as bbob with its 24.',
    source: 'Hansen et al. 2009',
  },
  cocoFunction: {
    name: 'Function',
    words: ['function', 'functions'],
    definition:
      'One of the numbered test functions of a suite; f1 of bbob is the sphere, f8 Rosenbrock’s function.',
  },
  trial: {
    name: 'Trial',
    words: ['trial', 'trials'],
    definition:
      'One run of an optimizer on one instance of a function in one dimension. One that FAILED is not part of the ERT; in the ECDF and in tests it counts as unsolved, unless it is excluded.',
  },
  cell: {
    name: 'Cell',
    words: ['shared cells', 'missing cell', 'missing cells'],
    definition:
      'One instance of one function in one dimension. Optimizers are compared on the cells that all of them have, unless chosen otherwise; each cell counts once, however many trials it has.',
  },
  optimizer: {
    name: 'Optimizer',
    words: ['optimizer', 'optimizers'],
    definition: 'An algorithm with its whole configuration, as the campaign names it.',
  },
  reference: {
    name: 'Reference',
    words: ['reference', 'references', 'reference ERT'],
    definition:
      'Published results of other optimizers on the same function, dimension and target. Ratios use the smallest ERT among them or, where none are stored, the smallest ERT of the compared optimizers.',
    runs: 'A reference that reports an ERT without any success is doubtful and not used.',
  },
  doubtfulReference: {
    name: 'Doubtful reference',
    words: ['doubtful'],
    definition:
      'A reference with a finite ERT and no success, because published tables contain a sort key there. It is marked and excluded from ratios.',
  },
  ertRatio: {
    name: 'ERT ratio',
    words: ['ERT ratio', 'ERT ratios', 'ratio to the reference'],
    definition:
      'Runtime of an optimizer divided by that of the reference: the best stored result or, where none is stored, the best of the compared optimizers, which then have no ratio below 1. Below 1 it is faster. Infinite where it never reached the target.',
    formula: 'ERT / reference ERT for the same function, dimension and target',
  },
  geometricMean: {
    name: 'Geometric mean',
    words: ['geometric mean'],
    definition:
      'The mean of ratios: half as fast and twice as fast average to equally fast. Undefined where a function was not solved, because its ratio is infinite.',
    formula: 'exp(mean of the logarithms)',
  },
  area: {
    name: 'Area under the ECDF',
    words: ['area'],
    definition:
      'Share solved, averaged over all budgets up to a limit: 1 = everything solved immediately, 0 = nothing solved. The limit is the smallest budget of the optimizers, unless another is chosen.',
    formula: 'mean share solved over the logarithm of the budget from 1 to the limit',
  },
  simulatedRestarts: {
    name: 'Simulated restarts',
    words: ['simulated restarts', 'simulated restart'],
    definition:
      'An unsuccessful trial is continued by randomly drawn trials of the same function and dimension until one reaches the target. The random generator has a fixed seed.',
    source: 'Hansen et al. 2016',
  },
  completeness: {
    name: 'Completeness',
    words: ['completeness', 'completeness grid'],
    definition:
      'Finished trials of the planned ones per optimizer, dimension and function; failed ones are counted separately. An imported data set has no plan: each optimizer is expected to have the same number of trials on each of its functions in each of its dimensions.',
  },
} as const satisfies Record<string, Term>;
