import type { Term } from './term.ts';

/** What a run is, and what its telemetry measures. */
export const runTerms = {
  status: {
    name: 'Status',
    definition:
      'As the runner wrote it. RUNNING: it goes on, or its runner died without a word. COMPLETED: it ended by itself, whether it reached its target or not. STOPPED: it was asked to. FAILED: an error ended it. PARTIAL: of an experiment, some of its runs did not complete. COMPLETED_WITH_ERRORS: of a campaign, some of its trials failed.',
  },
  replica: {
    name: 'Replica',
    definition:
      'A read-only copy of a PostgreSQL database that its primary keeps up to date. With SVC_DB_REPLICA_URL set, lists and analyses are read from it, and requests to stop, deletions and imports go to the primary. The line at the foot of the left side shows how far it is behind.',
  },
  checkpoint: {
    name: 'Checkpoint',
    words: ['checkpoint', 'checkpoints'],
    definition: 'The state of a run in a file, from which it can be resumed.',
  },
  adaptiveAction: {
    name: 'Adaptive action',
    words: ['adaptive action', 'adaptive actions'],
    definition:
      'A change that a run made to its own parameters or population because a rule of its configuration asked for it.',
  },
  elite: {
    name: 'Elite',
    definition: 'The individuals of a population that were selected to build the next model from.',
  },
  genotype: {
    name: 'Genotype',
    words: ['genotype', 'genotypes'],
    definition: 'An individual as the algorithm writes it down: bits, an order, or numbers.',
  },
  entropy: {
    name: 'Entropy',
    definition:
      'How undecided something is, in bits: 0 is certain; of a single bit 1 is a coin toss.',
    formula: '− Σ p log₂ p',
    source: 'Shannon 1948',
  },
  fixation: {
    name: 'Fixation',
    words: ['fixation', 'fixed'],
    definition:
      'Bits whose probability is so near to 0 or 1 that the model will hardly ever draw the other value.',
    formula: 'share of bits with probability within 0.02 of 0 or 1',
  },
  divergence: {
    name: 'Kullback–Leibler divergence',
    words: ['Kullback–Leibler divergence', 'divergence'],
    definition: 'How far the model moved from the one before, as information: 0 is no change.',
    formula: 'Σ p log(p / q)',
    source: 'Kullback & Leibler 1951',
  },
  hamming: {
    name: 'Hamming distance',
    definition: 'In how many bits two individuals differ, here as a share of all bits.',
    source: 'Hamming 1950',
  },
  kendall: {
    name: 'Kendall distance',
    words: ['Kendall distance', 'inverted pairs'],
    definition:
      'How many pairs of items two orders put the other way round, as a share of all pairs.',
    source: 'Kendall 1938',
  },
  consensus: {
    name: 'Consensus',
    words: ['consensus', 'consensus drift', 'consensus order'],
    definition:
      'The order of the items that agrees best with the elite: items by their mean position.',
  },
  covariance: {
    name: 'Covariance',
    words: ['covariance', 'trace of the covariance'],
    definition:
      'How the dimensions of a Gaussian model vary, alone and together. Its trace is the sum of all variances.',
  },
  eigenvalue: {
    name: 'Eigenvalues',
    words: ['eigenvalues', 'eigenvalue'],
    definition: 'The variances of the model along its own axes, largest first.',
  },
  conditionNumber: {
    name: 'Condition number',
    definition: 'How stretched the model is: 1 is a sphere, large is a narrow valley.',
    formula: 'largest / least eigenvalue of the covariance',
  },
  mutualInformation: {
    name: 'Mutual information',
    definition: 'How much knowing one bit tells of another, in bits: 0 for independent ones.',
    formula: 'Σ p(a, b) log₂ (p(a, b) / p(a) p(b))',
  },
  adjacency: {
    name: 'Adjacency',
    words: ['adjacency', 'adjacencies', 'pair of neighbours'],
    definition: 'Two items that stand beside each other, whichever comes first.',
  },
  referenceRun: {
    name: 'Reference run',
    words: ['reference run'],
    definition:
      'The run that the others of a comparison are set against: their numbers less its own. Fitness is compared on its problem instance only.',
    formula: 'value of a run − value of the reference run',
  },
  runnerWriting: {
    name: 'RUNNER_WRITING',
    definition:
      'A runner is writing to the same SQLite file, and a deletion or import was refused because the runner would have to wait: it gives up after 10 s and its run fails. Wait until the run has ended, or write anyway, with force=true in the API and --force on the command line.',
  },
  diagnosis: {
    name: 'Diagnosis',
    words: ['diagnosis', 'diagnoses'],
    definition:
      'What a careful colleague would say after a look at all curves of a run, each with its threshold. None is a verdict on an algorithm.',
  },
} as const satisfies Record<string, Term>;
