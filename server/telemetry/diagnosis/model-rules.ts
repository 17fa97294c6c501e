import { formatCount, formatFitness, formatShare } from '#shared/number-format.ts';
import { toFinite } from '#server/telemetry/json.ts';
import type { Diagnosis } from '#shared/schemas/insights.ts';
import {
  describeMiss,
  formatPercent,
  type DiagnosedRun,
  type DiagnosedTelemetry,
  type Rule,
} from './diagnosed-run.ts';
import { relevantImprovement, type DiagnosisTrace } from './run-trace.ts';

const fixationRatio = 0.9;
const fixedEntropyBits = 0.05;
const fixedEntropyShare = 0.05;
const lostDiversityShare = 0.05;
const collapsedShare = 0.5;
const explosionFactor = 1_000;
const maximumConditionNumber = 1e14;
const stormShare = 0.5;

/** Minimum share of matching values in a state that lasts, from its first value to the last value of the series. */
const lastingShare = 0.9;

/** Maximum distance between two events that count as simultaneous, as a share of the run. */
const simultaneousShare = 0.1;

/** Series with a condition on its values. */
interface SeriesCondition {
  key: string;
  values: readonly (number | null)[];
  isMatch: (value: number) => boolean;
  threshold: number;
}

/** Code, tab and text of a finding. `describe` returns the beginning of the first sentence. */
interface FindingText {
  code: Diagnosis['code'];
  tab: 'diversity' | 'insights';
  describe: (iteration: number) => string;
}

/**
 * Returns the finding about a state that lasts to the end, as the cause of a missed target. Null if there is no such
 * state, if {@link findStopOfImprovement} returns null, or if the beginning of the state and the stop of improvement
 * are more than 10 % of the run apart.
 */
function findCauseOfStop(
  run: DiagnosedRun,
  trace: DiagnosisTrace,
  condition: SeriesCondition,
  { code, tab, describe }: FindingText,
): Diagnosis | null {
  const stop = findStopOfImprovement(run, trace);
  const startIndex = findLastingStart(condition);
  if (stop === null || startIndex === null) return null;
  const { iterations } = run.telemetry;
  const iteration = iterations[startIndex] ?? 0;
  const distance = Math.abs(getPosition(run, trace, iteration) - stop.position);
  if (distance > simultaneousShare * trace.total) return null;
  return {
    code,
    severity: 'warning',
    fromIteration: iteration,
    toIteration: iterations.at(-1) ?? null,
    message:
      `${describe(iteration)}, and improvement stopped at the same time (iteration ${formatCount(stop.iteration)}, ` +
      `less than ${formatPercent(relevantImprovement)} of it came later). ${describeMiss(run)}`,
    evidence: {
      tab,
      series: [condition.key],
      value: condition.values[startIndex] ?? null,
      threshold: condition.threshold,
    },
  };
}

/**
 * Returns the position and the iteration after which less than 1 % of the total improvement came. Null if the run has
 * no target, is solved, probably has the wrong direction, or made at least 1 % of this improvement in its last 10 %.
 * Also null if the position is unknown.
 */
function findStopOfImprovement({ target, points }: DiagnosedRun, trace: DiagnosisTrace) {
  const { isSolved, isGettingWorse, endOfProgress, finalShare, positions } = trace;
  if (target === null || isSolved || isGettingWorse || endOfProgress === null) return null;
  if (finalShare >= relevantImprovement) return null;
  return {
    position: positions[endOfProgress] ?? 0,
    iteration: points[endOfProgress]?.iteration ?? 0,
  };
}

/**
 * Returns the index of the first matching value from which on at least 90 % of the values match, ignoring missing
 * values; null if there is none.
 */
function findLastingStart({ values, isMatch }: SeriesCondition): number | null {
  let [matchCount, count, start] = [0, 0, -1];
  for (let index = values.length - 1; index >= 0; index -= 1) {
    const value = values[index] ?? null;
    if (value === null) continue;
    count += 1;
    if (!isMatch(value)) continue;
    matchCount += 1;
    if (matchCount >= lastingShare * count) start = index;
  }
  return start < 0 ? null : start;
}

