import type { Diagnosis } from '#shared/schemas/insights.ts';
import { formatFitness, formatShare } from '#shared/number-format.ts';
import {
  percent,
  type DiagnosedRun,
  type DiagnosedTelemetry,
  type Rule,
  type RunCourse,
} from './model.ts';

const fixationRatio = 0.9;
const fixedEntropyBits = 0.05;
const fixedEntropyShare = 0.05;
const lostDiversityShare = 0.05;
const collapsedShare = 0.5;
const explosion = 1_000;
const largestCondition = 1e14;
const stormShare = 0.5;

/** One series, the iterations that hold it, and what in it is a finding. */
interface Search {
  key: string;
  values: readonly (number | null)[];
  isFound: (value: number) => boolean;
}

/** Part of the iterations, by index. */
interface Span {
  from: number;
  to: number;
}

/** The iteration that reached the target; infinite when none did. */
function hitIteration({ points }: DiagnosedRun, { hit }: RunCourse): number {
  return (hit === null ? undefined : points[hit]?.iteration) ?? Infinity;
}

/** From the first value that is found to the last one before a value that is not. */
function firstSpan({ values, isFound }: Search): Span | null {
  const from = values.findIndex((value) => value !== null && isFound(value));
  if (from < 0) return null;
  const end = values.findIndex((value, at) => at > from && value !== null && !isFound(value));
  return { from, to: (end < 0 ? values.length : end) - 1 };
}

/** From where on every value is found that there is; null when the last one is not. */
function lastingSpan({ values, isFound }: Search): Span | null {
  const other = values.findLastIndex((value) => value !== null && !isFound(value));
  const from = values.findIndex((value, at) => at > other && value !== null);
  return from < 0 ? null : { from, to: values.length - 1 };
}

type Words = Pick<Diagnosis, 'code' | 'severity' | 'message'> & { tab: 'diversity' | 'insights' };

function found(
  { iterations }: DiagnosedTelemetry,
  { key, values }: Search,
  { from, to }: Span,
  { tab, ...words }: Words,
  threshold: number,
): Diagnosis {
  return {
    ...words,
    fromIteration: iterations[from] ?? null,
    toIteration: iterations[to] ?? null,
    evidence: { tab, series: [key], value: values[from] ?? null, threshold },
  };
}

function firstValue(values: readonly (number | null)[]): number | null {
  return values.find((value) => value !== null) ?? null;
}

/** What counts as fixed in a family, and how that is said. */
function fixationSearches({ family, series }: DiagnosedTelemetry) {
  if (family === 'binary') {
    return [
      {
        key: 'binary_fixation_ratio',
        least: true,
        threshold: fixationRatio,
        words: `share of fixed bits at least ${percent(fixationRatio)}`,
      },
      {
        key: 'binary_mean_entropy',
        least: false,
        threshold: fixedEntropyBits,
        words: `mean entropy at most ${fixedEntropyBits} bit`,
      },
    ];
  }
  const size = firstValue(series['perm_size'] ?? []) ?? 0;
  if (family !== 'permutation' || size < 2) return [];
  return [
    {
      key: 'perm_position_entropy_mean',
      least: false,
      threshold: fixedEntropyShare * Math.log2(size),
      words: `mean position entropy at most ${percent(fixedEntropyShare)} of log2 ${size} bit`,
    },
  ];
}

/** PREMATURE_FIXATION: the model has decided nearly everything before the target was reached, and to the end. */
export const prematureFixation: Rule = (run, course) => {
  const { telemetry } = run;
  for (const { key, least, threshold, words } of fixationSearches(telemetry)) {
    const search = {
      key,
      values: telemetry.series[key] ?? [],
      isFound: (value: number) => (least ? value >= threshold : value <= threshold),
    };
    const span = lastingSpan(search);
    if (!span || (telemetry.iterations[span.from] ?? 0) >= hitIteration(run, course)) continue;
    const message = `The model is fixed before the target is reached, and to the end: ${words}.`;
    const said: Words = {
      code: 'PREMATURE_FIXATION',
      severity: 'warning',
      message,
      tab: 'insights',
    };
    return found(telemetry, search, span, said, threshold);
  }
  return null;
};

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
  return beforeTarget(
    run,
    course,
    { key, values, isFound: (value) => value < threshold },
    {
      code: 'DIVERSITY_LOST',
      severity: 'warning',
      message:
        `The diversity of the population fell below ${percent(lostDiversityShare)} of its first value ` +
        `(${formatFitness(threshold)}) before the target was reached.`,
      tab: 'diversity',
    },
    threshold,
  );
};

/** SIGMA_COLLAPSED: at least half of the dimensions have collapsed, before the target. */
export const sigmaCollapsed: Rule = (run, course) => {
  const key = 'real_collapsed_dim_ratio';
  const values = ofReal(run.telemetry, key);
  return beforeTarget(
    run,
    course,
    { key, values, isFound: (value) => value >= collapsedShare },
    {
      code: 'SIGMA_COLLAPSED',
      severity: 'warning',
      message: `At least ${percent(collapsedShare)} of the dimensions have collapsed before the target was reached.`,
      tab: 'insights',
    },
    collapsedShare,
  );
};

function beforeTarget(
  run: DiagnosedRun,
  course: RunCourse,
  search: Search,
  words: Words,
  threshold: number,
): Diagnosis | null {
  const { telemetry } = run;
  const span = firstSpan(search);
  if (!span || (telemetry.iterations[span.from] ?? 0) >= hitIteration(run, course)) return null;
  return found(telemetry, search, span, words, threshold);
}

/** SIGMA_EXPLODED: the largest standard deviation above 1,000 times its first value. */
export const sigmaExploded: Rule = ({ telemetry }) => {
  const key = 'real_sigma_max';
  const values = ofReal(telemetry, key);
  const first = values.find((value) => value !== null && value > 0) ?? Infinity;
  const threshold = explosion * first;
  const search = { key, values, isFound: (value: number) => value > threshold };
  const span = firstSpan(search);
  if (!span) return null;
  const message =
    `The largest standard deviation grew beyond ${explosion.toLocaleString('en')} times its first value ` +
    `(${formatFitness(first)}).`;
  const words: Words = { code: 'SIGMA_EXPLODED', severity: 'error', message, tab: 'insights' };
  return found(telemetry, search, span, words, threshold);
};

function ofReal({ family, series }: DiagnosedTelemetry, key: string): readonly (number | null)[] {
  return family === 'real' ? (series[key] ?? []) : [];
}

/** ILL_CONDITIONED: the condition number of the covariance above 1e14. */
export const illConditioned: Rule = ({ telemetry }) => {
  const key = 'cov_condition_number';
  const search = {
    key,
    values: telemetry.model[key] ?? [],
    isFound: (value: number) => value > largestCondition,
  };
  const span = firstSpan(search);
  if (!span) return null;
  const message = `The condition number of the covariance grew beyond ${formatFitness(largestCondition)}.`;
  const words: Words = { code: 'ILL_CONDITIONED', severity: 'error', message, tab: 'insights' };
  return found(telemetry, search, span, words, largestCondition);
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
