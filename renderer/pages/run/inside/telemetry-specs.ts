import type { TelemetryFamily } from '#shared/schemas/insights.ts';
import type { TelemetryLines } from '#renderer/charts/figures/telemetry-lines.ts';

/** A chart of the telemetry: what is drawn, and the sentence that explains it. */
export interface TelemetrySpec extends TelemetryLines {
  /** Names the chart in the address. */
  id: string;
  title: string;
  /** Without a full stop. */
  sentence: string;
}

/** The charts of a tab. */
export type SpecsByFamily = Readonly<Record<TelemetryFamily, readonly TelemetrySpec[]>>;

/** A little more than can be, so that a curve along an edge is seen. */
const share = { range: [-0.02, 1.02] } as const;

/** The population's and the elite's mean distance, as `diversity_<kind>_population` and `…_elite`. */
function distances(
  kind: string,
  title: string,
  y: TelemetryLines['y'],
  sentence: string,
): TelemetrySpec {
  return {
    id: 'distance',
    title,
    sentence,
    names: [
      [`diversity_${kind}_population`, 'population'],
      [`diversity_${kind}_elite`, 'elite'],
    ],
    y,
  };
}

const genotypes: readonly TelemetrySpec[] = [
  {
    id: 'unique',
    title: 'Unique genotypes',
    sentence:
      'Share of the population that differs from all before it: 1 is a population without copies',
    names: [['diversity', 'unique genotypes']],
    y: { title: 'share of the population', ...share },
  },
  {
    id: 'genotype-entropy',
    title: 'Genotype entropy',
    sentence:
      'Entropy of how often each genotype occurs: log2 of the population size without copies, 0 when all are one',
    names: [['entropy', 'entropy']],
    y: { title: 'entropy', unit: 'bit' },
  },
];

/** Charts of the tab Diversity. */
export const diversitySpecs: SpecsByFamily = {
  binary: [
    distances(
      'hamming',
      'Hamming distance',
      { title: 'mean share of differing bits' },
      'Mean share of bits in which two individuals differ: 0.5 is random, 0 is one genotype',
    ),
    ...genotypes,
  ],
  permutation: [
    distances(
      'kendall',
      'Kendall distance',
      { title: 'mean share of inverted pairs' },
      'Mean share of item pairs that two individuals order differently: 0.5 is random, 0 is one order',
    ),
    ...genotypes,
  ],
  real: [
    distances(
      'euclidean',
      'Euclidean distance',
      { title: 'mean distance' },
      'Mean distance between two individuals: it shrinks as the search closes in',
    ),
    {
      id: 'covariance-trace',
      title: 'Total variance',
      sentence: 'Sum of the variances of all dimensions (trace of the covariance)',
      names: [['diversity_covariance_trace', 'total variance']],
      y: { title: 'trace of the covariance' },
    },
    {
      id: 'near-identical',
      title: 'Near-identical pairs',
      sentence: 'Share of the pairs of individuals that are practically the same point',
      names: [['diversity_near_identical_ratio', 'near-identical pairs']],
      y: { title: 'share of pairs', ...share },
    },
    ...genotypes,
  ],
  unknown: genotypes,
};

const consensus: TelemetrySpec = {
  id: 'consensus',
  title: 'Consensus drift',
  sentence:
    'How far the consensus order moved since the previous generation, as share of inverted pairs: 0 is at rest',
  names: [['drift_consensus_kendall', 'Kendall distance']],
  y: { title: 'share of inverted pairs' },
};

