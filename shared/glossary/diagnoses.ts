import type { Diagnosis } from '#shared/schemas/insights.ts';
import type { Term } from './term.ts';

const atStop =
  'Only runs that missed their target and stopped improving at the same time (within 10 % of their evaluations).';

/** The findings in a run, by code. */
export const diagnosisTerms = {
  TARGET_REACHED: {
    name: 'Target reached',
    words: [],
    definition:
      'The best so far has reached the target, or the known optimum of the problem where there is no target.',
    formula: 'best so far ≤ target (minimised) or ≥ target (maximised)',
  },
  TARGET_UNREACHABLE: {
    name: 'Target unreachable',
    words: [],
    definition: 'The target is better than the known optimum of the problem: no run can reach it.',
    runs: 'Problems whose optimum is known: by `problem.params.optimum`, or by theory (onemax, sphere, COCO).',
  },
  STAGNATION: {
    name: 'Stagnation',
    words: ['stagnation'],
    definition:
      'The run did not improve in the last part of its evaluations and missed its target.',
    formula:
      'less than 1 % of the total improvement over the last 25 % of the evaluations, at least 10 generations',
  },
  STILL_IMPROVING: {
    name: 'Still improving',
    words: [],
    definition:
      'The budget ended the run while it was improving: a larger budget would have helped.',
    formula:
      'at least 1 % of the total improvement in the last 10 % of the evaluations, on a log scale for positive values over three decades or with a target near 0',
    runs: 'Only COMPLETED runs that missed the target and used at least 95 % of their budget.',
  },
  CRASHED: {
    name: 'Crashed',
    words: [],
    definition:
      'The run FAILED: its runner stored an error, or a user settled it after it became silent.',
  },
  STOPPED_BY_USER: {
    name: 'Stopped by user',
    words: [],
    definition:
      'The run was stopped before it ended by its own rules. What it would have found later is unknown.',
    runs: 'Imported runs without an end in their data are STOPPED too, but no user stopped them.',
  },
  SILENT: {
    name: 'Silent',
    words: ['silent'],
    definition:
      'A RUNNING run without new rows for long. Its runner may have ended; then the run can be settled.',
    formula: 'the newest row is older than a minute and than 20 × the usual time between rows',
  },
  WRONG_DIRECTION: {
    name: 'Wrong direction',
    words: [],
    definition: 'The fitness only gets worse in the direction of the run, which is probably wrong.',
    formula:
      'the first iteration is the best (but for 10 % of the range seen), and at least 8 of 9 tenths of the run are worse than the tenth before',
  },
  RESTARTS: {
    name: 'Restarts',
    words: [],
    definition: 'The search began again from the start several times and did not reach the target.',
    formula:
      'the best of the population falls back by at least 50 % of the range seen, twice or more often',
  },
  PREMATURE_FIXATION: {
    name: 'Premature fixation',
    words: ['premature fixation'],
    definition: 'The model decided almost everything, and improvement stopped before the target.',
    formula:
      'bits: 90 % fixed, or a mean entropy of at most 0.05 bit; permutations: mean position entropy at most 5 % of log₂ n; to the end',
    runs: atStop,
  },
  DIVERSITY_LOST: {
    name: 'Diversity lost',
    words: [],
    definition:
      'The individuals became almost the same, and improvement stopped before the target.',
    formula: 'diversity below 5 % of its first value, to the end',
    runs: atStop,
  },
  SIGMA_COLLAPSED: {
    name: 'Sigma collapsed',
    words: [],
    definition:
      'Half of the dimensions or more have no spread left, and improvement stopped before the target.',
    formula: 'collapsed dimensions ≥ 50 %, to the end',
    runs: atStop,
  },
  SIGMA_EXPLODED: {
    name: 'Sigma exploded',
    words: [],
    definition: 'The model spread out instead of closing in.',
    formula: 'largest standard deviation > 1 000 × its first value',
  },
  ILL_CONDITIONED: {
    name: 'Ill conditioned',
    words: [],
    definition: 'The covariance is stretched beyond the precision of its arithmetic.',
    formula: 'condition number > 1e14',
  },
  BEST_LOST: {
    name: 'Best lost',
    words: [],
    definition:
      'The best of the population stayed far behind the best so far: the algorithm does not keep its best (no elitism), or the fitness is noisy.',
    formula: 'worse by more than 10 % of the range seen, for 10 iterations before the target',
    runs: 'Not reported for runs with restarts, which lose the best on purpose.',
  },
  NOT_FINITE: {
    name: 'Not finite',
    words: [],
    definition:
      'An iteration without a finite best or mean: the fitness function returned NaN or ∞.',
  },
  ADAPTIVE_STORM: {
    name: 'Adaptive storm',
    words: [],
    definition: 'The run changed its own parameters all the time: a rule may be too sensitive.',
    formula: 'adaptive actions in more than half of the iterations',
  },
} as const satisfies Record<Diagnosis['code'], Term>;
