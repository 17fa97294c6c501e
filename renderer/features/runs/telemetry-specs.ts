import type { TelemetryFamily } from '#shared/schemas/insights.ts';
import type { TelemetryLines } from '#renderer/charts/figures/telemetry-lines.ts';

/** A chart of the telemetry: its lines, and the sentence that explains it. */
export interface TelemetrySpec extends TelemetryLines {
  /** Name of the chart in the URL. */
  id: string;
  title: string;
  /** Without a full stop. */
  sentence: string;
}

/** The charts of a tab. */
export type SpecsByFamily = Readonly<Record<TelemetryFamily, readonly TelemetrySpec[]>>;

/** A little more than the possible range, so that a line along an edge is visible. */
const share = { range: [-0.02, 1.02] } as const;

/**
 * Creates the chart of the mean distances in the population and in the elite, `diversity_<kind>_population` and
 * `…_elite`.
 */
function makeDistanceSpec(
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
    sentence: 'Share of distinct individuals (1 = no duplicates)',
    names: [['diversity', 'unique genotypes']],
    y: { title: 'share of the population', ...share },
  },
  {
    id: 'genotype-entropy',
    title: 'Genotype entropy',
    sentence:
      'Entropy of the genotype frequencies (log₂ of the population size if all are distinct, 0 if all are identical)',
    names: [['entropy', 'entropy']],
    y: { title: 'entropy', unit: 'bit' },
  },
];

/** Charts of the tab Diversity. */
export const diversitySpecs: SpecsByFamily = {
  binary: [
    makeDistanceSpec(
      'hamming',
      'Hamming distance',
      { title: 'mean share of differing bits' },
      'Mean share of bits in which two individuals differ (0.5 = random, 0 = identical)',
    ),
    ...genotypes,
  ],
  permutation: [
    makeDistanceSpec(
      'kendall',
      'Kendall distance',
      { title: 'mean share of inverted pairs' },
      'Mean share of item pairs that two individuals order differently (0.5 = random, 0 = identical)',
    ),
    ...genotypes,
  ],
  real: [
    makeDistanceSpec(
      'euclidean',
      'Euclidean distance',
      { title: 'mean distance' },
      'Mean distance between two individuals; decreases as the search converges',
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
      sentence: 'Share of pairs of individuals that are nearly identical',
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
    'Change of the consensus order since the previous generation, as a share of inverted pairs (0 = unchanged)',
  names: [['drift_consensus_kendall', 'Kendall distance']],
  y: { title: 'share of inverted pairs' },
};

/** Charts of the tab Drift: change of the model from one generation to the next. */
export const driftSpecs: SpecsByFamily = {
  binary: [
    {
      id: 'probability-drift',
      title: 'Probability drift',
      sentence:
        'Change of the bit probabilities in one generation: sum (L1) and Euclidean length (L2)',
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
        'Kullback–Leibler divergence of the bit probabilities from the previous ones, summed over the bits (0 = unchanged)',
      names: [['drift_binary_prob_kl', 'divergence']],
      y: { title: 'divergence', unit: 'nat' },
    },
    {
      id: 'entropy-delta',
      title: 'Entropy lost',
      sentence:
        'Mean entropy of the previous generation minus the current one (> 0: the model converges, < 0: it diverges)',
      names: [['drift_binary_entropy_delta', 'entropy lost']],
      y: { title: 'mean entropy lost', unit: 'bit' },
    },
  ],
  permutation: [consensus],
  real: [
    {
      id: 'mean-drift',
      title: 'Step of the mean',
      sentence: 'Change of the model mean in one generation',
      names: [['drift_mean_l2', 'mean']],
      y: { title: 'distance' },
    },
    {
      id: 'sigma-drift',
      title: 'Change of the standard deviations',
      sentence: 'Change of the vector of standard deviations in one generation',
      names: [['drift_sigma_l2', 'standard deviations']],
      y: { title: 'distance' },
    },
    {
      id: 'gaussian-kl',
      title: 'Divergence of the model',
      sentence:
        'Kullback–Leibler divergence of the Gaussian from the previous one, variances only (0 = unchanged)',
      names: [['drift_gaussian_kl_diag', 'divergence']],
      y: { title: 'divergence', unit: 'nat' },
    },
  ],
  unknown: [],
};

/** The line charts of the tab Insights, besides its heat maps and tables. */
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
      sentence: 'Minimum, mean and maximum entropy of a bit (1 = undecided, 0 = fixed)',
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
      sentence: 'Minimum, mean and maximum entropy of the position of an item (0 = decided)',
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
      sentence: 'Share of the elite with the most frequent pair of neighbours',
      names: [['perm_top_edge_frequency', 'most frequent pair']],
      y: { title: 'share of the elite', ...share },
    },
  ],
  real: [
    {
      id: 'sigma',
      title: 'Standard deviations',
      sentence: 'Minimum, mean and maximum standard deviation of a dimension',
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
      sentence: 'Elongation of the model (1 = sphere, large = narrow valley)',
      names: [['cov_condition_number', 'condition number']],
      y: { title: 'condition number' },
    },
    {
      id: 'collapsed',
      title: 'Collapsed dimensions',
      sentence: 'Share of dimensions whose standard deviation is below the runner’s threshold',
      names: [['real_collapsed_dim_ratio', 'collapsed']],
      y: { title: 'share of dimensions', ...share },
    },
  ],
  unknown: [],
};
