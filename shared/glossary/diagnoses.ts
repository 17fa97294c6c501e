import type { Diagnosis } from '#shared/schemas/insights.ts';
import type { Term } from './term.ts';

const atStop =
  'Only runs that missed their target and stopped improving at that time (within 10 % of their evaluations).';

/** The diagnoses of a run, by code. */
export const diagnosisTerms = {
  TARGET_REACHED: {
    name: 'Target reached',
    words: [],
    definition:
      'The best so far has reached the target or, without a target, the known optimum of the problem.',
    formula: 'best so far ≤ target (minimised) or ≥ target (maximised)',
  },
  TARGET_UNREACHABLE: {
    name: 'Target unreachable',
    words: [],
    definition:
      'The target is better than the known optimum of the problem, so no run can reach it.',
    runs: 'Only problems with a known optimum: from `problem.params.optimum`, or from theory (onemax, sphere, COCO).',
  },
  STAGNATION: {
    name: 'Stagnation',
    words: ['stagnation'],
    definition: 'No improvement for a long time before the end; target not reached.',
    formula:
      'less than 1 % of the total improvement over the last 25 % of the evaluations, at least 10 generations',
  },
  STILL_IMPROVING: {
    name: 'Still improving',
    words: [],
    definition:
      'The budget ended the run while it was still improving; a larger budget would have helped.',
    formula:
      'at least 1 % of the total improvement in the last 10 % of the evaluations, on a log scale for positive values over three decades or with a target near 0',
    runs: 'Only COMPLETED runs that missed the target and used at least 95 % of their budget.',
  },
  CRASHED: {
    name: 'Crashed',
    words: [],
    definition:
      'The run FAILED: its runner stored an error, or a user marked the silent run as failed.',
  },
  STOPPED_BY_USER: {
    name: 'Stopped by user',
    words: [],
    definition:
      'The run was stopped before its own termination criterion. Its further progress is unknown.',
    runs: 'Imported runs whose data do not state an end are also STOPPED, although no user stopped them.',
  },
  SILENT: {
    name: 'Silent',
    words: ['silent'],
    definition:
      'A RUNNING run without new rows for a long time. If its runner has crashed, mark the run as failed on its page.',
    formula: 'the newest row is older than a minute and than 20 × the usual time between rows',
  },
  WRONG_DIRECTION: {
    name: 'Wrong direction',
    words: [],
    definition:
      'Fitness only gets worse in the direction of the run, so the direction is probably wrong.',
    formula:
      'the first iteration is the best (within 10 % of the observed range), and at least 8 of 9 tenths of the run are worse than the previous tenth',
  },
  RESTARTS: {
    name: 'Restarts',
    words: [],
    definition: 'The search restarted several times and did not reach the target.',
    formula:
      'the best of the population falls back by at least 50 % of the observed range, at least twice',
  },
  PREMATURE_FIXATION: {
    name: 'Premature fixation',
    words: ['premature fixation'],
    definition: 'The model fixed almost all variables, and improvement stopped before the target.',
    formula:
      'bits: 90 % fixed, or a mean entropy of at most 0.05 bit; permutations: mean position entropy at most 5 % of log₂ n; to the end',
    runs: atStop,
  },
  DIVERSITY_LOST: {
    name: 'Diversity lost',
    words: [],
    definition:
      'The individuals became almost identical, and improvement stopped before the target.',
    formula: 'diversity below 5 % of its first value, to the end',
    runs: atStop,
  },
  SIGMA_COLLAPSED: {
    name: 'Sigma collapsed',
    words: [],
    definition:
      'The standard deviation has collapsed in at least half of the dimensions, and improvement stopped before the target.',
    formula: 'collapsed dimensions ≥ 50 %, to the end',
    runs: atStop,
  },
  SIGMA_EXPLODED: {
    name: 'Sigma exploded',
    words: [],
    definition: 'The standard deviation of the model grew instead of shrinking.',
    formula: 'largest standard deviation > 1 000 × its first value',
  },
  ILL_CONDITIONED: {
    name: 'Ill conditioned',
    words: [],
    definition: 'The covariance matrix is numerically ill-conditioned.',
    formula: 'condition number > 1e14',
  },
  BEST_LOST: {
    name: 'Best lost',
    words: [],
    definition:
      'The best of the population stayed far worse than the best so far: the best solution is not retained (no elitism), or the fitness is noisy.',
    formula: 'worse by more than 10 % of the observed range, for 10 iterations before the target',
    runs: 'Not reported for runs with restarts, which discard the best intentionally.',
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
    definition: 'The run changed its own parameters very often; a rule may be too sensitive.',
    formula: 'adaptive actions in more than half of the iterations',
  },
} as const satisfies Record<Diagnosis['code'], Term>;