/** Charts of the tab Drift: how far the model moved from one generation to the next. */
export const driftSpecs: SpecsByFamily = {
  binary: [
    {
      id: 'probability-drift',
      title: 'Probability drift',
      sentence:
        'How far the probabilities of the bits moved in one generation: the sum of all moves (L1) and their length (L2)',
      names: [
        ['drift_binary_prob_l1', 'L1'],
        ['drift_binary_prob_l2', 'L2'],
      ],
      y: { title: 'change of the probabilities' },
    },
    {
      id: 'probability-kl',
      title: 'Divergence of the model',
      sentence:
        'Kullback–Leibler divergence of the bit probabilities from those before, summed over the bits: 0 is no change',
      names: [['drift_binary_prob_kl', 'divergence']],
      y: { title: 'divergence', unit: 'nat' },
    },
    {
      id: 'entropy-delta',
      title: 'Entropy lost',
      sentence:
        'Mean entropy of the generation before less that of this one: above 0 the model decides, below 0 it opens up',
      names: [['drift_binary_entropy_delta', 'entropy lost']],
      y: { title: 'mean entropy lost', unit: 'bit' },
    },
  ],
  permutation: [consensus],
  real: [
    {
      id: 'mean-drift',
      title: 'Step of the mean',
      sentence: 'How far the mean of the model moved in one generation',
      names: [['drift_mean_l2', 'mean']],
      y: { title: 'distance' },
    },
    {
      id: 'sigma-drift',
      title: 'Change of the standard deviations',
      sentence: 'How far the vector of standard deviations moved in one generation',
      names: [['drift_sigma_l2', 'standard deviations']],
      y: { title: 'distance' },
    },
    {
      id: 'gaussian-kl',
      title: 'Divergence of the model',
      sentence:
        'Kullback–Leibler divergence of the Gaussian from the one before, by its variances only: 0 is no change',
      names: [['drift_gaussian_kl_diag', 'divergence']],
      y: { title: 'divergence', unit: 'nat' },
    },
  ],
  unknown: [],
};

/** The curves of the tab Insights, beside its heat maps and tables. */
export const insightSpecs: SpecsByFamily = {
  binary: [
    {
      id: 'fixation',
      title: 'Fixation',
      sentence: 'Share of bits whose probability is within 0.02 of 0 or 1',
      names: [['binary_fixation_ratio', 'fixed bits']],
      y: { title: 'share of bits fixed', ...share },
    },
    {
      id: 'bit-entropy',
      title: 'Entropy of the bits',
      sentence: 'Least, mean and largest entropy of a bit: 1 is undecided, 0 is fixed',
      names: [
        ['binary_mean_entropy', 'mean'],
        ['binary_min_entropy', 'least'],
        ['binary_max_entropy', 'largest'],
      ],
      y: { title: 'entropy', unit: 'bit', ...share },
    },
  ],
  permutation: [
    consensus,
    {
      id: 'position-entropy',
      title: 'Position entropy',
      sentence:
        'Least, mean and largest entropy of where an item stands: 0 is an item whose position is decided',
      names: [
        ['perm_position_entropy_mean', 'mean'],
        ['perm_position_entropy_min', 'least'],
        ['perm_position_entropy_max', 'largest'],
      ],
      y: { title: 'entropy', unit: 'bit' },
    },
    {
      id: 'top-edge',
      title: 'Most frequent adjacency',
      sentence: 'Share of the elite that has the most frequent pair of neighbours',
      names: [['perm_top_edge_frequency', 'most frequent pair']],
      y: { title: 'share of the elite', ...share },
    },
  ],
  real: [
    {
      id: 'sigma',
      title: 'Standard deviations',
      sentence: 'Least, mean and largest standard deviation of a dimension',
      names: [
        ['real_sigma_mean', 'mean'],
        ['real_sigma_min', 'least'],
        ['real_sigma_max', 'largest'],
      ],
      y: { title: 'standard deviation' },
    },
    {
      id: 'condition',
      title: 'Condition number',
      sentence:
        'Largest over least eigenvalue of the covariance: 1 is a sphere, large is a narrow valley',
      names: [['cov_condition_number', 'condition number']],
      y: { title: 'condition number' },
    },
    {
      id: 'collapsed',
      title: 'Collapsed dimensions',
      sentence:
        'Share of dimensions whose standard deviation fell below the threshold of the runner',
      names: [['real_collapsed_dim_ratio', 'collapsed']],
      y: { title: 'share of dimensions', ...share },
    },
  ],
  unknown: [],
};