/**
 * Returns the position of an iteration in the trace of its run: the position of the last row up to the iteration, or 0
 * before the first row.
 */
function getPosition(
  { points }: DiagnosedRun,
  { positions }: DiagnosisTrace,
  iteration: number,
): number {
  const row = points.findLastIndex((point) => point.iteration <= iteration);
  return positions[row] ?? 0;
}

/** Returns the first number; null if there is none. */
function findFirstValue(values: readonly (number | null)[]): number | null {
  return values.find((value) => value !== null) ?? null;
}

/**
 * Returns the conditions under which a model counts as fixed, by the family of its representation. `words` describes a
 * condition in a sentence. Empty for other families than `binary` and `permutation`, and for permutations without a
 * size of at least 2.
 */
function listFixationConditions({
  family,
  series,
}: DiagnosedTelemetry): (SeriesCondition & { words: string })[] {
  const getValues = (key: string): Pick<SeriesCondition, 'key' | 'values'> => ({
    key,
    values: series[key] ?? [],
  });
  if (family === 'binary') {
    return [
      {
        ...getValues('binary_fixation_ratio'),
        isMatch: (value) => value >= fixationRatio,
        threshold: fixationRatio,
        words: `share of fixed bits at least ${formatPercent(fixationRatio)}`,
      },
      {
        ...getValues('binary_mean_entropy'),
        isMatch: (value) => value <= fixedEntropyBits,
        threshold: fixedEntropyBits,
        words: `mean entropy at most ${fixedEntropyBits} bit`,
      },
    ];
  }
  const size = findFirstValue(series['perm_size'] ?? []) ?? 0;
  if (family !== 'permutation' || size < 2) return [];
  const threshold = fixedEntropyShare * Math.log2(size);
  return [
    {
      ...getValues('perm_position_entropy_mean'),
      isMatch: (value) => value <= threshold,
      threshold,
      words: `mean position entropy at most ${formatPercent(fixedEntropyShare)} of log2 ${size} bit`,
    },
  ];
}

/**
 * PREMATURE_FIXATION: the model became nearly fixed when improvement stopped before the target. At least 90 % of the
 * values from then on meet the same condition.
 */
export const diagnosePrematureFixation: Rule = (run, trace) => {
  for (const condition of listFixationConditions(run.telemetry)) {
    const finding = findCauseOfStop(run, trace, condition, {
      code: 'PREMATURE_FIXATION',
      tab: 'insights',
      describe: (iteration) =>
        `The model is fixed from iteration ${formatCount(iteration)} to the end (${condition.words})`,
    });
    if (finding) return finding;
  }
  return null;
};

const diversityKeys = {
  binary: 'diversity_hamming_population',
  permutation: 'diversity_kendall_population',
  real: 'diversity_euclidean_population',
  unknown: 'diversity',
};

/**
 * DIVERSITY_LOST: population diversity fell below 5 % of its first value when improvement stopped before the target. At
 * least 90 % of the values from then on are below it.
 */
export const diagnoseDiversityLoss: Rule = (run, trace) => {
  const key = diversityKeys[run.telemetry.family];
  const values = run.telemetry.series[key] ?? [];
  const threshold = lostDiversityShare * (findFirstValue(values) ?? 0);
  return findCauseOfStop(
    run,
    trace,
    { key, values, isMatch: (value) => value < threshold, threshold },
    {
      code: 'DIVERSITY_LOST',
      tab: 'diversity',
      describe: (iteration) =>
        `The diversity of the population fell below ${formatPercent(lostDiversityShare)} of its first value ` +
        `(${formatFitness(threshold)}) in iteration ${formatCount(iteration)}`,
    },
  );
};

/**
 * SIGMA_COLLAPSED: at least half of the dimensions of a real-valued run collapsed when improvement stopped before the
 * target. At least half of the dimensions are collapsed in at least 90 % of the values from then on.
 */
