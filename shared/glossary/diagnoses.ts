import type { Diagnosis } from '#shared/schemas/insights.ts';
import type { Term } from './term.ts';

const beforeTarget = 'Looked for only before the target is reached.';

/** What may be said of a run after a look at its curves, by code. */
export const diagnosisTerms = {
  TARGET_REACHED: {
    name: 'Target reached',
    words: [],
    definition: 'The best so far has reached the target; from this iteration on.',
    formula: 'best so far ≤ target (minimised) or ≥ target (maximised)',
  },
  STAGNATION: {
    name: 'Stagnation',
    words: ['stagnation'],
    definition: 'The run ended without an improvement for long, its target not reached.',
    formula: 'no better best so far over at least 10 iterations and 25 % of the run, at its end',
  },
  STILL_IMPROVING: {
    name: 'Still improving',
    words: [],
    definition: 'The budget ended the run while it was getting better: more would have helped.',
    formula: 'improved within the last 10 % of its iterations, target not reached',
  },
  SILENT: {
    name: 'Silent',
    words: ['silent'],
    definition:
      'A run that is RUNNING but has written nothing for long. Its runner may be gone; then it can be settled.',
    formula: 'the newest row is older than a minute and than 20 × the usual pause between rows',
  },
  PREMATURE_FIXATION: {
    name: 'Premature fixation',
    words: ['premature fixation'],
    definition: 'The model has decided almost everything before the target was reached.',
    formula:
      'bits: 90 % fixed, or a mean entropy of at most 0.05 bit; permutations: mean position entropy at most 5 % of log₂ n; to the end',
  },
  DIVERSITY_LOST: {
    name: 'Diversity lost',
    words: [],
    definition: 'The individuals of the population have become almost the same.',
    formula: 'diversity below 5 % of its first value',
    runs: beforeTarget,
  },
  SIGMA_COLLAPSED: {
    name: 'Sigma collapsed',
    words: [],
    definition:
      'Half of the dimensions or more have no spread left, so that the search stands still there.',
    formula: 'collapsed dimensions ≥ 50 %',
    runs: beforeTarget,
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
    definition: 'The covariance is stretched beyond what its arithmetic can carry.',
    formula: 'condition number > 1e14',
  },
  BEST_LOST: {
    name: 'Best lost',
    words: [],
    definition:
      'The best of the population stayed far behind the best so far: nothing keeps what was found (no elitism).',
    formula: 'worse by more than 10 % of the range seen, for 10 iterations',
  },
  NOT_FINITE: {
    name: 'Not finite',
    words: [],
    definition: 'An iteration without a finite best or mean: the fitness function gave NaN or ∞.',
  },
  ADAPTIVE_STORM: {
    name: 'Adaptive storm',
    words: [],
    definition: 'The run changed its own parameters all the time: a rule may be set too tight.',
    formula: 'adaptive actions in more than half of the iterations',
  },
} as const satisfies Record<Diagnosis['code'], Term>;
