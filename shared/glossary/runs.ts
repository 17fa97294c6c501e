import type { Term } from './term.ts';

/** Terms of runs and their telemetry. */
export const runTerms = {
  status: {
    name: 'Status',
    definition:
      'As written by the runner. RUNNING: still running, or the runner died without reporting. COMPLETED: ended normally, with or without reaching its target. STOPPED: stopped on request. FAILED: ended by an error. PARTIAL (experiment): some runs did not complete. COMPLETED_WITH_ERRORS (campaign): some trials failed.',
  },
  replica: {
    name: 'Replica',
    definition:
      'A read-only copy of a PostgreSQL database that its primary keeps up to date. With SVC_DB_REPLICA_URL set, lists and analyses are read from it; stop requests, deletions and imports go to the primary. The bottom of the sidebar shows its lag.',
  },
  checkpoint: {
    name: 'Checkpoint',
    words: ['checkpoint', 'checkpoints'],
    definition: 'A file with the state of a run, from which it can be resumed.',
  },
  adaptiveAction: {
    name: 'Adaptive action',
    words: ['adaptive action', 'adaptive actions'],
    definition:
      'A change of a run’s own parameters or population, triggered by a rule of its configuration.',
  },
  elite: {
    name: 'Elite',
    definition: 'The selected individuals from which the next model is built.',
  },
  genotype: {
    name: 'Genotype',
    words: ['genotype', 'genotypes'],
    definition: 'The encoding of an individual: bits, a permutation, or numbers.',
  },
  entropy: {
    name: 'Entropy',
    definition: 'Uncertainty in bits: 0 = certain; for a single bit, 1 = a coin toss.',
    formula: '− Σ p log₂ p',
    source: 'Shannon 1948',
  },
  fixation: {
    name: 'Fixation',
    words: ['fixation', 'fixed'],
    definition:
      'Bits whose probability is so close to 0 or 1 that the model almost never samples the other value.',
    formula: 'share of bits with probability within 0.02 of 0 or 1',
  },
  divergence: {
    name: 'Kullback–Leibler divergence',
    words: ['Kullback–Leibler divergence', 'divergence'],
    definition: 'Information-theoretic distance of the model from the previous one: 0 = unchanged.',
    formula: 'Σ p log(p / q)',
    source: 'Kullback & Leibler 1951',
  },
  hamming: {
    name: 'Hamming distance',
    definition: 'Number of bits in which two individuals differ, here as a share of all bits.',
    source: 'Hamming 1950',
  },
  kendall: {
    name: 'Kendall distance',
    words: ['Kendall distance', 'inverted pairs'],
    definition: 'Share of item pairs that two permutations order differently.',
    source: 'Kendall 1938',
  },
  consensus: {
    name: 'Consensus',
    words: ['consensus', 'consensus drift', 'consensus order'],
    definition: 'Consensus permutation of the elite: items sorted by their mean position.',
  },
  covariance: {
    name: 'Covariance',
    words: ['covariance', 'trace of the covariance'],
    definition:
      'Variances and covariances of the dimensions of a Gaussian model. Its trace is the sum of all variances.',
  },
  eigenvalue: {
    name: 'Eigenvalues',
    words: ['eigenvalues', 'eigenvalue'],
    definition: 'Variances of the model along its principal axes, largest first.',
  },
  conditionNumber: {
    name: 'Condition number',
    definition: 'Elongation of the model: 1 = sphere, large = narrow valley.',
    formula:
      'largest / smallest eigenvalue of the covariance; for gaussian-diag, largest / smallest standard deviation',
  },
  mutualInformation: {
    name: 'Mutual information',
    definition: 'Information that one bit contains about another, in bits: 0 for independent bits.',
    formula: 'Σ p(a, b) log₂ (p(a, b) / p(a) p(b))',
  },
  adjacency: {
    name: 'Adjacency',
    words: ['adjacency', 'adjacencies', 'pair of neighbours'],
    definition:
      'An item and the item that directly follows it; the first item follows the last one. The reverse order is another adjacency.',
  },
  referenceRun: {
    name: 'Reference run',
    words: ['reference run'],
    definition:
      'The run with which the other runs of a comparison are compared; differences are their values minus its value. Fitness is compared only on its problem instance.',
    formula: 'value of a run − value of the reference run',
  },
  runnerWriting: {
    name: 'RUNNER_WRITING',
    definition:
      'A runner is writing to the same SQLite file, so a deletion or import was refused: it would block the runner, which times out after 10 s and fails its run. Wait until the run has finished, or use force=true in the API or --force on the command line.',
  },
  diagnosis: {
    name: 'Diagnosis',
    words: ['diagnosis', 'diagnoses'],
    definition:
      'Automatic findings about the curves of a run, each with a threshold. They do not judge the algorithm.',
  },
} as const satisfies Record<string, Term>;