export const diagnoseSigmaCollapse: Rule = (run, trace) => {
  const key = 'real_collapsed_dim_ratio';
  const values = readRealSeries(run.telemetry, key);
  return findCauseOfStop(
    run,
    trace,
    { key, values, isMatch: (value) => value >= collapsedShare, threshold: collapsedShare },
    {
      code: 'SIGMA_COLLAPSED',
      tab: 'insights',
      describe: (iteration) =>
        `At least ${formatPercent(collapsedShare)} of the dimensions have collapsed from iteration ${formatCount(iteration)} on`,
    },
  );
};

/**
 * Returns the finding about the first consecutive values that match the condition, ignoring missing values; null if no
 * value matches.
 */
function findFirstMatch(
  { iterations }: DiagnosedTelemetry,
  { key, values, isMatch, threshold }: SeriesCondition,
  { code, message }: Pick<Diagnosis, 'code' | 'message'>,
): Diagnosis | null {
  const startIndex = values.findIndex((value) => value !== null && isMatch(value));
  if (startIndex < 0) return null;
  const end = values.findIndex(
    (value, index) => index > startIndex && value !== null && !isMatch(value),
  );
  return {
    code,
    severity: 'error',
    fromIteration: iterations[startIndex] ?? null,
    toIteration: iterations[(end < 0 ? values.length : end) - 1] ?? null,
    message,
    evidence: { tab: 'insights', series: [key], value: toFinite(values[startIndex]), threshold },
  };
}

/** SIGMA_EXPLODED: the largest standard deviation of a real-valued run exceeds 1,000 times its first value above 0. */
export const diagnoseSigmaExplosion: Rule = ({ telemetry }) => {
  const key = 'real_sigma_max';
  const values = readRealSeries(telemetry, key);
  const firstValue = values.find((value) => value !== null && value > 0) ?? Infinity;
  const threshold = explosionFactor * firstValue;
  return findFirstMatch(
    telemetry,
    { key, values, isMatch: (value) => value > threshold, threshold },
    {
      code: 'SIGMA_EXPLODED',
      message:
        `The largest standard deviation grew beyond ${formatCount(explosionFactor)} times its first value ` +
        `(${formatFitness(firstValue)}).`,
    },
  );
};

function readRealSeries(
  { family, series }: DiagnosedTelemetry,
  key: string,
): readonly (number | null)[] {
  return family === 'real' ? (series[key] ?? []) : [];
}

/** ILL_CONDITIONED: the condition number of the covariance exceeds 1e14. */
export const diagnoseIllConditioning: Rule = ({ telemetry }) => {
  const key = 'cov_condition_number';
  return findFirstMatch(
    telemetry,
    {
      key,
      values: telemetry.model[key] ?? [],
      isMatch: (value) => value > maximumConditionNumber,
      threshold: maximumConditionNumber,
    },
    {
      code: 'ILL_CONDITIONED',
      message: `The condition number of the covariance grew beyond ${formatFitness(maximumConditionNumber)}.`,
    },
  );
};

/** ADAPTIVE_STORM: more than half of the iterations in the telemetry have adaptive actions. */
export const diagnoseAdaptiveStorm: Rule = ({ telemetry: { iterations, series } }) => {
  const counts = series['adaptive_event_count'] ?? [];
  const activeIndices = counts.flatMap((count, index) => ((count ?? 0) > 0 ? index : []));
  const share = activeIndices.length / iterations.length;
  if (!(share > stormShare)) return null;
  return {
    code: 'ADAPTIVE_STORM',
    severity: 'warning',
    fromIteration: iterations[activeIndices[0] ?? 0] ?? null,
    toIteration: iterations[activeIndices.at(-1) ?? 0] ?? null,
    message: `The search took adaptive actions in ${formatShare(share)} of the iterations (reported above ${formatPercent(stormShare)}).`,
    evidence: {
      tab: 'events',
      series: ['adaptive_event_count'],
      value: share,
      threshold: stormShare,
    },
  };
};
