import { formatFitness, formatShare } from '#shared/number-format.ts';
import { firstFound, firstValue, hitIteration } from './findings.ts';
import { beforeTargetWords, percent, type DiagnosedTelemetry, type Rule } from './model.ts';

const lostDiversityShare = 0.05;
const collapsedShare = 0.5;
const explosion = 1_000;
const largestCondition = 1e14;
const stormShare = 0.5;

const diversityKeys = {
  binary: 'diversity_hamming_population',
  permutation: 'diversity_kendall_population',
  real: 'diversity_euclidean_population',
  unknown: 'diversity',
};

/** DIVERSITY_LOST: population diversity below 5 % of its first value, before the target. */
export const diversityLost: Rule = (run, course) => {
  const key = diversityKeys[run.telemetry.family];
  const values = run.telemetry.series[key] ?? [];
  const threshold = lostDiversityShare * (firstValue(values) ?? 0);
  return firstFound(
    run.telemetry,
    { key, values, isFound: (value) => value < threshold },
    {
      code: 'DIVERSITY_LOST',
      severity: 'warning',
      message:
        `The diversity of the population fell below ${percent(lostDiversityShare)} of its first value ` +
        `(${formatFitness(threshold)}), ${beforeTargetWords(run)}.`,
      tab: 'diversity',
    },
    threshold,
    hitIteration(run, course),
  );
};

/** SIGMA_COLLAPSED: at least half of the dimensions have collapsed, before the target. */
export const sigmaCollapsed: Rule = (run, course) => {
  const key = 'real_collapsed_dim_ratio';
  const values = ofReal(run.telemetry, key);
  return firstFound(
    run.telemetry,
    { key, values, isFound: (value) => value >= collapsedShare },
    {
      code: 'SIGMA_COLLAPSED',
      severity: 'warning',
      message: `At least ${percent(collapsedShare)} of the dimensions have collapsed, ${beforeTargetWords(run)}.`,
      tab: 'insights',
    },
    collapsedShare,
    hitIteration(run, course),
  );
};

/** SIGMA_EXPLODED: the largest standard deviation above 1,000 times its first value. */
export const sigmaExploded: Rule = ({ telemetry }) => {
  const key = 'real_sigma_max';
  const values = ofReal(telemetry, key);
  const first = values.find((value) => value !== null && value > 0) ?? Infinity;
  const threshold = explosion * first;
  return firstFound(
    telemetry,
    { key, values, isFound: (value) => value > threshold },
    {
      code: 'SIGMA_EXPLODED',
      severity: 'error',
      message:
        `The largest standard deviation grew beyond ${explosion.toLocaleString('en')} times its first value ` +
        `(${formatFitness(first)}).`,
      tab: 'insights',
    },
    threshold,
  );
};

function ofReal({ family, series }: DiagnosedTelemetry, key: string): readonly (number | null)[] {
  return family === 'real' ? (series[key] ?? []) : [];
}

/** ILL_CONDITIONED: the condition number of the covariance above 1e14. */
export const illConditioned: Rule = ({ telemetry }) => {
  const key = 'cov_condition_number';
  const values = telemetry.model[key] ?? [];
  return firstFound(
    telemetry,
    { key, values, isFound: (value) => value > largestCondition },
    {
      code: 'ILL_CONDITIONED',
      severity: 'error',
      message: `The condition number of the covariance grew beyond ${formatFitness(largestCondition)}.`,
      tab: 'insights',
    },
    largestCondition,
  );
};

/** ADAPTIVE_STORM: adaptive actions in more than half of the iterations. */
export const adaptiveStorm: Rule = ({ telemetry: { iterations, series } }) => {
  const counts = series['adaptive_event_count'] ?? [];
  const active = counts.flatMap((count, index) => ((count ?? 0) > 0 ? index : []));
  const share = active.length / iterations.length;
  if (!(share > stormShare)) return null;
  return {
    code: 'ADAPTIVE_STORM',
    severity: 'warning',
    fromIteration: iterations[active[0] ?? 0] ?? null,
    toIteration: iterations[active.at(-1) ?? 0] ?? null,
    message: `Adaptive actions in ${formatShare(share)} of the iterations (more than ${percent(stormShare)}).`,
    evidence: {
      tab: 'events',
      series: ['adaptive_event_count'],
      value: share,
      threshold: stormShare,
    },
  };
};
