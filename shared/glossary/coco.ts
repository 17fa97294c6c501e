import type { Term } from './term.ts';

/** The words of COCO campaigns. */
export const cocoTerms = {
  campaign: {
    name: 'Campaign',
    words: ['campaign', 'campaigns'],
    definition:
      'A benchmark as a whole: some optimizers on the functions, dimensions and instances of a suite, each combination once or more.',
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
      'Published results of other optimizers on the same function, dimension and target. Ratios are to the smallest ERT among them or, where none are stored, to the smallest ERT of the compared optimizers.',
    runs: 'A reference that claims an ERT without any success is doubtful and not used.',
  },
  doubtfulReference: {
    name: 'Doubtful reference',
    words: ['doubtful'],
    definition:
      'A reference with a finite ERT and no success: published tables put a sort key there. It is marked, and left out of ratios.',
  },
  ertRatio: {
    name: 'ERT ratio',
    words: ['ERT ratio', 'ERT ratios', 'ratio to the reference'],
    definition:
      'How many times as long as the reference an optimizer takes; below 1 it was faster. Infinite where it never reached the target.',
    formula: 'ERT / reference ERT, of the same function, dimension and target',
  },
  geometricMean: {
    name: 'Geometric mean',
    words: ['geometric mean'],
    definition:
      'The mean of ratios: half and twice as fast average to equally fast. There is none where a function was not solved, because its ratio is infinite.',
    formula: 'exp(mean of the logarithms)',
  },
  area: {
    name: 'Area under the ECDF',
    words: ['area'],
    definition:
      'How much was solved over all budgets up to a limit: 1 is everything at once, 0 is nothing. The limit is the smallest budget that the optimizers were granted, unless another is chosen.',
    formula: 'share solved, averaged over the logarithm of the budget from 1 to the limit',
  },
  simulatedRestarts: {
    name: 'Simulated restarts',
    words: ['simulated restarts', 'simulated restart'],
    definition:
      'Trials that missed a target are followed by others of the same function and dimension until one reaches it, drawn at random with a fixed generator.',
    source: 'Hansen et al. 2016',
  },
  completeness: {
    name: 'Completeness',
    words: ['completeness', 'completeness grid'],
    definition:
      'How many of the planned trials have ended, per optimizer, dimension and function; those that failed are counted apart. An imported data set states no plan: each optimizer is expected to have, on each of its functions in each of its dimensions, as many trials as it has elsewhere.',
  },
} as const satisfies Record<string, Term>;
